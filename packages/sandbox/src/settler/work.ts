import type { Hex } from "viem";
import { cashierAbi } from "../../../../src/contracts/abi/index.ts";
import type { Book, OpenOrder, QueuedOperation } from "./book.ts";
import {
  expireOrders,
  type Fill,
  fillOrders,
  rejectOrders,
  settleCancels,
  settleOperation,
} from "./calls.ts";
import { decideOperation, decideOrder, type OrderAction } from "./decide.ts";
import { type Desk, SettlerRevert } from "./desk.ts";
import { bringCash } from "./treasury.ts";

/** Items of one transaction: far below a block's gas. */
const BATCH = 25;
/** Time for which an operation that the contract refused to settle is skipped. */
const POSTPONED_MS = 30_000;
/** Reason code of orders that the contract refuses to fill, for example because nothing would be left after fees. */
export const REASON_NOT_EXECUTABLE = 1;

/** Runs one round of the broker's and cash desk's work on one chain, inside `desk.exclusive`. */
export async function workOnce(desk: Desk, book: Book): Promise<void> {
  const decided = await decideAll(desk, book);
  const having = (action: OrderAction["action"]) =>
    decided.filter((item) => item.action.action === action).map(({ order }) => order.orderId);
  for (const ids of batches(having("cancel"))) await desk.send(settleCancels(desk.deployment, ids));
  for (const ids of batches(having("expire"))) await desk.send(expireOrders(desk.deployment, ids));
  const fills = decided.flatMap(({ order, action }) =>
    action.action === "fill" ? [{ order, quantity: action.quantity, price: action.price }] : [],
  );
  for (const isLimit of [false, true]) {
    for (const batch of batches(fills.filter(({ order }) => order.isLimit === isLimit))) {
      await fillBatch(desk, batch);
    }
  }
  for (const operation of book.operations.values()) {
    if (decideOperation(operation, desk.now(), desk.policy)) await settleOrPostpone(desk, book, operation);
  }
}

async function decideAll(desk: Desk, book: Book): Promise<{ order: OpenOrder; action: OrderAction }[]> {
  const orders = [...book.orders.values()];
  if (orders.length === 0 || desk.policy.mode === "manual") return [];
  const tokens = [...new Set(orders.map((order) => order.stockToken))];
  const prices = new Map(
    await Promise.all(tokens.map(async (token) => [token, await desk.priceOf(token)] as const)),
  );
  const market = { session: desk.market.session(), dayEndedAt: desk.market.dayEndedAt(), now: desk.now() };
  return orders.map((order) => ({
    order,
    action: decideOrder(order, { ...market, price: prices.get(order.stockToken) ?? null }, desk.policy),
  }));
}

/** Fills all at once; where the contract refuses, one by one, so that a bad order delays no other. */
async function fillBatch(desk: Desk, fills: Fill[]): Promise<void> {
  try {
    await desk.send(fillOrders(desk.deployment, fills));
  } catch (error) {
    if (!(error instanceof SettlerRevert)) throw error;
    for (const fill of fills) await fillOrReject(desk, fill);
  }
}

async function fillOrReject(desk: Desk, fill: Fill): Promise<void> {
  const { order } = fill;
  const left = order.size - order.filled;
  // Rounding may put a part above what is locked; the whole remainder never is.
  const attempts = order.isLimit && fill.quantity < left ? [fill, { ...fill, quantity: left }] : [fill];
  for (const attempt of attempts) {
    try {
      await desk.send(fillOrders(desk.deployment, [attempt]));
      return;
    } catch (error) {
      if (!(error instanceof SettlerRevert)) throw error;
      desk.log.warn({ orderId: order.orderId, revert: error.revert }, "the contract refuses a fill");
    }
  }
  await desk.send(rejectOrders(desk.deployment, [order.orderId], REASON_NOT_EXECUTABLE));
}

/** Settles a queued deposit or withdrawal by the Cashier's own rates; one that the contract refuses is tried later. */
async function settleOrPostpone(desk: Desk, book: Book, operation: QueuedOperation): Promise<void> {
  try {
    await settle(desk, book, operation, await settlementOf(desk, operation));
  } catch (error) {
    if (!(error instanceof SettlerRevert)) throw error;
    const { operationId } = operation;
    desk.log.warn(
      { operationId, revert: error.revert },
      "the contract refuses a settlement; it is tried later",
    );
    book.operations.set(operationId, { ...operation, touchedAt: desk.now() + POSTPONED_MS });
  }
}

/** @param amount mUSD wad that a deposit credits; token base units that a withdrawal pays. */
export async function settle(
  desk: Desk,
  book: Book,
  operation: QueuedOperation,
  amount: bigint,
): Promise<Hex[]> {
  if (operation.kind === "withdraw") await bringCash(desk, book, operation.token, amount);
  return desk.send(settleOperation(desk.deployment, operation, amount));
}

/** Returns the amount that the Cashier itself would credit (mUSD wad) or pay (token base units) for an operation. */
export function settlementOf(
  { client, deployment }: Desk,
  { kind, token, amount }: QueuedOperation,
): Promise<bigint> {
  return client.readContract({
    address: deployment.cashier,
    abi: cashierAbi,
    functionName: kind === "deposit" ? "tokenToBalanceWadInstant" : "balanceWadToTokenInstant",
    args: [token, amount],
  });
}

function batches<T>(items: readonly T[]): T[][] {
  const found: T[][] = [];
  for (let start = 0; start < items.length; start += BATCH) found.push(items.slice(start, start + BATCH));
  return found;
}
