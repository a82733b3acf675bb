import { type Address, type Hex, type Log, parseEventLogs } from "viem";
import { present } from "../support/assert/until.ts";
import { eventsAbi } from "./bench.ts";

/** State of all ledgers, rebuilt from events alone (docs/contracts.md#the-ledger-follows-from-events). */
export interface Ledger {
  /** mUSD wad by user. */
  available: Map<string, bigint>;
  locked: Map<string, bigint>;
  /** Stock wad by `user/token`. */
  stock: Map<string, bigint>;
  lockedStock: Map<string, bigint>;
  orders: Map<Hex, LedgerOrder>;
  operations: Map<Hex, LedgerOperation>;
  creditBuffer: bigint;
  creditBufferCapacity: bigint;
  cashTokens: Map<string, { supported: boolean; withdrawBuffer: bigint; config: Record<string, unknown> }>;
  stockTokens: Map<string, { symbol: string; tradable: boolean }>;
  feeConfig: { buyFeeBps: number; sellFeeBps: number; minFeeWad: bigint };
}

export interface LedgerOrder {
  user: Address;
  stockToken: Address;
  isBuy: boolean;
  /** mUSD wad per token; null for market orders. */
  limit: bigint | null;
  /** mUSD wad of a market buy, stock wad of any other order. */
  size: bigint;
  locked: bigint;
  filled: bigint;
  status: "open" | "canceling" | "filled" | "canceled" | "rejected" | "expired";
}

export interface LedgerOperation {
  user: Address;
  token: Address;
  kind: "deposit" | "withdrawal";
  /** Token base units of a deposit, mUSD wad of a withdrawal. */
  amount: bigint;
  instant: boolean;
  /** True where it waits for the settler. */
  queued: boolean;
}

const WAD = 10n ** 18n;

export function emptyLedger(): Ledger {
  return {
    available: new Map(),
    locked: new Map(),
    stock: new Map(),
    lockedStock: new Map(),
    orders: new Map(),
    operations: new Map(),
    creditBuffer: 0n,
    creditBufferCapacity: 0n,
    cashTokens: new Map(),
    stockTokens: new Map(),
    feeConfig: { buyFeeBps: 0, sellFeeBps: 0, minFeeWad: 0n },
  };
}

export const at = (...addresses: Address[]): string => addresses.join("/").toLowerCase();

/** @throws Error where an event contradicts those before it. */
export function apply(ledger: Ledger, logs: Log[]): void {
  for (const log of parseEventLogs({ abi: eventsAbi, logs })) {
    applyToBalances(ledger, log);
    applyToOrders(ledger, log);
    applyToCash(ledger, log);
    applyToSetUp(ledger, log);
  }
}

type Parsed = ReturnType<typeof parseEventLogs<typeof eventsAbi>>[number];

/** Applies these four events, the only ones that change available amounts, each once per change. */
function applyToBalances({ available, stock }: Ledger, { eventName, args }: Parsed): void {
  if (eventName === "BalanceCredited") add(available, at(args.user), args.amountWad);
  if (eventName === "BalanceDeducted") add(available, at(args.user), -args.amountWad);
  if (eventName === "StockCredited") add(stock, at(args.user, args.stockToken), args.amount);
  if (eventName === "StockDeducted") add(stock, at(args.user, args.stockToken), -args.amount);
}

/** Applies events of orders, and of their locks. */
function applyToOrders(ledger: Ledger, { eventName, args }: Parsed): void {
  switch (eventName) {
    case "MarketOrderPlaced":
      place(ledger, args.orderId, args, args.amount, null);
      return;
    case "LimitOrderPlaced":
      place(ledger, args.orderId, args, args.quantity, args.price);
      return;
    case "MarketOrderSettled":
      fill(ledger, args, 0n);
      return;
    case "LimitOrderFilled":
      fill(ledger, args, args.remaining);
      return;
    case "CancelRequested":
      openOrder(ledger, args.orderId).status = "canceling";
      return;
    case "CancelSettled": {
      const { filled } = openOrder(ledger, args.orderId);
      if (filled !== args.filledQuantity)
        throw new Error("a cancel tells another filled quantity than the fills");
      close(ledger, args.orderId, args.released, "canceled");
      return;
    }
    case "OrderRejected":
      close(ledger, args.orderId, args.released, "rejected");
      return;
    case "OrderExpired":
      close(ledger, args.orderId, args.released, "expired");
      return;
  }
}

function place(
  ledger: Ledger,
  orderId: Hex,
  { user, stockToken, lockedAmount }: { user: Address; stockToken: Address; lockedAmount: bigint },
  amount: bigint,
  limit: bigint | null,
): void {
  if (ledger.orders.has(orderId)) throw new Error(`two orders have the id ${orderId}`);
  const order: LedgerOrder = {
    user,
    stockToken,
    isBuy: amount > 0n,
    limit,
    size: amount > 0n ? amount : -amount,
    locked: 0n,
    filled: 0n,
    status: "open",
  };
  ledger.orders.set(orderId, order);
  lock(ledger, order, lockedAmount);
}

/** Applies a fill: a part spends from the lock; the fill that completes the order ends it. */
function fill(
  ledger: Ledger,
  args: { orderId: Hex; stockDelta: bigint; price: bigint; mintFee: bigint; protocolFee: bigint },
  remaining: bigint,
): void {
  const order = openOrder(ledger, args.orderId);
  if (order.isBuy !== args.stockDelta > 0n) throw new Error("a fill is of the other side than its order");
  const quantity = order.isBuy ? args.stockDelta : -args.stockDelta;
  const cost = (quantity * args.price + WAD - 1n) / WAD + args.mintFee + args.protocolFee;
  order.filled += quantity;
  if (remaining === 0n) order.status = "filled";
  lock(ledger, order, remaining === 0n ? -order.locked : -(order.isBuy ? cost : quantity));
}

function close(ledger: Ledger, orderId: Hex, released: bigint, status: LedgerOrder["status"]): void {
  const order = openOrder(ledger, orderId);
  if (order.locked !== released) throw new Error(`${released} released of ${order.locked} locked`);
  lock(ledger, order, -released);
  order.status = status;
}

function lock(ledger: Ledger, order: LedgerOrder, change: bigint): void {
  order.locked += change;
  if (order.locked < 0n) throw new Error("an order spent more than it locked");
  if (order.isBuy) add(ledger.locked, at(order.user), change);
  else add(ledger.lockedStock, at(order.user, order.stockToken), change);
}

function openOrder({ orders }: Ledger, orderId: Hex): LedgerOrder {
  const order = present(orders.get(orderId), `order ${orderId}`);
  if (order.status !== "open" && order.status !== "canceling")
    throw new Error(`${orderId} is ${order.status}`);
  return order;
}

function applyToCash(ledger: Ledger, { eventName, args }: Parsed): void {
  switch (eventName) {
    case "DepositRequested":
      request(ledger, args, "deposit", args.amount, true);
      return;
    case "InstantDeposit":
      request(ledger, args, "deposit", args.amount, false);
      return;
    case "WithdrawalRequested":
      request(ledger, args, "withdrawal", args.amountWad, true);
      return;
    case "InstantWithdrawal":
      request(ledger, args, "withdrawal", args.amountWad, false);
      return;
    case "DepositSettled":
    case "DepositRejected":
    case "WithdrawalSettled":
    case "WithdrawalRejected": {
      const operation = present(ledger.operations.get(args.opId), `operation ${args.opId}`);
      if (!operation.queued) throw new Error(`${eventName} of an operation that is not queued`);
      operation.queued = false;
    }
  }
}

function request(
  { operations }: Ledger,
  { opId, user, token }: { opId: Hex; user: Address; token: Address },
  kind: LedgerOperation["kind"],
  amount: bigint,
  queued: boolean,
): void {
  if (operations.has(opId)) throw new Error(`two operations have the id ${opId}`);
  operations.set(opId, { user, token, kind, amount, instant: !queued, queued });
}

function applyToSetUp(ledger: Ledger, { eventName, args }: Parsed): void {
  switch (eventName) {
    case "CreditBufferWadUpdated":
      ledger.creditBuffer = args.creditBufferWad;
      return;
    case "CreditBufferCapacityWadUpdated":
      ledger.creditBufferCapacity = args.creditBufferCapacityWad;
      return;
    case "TokenSupportUpdated":
      cashToken(ledger, args.token).supported = args.supported;
      return;
    case "TokenConfigUpdated":
      cashToken(ledger, args.token).config = { ...args.config };
      return;
    case "WithdrawBufferUpdated":
      cashToken(ledger, args.token).withdrawBuffer = args.withdrawBuffer;
      return;
    case "StockTokenListed":
      ledger.stockTokens.set(at(args.stockToken), { symbol: args.symbol, tradable: false });
      return;
    case "StockTokenTradable":
      present(ledger.stockTokens.get(at(args.stockToken)), "a listed token").tradable = args.tradable;
      return;
    case "FeeConfigUpdated":
      ledger.feeConfig = { ...args };
  }
}

function cashToken({ cashTokens }: Ledger, token: Address) {
  const known = cashTokens.get(at(token)) ?? { supported: false, withdrawBuffer: 0n, config: {} };
  cashTokens.set(at(token), known);
  return known;
}

function add(map: Map<string, bigint>, key: string, amount: bigint): void {
  map.set(key, (map.get(key) ?? 0n) + amount);
}
