import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { hex } from "../support/assert/sample.ts";
import { SEED, type SeededRandom, seededRandom } from "../support/assert/seeded-random.ts";
import { present, until } from "../support/assert/until.ts";
import { headOf, mine, rawTransaction, reorg } from "../support/chain/anvil-client.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { openPool } from "../support/db/pool.ts";
import {
  ORDER_PATH,
  ORDER_TX,
  type ReadingApi,
  type Replicated,
  startReplicated,
  stateOf,
  stopAll,
  untilServed,
} from "../support/db/replicated.ts";
import { movementsOn, type ReplicatedChain, startReplicatedChain } from "../support/db/replicated-chain.ts";
import { query, type Standby } from "../support/db/standby.ts";
import type { PartnerKey } from "../support/http/partner.ts";

// Faults of standbys do not show in answers. The last test stops the primary.

let cluster: Replicated;
let one: Standby;
let two: Standby;
/** Each api reads from both standbys. */
let apis: ReadingApi[];
let api: ReadingApi;
let key: PartnerKey & { keyId: string };

beforeAll(async () => {
  // A conflict ends a standby's statement at once, and not after half a minute.
  cluster = await startReplicated(2, { flags: ["-c", "max_standby_streaming_delay=0"] });
  [one, two] = cluster.standbys as [Standby, Standby];
  apis = await Promise.all([cluster.startApi([one, two]), cluster.startApi([two, one])]);
  [api] = apis as [ReadingApi];
  key = await cluster.makeOwner();
  await untilBothServe();
});

afterAll(async () => {
  await stopAll(apis ?? []);
  await cluster?.stop();
});

/** A statement on a standby, and the one on the primary after it; twice as long as they may take. */
const BOUND_MS = 10_000;

async function untilBothServe(): Promise<void> {
  for (const standby of [one, two]) await untilServed(api, standby, key);
}

/** Between an answer and the next question: the processor is left to those who are asked. */
const PAUSE_MS = 30;

/** Polls the order, several at a time, until `work` is done. @returns how many answers there were, each right and in time */
async function polling(state: number, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let answers = 0;
  const poll = async () => {
    while (!isOver) {
      const startedMs = Date.now();
      const shown = stateOf(await api.get(key, ORDER_PATH));
      const ms = Date.now() - startedMs;
      expect({ answers, state: shown, ms, isInTime: ms < BOUND_MS }).toEqual({
        answers,
        state,
        ms,
        isInTime: true,
      });
      answers++;
      await sleep(PAUSE_MS);
    }
  };
  const polls = Promise.all([poll(), poll(), poll()]);
  const worked = work().finally(() => {
    isOver = true;
  });
  await Promise.all([worked, polls]);
  return answers;
}

it("a standby that is killed under load is missed by nobody, and is asked again once it is back", async () => {
  await cluster.publish(2, 21n);
  const answers = await polling(2, async () => {
    await one.kill();
    const before = await api.reads(one, "failed");
    await until("it fails, and is tried again", async () => (await api.reads(one, "failed")) > before + 1);
    await one.restart();
    await untilBothServe();
  });
  expect({ answers, areMany: answers > 10 }).toEqual({ answers, areMany: true });
  expect(api.lines).toContainEqual(expect.stringContaining("a read replica serves again"));
});

it("a standby that freezes holds a request up for its bound, and is then passed over", async () => {
  await polling(2, async () => {
    const thaw = one.freeze();
    const before = await api.reads(one, "failed");
    await until("it fails", async () => (await api.reads(one, "failed")) > before).finally(thaw);
    await untilBothServe();
  });
});

it("a read that replay cancels is answered by the primary", async () => {
  const { pool } = cluster.env;
  const { rows } = await pool.query("SELECT pg_get_functiondef('app.key_state'::regproc) AS definition");
  const definition: string = present(rows[0], "the function").definition;
  const slow = definition.replace(
    'c."filled"',
    'c."filled" AND (NOT pg_is_in_recovery() OR pg_sleep(1.5) IS NOT NULL)',
  );
  expect(slow).not.toBe(definition);
  await pool.query(slow);
  try {
    await Promise.all([one.catchUp(), two.catchUp()]);
    const conflicts = async () => {
      const text = "SELECT sum(confl_lock)::int AS conflicts FROM pg_stat_database_conflicts";
      const counts = await Promise.all([one, two].map((standby) => query(standby.adminUrl, text)));
      return counts.reduce((sum, [row]) => sum + Number(row?.conflicts), 0);
    };
    const before = await conflicts();
    await until("a read was cancelled", async () => {
      const asked = api.get(key, ORDER_PATH);
      await pool.query("BEGIN; LOCK TABLE app.key_order IN ACCESS EXCLUSIVE MODE; COMMIT");
      await Promise.all([one.catchUp(), two.catchUp()]);
      expect(stateOf(await asked)).toBe(2);
      return (await conflicts()) > before;
    });
  } finally {
    await pool.query(definition);
  }
  await untilBothServe();
});

it("of two standbys, the one that is paused serves nothing and the other goes on", async () => {
  await two.pauseReplay();
  await cluster.publish(3, 22n);
  await one.catchUp();
  const stale = await api.reads(two, "served");
  const fresh = await api.reads(one, "served");
  await polling(3, () =>
    until("the other one serves", async () => (await api.reads(one, "served")) > fresh + 30),
  );
  expect(await api.reads(two, "served")).toBe(stale);
  await two.resumeReplay();
  await untilBothServe();
});

/** States that the primary has: at least `committed`, at most `begun`. */
const written = { committed: 3, begun: 3, txHash: ORDER_TX };

/** Returns the block number of a state. Several states share one, like blocks before and after a reorg. */
const blockOf = (state: number): bigint => BigInt(100 + Math.floor(state / 4));

async function write(random: SeededRandom): Promise<void> {
  const state = ++written.begun;
  await cluster.publish(state, blockOf(state));
  if (random.chance(0.5)) {
    const txHash = hex(32, 0x700000 + state);
    await createClaim(cluster.env.pool, key, { txHash });
    written.txHash = txHash;
  }
  written.committed = state;
}

/** Reads through any api: what was committed before is shown, and nothing that was not begun. */
async function read(random: SeededRandom): Promise<void> {
  const before = { ...written };
  const by = random.of(apis);
  const path = `/orders/tx/${before.txHash}`;
  const [order, recorded] = await Promise.all([by.get(key, ORDER_PATH), by.get(key, path)]);
  expect({ path, status: recorded.status }).toEqual({ path, status: 200 });
  const state = stateOf(order);
  const { committed } = before;
  const { begun } = written;
  const isBetween = state >= committed && state <= begun;
  expect({ committed, state, begun, isBetween }).toEqual({ committed, state, begun, isBetween: true });
  const blockMin = committed > 3 ? Number(blockOf(committed)) : 0;
  const isRead = blockMin === 0 || Number(order.block) >= blockMin;
  expect({ block: order.block, blockMin, isRead }).toEqual({ block: order.block, blockMin, isRead: true });
}

it(`no answer is older than the primary was, while both standbys stop and go on (TEST_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const servedBefore = await served();
  let isOver = false;
  const on = async (work: () => Promise<void>) => {
    while (!isOver) {
      await work();
      await sleep(PAUSE_MS);
    }
  };
  const shake = async () => {
    const standby = random.of([one, two]);
    await standby.pauseReplay();
    for (let n = 0; n < 5; n++) await write(random);
    await standby.resumeReplay();
    await standby.catchUp();
    for (let n = 0; n < 5; n++) await read(random);
  };
  const reading = Promise.all([1, 2].map(() => on(() => read(random))));
  for (let n = 0; n < 40; n++) await shake();
  isOver = true;
  await reading;
  const servedByReplicas = (await served()) - servedBefore;
  expect({ servedByReplicas, areMany: servedByReplicas > 20 }).toEqual({ servedByReplicas, areMany: true });
});

const served = async () => {
  const counts = apis.flatMap((each) => [each.reads(one, "served"), each.reads(two, "served")]);
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

describe("behind a standby that is paused, a reorg of what it has", () => {
  let chain: ReplicatedChain;
  beforeAll(async () => {
    chain = await startReplicatedChain(cluster.primary, [one]);
  }, 120_000);
  afterAll(() => chain?.stop());

  /** Returns the answers. A refusal's block is the one that the api heard of last. */
  const answersOf = (from: ReadingApi, paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path) => {
        const answer = await from.get(chain.key, path);
        return { path, answer: answer.status === 200 ? answer : { ...answer, block: null } };
      }),
    );
  const blockOf = async (orderId: string): Promise<bigint | null> => {
    const text = "SELECT block_number FROM app.key_order WHERE order_id = $1";
    const { rows } = await chain.pool.query(text, [orderId]);
    return rows[0] ? BigInt(rows[0].block_number) : null;
  };

  /** Makes an order and operations, has the standby serve them, and takes their blocks back while it is paused. */
  async function reorganize(moved: boolean) {
    const { api, key, product } = chain;
    const { orderId, hashes, since, paths } = await movementsOn(chain);
    for (const path of paths) await untilServed(api, one, key, path);
    const before = await blockOf(orderId);
    const raw = await Promise.all(hashes.map((hash) => rawTransaction(product.client, hash)));
    const later = raw.map((transaction): [Hex, number] => [transaction, 1]);
    await one.pauseReplay();
    try {
      const depth = Number((await headOf(product.client)) - since) + 1;
      await reorg(product.client, depth, moved ? later : []);
      await until("the primary no longer has it there", async () => {
        await chain.project();
        const isGone = (await blockOf(orderId)) === null;
        const { body } = await api.get(key, `/orders/${orderId}`);
        if (isGone && !moved) expect(body).toMatchObject({ errCode: "ORDER_NOT_FOUND" });
        return (await blockOf(orderId)) !== before;
      });
      const served = await api.reads(one, "served");
      await mine(product.client, 1);
      await chain.indexed();
      const shown = await answersOf(api, paths);
      expect(shown).toEqual(await answersOf(chain.reader, paths));
      expect(await api.reads(one, "served")).toBe(served);
      return { shown, orderId, paths, before, after: await blockOf(orderId) };
    } finally {
      await one.resumeReplay();
    }
  }

  it("that drops it: nothing of it is shown", async () => {
    const { shown, orderId, after } = await reorganize(false);
    expect(after).toBe(null);
    const refused = shown.filter(({ answer }) => answer.status !== 200);
    const rest = shown.filter(({ answer }) => answer.status === 200);
    expect(refused.map(({ answer }) => answer.body.errCode)).toEqual([
      "ORDER_NOT_FOUND",
      ...Array.from({ length: 4 }, () => "OPERATION_NOT_FOUND"),
    ]);
    expect(JSON.stringify(rest.map(({ answer }) => answer.body))).not.toContain(orderId);
  }, 120_000);

  it("that moves it: it is shown where it is now", async () => {
    const { paths, before, after } = await reorganize(true);
    expect(after).toBe((before ?? 0n) + 1n);
    for (const path of paths) await untilServed(chain.api, one, chain.key, path);
    expect(await answersOf(chain.api, paths)).toEqual(await answersOf(chain.reader, paths));
  }, 120_000);
});

it("a standby that has what the new primary lost serves nothing", async () => {
  await untilBothServe();
  await two.kill();
  // Lost: the standby that takes over never gets it.
  await cluster.env.pool.query("UPDATE app.transaction_claim SET client_order_id = 'lost'");
  await cluster.project();
  await one.catchUp();
  await cluster.primary.kill();
  await two.restart();
  await two.promote();
  const url = two.urlOf(cluster.primary.adminUrl);
  const pool = openPool({ connectionString: url, max: 1 });
  const after = await cluster.startApi([one], { DATABASE_URL: url });
  try {
    const clientIdOf = async () => {
      const { body } = await after.get(key, ORDER_PATH);
      return (body.data as { mapping: { clientOrderId: string | null } }).mapping.clientOrderId;
    };
    expect(await clientIdOf()).toBe(null);
    for (const id of ["a", "b", "c", "d", "e"]) {
      await pool.query("UPDATE app.transaction_claim SET client_order_id = $2 WHERE tx_hash = $1", [
        ORDER_TX,
        id,
      ]);
      await cluster.project(pool);
      expect(await clientIdOf()).toBe(id);
    }
    // On a busy machine, a standby whose connection was late is tried again a second later.
    await until("it is asked, and is behind", async () => {
      expect(await clientIdOf()).toBe("e");
      return (await after.reads(one, "behind")) > 0;
    });
    expect(await after.reads(one, "served")).toBe(0);
  } finally {
    await after.stop();
    await pool.end();
  }
});
