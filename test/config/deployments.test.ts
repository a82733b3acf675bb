import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import {
  loadDeployments,
  requireDevelopmentChains,
  selectChains,
  sendingOf,
} from "../../src/config/deployments.ts";
import { present } from "../support/assert/until.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "deployments-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function chainFrom(fields: object) {
  const path = join(directory, "deployments.json");
  const address = `0x${"1".repeat(40)}`;
  const contracts = { stockRouter: address, cashier: address, stock: address, oneClickRouter: address };
  const products = [{ productType: "Sandbox", startBlock: 0, contracts }];
  const chain = { chainId: 1, rpcUrls: ["http://127.0.0.1:1"], products, ...fields };
  writeFileSync(path, JSON.stringify({ chains: [chain] }));
  return present(loadDeployments(path, {}).chains[0], "a chain");
}

const sendingFrom = (sending: object | undefined) => sendingOf(chainFrom({ sending }));

it("divides RPC URLs by whether they are asked, or announce blocks", () => {
  const rpcUrls = [
    "wss://one.example/key",
    "https://one.example/key",
    "ws://two.example",
    "http://two.example",
  ];
  expect(chainFrom({ rpcUrls })).toMatchObject({
    rpcUrls: ["https://one.example/key", "http://two.example"],
    wsUrls: ["wss://one.example/key", "ws://two.example"],
  });
});

it.each([
  ["only WebSockets", ["wss://one.example"], "must have an http or https URL"],
  ["none", [], "must have an http or https URL"],
  ["another protocol", ["ftp://one.example"], "must be an http, https, ws or wss URL"],
])("refuses RPC URLs with %s", (_what, rpcUrls, message) => {
  expect(() => chainFrom({ rpcUrls })).toThrow(message);
});

it("takes the URL of an explorer, without a slash at its end", () => {
  expect(chainFrom({}).explorerUrl).toBeUndefined();
  const urls = ["https://explorer.example", "https://explorer.example/", "http://127.0.0.1:4000/chain/"];
  expect(urls.map((explorerUrl) => chainFrom({ explorerUrl }).explorerUrl)).toEqual([
    "https://explorer.example",
    "https://explorer.example",
    "http://127.0.0.1:4000/chain",
  ]);
});

it.each([
  ["of another protocol", "javascript:alert(1)", "must be an http or https URL"],
  ["that is none", "explorer.example", "must be an http or https URL"],
  ["with credentials", "https://user:secret@explorer.example", "must have no credentials"],
  ["with a query", "https://explorer.example/?key=1", "must have no credentials, query or fragment"],
  ["with a fragment", "https://explorer.example/#tx", "must have no credentials, query or fragment"],
])("refuses the URL of an explorer %s", (_what, explorerUrl, message) => {
  expect(() => chainFrom({ explorerUrl })).toThrow(message);
});

it("bounds fees also where nothing is said of sending", () => {
  const defaults = { maxFeePerGasWei: 500_000_000_000n, maxPriorityFeeWei: 50_000_000_000n };
  expect(sendingFrom(undefined)).toMatchObject(defaults);
  expect(sendingFrom({})).toMatchObject(defaults);
  expect(sendingFrom({ maxPriorityFeeWei: "7000000000" })).toMatchObject({
    ...defaults,
    maxPriorityFeeWei: 7_000_000_000n,
  });
});

it.each([
  ["no wei", { maxPriorityFeeWei: "1.5" }, "must be wei, a decimal string"],
  [
    "less than the least tip",
    { minPriorityFeeWei: "2000000000", maxPriorityFeeWei: "1999999999" },
    "must not be below minPriorityFeeWei",
  ],
])("refuses a cap on tips that is %s, naming it", (_what, sending, message) => {
  expect(() => sendingFrom(sending)).toThrow(message);
  expect(() => sendingFrom(sending)).toThrow("maxPriorityFeeWei");
});

it.each([
  ["what nodes hold of an account", {}, 64],
  ["what nodes hold of an account", { accountSlots: 16, blockSeconds: 2 }, 16],
  ["what fills its blocks at 200 a second", { accountSlots: 500, blockSeconds: 2 }, 400],
  ["16, where blocks are very short", { blockSeconds: 0.05 }, 16],
  ["what is named", { inFlightMax: 3, accountSlots: 1 }, 3],
])("lets a wallet have in flight %s", (_what, sending, inFlightMax) => {
  expect(sendingFrom(sending)).toMatchObject({ inFlightMax });
});

it("selects chains by id, in the file's order, all where none is named, and names one that the file lacks", () => {
  const chains = [chainFrom({ chainId: 1 }), chainFrom({ chainId: 137 })];
  const select = (ids?: number[]) => selectChains({ chains }, ids).map(({ chainId }) => chainId);
  expect({ all: select(), one: select([137]), both: select([137, 1]) }).toEqual({
    all: [1, 137],
    one: [137],
    both: [1, 137],
  });
  expect(() => select([1, 5])).toThrow("INDEXER_CHAINS: chain 5 is not in the deployments file");
});

it("refuses what is a sandbox's alone on any chain that is none", () => {
  const refuse = (...ephemeral: boolean[]) =>
    requireDevelopmentChains("WEBHOOK_LOOPBACK", {
      chains: ephemeral.map((each) => chainFrom({ ephemeral: each })),
    });
  expect(() => refuse(true, true)).not.toThrow();
  expect(() => refuse(true, false)).toThrow("WEBHOOK_LOOPBACK: chain 1 is no development chain");
});
