import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { encodeExecuteFor } from "../../../src/sending/execute-for.ts";
import { matchTransactions, type OpenRequest } from "../../../src/sending/recovery/match.ts";
import type { MinedTransaction } from "../../../src/sending/recovery/mined-transactions.ts";
import { buildTrailer, type RequestNames } from "../../../src/sending/trailer.ts";

const WALLET: Hex = `0x${"a".repeat(40)}`;
const ROUTER: Hex = `0x${"b".repeat(40)}`;

const KEYS = [
  { id: "new", key: new Uint8Array(32).fill(2) },
  { id: "old", key: new Uint8Array(32).fill(1) },
];
const OLD_KEYS = KEYS.slice(1);
const SCOPE = { keyId: randomUUID(), chainId: 31337, productType: "Sandbox" };
const request = (
  requestId: string,
  nonce: bigint | null,
  data: Hex = "0x01",
  more: Partial<OpenRequest> = {},
) =>
  ({
    ...SCOPE,
    requestId,
    nonce,
    to: ROUTER,
    data,
    gasLimit: 100_000n,
    operation: "orders/send",
    idempotencyKey: null,
    clientOrderId: null,
    inputHash: "input",
    ...more,
  }) as OpenRequest;
const mined = (nonce: bigint, more: Partial<MinedTransaction> = {}): MinedTransaction => ({
  hash: `0x${nonce}`,
  nonce,
  to: ROUTER,
  data: "0x01",
  value: 0n,
  gasLimit: 100_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  bytes: "0x02",
  minedAt: new Date(0),
  ...more,
});
const match = (requests: OpenRequest[], transactions: MinedTransaction[]) => {
  const { matched, refused, unmatched } = matchTransactions(WALLET, requests, transactions, KEYS);
  const pairs = matched.map(({ request: of, transaction, kind }) => [of.requestId, transaction.nonce, kind]);
  const refusals = refused.map(({ request: of, errCode }) => [of.requestId, errCode]);
  return {
    matched: pairs,
    unknown: unmatched.map(({ nonce }) => nonce),
    ...(refusals.length > 0 ? { refused: refusals } : {}),
  };
};

it("without trailers, as of versions before, it is the request with its nonce, or else the earliest one with its call, each once", () => {
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

// Any holder of the wallet's key can send such a transaction. A request matched with it would never be sent.
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

it("a disable has no name: one that waits is sent again, and finds nothing to end", () => {
  const waiting = request("disable", null, "0x01", { operation: "1ct/disable" });
  expect(match([waiting], [mined(4n)])).toEqual({ matched: [], unknown: [4n] });
});

describe("of requests with trailers", () => {
  const USER: Hex = `0x${"c".repeat(40)}`;
  const NAMES: RequestNames = { idempotencyKey: "one", clientOrderId: null, inputHash: "input" };
  /** Returns a call of a request with these names, which another request may make, too. */
  const call = (names: Partial<RequestNames> = {}, keys = KEYS): Hex =>
    encodeExecuteFor(USER, "0x0102", buildTrailer(keys, SCOPE, { ...NAMES, ...names }));
  const waiting = (id: string, names: Partial<RequestNames> = {}, data = call(names)) =>
    request(id, null, data, { ...NAMES, ...names });

  it("the one is found that the transaction was signed for, whatever equal calls there are", () => {
    const unnamed = { idempotencyKey: null };
    const [first, second] = [waiting("first", unnamed), waiting("second", unnamed)];
    expect(match([first, second], [mined(4n, { data: second.data })])).toEqual({
      matched: [["second", 4n, "call"]],
      unknown: [],
    });
    expect(match([first, second], [mined(4n, { data: call(unnamed) })])).toEqual({
      matched: [],
      unknown: [4n],
    });
  });

  it("one is found that repeats a lost one, though its call and its server key are others", () => {
    const repeat = waiting("repeat", {}, encodeExecuteFor(USER, "0x0103", buildTrailer(KEYS, SCOPE, NAMES)));
    const sent = mined(4n, { data: call({}, OLD_KEYS) });
    expect(match([waiting("equal", { idempotencyKey: "two" }), repeat], [sent])).toEqual({
      matched: [["repeat", 4n, "call"]],
      unknown: [],
    });
    const byOrder = { idempotencyKey: null, clientOrderId: "mine" };
    expect(match([waiting("again", byOrder)], [mined(4n, { data: call(byOrder) })])).toEqual({
      matched: [["again", 4n, "call"]],
      unknown: [],
    });
  });

  it("one of several under an Idempotency-Key is refused where it was accepted after another of them was mined", () => {
    // Each has the name of all in its trailer, and none of its own.
    const one = (id: string, acceptedAtMs: number) =>
      request(id, null, encodeExecuteFor(USER, "0x0104", buildTrailer(KEYS, SCOPE, NAMES)), { acceptedAtMs });
    const sent = mined(4n, { data: call(), minedAt: new Date(1_000) });
    expect(match([one("before", 1_000), one("after", 1_001)], [sent])).toEqual({
      matched: [],
      unknown: [4n],
      refused: [["after", "IDEMPOTENCY_KEY_REUSED"]],
    });
  });

  it.each<[string, Partial<RequestNames>, Partial<RequestNames>, string]>([
    ["its Idempotency-Key", {}, { inputHash: "other" }, "IDEMPOTENCY_KEY_REUSED"],
    [
      "its clientOrderId",
      { clientOrderId: "mine" },
      { clientOrderId: "mine", idempotencyKey: "two" },
      "CLIENT_ORDER_ID_REUSED",
    ],
    [
      "its clientOrderId alone",
      { clientOrderId: "mine" },
      { clientOrderId: "mine", idempotencyKey: null, inputHash: "other" },
      "CLIENT_ORDER_ID_REUSED",
    ],
  ])("one that has %s and is another one is refused after all", (_what, lost, accepted, errCode) => {
    expect(match([waiting("late", accepted)], [mined(4n, { data: call(lost) })])).toEqual({
      matched: [],
      unknown: [4n],
      refused: [["late", errCode]],
    });
  });

  it("one of another API key, chain or product repeats none", () => {
    const others = [{ keyId: randomUUID() }, { chainId: 31338 }, { productType: "Other" }];
    for (const scope of others) {
      const other = { ...waiting("other", {}, "0x03"), ...scope };
      expect(match([other], [mined(4n, { data: call() })])).toEqual({ matched: [], unknown: [4n] });
    }
  });
});
