import type { Abi } from "viem";
import { IGNORED_EVENTS } from "../../../indexer/src/events.ts";
import {
  cashierAbi,
  oneClickRouterAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../../../src/contracts/abi/index.ts";

const CONTRACTS: Record<string, Abi> = {
  StockRouter: stockRouterAbi,
  Cashier: cashierAbi,
  Stock: stockAbi,
  OneClickRouter: oneClickRouterAbi,
  StockToken: stockTokenAbi,
};

/** Returns the events that the indexer has handlers for, by Ponder's names; the type stands for any of them. */
export function handledEvents(): "Stock:CancelSettled"[] {
  return Object.entries(CONTRACTS).flatMap(([contract, abi]) =>
    abi.flatMap((item) => {
      const name = item.type === "event" ? `${contract}:${item.name}` : null;
      return name === null || name in IGNORED_EVENTS ? [] : [name as "Stock:CancelSettled"];
    }),
  );
}
