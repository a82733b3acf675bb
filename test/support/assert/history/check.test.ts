import { describe, expect, it } from "@jest/globals";
import { historyFaults } from "./check.ts";
import type { PlacedOrder } from "./effects.ts";
import type { Exchange } from "./record.ts";

/** The checker must be able to fail: every history here is one that a sound service cannot cause. */
const body = { side: "Buy", type: "Market", notional: "10" };
const sent = (more: object = {}) => ({
  requestId: "r1",
  status: "accepted",
  final: false,
  txHash: null,
  errCode: null,
  revert: null,
  mapping: { mappingId: "m1", orderId: null },
  ...more,
});
const submitted = (more: object = {}) => sent({ status: "submitted", txHash: "0x1", ...more });
const confirmed = (more: object = {}) =>
  sent({
    status: "confirmed",
    final: true,
    txHash: "0x1",
    mapping: { mappingId: "m1", orderId: "0xa" },
    ...more,
  });
const success = (data: unknown) => ({ status: 200, code: 200, errCode: null, data });
const refusal = (status: number, code: number, errCode: string | null) => ({
  status,
  code,
  errCode,
  data: null,
});
const unavailable = refusal(503, 503, "DATABASE_UNAVAILABLE");
const unauthorized = refusal(400, 401, null);

let nonces = 0;
/** Returns a call of /orders/send with the positions of its begin and end in the history. */
function call(at: [number, number], answer: Exchange["answer"], more: Partial<Exchange> = {}): Exchange {
  return {
    began: at[0],
    ended: at[1],
    apiKey: "k1",
    nonce: `n${++nonces}`,
    method: "POST",
    path: "/orders/send",
    body,
    idempotencyKey: "i1",
    answer,
    ...more,
  } as Exchange;
}
/** Calls one after the other. */
const inTurn = (...answers: (object | null)[]) =>
  answers.map((data, index) => call([2 * index + 1, 2 * index + 2], data && success(data)));
const second = { body: { ...body, notional: "11" }, idempotencyKey: "i2" };

describe("a history that one order of events explains", () => {
  it.each<[string, Exchange[]]>([
    ["nothing", []],
    ["every state in turn", inTurn(null, sent(), submitted(), submitted({ txHash: "0x2" }), confirmed())],
    [
      "an earlier state in an answer that was under way before a later one",
      [call([1, 5], success(sent())), call([2, 4], success(submitted()))],
    ],
    ["a failure that passes", [call([1, 2], success(sent())), call([3, 4], unavailable)]],
    [
      "another body under the same key",
      [
        call([1, 2], success(sent())),
        call([3, 4], refusal(400, 10002, "IDEMPOTENCY_KEY_REUSED"), { body: 1 }),
      ],
    ],
    [
      "a nonce of which the first use was cut off",
      [call([1, 2], null, { nonce: "n" }), call([3, 4], unauthorized, { nonce: "n" })],
    ],
    [
      "a read",
      [call([1, 2], refusal(400, 10001, "ORDER_NOT_FOUND"), { method: "GET", path: "/orders/0xa" })],
    ],
  ])("%s", (_what, history) => {
    expect(historyFaults(history)).toEqual([]);
  });
});

describe("a history that no order of events explains", () => {
  it.each<[string, RegExp, Exchange[]]>([
    ["INTERNAL", /not documented/, [call([1, 2], refusal(500, 500, "INTERNAL"))]],
    ["another route's errCode", /not documented/, [call([1, 2], refusal(400, 10001, "ORDER_NOT_FOUND"))]],
    ["an unknown errCode", /not documented/, [call([1, 2], refusal(400, 10002, "SORRY"))]],
    [
      "an errCode under another status",
      /catalogue/,
      [call([1, 2], refusal(500, 503, "DATABASE_UNAVAILABLE"))],
    ],
    ["a failure without an errCode", /not an answer/, [call([1, 2], refusal(502, 502, null))]],
    ["a 401 for no reason", /for no reason/, [call([1, 2], unauthorized)]],
    [
      "a 401 for a nonce that is used only later",
      /for no reason/,
      [call([1, 2], unauthorized, { nonce: "n" }), call([3, 4], success(sent()), { nonce: "n" })],
    ],
    [
      "a nonce that let two calls in",
      /let 2 calls in/,
      [call([1, 2], success(sent()), { nonce: "n" }), call([3, 4], success(sent()), { nonce: "n" })],
    ],
    ["two requests of one Idempotency-Key", /i1: 2 requests/, inTurn(sent(), sent({ requestId: "r2" }))],
    [
      "two calls taken as one",
      /different calls/,
      [call([1, 2], success(sent())), call([3, 4], success(sent()), { body: second.body })],
    ],
    [
      "a refusal after it was taken",
      /taken before/,
      [call([1, 2], success(sent())), call([3, 4], refusal(400, 10002, "BALANCE_INSUFFICIENT"))],
    ],
    [
      "two requests of one clientOrderId",
      /clientOrderId k1\/c: 2 requests/,
      ["r1", "r2"].map((requestId, index) =>
        call([2 * index + 1, 2 * index + 2], success(sent({ requestId })), {
          body: { ...body, clientOrderId: "c" },
          idempotencyKey: `${index}`,
        }),
      ),
    ],
    ["a state that goes back", /accepted after a later state/, inTurn(submitted(), sent({ txHash: "0x1" }))],
    ["a confirmation that goes back", /submitted after/, inTurn(confirmed({ final: false }), submitted())],
    ["an end that is none", /not final any more/, inTurn(confirmed(), confirmed({ final: false }))],
    [
      "two ends",
      /2 final states/,
      inTurn(confirmed(), confirmed({ status: "failed", errCode: "CHAIN_REVERT" })),
    ],
    ["an end in the middle", /final as submitted/, inTurn(submitted({ final: true }))],
    ["two transactions", /2 transactions/, inTurn(confirmed({ final: false }), confirmed({ txHash: "0x2" }))],
    ["a transaction that is gone", /transaction is gone/, inTurn(submitted(), submitted({ txHash: null }))],
    [
      "another order",
      /2 order ids/,
      inTurn(confirmed(), confirmed({ mapping: { mappingId: "m1", orderId: "0xb" } })),
    ],
    [
      "another mapping",
      /2 mappings/,
      inTurn(confirmed(), confirmed({ mapping: { mappingId: "m2", orderId: "0xa" } })),
    ],
    [
      "two owners",
      /several API keys/,
      [call([1, 2], success(sent())), call([3, 4], success(sent()), { apiKey: "k2" })],
    ],
    [
      "one transaction of two requests",
      /transaction 0x1 is of 2/,
      [
        call([1, 2], success(confirmed())),
        call([3, 4], success(confirmed({ requestId: "r2", mapping: null })), second),
      ],
    ],
    [
      "one order of two requests",
      /order 0xa is of 2/,
      [
        call([1, 2], success(confirmed())),
        call([3, 4], success(confirmed({ requestId: "r2", txHash: "0x2" })), second),
      ],
    ],
  ])("%s", (_what, fault, history) => {
    const faults = historyFaults(history);
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });
});

describe("a history held against the chain", () => {
  const users = new Map([["k1", "0xu"]]);
  const order: PlacedOrder = { orderId: "0xa", txHash: "0x1", user: "0xu", notional: "10.0" };

  it("agrees with it", () => {
    expect(historyFaults(inTurn(sent(), confirmed()), { orders: [order], users })).toEqual([]);
  });

  it.each<[string, RegExp, Exchange[], PlacedOrder[]]>([
    ["an accepted request that is lost", /never came to its end/, inTurn(sent()), []],
    ["a confirmed order that is not there", /not its one order/, inTurn(confirmed()), []],
    [
      "two orders of one request",
      /not its one order/,
      inTurn(confirmed()),
      [order, { ...order, orderId: "0xb" }],
    ],
    ["another size", /not its one order/, inTurn(confirmed()), [{ ...order, notional: "11" }]],
    ["another user's", /not its one order/, inTurn(confirmed()), [{ ...order, user: "0xv" }]],
    ["another order id", /not its one order/, inTurn(confirmed()), [{ ...order, orderId: "0xb" }]],
    [
      "an order of a request that failed",
      /no caller was told/,
      inTurn(confirmed({ status: "failed", errCode: "CHAIN_REVERT", mapping: null })),
      [order],
    ],
    ["an order that nobody sent", /no caller was told/, [], [order]],
  ])("fails for %s", (_what, fault, history, orders) => {
    expect(historyFaults(history, { orders, users })).toEqual([expect.stringMatching(fault)]);
  });
});
