// Points the views of the index at the builds of its chains, at each once it has reached what they show. Ponder's own way
// (--views-schema) does it behind the backfill, thirty blocks and more before the head, so that readers would see those blocks taken
// back; and it locks one view after another, in which it and the readers of several wait for each other until PostgreSQL ends them.
import pg from "pg";
import { withClient } from "./query.ts";
import type { IndexerLine } from "./run.ts";
import { createViews, endNotifications, sameColumns, VIEWS_SCHEMA } from "./union.ts";

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
/** Without such a note for so long, its index is given up: until then its database may have been away, or it starts again. */
const GONE_MS = 300_000;

/** Schemas of builds by chain id. */
export type Builds = ReadonlyMap<number, string>;

export interface ViewsOptions {
  databaseUrl: string;
  /** Chain whose build is ready. */
  chainId: number;
  /** This release's build of each chain. */
  builds: Builds;
  /** True: the views stay where another build is shown that an indexer writes. */
  yields?: boolean;
  /** Ends the wait. */
  signal: AbortSignal;
  onRetry: (error: unknown) => void;
}

/**
 * Waits until the build of a chain has reached the block that the views show of it, and moves them to it in one transaction. Views of
 * other chains stay as they are. A build whose indexer is gone is not waited for.
 * @returns whether this moved them; false where they are of this build already, or the wait was ended
 */
export async function showBuild({ databaseUrl, signal, onRetry, ...target }: ViewsOptions): Promise<boolean> {
  let result: boolean | null = null;
  while (!signal.aborted) {
    try {
      await withClient(databaseUrl, { query_timeout: 10_000 }, async (client) => {
        result ??= await whenReached(client, target, signal);
        await dropPrevious(client);
      });
      break;
    } catch (error) {
      onRetry(error);
      await pause(1_000);
    }
  }
  return result ?? false;
}

type Target = Pick<ViewsOptions, "chainId" | "builds" | "yields">;

async function whenReached(client: pg.Client, target: Target, signal: AbortSignal): Promise<boolean> {
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  while (!signal.aborted) {
    const move = await planMove(client, target);
    if (move === null) return false;
    if (move.isPossible && (await moveViews(client, target))) return true;
    await pause(POLL_MS);
  }
  return false;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const id = pg.escapeIdentifier;

/** Returns the schema that the views show of each chain; empty where there are none. */
async function readShown(client: pg.Client): Promise<Map<number, string>> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT DISTINCT n.nspname AS schema FROM pg_rewrite r
     JOIN pg_depend d ON d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
     JOIN pg_class t ON t.oid = d.refobjid AND t.oid <> r.ev_class
     JOIN pg_namespace n ON n.oid = t.relnamespace
     WHERE r.ev_class = to_regclass($1)`,
    [`${VIEWS_SCHEMA}._ponder_checkpoint`],
  );
  const shown = new Map<number, string>();
  for (const { schema } of rows)
    for (const chainId of (await readBlocks(client, schema)).keys()) shown.set(chainId, schema);
  return shown;
}

interface Move {
  /** Builds in the views before and after the move. */
  from: Builds;
  to: Builds;
  /** True where each build that comes is near enough. */
  isPossible: boolean;
}

/**
 * Plans the move of one chain. Chains that one schema holds, and those whose tables have other columns, as before an update that changes
 * tables, move together: one view cannot show both. Of these, one whose old indexer has ended and whose new build is not ready is shown
 * again when that is.
 * @returns null where the views show the chain's build, or are to stay
 */
async function planMove(
  client: pg.Client,
  { chainId, builds, yields = false }: Target,
  blocks = NEAR_BLOCKS,
): Promise<Move | null> {
  const from = await readShown(client);
  const build = builds.get(chainId);
  if (build === undefined || from.get(chainId) === build) return null;
  const to = new Map(from);
  const steps: Step[] = [];
  for (const [other, shown] of from) {
    const isApart = shown !== from.get(chainId) && (await sameColumns(client, shown, build));
    if (other === chainId || isApart) continue;
    to.delete(other);
    const next = builds.get(other);
    if (next === undefined || next === shown) continue;
    const step = await compare(client, { chainId: other, shown, next });
    if (step.hasEnded && !step.isReady) continue;
    steps.push(step);
    to.set(other, next);
  }
  const own = await compare(client, { chainId, shown: from.get(chainId), next: build });
  if (yields && !own.isGone) return null;
  steps.push(own);
  to.set(chainId, build);
  const isPossible = steps.every(
    ({ isReady, isGone, behind }) => isReady && (isGone || behind <= BigInt(blocks)),
  );
  return { from, to, isPossible };
}

interface Step {
  /** Of the build that comes: whether it has caught up, and is written. */
  isReady: boolean;
  /** Of the build that is shown: whether no indexer writes it at present, and whether none will. */
  isGone: boolean;
  hasEnded: boolean;
  /** Blocks from the one that comes to the one that is shown. */
  behind: bigint;
}

async function compare(
  client: pg.Client,
  { chainId, shown, next }: { chainId: number; shown: string | undefined; next: string },
): Promise<Step> {
  const coming = await readState(client, next, chainId);
  const present = shown === undefined ? null : await readState(client, shown, chainId);
  return {
    isReady: coming?.isWritten ?? false,
    isGone: !present?.isWritten,
    hasEnded: present?.hasEnded ?? true,
    behind: (present?.block ?? 0n) - (coming?.block ?? 0n),
  };
}

/** Of a checkpoint, the block; digits as in src/db/checkpoint.ts. */
const BLOCK = "substring(latest_checkpoint FROM 27 FOR 16)";

async function readBlocks(client: pg.Client, schema: string): Promise<Map<number, bigint>> {
  const { rows } = await client.query<{ chain: string; block: string }>(
    `SELECT chain_id AS chain, ${BLOCK} AS block FROM ${id(schema)}._ponder_checkpoint`,
  );
  return new Map(rows.map(({ chain, block }) => [Number(chain), BigInt(block)]));
}

/** @returns null where the schema has no tables yet */
async function readState(client: pg.Client, schema: string, chainId: number) {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass($1) IS NOT NULL AS exists",
    [`${id(schema)}._ponder_checkpoint`],
  );
  if (tables[0]?.exists !== true) return null;
  const { rows } = await client.query<{ isReady: boolean; isLocked: boolean; silentMs: number }>(
    `SELECT (value ->> 'is_ready')::int = 1 AS "isReady", (value ->> 'is_locked')::int = 1 AS "isLocked",
       extract(epoch FROM clock_timestamp())::float8 * 1000 - (value ->> 'heartbeat_at')::float8 AS "silentMs"
     FROM ${id(schema)}._ponder_meta WHERE key = 'app'`,
  );
  const { isReady = false, isLocked = false, silentMs = GONE_MS } = rows[0] ?? {};
  const block = (await readBlocks(client, schema)).get(chainId) ?? 0n;
  return {
    isWritten: isReady && isLocked && silentMs < ALIVE_MS,
    hasEnded: !isLocked || silentMs >= GONE_MS,
    block,
  };
}

/** @returns false where a build has not reached the views, another chain's move took this one along, or a lock was not to be had */
async function moveViews(client: pg.Client, target: Target): Promise<boolean> {
  await client.query("BEGIN");
  try {
    // One move at a time, also of two processes.
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [VIEWS_SCHEMA]);
    const move = await overtake(client, target);
    if (move) await replaceViews(client, move);
    await client.query(move ? "COMMIT" : "ROLLBACK");
    return move !== null;
  } catch (error) {
    await client.query("ROLLBACK");
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Lets what the views leave stand still until the transaction ends, while readers go on, and waits until the builds have reached it: of
 * two indexers that run side by side the later one could be a block behind whenever it is looked at.
 */
async function overtake(client: pg.Client, target: Target): Promise<Move | null> {
  const planned = await planMove(client, target);
  if (planned === null) return null;
  for (const schema of leftBehind(planned))
    await client.query(`LOCK TABLE ${id(schema)}._ponder_checkpoint IN SHARE MODE`);
  for (const endMs = Date.now() + STANDSTILL_MS; ; await pause(POLL_MS / 4)) {
    const move = await planMove(client, target, 0);
    if (move === null || move.isPossible) return move;
    if (Date.now() > endMs) return null;
  }
}

/** Returns the schemas that the views no longer show after a move. */
const leftBehind = ({ from, to }: Move): string[] => {
  const kept = new Set(to.values());
  return [...new Set(from.values())].filter((schema) => !kept.has(schema)).sort();
};

async function replaceViews(client: pg.Client, move: Move): Promise<void> {
  await client.query(`CREATE SCHEMA ${NEXT}`);
  await createViews(client, NEXT, move.to);
  for (const schema of leftBehind(move)) await endNotifications(client, schema);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${VIEWS_SCHEMA}`);
  // No relation is locked by it: a statement that reads the views goes on, and the next one finds the new ones.
  await client.query(`ALTER SCHEMA ${VIEWS_SCHEMA} RENAME TO ${PREVIOUS}_${Date.now()}`);
  await client.query(`ALTER SCHEMA ${NEXT} RENAME TO ${VIEWS_SCHEMA}`);
}

/**
 * Drops the views that were replaced, which no name leads to any more, once the last transaction that reads them is over. Fails where
 * that takes longer: a dump may last for hours, and the blocks of the build before wait behind this lock.
 */
async function dropPrevious(client: pg.Client): Promise<void> {
  await client.query("SET lock_timeout = '1s'");
  const { rows } = await client.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)",
    [PREVIOUS],
  );
  for (const { name } of rows) await client.query(`DROP SCHEMA IF EXISTS ${id(name)} CASCADE`);
}
