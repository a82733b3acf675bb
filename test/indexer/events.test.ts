import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { Abi } from "viem";
import { IGNORED_EVENTS } from "../../indexer/src/events.ts";
import {
  cashierAbi,
  oneClickRouterAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../../src/contracts/abi/index.ts";

const SOURCES = new URL("../../indexer/src/", import.meta.url);
const contracts: Record<string, Abi> = {
  StockRouter: stockRouterAbi,
  Cashier: cashierAbi,
  Stock: stockAbi,
  OneClickRouter: oneClickRouterAbi,
  StockToken: stockTokenAbi,
};

const emitted = Object.entries(contracts).flatMap(([name, abi]) =>
  abi.flatMap((item) => (item.type === "event" ? [`${name}:${item.name}`] : [])),
);

const handlers = readdirSync(SOURCES)
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) =>
    [...readFileSync(new URL(file, SOURCES), "utf8").matchAll(/ponder\.on\(\s*"(\w+):(\w+)"/g)].map(
      ([, contract, event]) => ({ file, contract, event: `${contract}:${event}` }),
    ),
  );

describe("events of the contracts", () => {
  const handled = handlers.map(({ event }) => event);

  it.each(emitted)("%s is handled, or ignored for a reason", (event) => {
    expect(handled.filter((name) => name === event).length + Number(event in IGNORED_EVENTS)).toBe(1);
  });

  it("are the only ones that are handled or ignored", () => {
    expect([...handled, ...Object.keys(IGNORED_EVENTS)].toSorted()).toEqual(emitted.toSorted());
  });

  it("are handled in the file named after their contract", () => {
    expect(handlers.filter(({ file, contract }) => file !== `${contract}.ts`)).toEqual([]);
  });
});
