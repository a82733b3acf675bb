import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { createPrisma } from "../../../src/db/client.ts";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import type { ErrCode } from "../../../src/protocol/errors.ts";
import { delegationOf, findDelegation } from "../../../src/sending/delegation/store.ts";
import { cancelAccepted } from "../../../src/sending/outbox/end-store.ts";
import { findByOperationKey } from "../../../src/sending/outbox/request-store.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import { type NewSend, submit, write } from "../../../src/sending/outbox/submit.ts";
import { waitForBroadcast, waitForReceipt } from "../../../src/sending/outbox/wait.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { until } from "../../support/assert/until.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import { newSend } from "../../support/sender/new-send.ts";
import { passTime } from "../../support/sender/passing-time.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// Rows of a request to send, its refusals, and the answers to its repeats.

let fixture: SenderFixture;
let prisma: PrismaClient;
beforeAll(async () => {
  fixture = await startSenderFixture();
  prisma = createPrisma(fixture.url, { max: 1, connectTimeoutMs: 60_000 });
});
afterAll(async () => {
  await prisma?.$disconnect();
  await fixture?.close();
});

const put = (one: DrivenWallet, more: Partial<NewSend> = {}, caller = one.caller) =>
  write(one.deps, caller, newSend(one.address, one.user, more));
const stored = async ({ requestId }: SendRow) =>
  (await fixture.pool.query("SELECT * FROM app.send_request WHERE request_id = $1", [requestId])).rows[0];
const setWallet = (one: DrivenWallet, state: string) =>
  fixture.pool.query("UPDATE app.delegatee_wallet SET state = $2 WHERE address = $1", [one.address, state]);
const setState = (requestId: string, state: string) =>
  fixture.pool.query(
    `UPDATE app.send_request SET state = $2, nonce = CASE WHEN $2 IN ('failed', 'canceled') THEN NULL ELSE 1 END,
       err_code = CASE WHEN $2 IN ('failed', 'canceled') THEN 'CHAIN_REVERT' END,
       mined_block = CASE WHEN $2 IN ('mined', 'final') THEN 1 END,
       mined_block_hash = CASE WHEN $2 IN ('mined', 'final') THEN '0x' END,
       mined_success = CASE WHEN $2 IN ('mined', 'final') THEN true END,
       outcome = CASE $2 WHEN 'final' THEN 'confirmed' END
     WHERE request_id = $1`,
    [requestId, state],
  );

describe("a request to send", () => {
  it("is stored as it was asked for, with its claim, and told to the wallet's worker", async () => {
    const one = await fixture.makeWallet();
    const heard: string[] = [];
    const client = new pg.Client({ connectionString: fixture.url });
    await client.connect();
    client.on("notification", ({ payload }) => heard.push(payload ?? ""));
    await client.query("LISTEN send_work");
    const asked = newSend(one.address, one.user, {
      deadline: 1_900_000_000n,
      idempotencyKey: "i",
      inputHash: "h",
      clientOrderId: "c",
      operationKey: "stored",
      notional: 5n,
      symbol: "AAPL",
      delegationEpoch: 0,
    });
    const row = await write(one.deps, one.caller, asked);
    const { keyId, chainId, productType } = one.caller;
    const { user, wallet, to, data } = asked;
    expect(row).toMatchObject({
      keyId,
      chainId,
      productType,
      operation: "orders/send",
      user,
      wallet,
      to,
      data,
      gasLimit: 100_000n,
      deadline: 1_900_000_000n,
      inputHash: "h",
      clientOrderId: "c",
      delegationEpoch: 0,
      state: "accepted",
      nonce: null,
      minedBlock: null,
    });
    expect(await stored(row)).toMatchObject({
      notional: "5",
      symbol: "AAPL",
      idempotency_key: "i",
      operation_key: "stored",
    });
    expect(await one.claim(row.requestId)).toMatchObject({
      claim_id: row.claimId,
      key_id: keyId,
      chain_id: chainId,
      product_type: productType,
      operation_type: "trade",
      source: "send",
      user_address: user,
      client_order_id: "c",
      state: "pending",
    });
    await until("the worker is told", () => heard.length > 0);
    await client.end();
    expect(heard).toEqual([`${chainId}:${wallet}`]);
  });

  it("has no claim where its transaction has no mapping, and nothing where nothing was given", async () => {
    const one = await fixture.makeWallet();
    const row = await put(one, { operation: "cash/deposits", operationType: null });
    expect(row).toMatchObject({ claimId: null, deadline: null, clientOrderId: null, delegationEpoch: null });
    expect(await stored(row)).toMatchObject({ notional: null, operation_key: null, idempotency_key: null });
  });

  it.each<[string, (one: DrivenWallet) => Promise<unknown>, Partial<NewSend>, ErrCode, string | null]>([
    [
      "a blocked delegation",
      (one) =>
        fixture.pool.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [one.user]),
      {},
      "DELEGATION_NOT_ENABLED",
      null,
    ],
    ["a paused wallet", (one) => setWallet(one, "paused"), {}, "OPERATOR_UNAVAILABLE", null],
    ["a halted wallet", (one) => setWallet(one, "halted"), {}, "OPERATOR_UNAVAILABLE", null],
    [
      "a kill switch",
      (one) => setPolicy(fixture.pool, one.caller, { killed: true }),
      {},
      "POLICY_REFUSED",
      "killSwitch",
    ],
    [
      "a policy's end",
      (one) => setPolicy(fixture.pool, one.caller, { expiresAt: new Date(one.clock.nowMs) }),
      {},
      "POLICY_REFUSED",
      "expiry",
    ],
    [
      "an operation that is not allowed",
      (one) => setPolicy(fixture.pool, one.caller, { allowedOperations: ["orders/cancel"] }),
      {},
      "POLICY_REFUSED",
      "allowedOperations",
    ],
    [
      "a symbol that is not allowed",
      (one) => setPolicy(fixture.pool, one.caller, { allowedSymbols: ["MSFT"] }),
      { symbol: "AAPL" },
      "POLICY_REFUSED",
      "allowedSymbols",
    ],
    [
      "a cap",
      (one) => setPolicy(fixture.pool, one.caller, { dailyNotionalCap: 4n }),
      { notional: 5n, symbol: "AAPL" },
      "POLICY_REFUSED",
      "dailyNotionalCap",
    ],
    [
      "a cap without a quote",
      (one) => setPolicy(fixture.pool, one.caller, { dailyNotionalCap: 9n }),
      { notional: 5n, symbol: "AAPL", unquoted: true },
      "MARKET_DATA_UNAVAILABLE",
      null,
    ],
  ])(
    "is refused by %s, which stops nothing that must always be possible",
    async (_what, stop, more, errCode, param) => {
      const one = await fixture.makeWallet();
      await stop(one);
      await expectRefusal(put(one, more), errCode, param);
      const bypassing = {
        ...more,
        bypassChecks: true,
        needsDelegation: false,
        operation: "1ct/disable" as const,
      };
      expect(await put(one, bypassing)).toMatchObject({ state: "accepted" });
    },
  );

  it("counts against the cap as long as it may reach the chain", async () => {
    const one = await fixture.makeWallet();
    await setPolicy(fixture.pool, one.caller, { dailyNotionalCap: 10n });
    const order = { notional: 6n, symbol: "AAPL" };
    const { requestId } = await put(one, order);
    await put(one, { ...order, notional: 4n });
    await expectRefusal(put(one, { ...order, notional: 1n }), "POLICY_REFUSED", "dailyNotionalCap");
    await setState(requestId, "failed");
    await put(one, order);
  });

  it("is refused by a wallet that is not there", async () => {
    const one = await fixture.makeWallet();
    await expectRefusal(put(one, { wallet: "0x01" }), "OPERATOR_UNAVAILABLE");
  });

  it("is refused where the key has as many waiting on the wallet as it may, and no other key is", async () => {
    const one = await fixture.makeWallet();
    const free = {
      needsDelegation: false,
      operation: "1ct/enable",
      operationType: null,
      queuedMax: 2,
    } as const;
    await put(one, free);
    await put(one, free);
    const refused = await expectRefusal(put(one, free), "RATE_LIMITED");
    expect(refused.retryAfterSeconds).toBe(5);
    await put(one, { ...free, queuedMax: null });
    await put(one, free, await fixture.makeCaller());
    await put(one, { ...free, bypassChecks: true });
  });
});

describe("a repeat", () => {
  it("under the same Idempotency-Key is answered the first one, and clashes with another input", async () => {
    const one = await fixture.makeWallet();
    const first = await put(one, { idempotencyKey: "same", inputHash: "a" });
    expect(await put(one, { idempotencyKey: "same", inputHash: "a" })).toEqual(first);
    await expectRefusal(put(one, { idempotencyKey: "same", inputHash: "b" }), "IDEMPOTENCY_KEY_REUSED");
  });
  it("of an operation under way is answered its state, whoever asks", async () => {
    const one = await fixture.makeWallet();
    const operation = { operationKey: `once:${one.user}`, needsDelegation: false };
    const first = await put(one, operation);
    expect(await put(one, operation, await fixture.makeCaller())).toEqual(first);
    expect(await findByOperationKey(fixture.pool, one.caller, operation.operationKey)).toEqual(first);
    expect(await findByOperationKey(fixture.pool, one.caller, null)).toBeNull();
  });
  it("of a clientOrderId is refused", async () => {
    const one = await fixture.makeWallet();
    await put(one, { clientOrderId: "mine" });
    await expectRefusal(put(one, { clientOrderId: "mine" }), "CLIENT_ORDER_ID_REUSED", "clientOrderId");
  });
});

describe("a database that fails while a request is written", () => {
  const gone = () => Object.assign(new Error("gone"), { code: "ECONNRESET" });

  /** Returns the pool, with connections on which `query` may fail. */
  function failing(
    one: DrivenWallet,
    query: (text: string, run: () => Promise<unknown>) => Promise<unknown>,
  ) {
    const connect = async () => {
      const client = await fixture.pool.connect();
      return new Proxy(client, {
        get: (target, name) => {
          if (name !== "query") {
            const value = Reflect.get(target, name);
            return typeof value === "function" ? value.bind(target) : value;
          }
          return (text: string, values?: unknown[]) => query(text, () => target.query(text, values));
        },
      });
    };
    const pool = new Proxy(fixture.pool, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (name === "connect") return connect;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    return { ...one.deps, pool };
  }
  const requestsOf = async (one: DrivenWallet) =>
    (await fixture.pool.query("SELECT 1 FROM app.send_request WHERE wallet = $1", [one.address])).rowCount;

  it("is tried again, and the request is written once", async () => {
    const one = await fixture.makeWallet();
    let left = 2;
    const deps = failing(one, (text, run) =>
      text === "BEGIN" && left-- > 0 ? Promise.reject(gone()) : run(),
    );
    expect(await write(deps, one.caller, newSend(one.address, one.user))).toMatchObject({
      state: "accepted",
    });
    expect(await requestsOf(one)).toBe(1);
  });

  it("over a commit that happened, or did not, writes it once all the same", async () => {
    for (const happened of [true, false]) {
      const one = await fixture.makeWallet();
      let isFirst = true;
      const deps = failing(one, async (text, run) => {
        if (text !== "COMMIT" || !isFirst) return run();
        isFirst = false;
        if (happened) await run();
        throw gone();
      });
      const row = await write(deps, one.caller, newSend(one.address, one.user));
      expect({ happened, state: row.state, requests: await requestsOf(one) }).toEqual({
        happened,
        state: "accepted",
        requests: 1,
      });
    }
  });

  it("answers what was written before it failed, also where the request would be refused by now", async () => {
    const one = await fixture.makeWallet();
    let isFirst = true;
    const deps = failing(one, async (text, run) => {
      if (text !== "COMMIT" || !isFirst) return run();
      isFirst = false;
      await run();
      await setWallet(one, "halted");
      throw gone();
    });
    expect(await write(deps, one.caller, newSend(one.address, one.user))).toMatchObject({
      state: "accepted",
    });
  });

  it.each([
    ["nothing names it", {}, false, "look for it in your lists"],
    ["an Idempotency-Key names it", { idempotencyKey: "k" }, true, "repeat the call as it was"],
    ["a clientOrderId names it", { clientOrderId: "k" }, true, "repeat the call as it was"],
    ["an operation names it", { operationKey: "unknown outcome" }, true, "repeat the call as it was"],
  ])("for good says whether to repeat: %s", async (_what, more, retryable, words) => {
    const one = await fixture.makeWallet();
    const deps = failing(one, async (text, run) => {
      if (text !== "COMMIT") return run();
      one.clock.nowMs += 3_000;
      throw gone();
    });
    const refused = await expectRefusal(
      write(deps, one.caller, newSend(one.address, one.user, more)),
      "DATABASE_UNAVAILABLE",
    );
    expect(refused.retryable).toBe(retryable);
    expect(refused.message).toContain(words);
  });

  it("before anything was written may simply be repeated, and a mistake of ours is not", async () => {
    const one = await fixture.makeWallet();
    const down = failing(one, () => {
      one.clock.nowMs += 3_000;
      return Promise.reject(gone());
    });
    const refused = await expectRefusal(
      write(down, one.caller, newSend(one.address, one.user)),
      "DATABASE_UNAVAILABLE",
    );
    expect(refused.retryable).toBe(true);
    const wrong = failing(one, () => Promise.reject(new Error("a mistake")));
    await expect(write(wrong, one.caller, newSend(one.address, one.user))).rejects.toThrow("a mistake");
  });
});

describe("waiting for a request", () => {
  async function waiting(state: string) {
    const one = await fixture.makeWallet();
    const row = await put(one);
    const { notifications, waits, pool } = passTime(one.clock, one.deps.pool, async (count) => {
      if (count === 2) await setState(row.requestId, state);
    });
    return { one, row, keys: waits, deps: { ...one.deps, pool, notifications } };
  }

  it("ends when it is broadcast, with its state", async () => {
    const { row, keys, deps } = await waiting("broadcast");
    expect(await waitForBroadcast(deps, row)).toMatchObject({ state: "broadcast" });
    expect(keys).toEqual([
      [row.requestId, 1_000],
      [row.requestId, 1_000],
      [row.requestId, 1_000],
    ]);
  });
  it("ends after three seconds, or as long as told, with what it is then", async () => {
    const { row, keys, deps } = await waiting("signed");
    expect(await waitForBroadcast(deps, row)).toMatchObject({ state: "signed" });
    expect(keys).toHaveLength(3);
    const short = await waiting("signed");
    await waitForBroadcast({ ...short.deps, broadcastWaitMs: 2_500 }, short.row);
    expect({ timeoutsMs: short.keys.map(([, ms]) => ms) }).toEqual({ timeoutsMs: [1_000, 1_000, 500] });
    const none = await waiting("signed");
    expect(
      await submit(
        { ...none.deps, broadcastWaitMs: 0 },
        none.one.caller,
        newSend(none.one.address, none.one.user),
      ),
    ).toMatchObject({ state: "accepted" });
    expect(none.keys).toEqual([]);
  });
  it.each(["mined", "final", "failed", "canceled"])("for its receipt ends when it is %s", async (state) => {
    const { row, keys, deps } = await waiting(state);
    expect(await waitForReceipt(deps, row, 10_000)).toMatchObject({ state });
    expect(keys).toHaveLength(3);
  });
  it("for its receipt goes on while it is broadcast", async () => {
    const { row, keys, deps } = await waiting("broadcast");
    await waitForReceipt(deps, row, 5_000);
    expect(keys).toHaveLength(5);
  });
  it("costs nothing but news where the database fails", async () => {
    const { one, row } = await waiting("broadcast");
    const broken = { query: () => Promise.reject(new Error("gone")) } as unknown as pg.Pool;
    const { notifications, pool } = passTime(one.clock, broken);
    expect(await waitForBroadcast({ ...one.deps, notifications, pool }, row)).toEqual(row);
  });
});

describe("a user's delegation", () => {
  it("is made once, on a wallet that takes users, and not where there is none", async () => {
    const one = await fixture.makeWallet();
    const scope = { chainId: 31337, productType: "Sandbox", user: `0x${"7".repeat(40)}` } as const;
    expect(await findDelegation(prisma, scope)).toBeNull();
    const made = await delegationOf(prisma, scope);
    expect(made).toMatchObject({ blocked: false, epoch: 0 });
    expect(await delegationOf(prisma, scope)).toEqual(made);
    expect(await findDelegation(prisma, { ...scope, productType: "Other" })).toBeNull();
    await expectRefusal(delegationOf(prisma, { ...scope, chainId: 99 }), "OPERATOR_UNAVAILABLE");
    expect(one.alarms).toEqual([]);
  });

  it("that is disabled cancels what waits, save disables and other users' requests", async () => {
    const one = await fixture.makeWallet();
    const free = { needsDelegation: false, operationType: null } as const;
    const mine = await put(one);
    const disable = await put(one, { ...free, operation: "1ct/disable" });
    const theirs = await put(one, { ...free, user: `0x${"8".repeat(40)}` });
    const { chainId, productType } = one.caller;
    await inTransaction(fixture.pool, (tx) => cancelAccepted(tx, { chainId, productType, user: one.user }));
    expect(await one.row(mine.requestId)).toMatchObject({
      state: "canceled",
      errCode: "DELEGATION_NOT_ENABLED",
      reason: "disabled before it was signed",
    });
    for (const { requestId } of [disable, theirs]) {
      expect({ requestId, row: await one.row(requestId) }).toMatchObject({
        requestId,
        row: { state: "accepted" },
      });
    }
  });
});
