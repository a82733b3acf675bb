import { getAddress } from "viem";
import { presentMapping, toSeconds } from "../claims/mapping.ts";
import type { Order } from "../context/schema-types.ts";
import { formatWad } from "../protocol/decimal.ts";
import { TIME_IN_FORCE, type TimeInForce } from "../protocol/enums.ts";
import { type Status, statusOf } from "./status.ts";
import type { MappedOrder, OrderRow } from "./store.ts";

type EndedState = Extract<Status, { onChainStatus: "history" }>;
type OpenState = Exclude<Status, EndedState>;

/** Returns an order in the API's shape (docs/api.md#order-states): the same in list, detail and by-tx. */
export function presentOrder({ claim, order, orderIds }: MappedOrder): Order {
  const chain = order && {
    type: order.orderType,
    status: order.status,
    filledQuantity: order.filledQuantity,
  };
  const status = statusOf(chain, claim.state);
  const ended = status.onChainStatus === "history";
  return {
    orderId: order?.orderId ?? null,
    txHash: claim.txHash,
    status: status.status,
    onChainStatus: status.onChainStatus,
    orderIds,
    mapping: presentMapping(
      claim,
      order && {
        ordinal: order.ordinal,
        userAddress: order.userAddress,
        orderId: order.orderId,
        operationId: order.operationId,
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
    settleTxHash: order?.settleTxHash ?? null,
    settledAt: order?.settledAt ?? null,
    failReason: failReason(claim, order),
  });
}

/** Returns what open and ended orders share. Of an order that is not indexed only the claim is known. */
function presentTerms(claim: MappedOrder["claim"], order: OrderRow | null) {
  if (!order) return presentUnknown(claim);
  return {
    orderId: order.orderId,
    txHash: claim.txHash,
    userAddress: getAddress(order.userAddress),
    stockAddress: getAddress(order.stockAddress),
    symbol: order.symbol,
    side: order.side,
    type: order.orderType,
    quantity: order.quantity === null ? null : formatWad(order.quantity),
    notional: order.notional === null ? null : formatWad(order.notional),
    price: order.price === null ? null : formatWad(order.price),
    timeInForce: timeInForceName(order.timeInForce),
    deadline: order.deadline,
    filledQuantity: formatWad(order.filledQuantity),
    filledNotional: formatWad(order.filledNotional),
    averageFillPrice: averageFillPrice(order),
    fee: formatWad(order.fee),
    fills: order.fills.map(presentFill),
    lockedAmount: formatWad(order.lockedRemaining),
    lockedAsset: order.side === "Buy" ? "mUSD" : order.symbol,
    cancelTxHash: order.cancelTxHash,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    blockNumber: order.blockNumber,
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
    txHash: claim.txHash,
    userAddress: claim.claimUser && getAddress(claim.claimUser),
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
    createdAt: toSeconds(claim.createdMs),
    updatedAt: toSeconds(claim.updatedMs),
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
function averageFillPrice({ fills, filledQuantity }: OrderRow): string | null {
  if (filledQuantity === 0n) return null;
  const weighted = fills.reduce((sum, { quantity, price }) => sum + quantity * price, 0n);
  return formatWad(weighted / filledQuantity);
}

function failReason(claim: MappedOrder["claim"], order: OrderRow | null): string | null {
  if (!order) return failReasonOfClaim(claim);
  if (order.status === "expired") return "The session ended";
  if (order.status !== "rejected") return null;
  return order.rejectReason === null
    ? "Rejected by the broker"
    : `Rejected by the broker, reason ${order.rejectReason}`;
}

/** Returns why a claim has no order. For a request sent here, the reply of /send has the detail. */
function failReasonOfClaim({ source, txHash }: MappedOrder["claim"]): string {
  if (txHash === null) return "It was not sent";
  return source === "send" ? "The transaction failed" : "The transaction reverted";
}
