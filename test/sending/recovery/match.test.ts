import { expect, it } from "@jest/globals";
import type { Hex } from "viem";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import { matchTransactions } from "../../../src/sending/recovery/match.ts";
import type { MinedTransaction } from "../../../src/sending/recovery/mined-transactions.ts";

const WALLET: Hex = `0x${"a".repeat(40)}`;
const ROUTER: Hex = `0x${"b".repeat(40)}`;

const request = (requestId: string, nonce: bigint | null, data: Hex = "0x01") =>
  ({ requestId, nonce, to: ROUTER, data, gasLimit: 100_000n }) as SendRow;
const mined = (nonce: bigint, more: Partial<MinedTransaction> = {}): MinedTransaction => ({
  ...{ hash: `0x${nonce}`, nonce, to: ROUTER, data: "0x01", value: 0n, gasLimit: 100_000n },
  ...{ maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, bytes: "0x02" },
  ...more,
});
const match = (requests: SendRow[], transactions: MinedTransaction[]) => {
  const { matched, unknown } = matchTransactions(WALLET, requests, transactions);
  const pairs = matched.map(({ request: of, transaction, kind }) => [of.requestId, transaction.nonce, kind]);
  return { matched: pairs, unknown: unknown.map(({ nonce }) => nonce) };
};

it("a transaction is that of the request with its nonce, or else of the earliest one with its call, each once", () => {
  const requests = [request("first", null), request("second", null), request("signed", 4n)];
  expect(match(requests, [mined(4n), mined(5n), mined(6n), mined(7n)])).toEqual({
    matched: [
      ["signed", 4n, "call"],
      ["first", 5n, "call"],
      ["second", 6n, "call"],
    ],
    unknown: [7n],
  });
});

it("a transfer of nothing to the wallet itself fills the nonce of its request", () => {
  const filler = { to: WALLET, data: "0x" as const, gasLimit: 21_000n };
  expect(match([request("signed", 4n)], [mined(4n, filler), mined(5n, filler)])).toEqual({
    matched: [["signed", 4n, "filler"]],
    unknown: [5n],
  });
});

// Whoever has the wallet's key can send such a transaction. A request that is said to be sent by it would never be sent.
it.each<[string, Partial<MinedTransaction>]>([
  ["to another contract", { to: WALLET }],
  ["with other call data", { data: "0x02" }],
  ["with another gas limit", { gasLimit: 30_000n }],
  ["that moves coins", { value: 1n }],
  ["that makes a contract", { to: null }],
  ["that moves coins to the wallet itself", { to: WALLET, data: "0x", value: 1n }],
])("a transaction %s is no request's", (_what, other) => {
  const none = { matched: [], unknown: [4n] };
  expect(match([request("waiting", null)], [mined(4n, other)])).toEqual(none);
  expect(match([request("signed", 4n)], [mined(4n, other)])).toEqual(none);
});

it("the nonce of one request is never given to another one", () => {
  const requests = [request("waiting", null), request("signed", 4n, "0x03")];
  expect(match(requests, [mined(4n)])).toEqual({ matched: [], unknown: [4n] });
});
