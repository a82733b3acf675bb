import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type pg from "pg";
import { encodeFunctionData, type Hex } from "viem";
import { nextOf } from "../../../packages/admin/src/wallets/retirement.ts";
import type { Caller } from "../../../src/auth/caller.ts";
import type { Chain } from "../../../src/chain/clients.ts";
import { sendingOf } from "../../../src/config/deployments.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { oneClickRouterAbi } from "../../../src/contracts/abi/index.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { disable } from "../../../src/oneclick/disable.ts";
import { ApiError } from "../../../src/protocol/errors.ts";
import { readQueues } from "../../../src/sending/outbox/queue-store.ts";
import { findById } from "../../../src/sending/outbox/request-store.ts";
import { write } from "../../../src/sending/outbox/submit.ts";
import { continueRetirements } from "../../../src/sending/retirement/job.ts";
import { readRetirement, retireWallet } from "../../../src/sending/retirement/status-store.ts";
import { storeProgress, takeDue } from "../../../src/sending/retirement/store.ts";
import { undelegateUser } from "../../../src/sending/retirement/undelegate.ts";
import { present } from "../../support/assert/until.ts";
import { createDelegations, createSends, createWallet } from "../../support/db/builders/sends.ts";
import { empty } from "../../support/db/empty.ts";
import { waitsForLock } from "../../support/db/locks.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";
import { newSend } from "../../support/sender/new-send.ts";

// docs/faults.md, row 70: retiring a wallet while its users act at the same instant. No node answers: the chain's state is set.

const CHAIN_ID = 31337;
const CONTRACT: Hex = `0x${"1".repeat(40)}`;
const contracts = { stockRouter: CONTRACT, cashier: CONTRACT, stock: CONTRACT, oneClickRouter: CONTRACT };
const NOBODY: Hex = `0x${"0".repeat(40)}`;
const anAddress = (): Hex => `0x${randomBytes(20).toString("hex")}`;

let features: Features;
let deps: Deps;
let pool: pg.Pool;
let wallet: Hex;
/** Delegatee of each user on the chain, at its head. */
let onChain: Map<Hex, Hex>;
let head: bigint;
let nodesAnswer: boolean;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, startBlock: 0, ...contracts }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  pool = features.deps.pool;
  const chain = present(features.deps.chains.get(CHAIN_ID), "the chain");
  const latest: Chain["reads"]["latest"] = async (calls) => {
    if (!nodesAnswer) throw new ApiError("RPC_UNAVAILABLE");
    return { results: calls.map(({ args }) => onChain.get(args?.[0] as Hex) ?? NOBODY), blockNumber: head };
  };
  const chains = new Map([[CHAIN_ID, { ...chain, reads: { ...chain.reads, latest } }]]);
  deps = { ...features.deps, chains, broadcastWaitMs: 0 };
});
afterAll(() => features?.close());

beforeEach(async () => {
  await empty(
    ...([pool, "app.send_attempt", "app.send_request", "app.transaction_claim", "app.delegation"] as const),
    ...(["app.wallet_retirement", "app.delegatee_wallet"] as const),
  );
  [wallet, onChain, head, nodesAnswer] = [anAddress(), new Map(), 100n, true];
  await createWallet(pool, wallet, { chainIds: [CHAIN_ID], leaseUntil: new Date(Date.now() + 3_600_000) });
});

type User = Caller & { user: Hex };

/** Creates a user who enabled the wallet, and has it on the chain. */
async function makeUser(): Promise<User> {
  const user = anAddress();
  const caller = await features.makeCaller({ userAddress: user });
  await createDelegations(pool, caller, wallet, user);
  await enabled({ ...caller, user }, wallet, "final");
  onChain.set(user, wallet);
  return { ...caller, user };
}

const MINED = { minedBlock: 1n, minedBlockHash: "0x", minedSuccess: true };
const REACHED = { accepted: {}, broadcast: {}, final: { ...MINED, outcome: "confirmed" } };
let nonces = 0;

/** Writes an enable of a wallet, of the delegation's first epoch. */
async function enabled(
  { user, ...caller }: User,
  by: Hex,
  state: keyof typeof REACHED,
  chainNonce = 0,
): Promise<void> {
  await createSends(pool, caller, {
    userAddress: user,
    wallet: by,
    operation: "1ct/enable",
    state,
    delegationEpoch: 0,
    toAddress: CONTRACT,
    operationKey: `enable:${user}:${chainNonce}`,
    ...REACHED[state],
    nonce: state === "accepted" ? null : BigInt(nonces++),
  });
}

const retire = () => inTransaction(pool, (tx) => retireWallet(tx, CHAIN_ID, wallet));
const status = async () => present(await readRetirement(pool, CHAIN_ID, wallet), "the retirement");

/** Makes everything due for workers. Times are rounded to milliseconds, maybe up. */
const makeDue = () => pool.query("UPDATE app.wallet_retirement SET next_at = now() - interval '1 second'");

async function goOn(more: Partial<Deps> = {}): Promise<void> {
  await makeDue();
  await continueRetirements({ ...deps, ...more }, CHAIN_ID);
}

const undelegations = async () =>
  (
    await pool.query<{
      user_address: Hex;
      wallet: Hex;
      key_id: string;
      state: string;
      operation_key: string;
    }>(
      `SELECT user_address, wallet, key_id, state, operation_key, to_address, '0x' || encode(call_data, 'hex') AS call FROM app.send_request
       WHERE operation = '1ct/disable' ORDER BY user_address, sequence`,
    )
  ).rows;

/** Ends waiting undelegations by their receipts. */
async function settle(chain = true): Promise<void> {
  const { rows } = await pool.query<{ user_address: Hex }>(
    `UPDATE app.send_request SET state = 'final', nonce = 1000000 + sequence, outcome = 'confirmed', mined_block = 1,
       mined_block_hash = '0x', mined_success = true
     WHERE operation = '1ct/disable' AND state = 'accepted' RETURNING user_address`,
  );
  if (chain) for (const { user_address } of rows) onChain.delete(user_address);
}

const delegationOf = async ({ user }: User) =>
  (await pool.query("SELECT delegatee, blocked, epoch FROM app.delegation WHERE user_address = $1", [user]))
    .rows[0];

describe("the passes of a retirement", () => {
  it("undelegate each user once, by the wallet itself and for the key that enabled", async () => {
    const users = await Promise.all([makeUser(), makeUser(), makeUser()]);
    expect(await retire()).toBe(true);
    await goOn();
    await goOn();
    const rows = await undelegations();
    expect(rows).toHaveLength(3);
    for (const { user, keyId } of users) {
      const args = [user] as const;
      const call = encodeFunctionData({ abi: oneClickRouterAbi, functionName: "undelegateFor", args });
      expect(rows.find((row) => row.user_address === user)).toMatchObject({
        wallet,
        key_id: keyId,
        state: "accepted",
        operation_key: `undelegate:${user}:1`,
        to_address: CONTRACT,
        call,
      });
    }
    for (const user of users) expect(await delegationOf(user)).toMatchObject({ blocked: true, epoch: 1 });
    expect(await status()).toMatchObject({ users: 3, undelegations: { waiting: 3 }, finishedAt: null });
  });

  it("end where two find nobody, and what the first saw is final when the second begins", async () => {
    await makeUser();
    await retire();
    // The second pass waits: the requests of the first one are not final.
    for (const _ of [1, 2]) {
      await goOn();
      expect(await status()).toMatchObject({ pass: 2, checked: 0, finishedAt: null });
    }
    await settle();
    for (const [pass, block] of [
      [2, 100n],
      [3, 101n],
      [4, 102n],
    ] as const) {
      head = block;
      expect(await status()).toMatchObject({ pass, finishedAt: null });
      await goOn();
    }
    expect(await status()).toMatchObject({ pass: 4, checked: 1, delegated: 0, finishedAt: expect.any(Date) });
    expect((await readQueues(pool, CHAIN_ID))[0]?.undelegatedAt).not.toBeNull();
    // Repeated, the command lets workers check all of them again.
    expect(await retire()).toBe(false);
    expect(await status()).toMatchObject({ pass: 1, finishedAt: null });
  });

  it("prove nothing that were read from a node which has not got to the last enable", async () => {
    const { user } = await makeUser();
    await pool.query("UPDATE app.send_request SET mined_block = 150 WHERE operation = '1ct/enable'");
    onChain.delete(user);
    await retire();
    for (head of [100n, 120n, 149n]) await goOn();
    expect(await status()).toMatchObject({ pass: 4, finishedAt: null });
    head = 150n;
    onChain.set(user, wallet);
    await goOn();
    expect(await undelegations()).toMatchObject([{ user_address: user, wallet }]);
    await settle();
    for (head of [151n, 155n]) await goOn();
    expect(await status()).toMatchObject({ finishedAt: expect.any(Date) });
  });

  it("are of the lowest block that one of their pages was read at", async () => {
    const [other] = deps.deployments.chains;
    const chain = present(other, "the chain");
    const chains = [{ ...chain, sending: { ...sendingOf(chain), inFlightMax: 2 } }];
    await Promise.all(Array.from({ length: 4 }, makeUser));
    await retire();
    for (head of [100n, 90n]) {
      await goOn({ deployments: { ...deps.deployments, chains } });
      await settle();
    }
    const { rows } = await pool.query("SELECT pass, pass_block FROM app.wallet_retirement");
    expect(rows).toEqual([{ pass: 1, pass_block: "90" }]);
  });

  it("undelegate anew whoever is delegated again", async () => {
    const user = await makeUser();
    await retire();
    for (const pass of [1, 2]) {
      await goOn();
      await settle(pass > 1);
    }
    const keys = (await undelegations()).map(({ operation_key }) => operation_key);
    expect(keys).toEqual([`undelegate:${user.user}:1`, `undelegate:${user.user}:2`]);
  });

  it("queue no more than may be in flight, and go on where they stopped", async () => {
    const [other] = deps.deployments.chains;
    const few = {
      ...present(other, "the chain"),
      sending: { ...sendingOf(present(other, "it")), inFlightMax: 2 },
    };
    await Promise.all(Array.from({ length: 5 }, makeUser));
    await retire();
    for (const [times, total] of [
      [1, 2],
      [2, 2],
      [1, 4],
      [1, 5],
    ] as const) {
      for (let time = 0; time < times; time += 1) await goOn({ deployments: { chains: [few] } });
      expect({ times, undelegations: (await undelegations()).length }).toEqual({
        times,
        undelegations: total,
      });
      if (times === 2 || total > 2) await settle();
    }
  });

  it("are gone on with by another worker where one dies between two users", async () => {
    const users = await Promise.all([makeUser(), makeUser(), makeUser()]);
    await retire();
    let left = 2;
    const connect = () => (left-- > 0 ? pool.connect() : Promise.reject(new Error("killed")));
    const dying = new Proxy(pool, {
      get: (target, name) => (name === "connect" ? connect : Reflect.get(target, name).bind?.(target)),
    });
    await expect(goOn({ pool: dying })).rejects.toThrow("killed");
    expect(await undelegations()).toHaveLength(2);
    await goOn();
    const rows = await undelegations();
    expect(rows.map(({ user_address }) => user_address)).toEqual(users.map(({ user }) => user).sort());
  });

  it("belong to one worker at a time: one that was overtaken writes nothing", async () => {
    await retire();
    await makeDue();
    const [first, none] = [await takeDue(pool, CHAIN_ID, 60), await takeDue(pool, CHAIN_ID, 60)];
    expect(none).toBeNull();
    await makeDue();
    const second = present(await takeDue(pool, CHAIN_ID, 60), "the retirement");
    const progress = { ...second, pass: 9, inSeconds: 0 };
    expect(await storeProgress(pool, present(first, "the first"), progress)).toBe(false);
    expect(await storeProgress(pool, second, progress)).toBe(true);
  });

  it("go on beside users of a product that was removed, say so, and do not end while these are there", async () => {
    const [gone, user] = [await makeUser(), await makeUser()];
    await pool.query(
      "UPDATE app.send_request SET product_type = 'GONE', user_address = '0x' || repeat('0', 40) WHERE user_address = $1",
      [gone.user],
    );
    await retire();
    const warn = jest.fn();
    await goOn({ log: { ...deps.log, warn } as unknown as Deps["log"] });
    expect(warn).toHaveBeenCalledWith(
      { chainId: CHAIN_ID, wallet, productTypes: ["GONE"] },
      expect.stringContaining("not in the deployments file"),
    );
    expect(await undelegations()).toMatchObject([{ user_address: user.user, wallet, state: "accepted" }]);
    await settle();
    for (let pass = 0; pass < 4; pass++) {
      head += 100n;
      await goOn();
    }
    expect(await status()).toMatchObject({ users: 2, checked: 0, finishedAt: null });
    const products = (names: string[]) =>
      ({
        ...deps.deployments,
        chains: deps.deployments.chains.map((chain) => ({
          ...chain,
          products: names.flatMap((productType) =>
            chain.products.map((product) => ({ ...product, productType })),
          ),
        })),
      }) as Deps["deployments"];
    for (let pass = 0; pass < 4; pass++) {
      head += 100n;
      await goOn({ deployments: products([PRODUCT, "GONE"]) });
    }
    expect(await status()).toMatchObject({ finishedAt: expect.any(Date) });
  });

  it("wait for a worker that drives the wallet, and for a node that answers", async () => {
    await makeUser();
    await retire();
    await pool.query("UPDATE app.delegatee_wallet SET lease_until = now() - interval '1 second'");
    await goOn();
    expect(await undelegations()).toEqual([]);
    expect(nextOf(await status())).toMatch("no worker drives it");
    await pool.query("UPDATE app.delegatee_wallet SET lease_until = now() + interval '1 hour'");
    nodesAnswer = false;
    await goOn();
    expect(await undelegations()).toEqual([]);
    nodesAnswer = true;
    await goOn();
    expect(await undelegations()).toHaveLength(1);
  });
});

describe("a user who is on the way to another wallet", () => {
  const move = ({ user }: User, to: Hex) =>
    pool.query(
      "UPDATE app.delegation SET delegatee = $2, blocked = true, epoch = epoch + 1 WHERE user_address = $1",
      [user, to],
    );

  it("is undelegated once, and not blocked where they are now", async () => {
    const [user, to] = [await makeUser(), anAddress()];
    await createWallet(pool, to, { chainIds: [CHAIN_ID] });
    await retire();
    await move(user, to);
    await goOn();
    await goOn();
    expect(await delegationOf(user)).toEqual({ delegatee: to, blocked: true, epoch: 1 });
    expect(await undelegations()).toMatchObject([{ operation_key: `undelegate:${user.user}:1:${wallet}:0` }]);
    // Again, where a reorg or a failure left the delegation.
    await settle(false);
    await goOn();
    expect(await undelegations()).toMatchObject([
      {},
      { operation_key: `undelegate:${user.user}:1:${wallet}:1` },
    ]);
    expect(await delegationOf(user)).toMatchObject({ epoch: 1 });
  });

  it("is left alone while the enable of the other one is under way, for two minutes: it replaces the delegation", async () => {
    const [user, to] = [await makeUser(), anAddress()];
    await createWallet(pool, to, { chainIds: [CHAIN_ID] });
    await retire();
    await move(user, to);
    await enabled(user, to, "accepted", 1);
    await goOn();
    expect(await undelegations()).toEqual([]);
    // It counts as delegated until then.
    const { rows } = await pool.query("SELECT pass, clear_block FROM app.wallet_retirement");
    expect(rows).toEqual([{ pass: 2, clear_block: null }]);
    // The other wallet may be out of funds for long, and a thief may have this one's key.
    await pool.query(
      "UPDATE app.send_request SET accepted_at = now() - interval '3 minutes' WHERE wallet = $1",
      [to],
    );
    await goOn();
    expect(await undelegations()).toHaveLength(1);
  });

  it("who disables then is disabled, although the enable of the other one is mined later", async () => {
    const [user, to] = [await makeUser(), anAddress()];
    await createWallet(pool, to, { chainIds: [CHAIN_ID] });
    await retire();
    await move(user, to);
    await enabled(user, to, "broadcast", 1);
    await pool.query("UPDATE app.send_request SET accepted_at = now() - interval '3 minutes'");
    await goOn();
    expect(await undelegations()).toMatchObject([{ wallet }]);
    await disable(deps, user);
    // It has a later epoch, so that the enable lifts no block.
    expect(await delegationOf(user)).toEqual({ delegatee: to, blocked: true, epoch: 2 });
    expect(await undelegations()).toMatchObject([{ wallet }, { wallet: to }]);
  });
});

describe("at the same instant", () => {
  let holder: pg.PoolClient;
  beforeEach(async () => {
    holder = await pool.connect();
    await holder.query("BEGIN");
  });
  afterEach(async () => {
    await holder.query("ROLLBACK");
    holder.release();
  });
  const hold = (requestId: string) =>
    holder.query("SELECT 1 FROM app.send_request WHERE request_id = $1 FOR UPDATE", [requestId]);
  const UNDELEGATION_WAITS = "%FROM app.delegation%FOR UPDATE%";
  const REQUEST_LOCK = "%FROM app.send_request%FOR UPDATE%";
  const undelegate = ({ chainId, user }: User) =>
    undelegateUser(pool, wallet, { chainId, productType: PRODUCT, user, isOpen: true }, true);
  const send = (user: User) => write(deps, user, newSend(wallet, user.user));

  it("a send that is being written is canceled once it is there, and none comes after it", async () => {
    const user = await makeUser();
    // The send has passed its checks, and waits for another one under its Idempotency-Key.
    const held = { userAddress: user.user, wallet, idempotencyKey: "held" };
    await createSends(holder, user, held);
    const sending = write(deps, user, newSend(wallet, user.user, { idempotencyKey: "held" }));
    await waitsForLock(pool, "%INSERT INTO app.send_request%", sending);
    await retire();
    const undelegating = undelegate(user);
    await waitsForLock(pool, UNDELEGATION_WAITS, undelegating);
    await holder.query("ROLLBACK");
    const { requestId } = await sending;
    expect(await undelegating).toBe(true);
    expect(await findById(pool, requestId)).toMatchObject({
      state: "canceled",
      errCode: "DELEGATION_NOT_ENABLED",
      nonce: null,
    });
    await expect(send(user)).rejects.toMatchObject({ errCode: "DELEGATION_NOT_ENABLED" });
    expect(await undelegations()).toHaveLength(1);
  });

  it.each([
    ["another worker", (user: User) => undelegate(user), false],
    ["a disable of the user", (user: User) => disable(deps, user), { status: "disabled" }],
  ])("a worker and %s make one undelegation", async (_who, other, answer) => {
    const user = await makeUser();
    const waiting = await send(user);
    await retire();
    await hold(waiting.requestId);
    const first = undelegate(user);
    await waitsForLock(pool, REQUEST_LOCK, first);
    const second = other(user);
    await waitsForLock(pool, UNDELEGATION_WAITS, second);
    await holder.query("COMMIT");
    expect(await first).toBe(true);
    expect(await second).toEqual(typeof answer === "object" ? expect.objectContaining(answer) : answer);
    expect(await undelegations()).toHaveLength(1);
  });

  it("an enable that has its nonce is undelegated behind it, once, and lifts no block", async () => {
    const user = await makeUser();
    onChain.delete(user.user);
    await pool.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [user.user]);
    await enabled(user, wallet, "broadcast", 1);
    await retire();
    await goOn();
    expect(await undelegate(user)).toBe(false);
    expect(await undelegations()).toHaveLength(1);
    expect({ user, delegation: await delegationOf(user) }).toMatchObject({
      user,
      delegation: { blocked: true, epoch: 1 },
    });
  });
});

describe("the function that workers queue with", () => {
  const queue = (user: Hex, by: Hex) =>
    pool.query("SELECT app.queue_undelegation(gen_random_uuid(), $1, $2, $3, $4, 150000, '', $5) AS queued", [
      CHAIN_ID,
      PRODUCT,
      user,
      by,
      `test:${user}`,
    ]);

  it("makes no request of a wallet that is in use, nor of a user who never enabled it", async () => {
    const { user } = await makeUser();
    expect((await queue(user, wallet)).rows).toEqual([{ queued: false }]);
    await retire();
    expect((await queue(anAddress(), wallet)).rows).toEqual([{ queued: false }]);
    expect((await queue(user, wallet)).rows).toEqual([{ queued: true }]);
    expect((await queue(user, wallet)).rows).toEqual([{ queued: false }]);
  });
});
