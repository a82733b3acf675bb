// What events do to orders: the row, what it locks, and the position of its user. The arithmetic is in ledger.ts.
import type { Context } from "ponder:registry";
import { orderFill, stockOrder } from "ponder:schema";
import type { Hex } from "viem";
import type { ChainOrderStatus } from "../../src/protocol/enums.ts";
import {
  applyFill,
  buyPosition,
  closeOrder,
  type Fill,
  type OrderState,
  type Position,
  sellPosition,
} from "./ledger.ts";
import {
  bornIn,
  type ChainEvent,
  keepAttribution,
  knownOrder,
  moveLock,
  moveStock,
  scopeOf,
  settledIn,
  touchedIn,
} from "./store.ts";

interface Placing extends Pick<OrderState, "side" | "orderType"> {
  orderId: Hex;
  user: Hex;
  stockToken: Hex;
  notional: bigint | null;
  quantity: bigint | null;
  price: bigint | null;
  timeInForce: number | null;
  deadline: number;
  lockedAmount: bigint;
}

/** Inserts a new order, whose lock moves out of what its user has available (the deduction is an event of its own). */
export async function placeOrder(event: ChainEvent, context: Context, placing: Placing) {
  const scope = scopeOf("stock", event, context);
  const { user, stockToken: stock, deadline, ...order } = placing;
  await context.db.insert(stockOrder).values({
    ...scope,
    ...order,
    ...bornIn(event),
    userAddress: user,
    stockAddress: stock,
    deadline: BigInt(deadline),
    lockedRemaining: order.lockedAmount,
    status: "open",
    filledQuantity: 0n,
    filledNotional: 0n,
    fee: 0n,
    fillCount: 0,
  });
  await moveLock(context.db, scope, { side: order.side, user, stock }, order.lockedAmount);
  await keepAttribution(context.db, scope, event);
}

interface Filling {
  orderId: Hex;
  stockDelta: bigint;
  price: bigint;
  mintFee: bigint;
  protocolFee: bigint;
  completes: boolean;
}

/** Records a fill, the last one or not. */
export async function fillOrder(event: ChainEvent, context: Context, filling: Filling) {
  const { orderId, stockDelta, price, completes } = filling;
  const scope = scopeOf("stock", event, context);
  const order = await knownOrder(context.db, scope, orderId);
  const fill: Fill = {
    quantity: stockDelta < 0n ? -stockDelta : stockDelta,
    price,
    fee: filling.mintFee + filling.protocolFee,
    completes,
  };
  const { order: after, notional, unlocked } = applyFill(order, fill);
  await context.db
    .update(stockOrder, { ...scope, orderId })
    .set({ ...progressOf(after), ...(completes ? settledIn(event) : touchedIn(event)) });
  await context.db.insert(orderFill).values({
    ...scope,
    orderId,
    ordinal: order.fillCount,
    quantity: fill.quantity,
    price,
    notional,
    fee: fill.fee,
    txHash: event.transaction.hash,
    timestamp: event.block.timestamp,
    blockNumber: event.block.number,
  });
  const holding = { side: order.side, user: order.userAddress, stock: order.stockAddress };
  await moveLock(context.db, scope, holding, -unlocked);
  const trade = (position: Position) =>
    order.side === "Buy"
      ? buyPosition(position, fill.quantity, notional + fill.fee)
      : sellPosition(position, fill.quantity, notional - fill.fee);
  await moveStock(context.db, scope, holding, { trade });
}

/** Records an end without a fill: canceled, rejected or expired. What is released is credited by an event of its own. */
export async function endOrder(
  event: ChainEvent,
  context: Context,
  orderId: Hex,
  status: Extract<ChainOrderStatus, "canceled" | "rejected" | "expired">,
  rejectReason: number | null = null,
) {
  const scope = scopeOf("stock", event, context);
  const order = await knownOrder(context.db, scope, orderId);
  const { order: after, unlocked } = closeOrder(order, status);
  await context.db
    .update(stockOrder, { ...scope, orderId })
    .set({ ...progressOf(after), rejectReason, ...settledIn(event) });
  const holding = { side: order.side, user: order.userAddress, stock: order.stockAddress };
  await moveLock(context.db, scope, holding, -unlocked);
}

/** Returns the columns that a transition changes. */
function progressOf({ status, lockedRemaining, filledQuantity, filledNotional, fee, fillCount }: OrderState) {
  return { status, lockedRemaining, filledQuantity, filledNotional, fee, fillCount };
}
