import { type Address, type Hex, type Log, parseEventLogs } from "viem";
import { cashierAbi, stockAbi } from "../../../../src/contracts/abi/index.ts";

/** An order that the contract still holds open. Amounts are wad. */
export interface OpenOrder {
  orderId: Hex;
  stockToken: Address;
  isLimit: boolean;
  isBuy: boolean;
  /** mUSD of a market buy, stock of any other order. */
  size: bigint;
  /** mUSD per token; 0 on market orders. */
  price: bigint;
  filled: bigint;
  canceling: boolean;
  /** Time of the placing block, Unix seconds. */
  placedAt: number;
  /** Time of the last event that the settler saw of it, Unix milliseconds: delays count from here. */
  touchedAt: number;
}

/** Cash that waits for the settler. `amount` is token base units of a deposit, mUSD wad of a withdrawal. */
export interface QueuedOperation {
  operationId: Hex;
  kind: "deposit" | "withdraw";
  token: Address;
  amount: bigint;
  touchedAt: number;
}

/** All work of one chain, from its events. */
export interface Book {
  orders: Map<Hex, OpenOrder>;
  operations: Map<Hex, QueuedOperation>;
}

export const emptyBook = (): Book => ({ orders: new Map(), operations: new Map() });

export interface LogContext {
  /** Time of the log's block, Unix seconds. */
  timeOf: (blockNumber: bigint) => number;
  /** Unix milliseconds. */
  now: number;
}

/**
 * Brings the book up to date with logs of Stock and Cashier, oldest first. The book follows from events alone, so it is right
 * after any restart and, rebuilt, after any reorg.
 */
export function applyLogs(book: Book, logs: Log[], context: LogContext): void {
  for (const event of parseEventLogs({ abi: stockAbi, logs })) applyOrderEvent(book.orders, event, context);
  for (const event of parseEventLogs({ abi: cashierAbi, logs })) {
    applyCashEvent(book.operations, event, context.now);
  }
}

type OrderEvent = ReturnType<typeof parseEventLogs<typeof stockAbi>>[number];
type CashEvent = ReturnType<typeof parseEventLogs<typeof cashierAbi>>[number];

function applyOrderEvent(orders: Book["orders"], event: OrderEvent, { timeOf, now }: LogContext): void {
  switch (event.eventName) {
    case "MarketOrderPlaced":
    case "LimitOrderPlaced": {
      const { args } = event;
      const amount = "amount" in args ? args.amount : args.quantity;
      orders.set(args.orderId, {
        orderId: args.orderId,
        stockToken: args.stockToken,
        isLimit: event.eventName === "LimitOrderPlaced",
        isBuy: amount > 0n,
        size: amount < 0n ? -amount : amount,
        price: "price" in args ? args.price : 0n,
        filled: 0n,
        canceling: false,
        placedAt: timeOf(event.blockNumber),
        touchedAt: now,
      });
      return;
    }
    case "CancelRequested":
      touch(orders, event.args.orderId, { canceling: true, touchedAt: now });
      return;
    case "LimitOrderFilled": {
      const { orderId, remaining } = event.args;
      const order = orders.get(orderId);
      if (!order || remaining === 0n) orders.delete(orderId);
      else touch(orders, orderId, { filled: order.size - remaining, touchedAt: now });
      return;
    }
    case "MarketOrderSettled":
    case "CancelSettled":
    case "OrderRejected":
    case "OrderExpired":
      orders.delete(event.args.orderId);
  }
}

function applyCashEvent(operations: Book["operations"], event: CashEvent, now: number): void {
  switch (event.eventName) {
    case "DepositRequested": {
      const { opId, token, amount } = event.args;
      operations.set(opId, { operationId: opId, kind: "deposit", token, amount, touchedAt: now });
      return;
    }
    case "WithdrawalRequested": {
      const { opId, token, amountWad } = event.args;
      operations.set(opId, { operationId: opId, kind: "withdraw", token, amount: amountWad, touchedAt: now });
      return;
    }
    case "DepositSettled":
    case "DepositRejected":
    case "WithdrawalSettled":
    case "WithdrawalRejected":
      operations.delete(event.args.opId);
  }
}

function touch(orders: Book["orders"], orderId: Hex, change: Partial<OpenOrder>): void {
  const order = orders.get(orderId);
  if (order) orders.set(orderId, { ...order, ...change });
}
