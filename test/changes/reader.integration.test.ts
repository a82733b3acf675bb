import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { pino } from "pino";
import type { Consumer } from "../../src/changes/consumer.ts";
import { type ChangeReaders, startChangeReaders, type Timing } from "../../src/changes/reader.ts";
import { createPool } from "../../src/db/client.ts";
import { CHANNELS, listen, type NotificationStream } from "../../src/db/notifications.ts";
import { until } from "../support/assert/until.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { startPgBouncer } from "../support/db/pgbouncer.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { describeWhere } from "../support/program/describe-where.ts";

// One reader per chain and what it runs at each indexed block, with notifications as Ponder sends them.

const CHAIN = 31337;
const OTHER_CHAIN = 31338;
/** Neither does the safety net run during a test, nor does a lease end. */
const NOTIFIED: Timing = { leaseMs: 600_000, safetyMs: 300_000, quietMs: 300_000 };
/** Everything is found without a notification. */
const POLLED: Timing = { leaseMs: 1_500, safetyMs: 300, quietMs: 300 };
/** Polls, too, and no lease ends during a test. */
const HELD: Timing = { ...POLLED, leaseMs: 600_000 };
const silent = pino({ level: "silent" });

let database: TestDatabase;
let pool: pg.Pool;
let onchain: Onchain;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 8 });
  onchain = await createOnchain(pool);
});
beforeEach(async () => {
  await empty(pool, "app.change_reader");
  await index(CHAIN, 1);
  await index(OTHER_CHAIN, 1);
});
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const index = (chainId: number, block: number, timestamp = 1_800_000_000n + BigInt(block)) =>
  onchain.setBlock(chainId, { number: BigInt(block), timestamp });
/** Notifies like Ponder's trigger on its checkpoints. */
const notify = (payload = '["stock_order"]') =>
  pool.query("SELECT pg_notify('onchain_live_query', $1)", [payload]);

interface TestReader {
  /** Chains of its runs, in their order. */
  runs: number[];
  readers: ChangeReaders;
  notifications: NotificationStream;
  /** A run fails while this is set. */
  failure: Error | null;
}

async function start(
  timing: Timing,
  { chainIds = [CHAIN], using = pool, more = [] as Consumer[], log = silent } = {},
): Promise<TestReader> {
  const notifications = listen(database.url, CHANNELS.index, silent);
  // Its first connection counts as a change: what a test sees later is of its own notifications.
  await new Promise<void>((resolve) => {
    const unsubscribe = notifications.subscribe(() => {
      unsubscribe();
      resolve();
    });
  });
  const runs: number[] = [];
  const reader = { failure: null as Error | null };
  const consumer: Consumer = {
    name: "test",
    run: async (chainId) => {
      runs.push(chainId);
      if (reader.failure) throw reader.failure;
      return { complete: true };
    },
  };
  const readers = startChangeReaders(
    { pool: using, log },
    { chainIds, consumers: [consumer, ...more], notifications, timing },
  );
  stops.push(async () => {
    await readers.stop();
    await notifications.close();
  });
  return Object.assign(reader, { runs, readers, notifications });
}

/** Returns the pool with a callback before each statement; where it throws, the statement fails. */
const watched = (before: () => void): pg.Pool =>
  Object.create(pool, {
    query: {
      value: async (...args: unknown[]) => {
        before();
        return Reflect.apply(pool.query, pool, args);
      },
    },
  });

const epochs = async () =>
  Number(
    (await pool.query("SELECT lease_epoch FROM app.change_reader WHERE chain_id = $1", [CHAIN])).rows[0]
      ?.lease_epoch,
  );
const runsOf = (reader: TestReader, count: number) =>
  until(`${count} runs`, () => reader.runs.length >= count);

describe("a reader of a chain's changes", () => {
  it("runs its consumers once at the start, and at each block that is notified", async () => {
    const reader = await start(NOTIFIED);
    await runsOf(reader, 1);
    // The first notification finds a position that it has not seen.
    for (let block = 2; block <= 6; block++) {
      const before = reader.runs.length;
      await index(CHAIN, block);
      await notify();
      await runsOf(reader, before + 1);
    }
    expect(reader.runs).toHaveLength(6);
  });

  it("runs nothing for a block that changed no table", async () => {
    const reader = await start(NOTIFIED);
    await runsOf(reader, 1);
    const empty = new Promise<void>((resolve) => {
      reader.notifications.subscribe((payload) => payload === "[]" && resolve());
    });
    await index(CHAIN, 2);
    await notify("[]");
    await empty;
    await index(CHAIN, 3);
    await notify();
    await runsOf(reader, 2);
    expect(reader.runs).toHaveLength(2);
  });

  it("runs nothing for the block of another chain", async () => {
    const reader = await start(NOTIFIED, { chainIds: [CHAIN, OTHER_CHAIN] });
    await runsOf(reader, 2);
    // The first notification finds positions that it has not seen.
    await notify();
    await runsOf(reader, 4);
    reader.runs.length = 0;
    await index(OTHER_CHAIN, 9);
    await notify();
    await runsOf(reader, 1);
    expect(reader.runs).toEqual([OTHER_CHAIN]);
  });

  it("is one among several workers, and gives its place to another when it stops", async () => {
    const first = await start(HELD);
    await runsOf(first, 1);
    const second = await start(HELD);
    const before = first.runs.length;
    await runsOf(first, before + 8);
    expect({ runsCount: second.runs.length, epochs: await epochs() }).toEqual({ runsCount: 0, epochs: 1 });
    await first.readers.stop();
    await runsOf(second, 1);
    expect(await epochs()).toBe(2);
    const last = first.runs.length;
    await runsOf(second, 5);
    expect(first.runs).toHaveLength(last);
  });

  it("is replaced where its lease ends", async () => {
    await pool.query(
      `INSERT INTO app.change_reader (chain_id, lease_owner, lease_epoch, lease_until)
       VALUES ($1, gen_random_uuid(), 7, now() + interval '1 hour')`,
      [CHAIN],
    );
    let statements = 0;
    const using = watched(() => {
      statements += 1;
    });
    const reader = await start(HELD, { using });
    await until("it has asked for the lease twice", () => statements > 2);
    expect(reader.runs).toEqual([]);
    await pool.query("UPDATE app.change_reader SET lease_until = now() - interval '1 second'");
    await runsOf(reader, 1);
    expect(await epochs()).toBe(8);
  });

  it("that loses its lease runs nothing more", async () => {
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    let statements = 0;
    const using = watched(() => {
      statements += 1;
    });
    const reader = await start(POLLED, { log, using });
    await runsOf(reader, 1);
    await pool.query(
      `UPDATE app.change_reader SET lease_owner = gen_random_uuid(), lease_epoch = 9,
         lease_until = now() + interval '1 hour'`,
    );
    await until("it has noticed", () => lines.some((line) => line.includes("another worker reads")));
    const last = reader.runs.length;
    await index(CHAIN, 2);
    await notify();
    // Its next attempts for the lease come and go.
    const before = statements;
    await until("it has tried again", () => statements > before + 2);
    await reader.readers.stop();
    expect({ runsCount: reader.runs.length, epochs: await epochs() }).toEqual({ runsCount: last, epochs: 9 });
    const { rows } = await pool.query("SELECT lease_owner FROM app.change_reader");
    expect(rows[0]).not.toEqual({ lease_owner: null });
  });

  it("finds what no notification told of, by the safety net", async () => {
    const reader = await start(POLLED);
    let notified = 0;
    reader.notifications.subscribe(() => {
      notified += 1;
    });
    await index(CHAIN, 2);
    await runsOf(reader, reader.runs.length + 2);
    expect(notified).toBe(0);
  });

  it("reads again once its connection is made anew: meanwhile notifications were lost", async () => {
    const reader = await start(NOTIFIED);
    await runsOf(reader, 1);
    await notify();
    await runsOf(reader, 2);
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN onchain_live_query' AND datname = current_database()",
    );
    await index(CHAIN, 2);
    await runsOf(reader, 3);
  });

  it("runs when a reorg takes blocks back", async () => {
    const reader = await start(NOTIFIED);
    await runsOf(reader, 1);
    for (const block of [9, 8, 9]) {
      const before = reader.runs.length;
      await index(CHAIN, block, 1_800_000_000n);
      await notify();
      await runsOf(reader, before + 1);
    }
  });

  it("runs by the safety net where a reorg leaves the position as it was", async () => {
    const reader = await start(POLLED);
    await runsOf(reader, 1);
    await index(CHAIN, 1);
    await runsOf(reader, reader.runs.length + 1);
  });

  it("keeps consumers apart: one that fails is named, and tried again", async () => {
    const failing: Consumer = { name: "broken", run: () => Promise.reject(new Error("no")) };
    const reader = await start(POLLED, { more: [failing] });
    await runsOf(reader, 3);
    expect(reader.readers.failing()).toEqual(["broken of chain 31337"]);
    reader.failure = new Error("for a while");
    await until("both fail", () => reader.readers.failing().length === 2);
    reader.failure = null;
    await until("one works again", () => reader.readers.failing().length === 1);
  });

  it("names itself while the database does not answer, and works again with it", async () => {
    let isDown = true;
    const using = watched(() => {
      if (isDown) throw Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
    });
    const reader = await start(POLLED, { using });
    await until("it fails", () => reader.readers.failing().includes("changes of chain 31337"));
    expect(reader.runs).toEqual([]);
    isDown = false;
    await runsOf(reader, 1);
    expect(reader.readers.failing()).toEqual([]);
  });

  it("runs before the indexer has its views", async () => {
    await pool.query("ALTER TABLE onchain._ponder_checkpoint RENAME TO hidden");
    try {
      const reader = await start(NOTIFIED);
      await runsOf(reader, 1);
      await notify();
      expect(reader.readers.failing()).toEqual([]);
    } finally {
      await pool.query("ALTER TABLE onchain.hidden RENAME TO _ponder_checkpoint");
    }
  });
});

describe("a reader whose notifications arrive", () => {
  /** Starts a reader that gets a notification during each statement of it. */
  async function startNotified(timing: Partial<Timing> = {}) {
    let listener: (payload: string | null) => void = () => undefined;
    const reader = { runs: 0, statements: 0, failure: null as Error | null };
    const using = watched(() => {
      reader.statements += 1;
      listener("[]");
    });
    const consumer: Consumer = {
      name: "test",
      run: async () => {
        reader.runs += 1;
        if (reader.failure) throw reader.failure;
        return { complete: true };
      },
    };
    const readers = startChangeReaders(
      { pool: using, log: silent },
      {
        chainIds: [CHAIN],
        consumers: [consumer],
        notifications: {
          subscribe: (given) => {
            listener = given;
            return () => undefined;
          },
        },
        timing: { leaseMs: 60_000, safetyMs: 20, quietMs: 300_000, ...timing },
      },
    );
    stops.push(() => readers.stop());
    const renewals = async (count: number) => {
      const last = reader.statements + count;
      await until(`${count} statements`, () => reader.statements >= last);
    };
    await until("the first run", () => reader.runs === 1);
    return Object.assign(reader, { renewals, change: () => listener('["stock_order"]') });
  }

  it("runs nothing at its renewals while no change is notified", async () => {
    const reader = await startNotified();
    await reader.renewals(5);
    expect(reader.runs).toBe(1);
  });

  it("runs everything after a while all the same", async () => {
    const reader = await startNotified({ quietMs: 100 });
    await until("two more runs", () => reader.runs >= 3);
    expect(reader.statements).toBeGreaterThanOrEqual(reader.runs);
  });

  it("runs at the next renewal where a change left the position as it was", async () => {
    const reader = await startNotified();
    // The first one finds a position that the reader has not seen.
    reader.change();
    await until("it runs", () => reader.runs === 2);
    reader.change();
    await until("it runs again", () => reader.runs === 3);
    await reader.renewals(5);
    expect(reader.runs).toBe(3);
  });

  it("tries a consumer that failed again at each renewal", async () => {
    const reader = await startNotified();
    reader.failure = new Error("no");
    reader.change();
    await until("it is tried three times", () => reader.runs >= 4);
    reader.failure = null;
    const before = reader.runs;
    await until("it works", () => reader.runs > before);
    const last = reader.runs;
    await reader.renewals(5);
    expect(reader.runs).toBe(last);
  });

  it("misses no change that comes when the lease is due for renewal", async () => {
    const reader = await startNotified({ safetyMs: 0 });
    for (const block of [2, 3, 4]) {
      await index(CHAIN, block);
      const before = reader.runs;
      reader.change();
      await until("it runs", () => reader.runs > before);
    }
  });
});

describeWhere("pgbouncer", "behind a pooler of transactions", () => {
  it("a reader is notified where it listens on PostgreSQL itself", async () => {
    const bouncer = await startPgBouncer(database.url);
    const pooled = createPool(bouncer.url, { max: 4 });
    try {
      const reader = await start(NOTIFIED, { using: pooled });
      await runsOf(reader, 1);
      for (const block of [2, 3]) {
        await index(CHAIN, block);
        await notify();
        await runsOf(reader, block);
      }
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
    } finally {
      await pooled.end();
      await bouncer.stop();
    }
  });
});
