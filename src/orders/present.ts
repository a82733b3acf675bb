import { getAddress } from "viem";
import { presentMapping, toSeconds } from "../claims/mapping.ts";
import { formatWad } from "../protocol/decimal.ts";
import { TIME_IN_FORCE, type TimeInForce } from "../protocol/enums.ts";
import { type Status, statusOf } from "./status.ts";
import type { MappedOrder, OrderRow } from "./store.ts";

type EndedState = Extract<Status, { onChainStatus: "history" }>;
type OpenState = Exclude<Status, EndedState>;

/** Returns an order in the API's shape (docs/api.md#order-states): the same in list, detail and by-tx. */
export function presentOrder({ claim, order, orderIds }: MappedOrder) {
  const chain = order && {
    type: order.order_type,
    status: order.status,
    filledQuantity: order.filled_quantity,
  };
  const status = statusOf(chain, claim.state);
  const ended = status.onChainStatus === "history";
  return {
    orderId: order?.order_id ?? null,
    txHash: claim.tx_hash,
    status: status.status,
    onChainStatus: status.onChainStatus,
    orderIds,
    mapping: presentMapping(
      claim,
      order && {
        ordinal: order.ordinal,
        userAddress: order.user_address,
        orderId: order.order_id,
        operationId: order.operation_id,
        indexed: true,
      },
    ),
    openOrder: ended ? null : presentOpen(claim, order, status),
    historyOrder: ended ? presentHistory(claim, order, status) : null,
  };
}

// Object.assign: an object literal that goes on behind the spread of so many fields takes three times as long as all the rest here.
function presentOpen(claim: MappedOrder["claim"], order: OrderRow | null, { onChainStatus }: OpenState) {
  return Object.assign(presentTerms(claim, order), { status: onChainStatus });
}

function presentHistory(claim: MappedOrder["claim"], order: OrderRow | null, { status }: EndedState) {
  return Object.assign(presentTerms(claim, order), {
    status,
    settleTxHash: order?.settle_tx_hash ?? null,
    settledAt: order?.settled_at ?? null,
    failReason: failReason(claim, order),
  });
}

/** Returns what open and ended orders share. Of an order that is not indexed only the claim is known. */
function presentTerms(claim: MappedOrder["claim"], order: OrderRow | null) {
  if (!order) return presentUnknown(claim);
  return {
    orderId: order.order_id,
    txHash: claim.tx_hash,
    userAddress: getAddress(order.user_address),
    stockAddress: getAddress(order.stock_address),
    symbol: order.symbol,
    side: order.side,
    type: order.order_type,
    quantity: order.quantity === null ? null : formatWad(order.quantity),
    notional: order.notional === null ? null : formatWad(order.notional),
    price: order.price === null ? null : formatWad(order.price),
    timeInForce: timeInForceName(order.time_in_force),
    deadline: order.deadline,
    filledQuantity: formatWad(order.filled_quantity),
    filledNotional: formatWad(order.filled_notional),
    averageFillPrice: averageFillPrice(order),
    fee: formatWad(order.fee),
    fills: order.fills.map(presentFill),
    lockedAmount: formatWad(order.locked_remaining),
    lockedAsset: order.side === "Buy" ? "mUSD" : order.symbol,
    cancelTxHash: order.cancel_tx_hash,
    createdAt: order.created_at,
    updatedAt: order.updated_at,
    blockNumber: order.block_number,
  };
}

const presentFill = ({ quantity, price, fee, txHash, timestamp }: OrderRow["fills"][number]) => ({
  quantity: formatWad(quantity),
  price: formatWad(price),
  fee: formatWad(fee),
  txHash,
  timestamp,
});

function presentUnknown(claim: MappedOrder["claim"]) {
  return {
    orderId: null,
    txHash: claim.tx_hash,
    userAddress: claim.claim_user && getAddress(claim.claim_user),
    stockAddress: null,
    symbol: null,
    side: null,
    type: null,
    quantity: null,
    notional: null,
    price: null,
    timeInForce: null,
    deadline: null,
    filledQuantity: null,
    filledNotional: null,
    averageFillPrice: null,
    fee: null,
    fills: [],
    lockedAmount: null,
    lockedAsset: null,
    cancelTxHash: null,
    createdAt: toSeconds(claim.created_ms),
    updatedAt: toSeconds(claim.updated_ms),
    blockNumber: null,
  };
}

const TIMES_IN_FORCE = Object.keys(TIME_IN_FORCE) as TimeInForce[];

function timeInForceName(value: number | null): TimeInForce | null {
  return TIMES_IN_FORCE.find((name) => TIME_IN_FORCE[name] === value) ?? null;
}

/**
 * Returns the price weighted over the fills, not filledNotional by quantity: a notional is rounded when it is charged.
 * Rounded down.
 */
function averageFillPrice({ fills, filled_quantity }: OrderRow): string | null {
  if (filled_quantity === 0n) return null;
  const weighted = fills.reduce((sum, { quantity, price }) => sum + quantity * price, 0n);
  return formatWad(weighted / filled_quantity);
}

function failReason(claim: MappedOrder["claim"], order: OrderRow | null): string | null {
  if (!order) return failReasonOfClaim(claim);
  if (order.status === "expired") return "The session ended";
  if (order.status !== "rejected") return null;
  return order.reject_reason === null
    ? "Rejected by the broker"
    : `Rejected by the broker, reason ${order.reject_reason}`;
}

/** Returns why a claim has no order. For a request sent here, the reply of /send has the detail. */
function failReasonOfClaim({ source, tx_hash }: MappedOrder["claim"]): string {
  if (tx_hash === null) return "It was not sent";
  return source === "send" ? "The transaction failed" : "The transaction reverted";
}
