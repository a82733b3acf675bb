import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { LONG } from "../support/assert/long.ts";
import { hex } from "../support/assert/sample.ts";
import { SEED, type SeededRandom, seededRandom } from "../support/assert/seeded-random.ts";
import { until } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import {
  ORDER_ID,
  ORDER_TX,
  type ReadingApi,
  type Replicated,
  startReplicated,
  stateOf,
  stopAll,
} from "../support/db/replicated.ts";
import type { Standby } from "../support/db/standby.ts";
import type { PartnerKey } from "../support/http/partner.ts";

// What standbys do to those who read from them: none of it is seen in an answer. The last test ends the primary.

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
  key = await cluster.env.makeKey();
  await cluster.publish(1, 20n);
  await createClaim(cluster.env.pool, key, { txHash: ORDER_TX });
  await untilBothServe();
});

afterAll(async () => {
  await stopAll(apis ?? []);
  await cluster?.stop();
});

const PATH = `/orders/${ORDER_ID}`;
/** A statement on a standby, and the one on the primary after it; twice as long as they may take. */
const BOUND_MS = 10_000;

async function untilBothServe(): Promise<void> {
  for (const standby of [one, two]) {
    await standby.catchUp();
    const before = await api.reads(standby, "served");
    await until("the standby serves", async () => {
      await api.get(key, PATH);
      return (await api.reads(standby, "served")) > before;
    });
  }
}

/** Polls the order, several at a time, until `work` is done. @returns how many answers there were, each right and in time */
async function polling(state: number, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let answers = 0;
  const poll = async () => {
    while (!isOver) {
      const startedMs = Date.now();
      expect(stateOf(await api.get(key, PATH))).toBe(state);
      expect(Date.now() - startedMs).toBeLessThan(BOUND_MS);
      answers++;
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
  expect(answers).toBeGreaterThan(10);
  expect(api.lines.filter((line) => line.includes("a read replica serves again")).length).toBeGreaterThan(0);
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
  await pool.query("ALTER TABLE onchain.last_change RENAME TO last_change_of_old");
  await pool.query(`CREATE VIEW onchain.last_change AS SELECT * FROM onchain.last_change_of_old
    WHERE NOT pg_is_in_recovery() OR pg_sleep(1.5) IS NOT NULL`);
  try {
    await Promise.all([one.catchUp(), two.catchUp()]);
    const log = () => api.lines.filter((line) => line.includes("conflict with recovery")).length;
    const before = log();
    await until("a read was cancelled", async () => {
      const asked = api.get(key, PATH);
      await pool.query("BEGIN; LOCK TABLE onchain.stock_order IN ACCESS EXCLUSIVE MODE; COMMIT");
      await Promise.all([one.catchUp(), two.catchUp()]);
      expect(stateOf(await asked)).toBe(2);
      return log() > before;
    });
  } finally {
    await pool.query("DROP VIEW onchain.last_change");
    await pool.query("ALTER TABLE onchain.last_change_of_old RENAME TO last_change");
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

/** Some blocks take the place of another of the same height. */
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
  const [order, recorded] = await Promise.all([by.get(key, PATH), by.get(key, path)]);
  expect([path, recorded.status]).toEqual([path, 200]);
  const state = stateOf(order);
  expect(state).toBeGreaterThanOrEqual(before.committed);
  expect(state).toBeLessThanOrEqual(written.begun);
  if (before.committed > 3) expect(order.block).toBeGreaterThanOrEqual(Number(blockOf(before.committed)));
}

it(`no answer is older than the primary was, while both standbys stop and go on (TEST_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const servedBefore = await served();
  let isOver = false;
  const on = async (work: () => Promise<void>) => {
    while (!isOver) await work();
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
  for (let n = 0; n < (LONG ? 40 : 4); n++) await shake();
  isOver = true;
  await reading;
  expect((await served()) - servedBefore).toBeGreaterThan(20);
});

const served = async () => {
  const counts = apis.flatMap((each) => [each.reads(one, "served"), each.reads(two, "served")]);
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

it("a standby that has what the new primary lost serves nothing", async () => {
  await untilBothServe();
  await two.kill();
  // Lost: the standby that takes over never gets it.
  await cluster.env.pool.query("UPDATE app.transaction_claim SET client_order_id = 'lost'");
  await one.catchUp();
  await cluster.primary.kill();
  await two.restart();
  await two.promote();
  const url = two.urlOf(cluster.primary.adminUrl);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const after = await cluster.startApi([one], { DATABASE_URL: url });
  try {
    const clientIdOf = async () => {
      const { body } = await after.get(key, PATH);
      return (body.data as { mapping: { clientOrderId: string | null } }).mapping.clientOrderId;
    };
    expect(await clientIdOf()).toBe(null);
    for (const id of ["a", "b", "c", "d", "e"]) {
      await pool.query("UPDATE app.transaction_claim SET client_order_id = $2 WHERE tx_hash = $1", [
        ORDER_TX,
        id,
      ]);
      expect(await clientIdOf()).toBe(id);
    }
    expect([await after.reads(one, "served"), await after.reads(one, "behind")]).toEqual([
      0,
      expect.any(Number),
    ]);
    expect(await after.reads(one, "behind")).toBeGreaterThan(0);
  } finally {
    await after.stop();
    await pool.end();
  }
});
