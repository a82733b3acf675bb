import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { CHANNELS } from "../../../src/db/notifications.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { readEnables } from "../../../src/sending/delegation/enable-store.ts";
import {
  blockDelegation,
  delegationOf,
  findDelegation,
  type UserScope,
  unblockDelegation,
} from "../../../src/sending/delegation/store.ts";
import { cancelAccepted, endRequest } from "../../../src/sending/outbox/end-store.ts";
import { readSpent } from "../../../src/sending/outbox/policy-store.ts";
import { readFailures, readQueues } from "../../../src/sending/outbox/queue-store.ts";
import { findByIdempotencyKey, findByOperationKey } from "../../../src/sending/outbox/request-store.ts";
import { insertSend, type NewSend } from "../../../src/sending/outbox/submit.ts";
import { mayLackSends } from "../../../src/sending/outbox/submit-store.ts";
import { present } from "../../support/assert/until.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import { createDelegations } from "../../support/db/builders/sends.ts";
import { waitsForLock } from "../../support/db/locks.ts";
import { mostRowsRead, recordStatements } from "../../support/db/plans.ts";
import { PRODUCT } from "../../support/http/features.ts";
import { seedEnable } from "../../support/sender/enables.ts";
import { newSend } from "../../support/sender/new-send.ts";
import {
  CHAIN_ID,
  OTHER_CHAIN,
  OTHER_PRODUCT,
  type OutboxFixture,
  startOutbox,
} from "../../support/sender/outbox-fixture.ts";

// Statements of the outbox, beside rows that they must not touch.

let outbox: OutboxFixture;
let wallet: Hex;
let user: Hex;
let caller: Caller;

beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(() => outbox?.close());

beforeEach(async () => {
  ({ address: wallet } = await outbox.makeWallet());
  ({ user, caller } = await outbox.makeUser(wallet));
});

const send = (more: Partial<NewSend> = {}, from = caller) => outbox.send(from, wallet, more);
const WITHOUT_DELEGATION = { operation: "1ct/enable", needsDelegation: false } as const;
const scope = () => ({ chainId: CHAIN_ID, productType: PRODUCT, user });
const inOtherProduct = (from: Caller): Caller => ({ ...from, productType: OTHER_PRODUCT });
const sign = (request: { requestId: string }, nonce = 0) =>
  outbox.change(request, `state = 'signed', nonce = ${nonce}`);

/** Creates another key of the same user, whose enable is in force as well. */
async function enabledKey(): Promise<Caller> {
  const other = await outbox.makeKey(user);
  await seedEnable(outbox.pool, other, user);
  return other;
}

describe("a request is written", () => {
  it("where its wallet is active on its chain, whatever it is on another one", async () => {
    const two = await outbox.makeWallet({ chainIds: [CHAIN_ID, OTHER_CHAIN] });
    await outbox.pool.query(
      "UPDATE app.delegatee_wallet SET state = 'halted' WHERE chain_id = $1 AND address = $2",
      [OTHER_CHAIN, two.address],
    );
    const elsewhere = { ...caller, chainId: OTHER_CHAIN };
    await expect(outbox.send(elsewhere, two.address, WITHOUT_DELEGATION)).rejects.toMatchObject({
      errCode: "OPERATOR_UNAVAILABLE",
    });
    expect(await outbox.send(caller, two.address, WITHOUT_DELEGATION)).toMatchObject({ state: "accepted" });
  });

  it("where sending is halted on another chain alone, and not on its own, whose refusal says so", async () => {
    const two = await outbox.makeWallet({ chainIds: [CHAIN_ID, OTHER_CHAIN] });
    const elsewhere = { ...caller, chainId: OTHER_CHAIN };
    await outbox.pool.query("INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test')", [
      OTHER_CHAIN,
    ]);
    try {
      await expect(outbox.send(elsewhere, two.address, WITHOUT_DELEGATION)).rejects.toMatchObject({
        errCode: "OPERATOR_UNAVAILABLE",
        message: "The operator has halted sending on this chain",
      });
      expect(await outbox.send(caller, two.address, WITHOUT_DELEGATION)).toMatchObject({ state: "accepted" });
    } finally {
      await outbox.pool.query("DELETE FROM app.sending_halt");
    }
  });

  it("with the epoch of its user's delegation, and not with one that a disable has ended", async () => {
    const enable = { ...WITHOUT_DELEGATION, delegationEpoch: 0 };
    expect(await send(enable)).toMatchObject({ state: "accepted" });
    await inTransaction(outbox.pool, (tx) => blockDelegation(tx, scope()));
    await expect(send(enable)).rejects.toMatchObject({ errCode: "DELEGATION_NOT_ENABLED" });
    expect(await send({ ...enable, delegationEpoch: 1 })).toMatchObject({ state: "accepted" });
  });

  it("where what fills the queue is another key's, another wallet's, or signed", async () => {
    await send({}, await enabledKey());
    await outbox.send(caller, (await outbox.makeWallet()).address);
    await sign(await send());
    const one = { queuedMax: 1 };
    expect(await send(one)).toMatchObject({ state: "accepted" });
    await expect(send(one)).rejects.toMatchObject({ errCode: "RATE_LIMITED" });
  });

  it("once for an Idempotency-Key, a clientOrderId and an operation", async () => {
    const keyed = { idempotencyKey: "one", inputHash: "hash" };
    const first = await send(keyed);
    expect((await send(keyed)).requestId).toBe(first.requestId);
    const running = await send({ operationKey: "cancel:1" });
    expect((await send({ operationKey: "cancel:1" })).requestId).toBe(running.requestId);
    await send({ clientOrderId: "mine" });
    await expect(send({ clientOrderId: "mine" })).rejects.toMatchObject({
      errCode: "CLIENT_ORDER_ID_REUSED",
    });
    const { rowCount } = await outbox.pool.query("SELECT 1 FROM app.send_request WHERE wallet = $1", [
      wallet,
    ]);
    expect(rowCount).toBe(3);
  });

  it("not beside a re-created one that has its Idempotency-Key or its clientOrderId, by their MACs", async () => {
    const first = await send({ inputHash: "hash" });
    const [key, order] = ["0xaa", "0xbb"] as const;
    await outbox.pool.query(
      `INSERT INTO app.recreated_request (request_id, key_id, chain_id, product_type, idempotency_mac, client_order_mac)
       VALUES ($1, $2, $3, $4, '\\xaa', '\\xbb')`,
      [first.requestId, caller.keyId, CHAIN_ID, PRODUCT],
    );
    const macs = (idempotencyKey: Hex[], clientOrderId: Hex[]) => ({
      idempotencyKey,
      clientOrderId,
      inputHash: [],
    });
    const repeat = await send({ idempotencyKey: "key", inputHash: "hash", macs: macs([key], []) });
    expect(repeat.requestId).toBe(first.requestId);
    await expect(send({ clientOrderId: "order", macs: macs([], [order]) })).rejects.toMatchObject({
      errCode: "CLIENT_ORDER_ID_REUSED",
    });
    const other = await send({ clientOrderId: "order", macs: macs([order], [key]) });
    expect(other.requestId).not.toBe(first.requestId);
  });

  it("under an Idempotency-Key that another key or product has used", async () => {
    const identity = { idempotencyKey: "shared", inputHash: "hash" };
    const { requestId } = await send(identity);
    const found = async (from: Caller) =>
      (await findByIdempotencyKey(outbox.pool, from, identity))?.requestId ?? null;
    expect(await found(caller)).toBe(requestId);
    expect(await found(await outbox.makeKey(user))).toBeNull();
    expect(await found(inOtherProduct(caller))).toBeNull();
    expect(await found({ ...caller, chainId: OTHER_CHAIN })).toBeNull();
  });

  it("beside the same operation in another product or chain", async () => {
    const { requestId } = await send({ operationKey: "cancel:2" });
    const found = async (from: Caller) =>
      (await findByOperationKey(outbox.pool, from, "cancel:2"))?.requestId ?? null;
    expect(await found(caller)).toBe(requestId);
    expect(await found(inOtherProduct(caller))).toBeNull();
    expect(await found({ ...caller, chainId: OTHER_CHAIN })).toBeNull();
  });
});

describe("the database may lack sends of a user", () => {
  const mayLack = (more: Partial<UserScope> = {}) => mayLackSends(outbox.pool, { ...scope(), ...more });

  it("while sending is halted on its chain", async () => {
    expect(await mayLack()).toBe(false);
    await outbox.pool.query("INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test')", [CHAIN_ID]);
    try {
      expect([await mayLack(), await mayLack({ chainId: 1 })]).toEqual([true, false]);
    } finally {
      await outbox.pool.query("DELETE FROM app.sending_halt");
    }
  });

  it.each([
    ["is halted", "state = 'halted'"],
    ["has more mined nonces than the database knows", "chain_nonce = next_nonce + 1"],
  ])("while its wallet %s, and any wallet where the user's is unknown", async (_what, assignment) => {
    const other = await outbox.makeUser((await outbox.makeWallet()).address);
    await outbox.pool.query(`UPDATE app.delegatee_wallet SET ${assignment} WHERE address = $1`, [wallet]);
    expect(await mayLack()).toBe(true);
    expect(await mayLack({ user: other.user })).toBe(false);
    expect(await mayLack({ user: `0x${randomBytes(20).toString("hex")}` })).toBe(true);
    await outbox.pool.query("UPDATE app.delegatee_wallet SET state = 'active', chain_nonce = 0");
    expect(await mayLack()).toBe(false);
  });
});

describe("under a daily cap of 100", () => {
  const order = { notional: 60n * 10n ** 18n };
  const REFUSED = { errCode: "POLICY_REFUSED", param: "dailyNotionalCap" };
  beforeEach(() => setPolicy(outbox.pool, caller, { dailyNotionalCap: 100n * 10n ** 18n }));
  const changePolicy = (assignments: string) =>
    outbox.pool.query(`UPDATE app.key_policy SET ${assignments} WHERE key_id = $1`, [caller.keyId]);

  it("an order of 60 counts against the next", async () => {
    await send(order);
    await expect(send(order)).rejects.toMatchObject(REFUSED);
  });

  it.each<[string, string]>([
    ["that failed", "state = 'failed', err_code = 'CHAIN_REVERT'"],
    ["that was canceled", "state = 'canceled', err_code = 'DEADLINE_EXPIRED'"],
    ["that reverted", "state = 'final', nonce = 0, outcome = 'reverted'"],
  ])("one %s does not", async (_which, assignments) => {
    await outbox.change(await send(order), assignments);
    expect(await send(order)).toMatchObject({ state: "accepted" });
  });

  it("one of another key does not", async () => {
    await send(order, await enabledKey());
    expect(await send(order)).toMatchObject({ state: "accepted" });
  });

  it.each(["counted_day - 2", "NULL"])(
    "one of another day does not, where that day is %s",
    async (counted) => {
      const past = await send(order);
      await outbox.change(past, "accepted_at = now() - interval '2 days'");
      await changePolicy(`counted_day = ${counted}`);
      expect(await send(order)).toMatchObject({ state: "accepted" });
      await outbox.change(past, "state = 'failed', err_code = 'CHAIN_REVERT'");
      await expect(send(order)).rejects.toMatchObject(REFUSED);
    },
  );

  it("one from before the cap does, and one that was sent while there was none", async () => {
    const forty = { notional: 40n * 10n ** 18n };
    await changePolicy("daily_notional_cap = NULL");
    await send(forty);
    await changePolicy("daily_notional_cap = 100e18");
    await send(forty);
    await changePolicy("daily_notional_cap = NULL");
    await send({ notional: 1n });
    await changePolicy("daily_notional_cap = 100e18");
    await expect(send({ notional: 20n * 10n ** 18n })).rejects.toMatchObject(REFUSED);
    expect(await send({ notional: 20n * 10n ** 18n - 1n })).toMatchObject({ state: "accepted" });
  });

  it("one does where the next day is counted already, as around midnight", async () => {
    await send(order);
    await changePolicy("counted_day = counted_day + 1, counted = 0");
    await expect(send(order)).rejects.toMatchObject(REFUSED);
  });

  it("one that is being written at the same instant does", async () => {
    await send({ notional: 1n });
    let second: Promise<unknown> = Promise.resolve();
    await inTransaction(outbox.pool, async (tx) => {
      await insertSend(outbox.deps, tx, caller, newSend(wallet, user, order), {
        requestId: randomUUID(),
        mayExist: false,
      });
      second = expect(send(order)).rejects.toMatchObject(REFUSED);
      await waitsForLock(outbox.pool, "%app.key_policy%", second);
    });
    await second;
  });

  it("one does that was under way without a policy when the day's count began", async () => {
    const other = await enabledKey();
    let second: Promise<unknown> = Promise.resolve();
    await inTransaction(outbox.pool, async (tx) => {
      await insertSend(outbox.deps, tx, other, newSend(wallet, user, order), {
        requestId: randomUUID(),
        mayExist: false,
      });
      await setPolicy(outbox.pool, other, { dailyNotionalCap: 100n * 10n ** 18n });
      second = expect(send(order, other)).rejects.toMatchObject(REFUSED);
      await waitsForLock(outbox.pool, "%app.begin_notional%", second);
    });
    await second;
  });

  it("what the key spent is read without the orders that count", async () => {
    const first = await send(order);
    const columns =
      "key_id, chain_id, product_type, operation, user_address, wallet, to_address, call_data, gas_limit";
    await outbox.pool.query(
      `INSERT INTO app.send_request (request_id, ${columns}, notional, input_hash, state, err_code)
       SELECT gen_random_uuid(), ${columns}, 1, input_hash, CASE WHEN n = 1 THEN 'failed' ELSE 'accepted' END,
         CASE WHEN n = 1 THEN 'CHAIN_REVERT' END
       FROM app.send_request, generate_series(1, 400) n WHERE request_id = $1`,
      [first.requestId],
    );
    await outbox.pool.query("ANALYZE app.send_request");
    const { deps, statements } = recordStatements(outbox.features.deps);
    expect(await readSpent(deps.pool, caller.keyId)).toBe(order.notional + 399n);
    // Only the policy and the order that failed are read, not the 400 that count.
    expect(await mostRowsRead(outbox.pool, statements)).toBeLessThan(4);
  });
});

describe("enables in force", () => {
  const enables = (from = caller, chainNonce: bigint | null = null) =>
    readEnables(outbox.pool, scope(), from.keyId, chainNonce);
  const changeEnable = (assignments: string, from = caller) =>
    outbox.pool.query(
      `UPDATE app.send_request SET ${assignments} WHERE key_id = $1 AND operation = '1ct/enable'`,
      [from.keyId],
    );
  /** Creates a user of the same wallet, without any enable. */
  async function newcomer(): Promise<Caller> {
    const { user: fresh } = await outbox.makeUser(wallet);
    const key = await outbox.makeKey(fresh);
    await outbox.pool.query("DELETE FROM app.send_request WHERE user_address = $1", [fresh]);
    user = fresh;
    return key;
  }

  it("are those of the key, the newest first", async () => {
    const other = await enabledKey();
    await seedEnable(outbox.pool, caller, user);
    expect({ enables: await enables() }).toEqual({ enables: [2, 0] });
    expect({ enables: await enables(other) }).toEqual({ enables: [1] });
  });

  it("are of the chain and product that they were sent in", async () => {
    const key = await newcomer();
    await outbox.delegate(wallet, user, { productType: OTHER_PRODUCT });
    await seedEnable(outbox.pool, inOtherProduct(key), user);
    expect(await enables(key)).toEqual([]);
  });

  it("are of their own user", async () => {
    const key = await newcomer();
    const mine = user;
    const { user: theirs } = await outbox.makeUser(wallet);
    await seedEnable(outbox.pool, key, theirs);
    user = mine;
    expect(await enables(key)).toEqual([]);
  });

  it("are no other operations", async () => {
    await changeEnable("operation = 'orders/cancel'");
    expect(await enables()).toEqual([]);
  });

  it.each<[string, string]>([
    ["is not mined yet", "state = 'broadcast', mined_success = NULL"],
    ["reverted", "state = 'mined', mined_success = false"],
    ["had its nonce filled", "state = 'mined', mined_filler = true"],
  ])("are none where the one enable %s", async (_what, assignments) => {
    const key = await newcomer();
    await seedEnable(outbox.pool, key, user, "mined");
    expect({ enables: await enables(key) }).toEqual({ enables: [0] });
    await changeEnable(assignments, key);
    expect(await enables(key)).toEqual([]);
  });

  it("end with a disable, and are not brought back by an enable from before it", async () => {
    const { epoch } = present(await findDelegation(outbox.features.deps.prisma, scope()), "the delegation");
    const inOne = <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(outbox.pool, work);
    const raised = await inOne((tx) => blockDelegation(tx, scope()));
    expect(raised).toBe(epoch + 1);
    await inOne((tx) => unblockDelegation(tx, scope(), epoch));
    expect(await findDelegation(outbox.features.deps.prisma, scope())).toMatchObject({
      blocked: true,
      epoch: raised,
    });
    await inOne((tx) => unblockDelegation(tx, scope(), raised));
    expect(await findDelegation(outbox.features.deps.prisma, scope())).toMatchObject({ blocked: false });
    expect(await enables()).toEqual([]);
  });

  it("are none while the delegation is blocked", async () => {
    await outbox.pool.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [user]);
    expect(await enables()).toEqual([]);
  });

  it("end where the user spent a nonce on something else", async () => {
    const other = await enabledKey();
    await changeEnable(`operation_key = 'enable:${user}:2'`, other);
    expect({ enables: await enables(), enablesOfOther: await enables(other) }).toEqual({
      enables: [],
      enablesOfOther: [2],
    });
  });

  it("are counted up to the chain's nonce", async () => {
    expect({ enables: await enables(caller, 1n) }).toEqual({ enables: [0] });
    // The chain has lost it, or another delegation followed it.
    expect(await enables(caller, 0n)).toEqual([]);
    expect(await enables(caller, 2n)).toEqual([]);
  });
});

describe("a disable cancels", () => {
  const cancel = () => inTransaction(outbox.pool, (tx) => cancelAccepted(tx, scope()));

  it("what waits of its user, and nothing else", async () => {
    const theirs = await outbox.makeUser(wallet);
    const kept = [
      await outbox.send(theirs.caller, wallet),
      await outbox.send(inOtherProduct(caller), wallet, WITHOUT_DELEGATION),
      await send({ operation: "1ct/disable", needsDelegation: false }),
    ];
    const signed = await send();
    await sign(signed);
    const waiting = await send();
    await cancel();
    expect(await outbox.row(waiting)).toMatchObject({ state: "canceled", errCode: "DELEGATION_NOT_ENABLED" });
    for (const request of kept) expect(await outbox.row(request)).toMatchObject({ state: "accepted" });
    expect(await outbox.row(signed)).toMatchObject({ state: "signed" });
  });

  it("nothing that is signed while it looks", async () => {
    const request = await send();
    const holder = await outbox.pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("UPDATE app.send_request SET state = 'signed', nonce = 0 WHERE request_id = $1", [
        request.requestId,
      ]);
      const canceling = cancel();
      await waitsForLock(outbox.pool, "%app.send_request%", canceling);
      await holder.query("COMMIT");
      await canceling;
    } finally {
      holder.release();
    }
    expect(await outbox.row(request)).toMatchObject({ state: "signed", nonce: 0n });
  });
});

describe("the end of a request", () => {
  it("is of that request and its claim, and lets its operation run again", async () => {
    const [ended, other] = [await send({ operationKey: "cancel:3" }), await send()];
    await inTransaction(outbox.pool, (tx) =>
      endRequest(tx, ended.requestId, { state: "failed", errCode: "CHAIN_REVERT", reason: "test" }),
    );
    expect(await outbox.row(ended)).toMatchObject({ state: "failed", errCode: "CHAIN_REVERT" });
    expect(await outbox.row(other)).toMatchObject({ state: "accepted" });
    const { rows } = await outbox.pool.query<{ state: string }>(
      "SELECT state::text FROM app.transaction_claim WHERE claim_id = ANY ($1::uuid[]) ORDER BY state",
      [[ended.claimId, other.claimId]],
    );
    expect(rows.map(({ state }) => state)).toEqual(["pending", "reverted"]);
    expect((await send({ operationKey: "cancel:3" })).requestId).not.toBe(ended.requestId);
  });

  it("is stored with the revert, and notified to whoever waits for it", async () => {
    const reverted = await send();
    const listener = await outbox.pool.connect();
    const heard: (string | undefined)[] = [];
    const listen = ({ payload }: { payload?: string | undefined }) => heard.push(payload);
    listener.on("notification", listen);
    try {
      await listener.query(`LISTEN ${CHANNELS.state}`);
      await inTransaction(outbox.pool, (tx) =>
        endRequest(tx, reverted.requestId, {
          state: "failed",
          errCode: "CHAIN_REVERT",
          revert: "OrderExpired",
          reason: "test",
        }),
      );
      // A notification comes before the answer of a statement behind it.
      await listener.query("SELECT 1");
    } finally {
      listener.off("notification", listen);
      listener.release(true);
    }
    expect(heard).toEqual([reverted.requestId]);
    expect(await outbox.row(reverted)).toMatchObject({ revert: "OrderExpired", reason: "test" });
  });
});

describe("a delegation", () => {
  it("is blocked in one product alone", async () => {
    await outbox.delegate(wallet, user, { productType: OTHER_PRODUCT });
    await inTransaction(outbox.pool, (tx) => blockDelegation(tx, scope()));
    const blocked = async (productType: string) =>
      (await findDelegation(outbox.features.deps.prisma, { ...scope(), productType }))?.blocked;
    expect({ isBlocked: await blocked(PRODUCT), isOtherBlocked: await blocked(OTHER_PRODUCT) }).toEqual({
      isBlocked: true,
      isOtherBlocked: false,
    });
  });

  const fresh = (chainId = CHAIN_ID): UserScope => ({
    chainId,
    productType: PRODUCT,
    user: `0x${randomBytes(20).toString("hex")}`,
  });

  it("is made once by two who need it at the same instant", async () => {
    const wanted = fresh();
    const holder = await outbox.pool.connect();
    try {
      await holder.query("BEGIN");
      await createDelegations(holder, wanted, wallet, wanted.user);
      const needed = delegationOf(outbox.features.deps.prisma, wanted);
      await waitsForLock(outbox.pool, '%INSERT INTO "app"."delegation"%', needed);
      await holder.query("COMMIT");
      expect(await needed).toMatchObject({ delegatee: wallet });
    } finally {
      holder.release();
    }
  });

  it("is to a wallet of the chain that takes users", async () => {
    const chainId = 31339;
    await outbox.makeWallet({ chainIds: [chainId] });
    await outbox.pool.query("UPDATE app.delegatee_wallet SET assignable = false WHERE chain_id = $1", [
      chainId,
    ]);
    await expect(delegationOf(outbox.features.deps.prisma, fresh(chainId))).rejects.toMatchObject({
      errCode: "OPERATOR_UNAVAILABLE",
    });
    const { address } = await outbox.makeWallet({ chainIds: [chainId] });
    expect(await delegationOf(outbox.features.deps.prisma, fresh(chainId))).toMatchObject({
      delegatee: address,
    });
  });
});

describe("a wallet's queue", () => {
  const queue = async (address = wallet) =>
    (await readQueues(outbox.pool, CHAIN_ID)).find((each) => each.wallet === address);

  it("is of what is not final, and of no other wallet", async () => {
    const done = await send();
    await outbox.change(done, "state = 'final', nonce = 0, outcome = 'confirmed'");
    expect(await queue()).toMatchObject({ depth: { accepted: 0, mined: 0 }, oldestSeconds: null });
    await outbox.send(caller, (await outbox.makeWallet()).address);
    expect(await queue()).toMatchObject({ depth: { accepted: 0 }, oldestSeconds: null });
    await send();
    expect(await queue()).toMatchObject({ depth: { accepted: 1 } });
  });

  it("has failed what failed for good", async () => {
    const mined =
      "state = 'mined', nonce = 0, mined_block = 1, mined_block_hash = '0x', mined_success = false";
    const request = await send();
    await outbox.change(request, `${mined}, err_code = 'OUT_OF_GAS'`);
    const failures = async () =>
      (await readFailures(outbox.pool, CHAIN_ID)).filter((each) => each.wallet === wallet);
    expect(await failures()).toEqual([]);
    await outbox.change(request, "state = 'final', outcome = 'reverted'");
    expect(await failures()).toEqual([{ wallet, errCode: "OUT_OF_GAS", count: 1 }]);
  });
});
