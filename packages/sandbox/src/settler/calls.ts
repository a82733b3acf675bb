import { type Address, encodeFunctionData, type Hex } from "viem";
import {
  cashierAbi,
  cashTokenAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../../../../src/contracts/abi/index.ts";
import type { Deployment } from "../deploy.ts";
import type { Step } from "../transact.ts";
import type { OpenOrder, QueuedOperation } from "./book.ts";

/** The settler's calls: pure encoders. */
type Contracts = Pick<Deployment, "stock" | "cashier" | "stockRouter">;

/** Gas is free on a development chain: the limit only has to suffice, and to fit a block. */
const gasFor = (items: number) => 200_000n + 400_000n * BigInt(items);

/** A fill of an order: `quantity` in stock wad (market orders fill whole), `price` in mUSD wad per token. */
export interface Fill {
  order: OpenOrder;
  quantity: bigint;
  price: bigint;
}

/** Fills orders that are all limit orders or all market orders. */
export function fillOrders({ stock }: Contracts, fills: readonly Fill[]): Step {
  const orderIds = fills.map(({ order }) => order.orderId);
  const prices = fills.map(({ price }) => price);
  const data = fills[0]?.order.isLimit
    ? encodeFunctionData({
        abi: stockAbi,
        functionName: "settleLimitOrders",
        args: [orderIds, fills.map(({ quantity }) => quantity), prices],
      })
    : encodeFunctionData({ abi: stockAbi, functionName: "settleMarketOrders", args: [orderIds, prices] });
  return { name: "fill orders", to: stock, data, gas: gasFor(fills.length) };
}

export function settleCancels({ stock }: Contracts, orderIds: readonly Hex[]): Step {
  const data = encodeFunctionData({ abi: stockAbi, functionName: "settleCancels", args: [orderIds] });
  return { name: "settle cancels", to: stock, data, gas: gasFor(orderIds.length) };
}

export function expireOrders({ stock }: Contracts, orderIds: readonly Hex[]): Step {
  const data = encodeFunctionData({ abi: stockAbi, functionName: "expireOrders", args: [orderIds] });
  return { name: "expire orders", to: stock, data, gas: gasFor(orderIds.length) };
}

export function rejectOrders({ stock }: Contracts, orderIds: readonly Hex[], reason: number): Step {
  const data = encodeFunctionData({ abi: stockAbi, functionName: "rejectOrders", args: [orderIds, reason] });
  return { name: "reject orders", to: stock, data, gas: gasFor(orderIds.length) };
}

/** `amount`: mUSD wad credited for a deposit, token base units paid for a withdrawal. */
export function settleOperation({ cashier }: Contracts, operation: QueuedOperation, amount: bigint): Step {
  const data = encodeFunctionData({
    abi: cashierAbi,
    functionName: operation.kind === "deposit" ? "batchSettleDeposit" : "batchSettleWithdraw",
    args: [[operation.operationId], [amount]],
  });
  return { name: `settle ${operation.operationId}`, to: cashier, data, gas: gasFor(1) };
}

export function failOperation(
  { cashier }: Contracts,
  operation: Pick<QueuedOperation, "kind" | "operationId">,
  reason: number,
): Step {
  const data = encodeFunctionData({
    abi: cashierAbi,
    functionName: operation.kind === "deposit" ? "batchRejectDeposit" : "batchRejectWithdraw",
    args: [[operation.operationId], reason],
  });
  return { name: `fail ${operation.operationId}`, to: cashier, data, gas: gasFor(1) };
}

/** Both in mUSD wad. */
export function setCreditBuffer({ cashier }: Contracts, buffer: bigint, capacity: bigint): Step {
  const data = encodeFunctionData({
    abi: cashierAbi,
    functionName: "setCreditBuffer",
    args: [buffer, capacity],
  });
  return { name: "set the credit buffer", to: cashier, data, gas: gasFor(1) };
}

/** Both in token base units. */
export function setWithdrawBuffer(
  { cashier }: Contracts,
  token: Address,
  buffer: bigint,
  capacity: bigint,
): Step {
  const data = encodeFunctionData({
    abi: cashierAbi,
    functionName: "setWithdrawBuffer",
    args: [token, buffer, capacity],
  });
  return { name: "set a withdraw buffer", to: cashier, data, gas: gasFor(1) };
}

export function setTokenPaused(
  { cashier }: Contracts,
  token: Address,
  paused: { deposit: boolean; withdraw: boolean },
): Step {
  const data = encodeFunctionData({
    abi: cashierAbi,
    functionName: "setTokenPaused",
    args: [token, paused.deposit, paused.withdraw],
  });
  return { name: "pause a cash token", to: cashier, data, gas: gasFor(1) };
}

export function setTradable({ stock }: Contracts, token: Address, tradable: boolean): Step {
  const data = encodeFunctionData({ abi: stockAbi, functionName: "setTradable", args: [token, tradable] });
  return { name: "set tradable", to: stock, data, gas: gasFor(1) };
}

export function setMultiplier(token: Address, multiplier: bigint): Step {
  const data = encodeFunctionData({ abi: stockTokenAbi, functionName: "setMultiplier", args: [multiplier] });
  return { name: "set a multiplier", to: token, data, gas: gasFor(1) };
}

/** Returns the calls by which the broker deposits cash like any user, so that tokens back mUSD. `amount` in base units. */
export function brokerDeposit(
  { stockRouter }: Contracts,
  broker: Address,
  token: Address,
  amount: bigint,
): Step[] {
  const mint = encodeFunctionData({ abi: cashTokenAbi, functionName: "mint", args: [broker, amount] });
  const approve = encodeFunctionData({
    abi: cashTokenAbi,
    functionName: "approve",
    args: [stockRouter, amount],
  });
  const deposit = encodeFunctionData({ abi: stockRouterAbi, functionName: "deposit", args: [token, amount] });
  return [
    { name: "mint the broker's cash", to: token, data: mint, gas: gasFor(1) },
    { name: "approve the broker's cash", to: token, data: approve, gas: gasFor(1) },
    { name: "deposit the broker's cash", to: stockRouter, data: deposit, gas: gasFor(1) },
  ];
}
