import { type Hex, size, slice, toFunctionSelector } from "viem";
import { stockRouterAbi } from "../../contracts/abi/index.ts";
import type { OperationType } from "../../protocol/enums.ts";
import { KIND_BY_FUNCTION } from "../../protocol/operations.ts";

type RouterFunction = Extract<
  (typeof stockRouterAbi)[number],
  { type: "function"; stateMutability: "nonpayable" }
>["name"];

/** Operation that a successful call of each router function makes; null: none that a key could own. */
const KINDS: Record<RouterFunction, OperationType | null> = {
  placeMarketOrder: "trade",
  placeLimitOrder: "trade",
  depositAndMarketBuy: "trade",
  depositAndLimitBuy: "trade",
  depositStockAndMarketSell: "trade",
  depositStockAndLimitSell: "trade",
  cancelLimitOrder: null,
  ...KIND_BY_FUNCTION,
};

const kinds: ReadonlyMap<string, OperationType | null> = new Map(Object.entries(KINDS));
const bySelector = new Map(
  stockRouterAbi.flatMap((item) =>
    item.type === "function" ? [[toFunctionSelector(item), kinds.get(item.name) ?? null] as const] : [],
  ),
);

/** Returns what a call of the router makes; null where a key can own nothing of it. */
export function operationTypeOf(callData: Hex): OperationType | null {
  return size(callData) < 4 ? null : (bySelector.get(slice(callData, 0, 4)) ?? null);
}
