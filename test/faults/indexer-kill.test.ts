import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { LONG } from "../support/assert/long.ts";
import { until } from "../support/assert/until.ts";
import { createTrader, headOf, mine, tradeInBulk } from "../support/chain/anvil-client.ts";
import {
  differences,
  expireHeartbeat,
  indexedBlock,
  indexedUpTo,
  schemaOf,
  startIndexer,
  type TestIndexer,
  tablesOf,
} from "../support/chain/indexer.ts";
import { type Product, startProduct } from "../support/chain/product.ts";
import { CLOSED, cutAtCommit } from "../support/db/cut-at-commit.ts";
import { makeDatabases } from "../support/db/databases.ts";
import { startTcpProxy, type TcpProxy } from "../support/db/tcp-proxy.ts";

// docs/faults.md, rows 53 and 79. Two indexers of the same chain are killed with SIGKILL, one in the middle of its backfill,
// one while it follows the chain. Before that the connection of each breaks at a COMMIT, so that it does not know whether its
// block is in the tables. Both are started again, and must end with the tables of one that was never touched.

const CHAIN = 31337;
/** Six events each; Ponder commits a backfill 6,000 events at a time, so in two parts at least. */
const ORDERS = LONG ? 2_500 : 1_060;
const MORE_ORDERS = LONG ? 400 : 60;
/** Orders of a block whose COMMIT is not answered. */
const CUT_ORDERS = 20;
const ALL_ORDERS = ORDERS + 2 * CUT_ORDERS + MORE_ORDERS;
const SLOW_MS = 120_000;
/** Less than a part of a backfill takes to be written. */
const SHORT_PAUSE_MS = 50;
/** PostgreSQL: no such table, or no such schema yet. */
const UNDEFINED = ["42P01", "3F000"];

let product: Product;
const databases = makeDatabases();
const indexers: TestIndexer[] = [];
const proxies: TcpProxy[] = [];

beforeAll(async () => {
  product = await startProduct();
});

afterAll(async () => {
  await Promise.all(indexers.map((indexer) => indexer.kill()));
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await Promise.all([product?.stop(), databases.stop()]);
});

type Stage = Awaited<ReturnType<typeof createStage>>;

/** Creates a database behind a proxy, and a function that starts an indexer on it. */
async function createStage() {
  const { url, pool } = await databases.create();
  const proxied = new URL(url);
  const proxy = await startTcpProxy(Number(proxied.port));
  proxied.port = String(proxy.port);
  proxies.push(proxy);
  const start = () => {
    const chain = { deployment: product.deployment, rpcUrls: [product.rpcUrl] };
    const indexer = startIndexer(proxied.href, [chain]);
    indexers.push(indexer);
    return indexer;
  };
  return { pool, proxy, start };
}

/** Starts an indexer and waits until it has caught up, with a block that none has seen before. */
async function catchUp({ pool, start }: Stage): Promise<TestIndexer> {
  const indexer = start();
  await mine(product.client, 1);
  await caughtUp(pool, indexer);
  return indexer;
}

const caughtUp = async (pool: pg.Pool, indexer: TestIndexer) =>
  indexedUpTo(pool, indexer, CHAIN, await headOf(product.client), SLOW_MS);

async function kill(pool: pg.Pool, indexer: TestIndexer): Promise<void> {
  await indexer.kill();
  await expireHeartbeat(pool, indexer);
}

/** Returns the progress of a build in its own schema, before a view shows it; undefined while it has no rows. */
async function backfilled(pool: pg.Pool, schema: string) {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM ${schema}.stock_order) AS orders,
            (SELECT count(*)::int FROM ${schema}.order_fill) AS fills,
            (SELECT (value ->> 'is_ready')::int FROM ${schema}._ponder_meta) AS ready`,
  );
  const [row] = rows;
  return row && row.orders > 0 ? row : undefined;
}

/**
 * Waits for the first part of a backfill, and keeps the second from being committed: a lock on one of the tables is
 * waited for while a part is written, and is kept once some of it is in.
 * @returns a function that releases the lock
 */
async function holdBackfill(pool: pg.Pool, schema: string): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  const release = async () => {
    await holder.query("ROLLBACK");
    holder.release();
  };
  const isHeld = async () => {
    try {
      await holder.query("BEGIN");
      await holder.query(`LOCK TABLE ${schema}.stock_order IN SHARE MODE`);
      const { rowCount } = await holder.query(`SELECT 1 FROM ${schema}.stock_order LIMIT 1`);
      if (rowCount !== 0) return true;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && UNDEFINED.includes(error.code ?? ""))) throw error;
    }
    await holder.query("ROLLBACK");
    return undefined;
  };
  try {
    await until("some of the backfill", isHeld, SLOW_MS, SHORT_PAUSE_MS);
  } catch (error) {
    holder.release(true);
    throw error;
  }
  return release;
}

/**
 * Loses the answer to the first COMMIT of a backfill, and is then killed in the middle of it: some orders are in, not all of
 * them are, and nothing is shown yet.
 */
async function killInBackfill({ pool, proxy, start }: Stage): Promise<void> {
  const cuts = cutAtCommit(proxy, "before");
  let code: number | null | undefined;
  void start().exited.then((exit) => {
    code = exit;
  });
  await until(
    "the indexer has ended, since it cannot know whether it committed",
    () => code !== undefined,
    SLOW_MS,
  );
  expect([code, cuts()]).toEqual([1, 1]);
  await until("PostgreSQL is back", () => proxy.targetPort !== CLOSED);
  const indexer = start();
  const release = await holdBackfill(pool, schemaOf(indexer));
  await kill(pool, indexer);
  await release();
  const left = await backfilled(pool, schemaOf(indexer));
  expect(left).toMatchObject({ ready: 0 });
  expect(left?.orders + left?.fills).toBeLessThan(2 * ORDERS);
}

/** Loses the answer to a COMMIT of a block twice, and is killed while it follows the chain, as more orders come in. */
async function killFollowing(stage: Stage, trade: (count: number) => Promise<void>): Promise<void> {
  const indexer = await catchUp(stage);
  for (const when of ["before", "after"] as const) {
    const cuts = cutAtCommit(stage.proxy, when);
    await trade(CUT_ORDERS);
    await caughtUp(stage.pool, indexer);
    expect([when, cuts()]).toEqual([when, 1]);
  }
  const at = async () => (await indexedBlock(stage.pool, CHAIN)) ?? 0n;
  const before = await at();
  const trading = trade(MORE_ORDERS);
  await until("a followed block", async () => ((await at()) > before ? true : undefined), SLOW_MS);
  await kill(stage.pool, indexer);
  await trading;
}

describe("an indexer that was killed", () => {
  let inBackfill: Stage;
  let following: Stage;
  let untouched: Stage;
  let expected: Record<string, unknown[]>;
  let running: TestIndexer;
  let followingAgain: TestIndexer;

  beforeAll(async () => {
    const trader = await createTrader(product);
    await tradeInBulk(product, trader, ORDERS);
    // The indexer follows the last 30 blocks; the blocks of the trading are backfilled.
    await mine(product.client, 40);
    [inBackfill, following, untouched] = await Promise.all([createStage(), createStage(), createStage()]);
    await killInBackfill(inBackfill);
    await killFollowing(following, (count) => tradeInBulk(product, trader, count));
    [running, followingAgain] = (await Promise.all([untouched, following, inBackfill].map(catchUp))) as [
      TestIndexer,
      TestIndexer,
    ];
    expected = await tablesOf(untouched.pool);
  }, 3 * SLOW_MS);

  it("is compared with one that has all orders and fills", () => {
    expect(expected.stock_order).toHaveLength(ALL_ORDERS);
    expect(expected.order_fill).toHaveLength(ALL_ORDERS);
  });

  it("has its tables analyzed after the backfill, so that no reader's statement is planned without statistics", async () => {
    const { pool } = untouched;
    await until(
      "every table was analyzed by the indexer",
      async () => (await tablesNotAnalyzed(pool, schemaOf(running))).length === 0,
      SLOW_MS,
    );
    const { rows } = await pool.query(
      "SELECT reltuples::int AS rows FROM pg_class WHERE oid = to_regclass($1)",
      [`${schemaOf(running)}.stock_order`],
    );
    // Orders that came after the backfill are counted or not.
    expect(rows[0].rows).toBeGreaterThanOrEqual(ORDERS);
  });

  it("in the middle of its backfill, after a COMMIT without an answer, ends with the same tables", async () => {
    expect(differences(await tablesOf(inBackfill.pool), expected)).toEqual([]);
  });

  it("while it followed the chain, after COMMITs without an answer, ends with the same tables", async () => {
    expect(differences(await tablesOf(following.pool), expected)).toEqual([]);
  });

  it("has the indexes and the enabled triggers of one that was never touched", async () => {
    const [one, other] = await Promise.all(
      [following, untouched].map(({ pool }) => indexesAndTriggers(pool)),
    );
    expect(one?.filter((name) => name.startsWith("trigger"))).not.toEqual([]);
    expect(one).toEqual(other);
  });

  it("lets go of its schema at once where it is stopped, or has lost its parent", async () => {
    const isLocked = async ({ pool }: Stage) => {
      const { rows } = await pool.query("SELECT value ->> 'is_locked' AS locked FROM onchain._ponder_meta");
      return rows[0]?.locked === "1";
    };
    expect(await isLocked(untouched)).toBe(true);
    expect(await running.stop()).toBe(0);
    expect(await isLocked(untouched)).toBe(false);

    expect(await isLocked(following)).toBe(true);
    process.kill(followingAgain.pid, "SIGKILL");
    await until("Ponder is gone as well", () => !groupLives(followingAgain.pid), SLOW_MS);
    expect(await isLocked(following)).toBe(false);
    for (const { pool } of [untouched, following])
      expect(differences(await tablesOf(pool), expected)).toEqual([]);
  });
});

/** Returns the tables without a manual ANALYZE: that of autovacuum counts in autoanalyze_count. */
async function tablesNotAnalyzed(pool: pg.Pool, schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ relname: string }>(
    "SELECT relname FROM pg_stat_all_tables WHERE schemaname = $1 AND analyze_count = 0",
    [schema],
  );
  return rows.map(({ relname }) => relname);
}

/** Returns all indexes, and the triggers that fire (tgenabled is "O"). */
async function indexesAndTriggers(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT concat_ws(' ', 'index', tablename, indexname) AS name FROM pg_indexes WHERE schemaname LIKE 'onchain\\_%'
     UNION ALL SELECT concat_ws(' ', 'trigger', c.relname, t.tgname, t.tgenabled) FROM pg_trigger t
     JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace::regnamespace::text LIKE 'onchain\\_%' AND NOT t.tgisinternal ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

/** Returns true while a process of the group runs; zombies do not count. Linux only. */
function groupLives(group: number): boolean {
  return readdirSync("/proc").some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    const [state, , of] = statusOf(pid);
    return of === String(group) && state !== "Z";
  });
}

/** Returns state, parent and group of a process. */
function statusOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .slice(0, 3);
  } catch {
    return [];
  }
}
