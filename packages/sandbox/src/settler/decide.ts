import { divideUp, multiplyWad, WAD } from "../../../../src/protocol/decimal.ts";
import type { Session } from "../../../../src/protocol/enums.ts";
import type { OpenOrder, QueuedOperation } from "./book.ts";

export type Mode = "auto" | "manual";

/** Settings of the broker's automatic work. */
export interface Policy {
  mode: Mode;
  /** Time from an order or its last event to the broker's next action on it, milliseconds. */
  orderDelayMs: number;
  /** Time from a queued deposit or withdrawal to its settlement, milliseconds. */
  operationDelayMs: number;
  /** Limit orders worth at least this much (mUSD wad) are filled in parts. */
  largeNotionalWad: bigint;
  parts: bigint;
}

export const DEFAULT_POLICY: Policy = {
  mode: "auto",
  orderDelayMs: 1_000,
  operationDelayMs: 2_000,
  largeNotionalWad: 5_000n * WAD,
  parts: 3n,
};

/** State of the market for a decision about an order. */
export interface View {
  /** mUSD wad per token, multiplier applied; null while there is no quote. */
  price: bigint | null;
  session: Session;
  /** DAY orders placed before it are over, Unix seconds. */
  dayEndedAt: number;
  /** Unix milliseconds. */
  now: number;
}

export type OrderAction =
  | { action: "wait" }
  | { action: "fill"; quantity: bigint; price: bigint }
  | { action: "cancel" }
  | { action: "expire" };

const WAIT: OrderAction = { action: "wait" };

/**
 * Returns the broker's present decision on an open order. Market orders fill whole at the quote; limit orders fill at the quote
 * once it crosses their limit, large ones in equal parts; requested cancels are granted; DAY orders end with the regular session;
 * nothing fills while the market is closed. In manual mode it does nothing.
 * @returns for a fill the quantity in stock wad; 0 for a market buy, which the contract computes.
 */
export function decideOrder(order: OpenOrder, view: View, policy: Policy): OrderAction {
  if (policy.mode === "manual" || view.now - order.touchedAt < policy.orderDelayMs) return WAIT;
  if (order.canceling) return { action: "cancel" };
  if (order.isLimit && order.placedAt < view.dayEndedAt) return { action: "expire" };
  const { price } = view;
  if (price === null || view.session === "closed") return WAIT;
  if (!order.isLimit) return { action: "fill", quantity: order.isBuy ? 0n : order.size, price };
  const crosses = order.isBuy ? price <= order.price : price >= order.price;
  return crosses ? { action: "fill", quantity: nextPart(order, policy), price } : WAIT;
}

function nextPart(order: OpenOrder, { largeNotionalWad, parts }: Policy): bigint {
  const left = order.size - order.filled;
  if (multiplyWad(order.size, order.price) < largeNotionalWad) return left;
  const part = divideUp(order.size, parts);
  if (left < part) return left;
  return part;
}

/** Returns true where the cash desk now settles a queued deposit or withdrawal. */
export function decideOperation(operation: QueuedOperation, now: number, policy: Policy): boolean {
  return policy.mode === "auto" && now - operation.touchedAt >= policy.operationDelayMs;
}
