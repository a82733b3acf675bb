import { type Hex, parseEventLogs } from "viem";
import type { Logs } from "../chain/receipts.ts";
import type { ProductConfig } from "../config/deployments.ts";
import { cashierAbi, stockAbi, stockRouterAbi } from "../contracts/abi/index.ts";
import type { OperationType } from "../protocol/enums.ts";

/** One order or operation that a transaction made, as its receipt tells; ids and addresses lower case. */
export interface Effect {
  operationType: OperationType;
  userAddress: Hex;
  orderId: Hex | null;
  operationId: Hex | null;
  logIndex: number;
}

/**
 * What a transaction did in one product, in log order. Judged by the events of the product's contracts and not by whom
 * the transaction calls: a wallet contract or OneClickRouter may stand between. The deposit of a combined call is part of
 * its order: the effect is one `trade` with both ids.
 */
export function effectsOf(logs: Logs, { contracts }: ProductConfig): Effect[] {
  const from = (address: Hex) => logs.filter((log) => lower(log.address) === address);
  const deposits = combinedDeposits(from(contracts.stockRouter));
  const combined = new Set(deposits.values());
  const orders = parseEventLogs({
    abi: stockAbi,
    eventName: ["MarketOrderPlaced", "LimitOrderPlaced"],
    logs: from(contracts.stock),
  }).map(({ args, logIndex }): Effect => {
    const orderId = lower(args.orderId);
    return {
      operationType: "trade",
      userAddress: lower(args.user),
      orderId,
      operationId: deposits.get(orderId) ?? null,
      logIndex,
    };
  });
  const operations = parseEventLogs({
    abi: cashierAbi,
    eventName: ["DepositRequested", "InstantDeposit", "WithdrawalRequested", "InstantWithdrawal"],
    logs: from(contracts.cashier),
  }).map(({ eventName, args, logIndex }): Effect => {
    const isDeposit = eventName === "DepositRequested" || eventName === "InstantDeposit";
    return {
      operationType: isDeposit ? "deposit" : "withdraw",
      userAddress: lower(args.user),
      orderId: null,
      operationId: lower(args.opId),
      logIndex,
    };
  });
  const own = operations.filter(({ operationId }) => operationId !== null && !combined.has(operationId));
  return [...orders, ...own].sort((a, b) => a.logIndex - b.logIndex);
}

/** The deposits of combined buys, by the order that they pay for. */
function combinedDeposits(logs: Logs): ReadonlyMap<Hex, Hex> {
  const buys = parseEventLogs({
    abi: stockRouterAbi,
    eventName: ["DepositAndMarketBuy", "DepositAndLimitBuy"],
    logs,
  });
  return new Map(buys.map(({ args }) => [lower(args.orderId), lower(args.depositOpId)]));
}

const lower = (value: Hex): Hex => value.toLowerCase() as Hex;
