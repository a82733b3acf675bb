import { type Hex, parseEventLogs } from "viem";
import type { Logs } from "../chain/receipts.ts";
import type { ProductConfig } from "../config/deployments.ts";
import { cashierAbi, stockAbi, stockRouterAbi } from "../contracts/abi/index.ts";
import { findCombinedDeposit, type StockMovement } from "../contracts/combined-deposit.ts";
import { stockOperationId } from "../contracts/stock-operation-id.ts";
import type { OperationType } from "../protocol/enums.ts";
import { kindsByEvent } from "../protocol/operations.ts";

/** One order or operation that a transaction made, by its receipt; ids and addresses lower case. */
export interface Effect {
  operationType: OperationType;
  userAddress: Hex;
  orderId: Hex | null;
  operationId: Hex | null;
  logIndex: number;
}

/** Contracts that emit the events of one product. */
export interface Emitters extends Pick<ProductConfig, "contracts"> {
  chainId: number;
}

/**
 * Returns what a transaction did in one product, in log order. Judged by the events of the product's contracts and not by whom
 * the transaction calls: a wallet contract or OneClickRouter may stand between. The deposit of a combined call is part of
 * its order: the effect is one `trade` with both ids.
 */
export function effectsOf(logs: Logs, { contracts, chainId }: Emitters): Effect[] {
  const from = (address: Hex) => logs.filter((log) => lower(log.address) === address);
  const stockLogs = from(contracts.stock);
  const movements = stockMovements(stockLogs, chainId);
  const deposits = combinedDeposits(from(contracts.stockRouter), movements);
  const combined = new Set(deposits.values());
  const orders = placedOrders(stockLogs, deposits);
  const own = [...cashOperations(from(contracts.cashier)), ...movements].filter(
    ({ operationId }) => !combined.has(operationId),
  );
  return [...orders, ...own].sort((a, b) => a.logIndex - b.logIndex);
}

function placedOrders(logs: Logs, deposits: ReadonlyMap<Hex, Hex>): Effect[] {
  const placed = parseEventLogs({
    abi: stockAbi,
    eventName: ["MarketOrderPlaced", "LimitOrderPlaced"],
    logs,
  });
  return placed.map(({ args, logIndex }) => {
    const orderId = lower(args.orderId);
    const operationId = deposits.get(orderId) ?? null;
    return { operationType: "trade", userAddress: lower(args.user), orderId, operationId, logIndex };
  });
}

const CASH_KINDS = kindsByEvent("cash");
const STOCK_KINDS = kindsByEvent("stock");
const namesIn = <E extends string>(kinds: Record<E, unknown>) => Object.keys(kinds) as E[];

/** An operation that is no order, so one with an id of its own. */
interface Movement extends Effect {
  operationId: Hex;
}

function cashOperations(logs: Logs): Movement[] {
  const made = parseEventLogs({ abi: cashierAbi, eventName: namesIn(CASH_KINDS), logs });
  return made.map(({ eventName, args, logIndex }) => ({
    operationType: CASH_KINDS[eventName],
    userAddress: lower(args.user),
    orderId: null,
    operationId: lower(args.opId),
    logIndex,
  }));
}

interface Moved extends Movement, StockMovement {
  operationType: StockMovement["kind"];
}

function stockMovements(logs: Logs, chainId: number): Moved[] {
  const moved = parseEventLogs({ abi: stockAbi, eventName: namesIn(STOCK_KINDS), logs });
  return moved.map(({ eventName, args, logIndex, transactionHash }, ordinal) => {
    const kind = STOCK_KINDS[eventName];
    return {
      kind,
      operationType: kind,
      userAddress: lower(args.user),
      orderId: null,
      operationId: stockOperationId(chainId, transactionHash, ordinal),
      logIndex,
      tokenAddress: lower(args.stockToken),
      amount: args.amount,
    };
  });
}

/** Returns the deposits of combined calls, by the order that they pay for. */
function combinedDeposits(logs: Logs, movements: readonly Moved[]): ReadonlyMap<Hex, Hex> {
  const buys = parseEventLogs({
    abi: stockRouterAbi,
    eventName: ["DepositAndMarketBuy", "DepositAndLimitBuy"],
    logs,
  });
  const deposits = new Map(buys.map(({ args }) => [lower(args.orderId), lower(args.depositOpId)]));
  const sells = parseEventLogs({
    abi: stockRouterAbi,
    eventName: ["DepositStockAndMarketSell", "DepositStockAndLimitSell"],
    logs,
  });
  for (const { args, logIndex } of sells) {
    const taken = new Set(deposits.values());
    const free = movements.filter(
      (movement) => movement.logIndex < logIndex && !taken.has(movement.operationId),
    );
    const deposit = findCombinedDeposit(free, args);
    if (deposit) deposits.set(lower(args.orderId), deposit.operationId);
  }
  return deposits;
}

const lower = (value: Hex): Hex => value.toLowerCase() as Hex;
