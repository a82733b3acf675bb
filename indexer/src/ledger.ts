// Computes how an event changes an order, its lock and a position: pure arithmetic on base units, no database and no chain.
// Wads have 18 decimals. The contracts compute the same numbers the same way; a test compares the two.
import { multiplyWad, multiplyWadUp } from "../../src/protocol/decimal.ts";
import type { ChainOrderStatus, OrderType, Side } from "../../src/protocol/enums.ts";

/** Part of a stock_order row that fills and cancels change. */
export interface OrderState {
  side: Side;
  orderType: OrderType;
  status: ChainOrderStatus;
  /** mUSD wad on a buy, stock wad on a sell. */
  lockedRemaining: bigint;
  filledQuantity: bigint;
  filledNotional: bigint;
  fee: bigint;
  fillCount: number;
}

/** One MarketOrderSettled or LimitOrderFilled event. */
export interface Fill {
  /** Stock wad, positive on both sides. */
  quantity: bigint;
  /** mUSD wad per token. */
  price: bigint;
  /** mUSD wad: mint and protocol fee of this fill together. */
  fee: bigint;
  /** True where nothing of the order is left, as always for a market order. */
  completes: boolean;
}

/** Changes of a transition: the order's new state, and the decrease of its user's lock (mUSD or stock wad). */
export interface Transition {
  order: OrderState;
  unlocked: bigint;
}

/**
 * Returns the mUSD wad of a fill before its fee: rounded down for a seller, up for a buyer. Many fills of a buy, each rounded up,
 * may add up to a few wad more than their lock; the last one then costs the rest of the lock.
 */
export function fillNotional(order: Pick<OrderState, "side" | "lockedRemaining">, fill: Fill): bigint {
  if (order.side === "Sell") return multiplyWad(fill.quantity, fill.price);
  const roundedUp = multiplyWadUp(fill.quantity, fill.price);
  const affordable = order.lockedRemaining - fill.fee;
  return roundedUp < affordable ? roundedUp : affordable;
}

/**
 * Applies a fill. The lock shrinks by exactly the amount that the fill spends; the fill that completes the order releases the
 * rest. An order whose cancel is under way stays `canceling` until the cancel or the rest of the fill decides.
 */
export function applyFill(order: OrderState, fill: Fill): Transition & { notional: bigint } {
  const notional = fillNotional(order, fill);
  const spent = order.side === "Buy" ? notional + fill.fee : fill.quantity;
  const unlocked = fill.completes ? order.lockedRemaining : spent;
  return {
    notional,
    unlocked,
    order: {
      ...order,
      status: fill.completes ? "filled" : order.status,
      lockedRemaining: order.lockedRemaining - unlocked,
      filledQuantity: order.filledQuantity + fill.quantity,
      filledNotional: order.filledNotional + notional,
      fee: order.fee + fill.fee,
      fillCount: order.fillCount + 1,
    },
  };
}

/** Closes an order without a fill: releases its lock, and keeps earlier fills. */
export function closeOrder(order: OrderState, status: "canceled" | "rejected" | "expired"): Transition {
  return { order: { ...order, status, lockedRemaining: 0n }, unlocked: order.lockedRemaining };
}

/** Cost columns of a stock_balance row. */
export interface Position {
  tradedQuantity: bigint;
  costBasis: bigint;
  realizedPnl: bigint;
}

/** Adds a buy of `quantity` (stock wad) that cost `cost` (mUSD wad, fee included). */
export function buyPosition(position: Position, quantity: bigint, cost: bigint): Position {
  return {
    ...position,
    tradedQuantity: position.tradedQuantity + quantity,
    costBasis: position.costBasis + cost,
  };
}

/**
 * Subtracts a sell of `quantity` (stock wad) that brought `proceeds` (mUSD wad, fee deducted), at average cost. Deposited stock
 * has no known cost: it is sold last, and its proceeds are no gain.
 */
export function sellPosition(position: Position, quantity: bigint, proceeds: bigint): Position {
  const traded = quantity < position.tradedQuantity ? quantity : position.tradedQuantity;
  if (traded === 0n) return position;
  const cost = (position.costBasis * traded) / position.tradedQuantity;
  return {
    tradedQuantity: position.tradedQuantity - traded,
    costBasis: position.costBasis - cost,
    realizedPnl: position.realizedPnl + (proceeds * traded) / quantity - cost,
  };
}
