// Applies events to orders: the row, its lock, and the position of its user. The arithmetic is in ledger.ts.
import type { Context } from "ponder:registry";
import { orderFill, stockOrder } from "ponder:schema";
import type { Hex } from "viem";
import type { ChainOrderStatus, Side } from "../../src/protocol/enums.ts";
import type { ProductId } from "../../src/protocol/shapes.ts";
import { type Account, moveByCause } from "./activity.ts";
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
  type ChainEvent,
  createdFields,
  endedFields,
  productOf,
  recordAttribution,
  requireOrder,
  updatedFields,
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

/** Inserts a new order, whose lock is taken from its user's available amount (the deduction is an event of its own). */
export async function placeOrder(event: ChainEvent, context: Context, placing: Placing) {
  const product = productOf("stock", event);
  const { user, stockToken: stock, deadline, ...order } = placing;
  await context.db.insert(stockOrder).values({
    ...product,
    ...order,
    ...createdFields(event),
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
  await moveByCause(event, context, lockOf(product, { side: order.side, user, stock }), {
    kind: "order-placed",
    causeId: order.orderId,
    delta: -order.lockedAmount,
    locked: order.lockedAmount,
  });
  await recordAttribution(context.db, product, event);
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
  const product = productOf("stock", event);
  const order = await requireOrder(context.db, product, orderId);
  const fill: Fill = {
    quantity: stockDelta < 0n ? -stockDelta : stockDelta,
    price,
    fee: filling.mintFee + filling.protocolFee,
    completes,
  };
  const { order: after, notional, unlocked } = applyFill(order, fill);
  await context.db
    .update(stockOrder, { ...product, orderId })
    .set({ ...progressOf(after), ...(completes ? endedFields(event) : updatedFields(event)) });
  await context.db.insert(orderFill).values({
    ...product,
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
  const holding = { user: order.userAddress, stock: order.stockAddress };
  const cause = { kind: "order-filled", causeId: orderId } as const;
  const cash: Account = { product, user: holding.user, stock: null };
  const stock: Account = { product, user: holding.user, stock: holding.stock };
  if (order.side === "Buy") {
    const cost = notional + fill.fee;
    const trade = (position: Position) => buyPosition(position, fill.quantity, cost);
    await moveByCause(event, context, stock, { ...cause, delta: fill.quantity, trade });
    await moveByCause(event, context, cash, { ...cause, delta: unlocked - cost, locked: -unlocked });
  } else {
    const proceeds = notional - fill.fee;
    const trade = (position: Position) => sellPosition(position, fill.quantity, proceeds);
    const delta = unlocked - fill.quantity;
    await moveByCause(event, context, stock, { ...cause, delta, locked: -unlocked, trade });
    await moveByCause(event, context, cash, { ...cause, delta: proceeds });
  }
}

/** Records that an order's user requested its cancellation, which a later event decides. */
export async function requestCancel(event: ChainEvent, context: Context, orderId: Hex) {
  const product = productOf("stock", event);
  await requireOrder(context.db, product, orderId);
  await context.db
    .update(stockOrder, { ...product, orderId })
    .set({ status: "canceling", cancelTxHash: event.transaction.hash, ...updatedFields(event) });
  await recordAttribution(context.db, product, event);
}

/** Records an end without a fill: canceled, rejected or expired. A separate event credits the released amount. */
export async function endOrder(
  event: ChainEvent,
  context: Context,
  orderId: Hex,
  status: Extract<ChainOrderStatus, "canceled" | "rejected" | "expired">,
  rejectReason: number | null = null,
) {
  const product = productOf("stock", event);
  const order = await requireOrder(context.db, product, orderId);
  const { order: after, unlocked } = closeOrder(order, status);
  await context.db
    .update(stockOrder, { ...product, orderId })
    .set({ ...progressOf(after), rejectReason, ...endedFields(event) });
  const holding = { side: order.side, user: order.userAddress, stock: order.stockAddress };
  await moveByCause(event, context, lockOf(product, holding), {
    kind: `order-${status}`,
    causeId: orderId,
    delta: unlocked,
    locked: -unlocked,
  });
}

/** Returns the amount that an order locks: mUSD of a buy, stock of a sell. */
const lockOf = (
  product: ProductId,
  { side, user, stock }: { side: Side; user: Hex; stock: Hex },
): Account => ({
  product,
  user,
  stock: side === "Buy" ? null : stock,
});

/** Returns the columns that a transition changes. */
function progressOf({ status, lockedRemaining, filledQuantity, filledNotional, fee, fillCount }: OrderState) {
  return { status, lockedRemaining, filledQuantity, filledNotional, fee, fillCount };
}
