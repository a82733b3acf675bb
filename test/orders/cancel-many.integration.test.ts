import { describe, expect, it } from "@jest/globals";
import { decodeFunctionData, type Hex } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { sendingOf } from "../../src/config/deployments.ts";
import { stockRouterAbi } from "../../src/contracts/abi/index.ts";
import { cancelKey } from "../../src/orders/cancel.ts";
import { LATER } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { setPolicy } from "../support/db/builders/keys.ts";
import { project } from "../support/db/projected.ts";
import {
  cancelCalldata,
  cancelManyCalldata,
  sendCancel,
  sendCancelMany,
  sendOrder,
} from "../support/http/verbs.ts";
import { useRestingOrders } from "./resting-fixture.ts";

// POST /orders/cancel/calldata and /orders/cancel/send, against a real chain; no worker sends anything.

const {
  deps,
  pool,
  features,
  caller,
  stranger,
  user,
  wallet,
  stock,
  onchain,
  index,
  rest,
  cancelOnChain,
  cancels,
} = await useRestingOrders();

type Input = Parameters<typeof sendCancelMany>[2];
const cancelMany = async (input: Input = {}, key: string | null = null, by: Caller = caller) =>
  (await sendCancelMany(deps, by, input, key)).data;
const idsOf = (answer: { rows: { orderId: string }[] }) => answer.rows.map(({ orderId }) => orderId);
const requestsOf = (answer: Awaited<ReturnType<typeof cancelMany>>) =>
  answer.rows.map(({ send }) => send?.requestId ?? null);
const codesOf = (answer: Awaited<ReturnType<typeof cancelMany>>) => answer.rows.map(({ errCode }) => errCode);

describe("cancel/send", () => {
  it("asks to cancel each open limit order, newest first, by a request of its own", async () => {
    const ids = await rest(3);
    const answer = await cancelMany();
    expect(answer).toMatchObject({
      more: false,
      rows: ids.toReversed().map((orderId) => ({
        orderId,
        send: { operation: "orders/cancel", status: "accepted", final: false, mapping: { orderId } },
        errCode: null,
        errMsg: null,
      })),
    });
    const written = await cancels();
    expect(written.map(({ operation_key }) => operation_key)).toEqual(ids.toReversed().map(cancelKey));
    expect(written.map(({ request_id }) => request_id)).toEqual(requestsOf(answer));
  });

  it("takes those of a symbol, a side, and the bound user alone", async () => {
    const [buy = "0x"] = await rest(1);
    const [sell = "0x"] = await rest(1, { side: "Sell" });
    const other = hex(20, 0x571);
    const [elsewhere] = await rest(1, { stockAddress: other });
    expect(idsOf(await cancelMany({ symbol: "aapl", side: "Sell", userAddress: user }))).toEqual([sell]);
    expect(idsOf(await cancelMany({ symbol: "AAPL" }))).toEqual([sell, buy]);
    expect(idsOf(await cancelMany({}))).toEqual([elsewhere, sell, buy]);
    expect(await cancels()).toHaveLength(3);
  });

  it("leaves market orders, those being canceled, ended ones, other wallets' and other keys' alone", async () => {
    const rows = [
      { orderType: "Market" },
      { status: "canceling" },
      { status: "filled" },
      { userAddress: hex(20, 0xb0b) },
    ] as const;
    await index(
      caller,
      ...rows.map((row, n) => ({ ...row, orderId: hex(32, 0xa0 + n), txHash: hex(32, 0xc0 + n) })),
    );
    await index(stranger, { orderId: hex(32, 0xb0), txHash: hex(32, 0xd0) });
    expect(await cancelMany()).toEqual({ rows: [], more: false });
    expect(await cancels()).toEqual([]);
  });

  it("refuses another user, an unknown symbol, a key that is bound to none, and one that has not enabled", async () => {
    await rest(1);
    await expectRefusal(cancelMany({ userAddress: wallet }), "VALIDATION_FAILED", "userAddress");
    await expectRefusal(cancelMany({ side: "buy" }), "VALIDATION_FAILED", "side");
    await expectRefusal(cancelMany({ symbol: "NONE" }), "TOKEN_NOT_SUPPORTED", "symbol");
    await expectRefusal(cancelMany({}, null, { ...caller, userAddress: null }), "USER_NOT_BOUND");
    await expectRefusal(cancelMany({}, "two words"), "VALIDATION_FAILED", "Idempotency-Key");
    await index(stranger, { orderId: hex(32, 0xb0), txHash: hex(32, 0xd0) });
    await expectRefusal(cancelMany({}, null, stranger), "DELEGATION_NOT_ENABLED");
    expect(await cancels()).toEqual([]);
  });

  it("takes at most 100, and says that there are more", async () => {
    const orders = Array.from({ length: 101 }, (_, n) => ({
      orderId: hex(32, 0xf000 + n),
      txHash: hex(32, 0xe000 + n),
    }));
    await index(caller, ...orders);
    const answer = await cancelMany();
    expect({ rows: answer.rows.length, more: answer.more }).toEqual({ rows: 100, more: true });
    // The chain has none of them.
    expect([...new Set(codesOf(answer))]).toEqual(["CHAIN_REVERT"]);
    expect(await cancels()).toEqual([]);
  });
});

describe("one order's refusal", () => {
  it("leaves the others: one that the chain has ended already reverts, and a repeat tries it again", async () => {
    const [first = "0x", second = "0x"] = await rest(2);
    await cancelOnChain(first);
    const answer = await cancelMany({}, "key");
    expect(idsOf(answer)).toEqual([second, first]);
    expect(codesOf(answer)).toEqual([null, "CHAIN_REVERT"]);
    expect(answer.rows[1]).toMatchObject({ send: null, errMsg: "The chain refuses the call" });
    await onchain.update("stockOrder", { orderId: first }, { status: "canceled", updatedBlock: 9n });
    await project(deps);
    const repeated = await cancelMany({}, "key");
    expect(requestsOf(repeated)).toEqual(requestsOf(answer));
    expect(codesOf(repeated)).toEqual([null, "ORDER_NOT_CANCELABLE"]);
    expect(repeated.rows[1]?.errMsg).toBe("The order has ended: it is canceled");
    expect(await cancels()).toHaveLength(1);
  });

  it("is the key's policy's where that allows no cancel; a daily cap that is used up does not count", async () => {
    const ids = await rest(2);
    await setPolicy(pool, caller, { allowedOperations: ["orders/send"] });
    const refused = await cancelMany({}, "key");
    expect(codesOf(refused)).toEqual(["POLICY_REFUSED", "POLICY_REFUSED"]);
    await setPolicy(pool, caller, { allowedOperations: [], dailyNotionalCap: 0n });
    const repeated = await cancelMany({}, "key");
    expect(codesOf(repeated)).toEqual([null, null]);
    expect(await cancels()).toHaveLength(ids.length);
  });

  it("is the wallet's where that does not send, or the key's queue is full", async () => {
    await rest(2);
    await pool.query("UPDATE app.delegatee_wallet SET state = 'paused' WHERE address = $1", [wallet]);
    expect(codesOf(await cancelMany())).toEqual(["OPERATOR_UNAVAILABLE", "OPERATOR_UNAVAILABLE"]);
    await pool.query("UPDATE app.delegatee_wallet SET state = 'active' WHERE address = $1", [wallet]);
    const { config } = present([...deps.chains.values()][0], "the chain");
    const { sending } = config;
    config.sending = { ...sendingOf(config), queuedMax: 1 };
    try {
      expect(codesOf(await cancelMany())).toEqual([null, "RATE_LIMITED"]);
    } finally {
      config.sending = sending;
    }
  });
});

describe("a cancel that is under way", () => {
  it("is answered with its own request, and no second is written", async () => {
    const [orderId = "0x"] = await rest(1);
    const { data: single } = await sendCancel(deps, caller, { orderId }, null);
    const answer = await cancelMany({}, "key");
    expect(requestsOf(answer)).toEqual([single.requestId]);
    expect(requestsOf(await cancelMany({}, "another"))).toEqual([single.requestId]);
    await onchain.update("stockOrder", { orderId }, { status: "canceling", updatedBlock: 9n });
    await project(deps);
    expect(requestsOf(await cancelMany({}, "key"))).toEqual([single.requestId]);
    expect(await cancelMany({})).toEqual({ rows: [], more: false });
    expect(await cancels()).toHaveLength(1);
  });
});

describe("a repeat under the same Idempotency-Key", () => {
  it("answers the same orders as they stand, whatever opened and ended since", async () => {
    const ids = await rest(2);
    const first = await cancelMany({}, "key");
    await rest(1);
    await pool.query(
      "UPDATE app.send_request SET state = 'failed', err_code = 'CHAIN_REVERT', operation_key = NULL WHERE operation = 'orders/cancel'",
    );
    const repeated = await cancelMany({}, "key");
    expect(idsOf(repeated)).toEqual(ids.toReversed());
    expect(requestsOf(repeated)).toEqual(requestsOf(first));
    expect(repeated.rows.map(({ send }) => send?.status)).toEqual(["failed", "failed"]);
    expect(await cancels()).toHaveLength(2);
  });

  it("answers an empty set again, although orders have been opened since", async () => {
    expect(await cancelMany({}, "key")).toEqual({ rows: [], more: false });
    await rest(1);
    expect(await cancelMany({}, "key")).toEqual({ rows: [], more: false });
    expect(await cancels()).toEqual([]);
  });

  it("is answered while the index is not ready, and after the delegation has ended", async () => {
    await rest(2);
    const first = await cancelMany({}, "key");
    await pool.query("UPDATE app.delegation SET blocked = true");
    await pool.query("UPDATE app.event_chain SET filled = false");
    const repeated = await cancelMany({}, "key");
    expect(requestsOf(repeated)).toEqual(requestsOf(first));
    await expectRefusal(cancelMany({}, "another"), "INDEXER_BEHIND");
  });

  it("is refused with other input, and by other endpoints, in either order", async () => {
    await rest(1);
    await cancelMany({}, "key");
    await expectRefusal(cancelMany({ side: "Buy" }, "key"), "IDEMPOTENCY_KEY_REUSED");
    features.market.prices = new Map([["AAPL", "200"]]);
    const order = { symbol: "AAPL", side: "Buy", type: "Market", notional: "10", deadline: String(LATER) };
    await expectRefusal(sendOrder(deps, caller, order, "key"), "IDEMPOTENCY_KEY_REUSED");
    await sendOrder(deps, caller, order, "order");
    await expectRefusal(cancelMany({}, "order"), "IDEMPOTENCY_KEY_REUSED");
  });

  it("belongs to one key and scope: another key's call under it is its own", async () => {
    const ids = await rest(1);
    await cancelMany({}, "key");
    expect(await cancelMany({}, "key", stranger)).toEqual({ rows: [], more: false });
    expect(idsOf(await cancelMany({}, "key"))).toEqual(ids);
  });

  it("leaves the key free where the first call was refused as a whole", async () => {
    const ids = await rest(1);
    await pool.query("UPDATE app.delegation SET blocked = true");
    await expectRefusal(cancelMany({}, "key"), "DELEGATION_NOT_ENABLED");
    await pool.query("UPDATE app.delegation SET blocked = false");
    ids.push(...(await rest(1)));
    expect(idsOf(await cancelMany({}, "key"))).toEqual(ids.toReversed());
  });

  it("of calls at once is one set of requests, and one answer", async () => {
    await rest(3);
    const answers = await Promise.all(Array.from({ length: 6 }, () => cancelMany({}, "key")));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await cancels()).toHaveLength(3);
  });

  it("without a key, calls at once write each cancel once as well", async () => {
    const ids = await rest(3);
    const answers = await Promise.all(
      [{}, { side: "Buy" }, {}, { symbol: "AAPL" }].map((input) => cancelMany(input)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(requestsOf(answer)))).size).toBe(1);
    expect(await cancels()).toHaveLength(ids.length);
  });
});

describe("a process that dies", () => {
  const dieAt = (point: string) => ({
    ...deps,
    crash: (at: string) => {
      if (at === point) throw new Error("dead");
    },
  });

  it("before the commit has written no request and no set of orders", async () => {
    const ids = await rest(2);
    await expect(sendCancelMany(dieAt("submit:before-commit"), caller, {}, "key")).rejects.toThrow("dead");
    expect(await cancels()).toEqual([]);
    ids.push(...(await rest(1)));
    expect(idsOf(await cancelMany({}, "key"))).toEqual(ids.toReversed());
  });

  it("after the commit has written all of them: a repeat answers these", async () => {
    const ids = await rest(2);
    await expect(sendCancelMany(dieAt("submit:after-commit"), caller, {}, "key")).rejects.toThrow("dead");
    await rest(1);
    const repeated = await cancelMany({}, "key");
    expect(idsOf(repeated)).toEqual(ids.toReversed());
    expect(requestsOf(repeated)).toEqual((await cancels()).map(({ request_id }) => request_id));
  });
});

describe("cancel/calldata", () => {
  it("encodes the cancel of each, newest first, as DELETE does of one", async () => {
    const ids = await rest(2);
    const { data } = await cancelManyCalldata(deps, caller, {});
    expect(data.more).toBe(false);
    expect(idsOf(data)).toEqual(ids.toReversed());
    for (const { orderId, calldata } of data.rows) {
      const { data: single } = await cancelCalldata(deps, caller, { orderId });
      // Each suffix has random bytes of its own.
      const size = 2 + 2 * (4 + 32);
      const bare = (callData: string) => callData.slice(0, size) as Hex;
      expect({ ...calldata, callData: bare(calldata.callData) }).toEqual({
        ...single,
        callData: bare(single.callData),
      });
      expect(decodeFunctionData({ abi: stockRouterAbi, data: bare(calldata.callData) })).toEqual({
        functionName: "cancelLimitOrder",
        args: [orderId],
      });
    }
    expect(await cancels()).toEqual([]);
  });

  it("takes those of a wallet, also for a key that is bound to none", async () => {
    const unbound = { ...caller, userAddress: null };
    const [own] = await rest(1);
    const bob = hex(20, 0xb0b);
    const theirs = hex(32, 0xb0);
    await index(caller, { orderId: theirs, txHash: hex(32, 0xd0), userAddress: bob, stockAddress: stock });
    const idsFor = async (input: Input) => idsOf((await cancelManyCalldata(deps, unbound, input)).data);
    expect(await idsFor({ userAddress: bob })).toEqual([theirs]);
    expect(await idsFor({})).toEqual([theirs, own]);
    await expectRefusal(
      cancelManyCalldata(deps, unbound, { symbol: "NONE" }),
      "TOKEN_NOT_SUPPORTED",
      "symbol",
    );
  });
});
