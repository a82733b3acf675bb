// Points the views of the index at a build, once that has reached what they show. Ponder's own way (--views-schema) does it
// behind the backfill, thirty blocks and more before the head, so that readers would see those blocks taken back; and it locks one
// view after another, in which it and the readers of several wait for each other until PostgreSQL ends them.
import pg from "pg";
import { withClient } from "./query.ts";
import type { IndexerLine } from "./run.ts";

/** Schema of the views through which all programs read the index. */
export const VIEWS_SCHEMA = "onchain";
/** While one schema of views takes the place of another. */
const NEXT = "next_onchain";
const PREVIOUS = "previous_onchain";

/** Logged, with the endpoint, once the index has caught up (catch-up.ts). */
const ANSWERS = "Started returning 200 responses";
export const isReady = ({ msg, fields }: IndexerLine): boolean =>
  msg === ANSWERS && fields.endpoint === "/ready";

const POLL_MS = 100;
/** Distance in blocks that a build covers within STANDSTILL_MS. */
const NEAR_BLOCKS = 3;
const STANDSTILL_MS = 1_000;
/** Below PostgreSQL's deadlock_timeout of a second: this gives up before a reader is made to. */
const LOCK_TIMEOUT_MS = 300;
/** A running indexer notes every ten seconds that it lives. */
const ALIVE_MS = 30_000;

export interface ViewsOptions {
  databaseUrl: string;
  schema: string;
  /** Ends the wait. */
  signal: AbortSignal;
  onRetry: (error: unknown) => void;
}

/**
 * Waits until a build that is ready has reached the block of the views on each chain, and moves them to it in one transaction. A build
 * whose indexer is gone is not waited for.
 * @returns whether they were moved; false where they are of this build already, or the wait was ended
 */
export async function showBuild({ databaseUrl, schema, signal, onRetry }: ViewsOptions): Promise<boolean> {
  let moved = false;
  while (!signal.aborted) {
    try {
      await withClient(databaseUrl, { query_timeout: 10_000 }, async (client) => {
        // Of a move that was cut short, also of this one.
        await dropPrevious(client);
        if (moved) return;
        moved = await whenReached(client, schema, signal);
        if (moved) await dropPrevious(client);
      });
      return moved;
    } catch (error) {
      onRetry(error);
      await pause(1_000);
    }
  }
  return moved;
}

async function whenReached(client: pg.Client, schema: string, signal: AbortSignal): Promise<boolean> {
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  while (!signal.aborted) {
    const shown = await shownSchema(client);
    if (shown === schema) return false;
    const isNear = shown === null || (await isWithin(client, { schema, shown, blocks: NEAR_BLOCKS }));
    if (isNear && (await moveViews(client, schema, shown))) return true;
    await pause(POLL_MS);
  }
  return false;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const id = pg.escapeIdentifier;

/** Returns the schema of the build that the views show; null where there are none. */
async function shownSchema(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT t.relnamespace::regnamespace::text AS schema FROM pg_rewrite r
     JOIN pg_depend d ON d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
     JOIN pg_class t ON t.oid = d.refobjid AND t.oid <> r.ev_class
     WHERE r.ev_class = to_regclass($1)`,
    [`${VIEWS_SCHEMA}._ponder_checkpoint`],
  );
  return rows[0]?.schema ?? null;
}

/** @returns false where the build has not reached the views, or a lock was not to be had */
async function moveViews(client: pg.Client, schema: string, shown: string | null): Promise<boolean> {
  await client.query("BEGIN");
  try {
    if (shown !== null && !(await overtake(client, schema, shown))) {
      await client.query("ROLLBACK");
      return false;
    }
    await createViews(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${VIEWS_SCHEMA}`);
    // No relation is locked by it: a statement that reads the views goes on, and the next one finds the new ones.
    await client.query(`ALTER SCHEMA ${VIEWS_SCHEMA} RENAME TO ${PREVIOUS}`);
    await client.query(`ALTER SCHEMA ${NEXT} RENAME TO ${VIEWS_SCHEMA}`);
    await client.query("COMMIT");
    return true;
  } catch (error) {
    await client.query("ROLLBACK");
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

const LOCK_NOT_AVAILABLE = "55P03";

/** Of a checkpoint, the block; digits as in src/db/checkpoint.ts. */
const BLOCK = "substring(latest_checkpoint FROM 27 FOR 16)::bigint";

/**
 * Lets what the views show stand still until the transaction ends, while readers go on, and waits until the build has reached it: of two
 * indexers that run side by side the later one could be a block behind whenever it is looked at.
 */
async function overtake(client: pg.Client, schema: string, shown: string): Promise<boolean> {
  await client.query(`LOCK TABLE ${id(shown)}._ponder_checkpoint IN SHARE MODE`);
  for (const endMs = Date.now() + STANDSTILL_MS; ; await pause(POLL_MS / 4)) {
    if (await isWithin(client, { schema, shown, blocks: 0 })) return true;
    if (Date.now() > endMs) return false;
  }
}

/** Returns whether a build is at most so many blocks behind the shown one on each chain, or the indexer of that is gone. */
async function isWithin(
  client: pg.Client,
  { schema, shown, blocks }: { schema: string; shown: string; blocks: number },
): Promise<boolean> {
  const { rows } = await client.query<{ within: boolean }>(
    `SELECT coalesce((SELECT (value ->> 'is_locked')::int = 0 OR (value ->> 'is_ready')::int = 0
         OR (value ->> 'heartbeat_at')::float8 < extract(epoch FROM clock_timestamp()) * 1000 - $1
       FROM ${id(shown)}._ponder_meta WHERE key = 'app'), true)
     OR NOT EXISTS (
       SELECT FROM (SELECT chain_id, ${BLOCK} AS block FROM ${id(shown)}._ponder_checkpoint) s
       JOIN (SELECT chain_id, ${BLOCK} AS block FROM ${id(schema)}._ponder_checkpoint) o USING (chain_id)
       WHERE o.block + $2 < s.block) AS within`,
    [ALIVE_MS, blocks],
  );
  return rows[0]?.within ?? true;
}

/** The half of an activity as release 0.3.0 reads it: nine values in one text. */
const OPEN_ACTIVITY = `CASE WHEN open_kind IS NOT NULL THEN concat_ws(' ',
  CASE open_kind WHEN 'other' THEN 'ledger' ELSE 'cause' END, open_tx_hash, open_delta, open_log_index, open_block_number,
  open_timestamp, open_kind, coalesce(open_cause_id, ''), open_locked) END AS open_activity`;

/**
 * Columns that the release before reads, of tables that have others in their place: its programs run on the views of this build, too
 * (docs/operations/upgrade.md). The next release needs none of them.
 */
const RELEASED_COLUMNS: Readonly<Record<string, string>> = {
  cash_balance: `, ${OPEN_ACTIVITY}`,
  stock_balance: `, ${OPEN_ACTIVITY}`,
};

/** Creates the views of a build, and what notifies of its blocks on the channel of the views. */
async function createViews(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition
       AND (relname !~ '^_' OR relname IN ('_ponder_meta', '_ponder_checkpoint')) ORDER BY relname`,
    [schema],
  );
  await client.query(`CREATE SCHEMA ${NEXT}`);
  for (const { name } of rows)
    await client.query(
      `CREATE VIEW ${NEXT}.${id(name)} AS SELECT *${RELEASED_COLUMNS[name] ?? ""} FROM ${id(schema)}.${id(name)}`,
    );
  await createNotification(client, schema);
}

/** Creates the notification of each commit as Ponder's own is, whose channel has the schema's name. */
async function createNotification(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ source: string }>(
    "SELECT prosrc AS source FROM pg_proc WHERE oid = $1::regprocedure",
    [`${id(schema)}.live_query_notify()`],
  );
  const source = (rows[0]?.source ?? "").replaceAll(`${schema}_live_query`, `${VIEWS_SCHEMA}_live_query`);
  await client.query(
    `CREATE FUNCTION ${NEXT}.live_query_notify() RETURNS trigger LANGUAGE plpgsql AS ${pg.escapeLiteral(source)}`,
  );
  await client.query(
    `CREATE OR REPLACE TRIGGER ${VIEWS_SCHEMA}_live_query_notify AFTER INSERT OR UPDATE OR DELETE
     ON ${id(schema)}._ponder_checkpoint FOR EACH STATEMENT EXECUTE FUNCTION ${NEXT}.live_query_notify()`,
  );
}

/**
 * Drops the views that were replaced, which no name leads to any more, once the last transaction that reads them is over. Fails where
 * that takes longer: a dump may last for hours, and the blocks of the build before wait behind this lock.
 */
async function dropPrevious(client: pg.Client): Promise<void> {
  await client.query("SET lock_timeout = '1s'");
  await client.query(`DROP SCHEMA IF EXISTS ${PREVIOUS} CASCADE`);
}
