import { LRUCache } from "lru-cache";
import type pg from "pg";
import { z } from "zod";
import { createBatcher } from "../db/batch.ts";
import { violatedConstraint, withDatabaseErrors } from "../db/errors.ts";
import { withConnection } from "../db/pool.ts";
import { queryMaybeOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { AUTH_TIMEOUT_MS } from "./key-store.ts";
import {
  type AnswerVersion,
  type ClaimStatement,
  claimStatement,
  type Item,
  type NonceClaim,
  type Row,
} from "./nonce-claim-store.ts";
import { singleClaimStatement } from "./nonce-single-store.ts";
import { type KeyLimits, type Quota, RATE_WINDOW_SECONDS } from "./rate-limits.ts";

/**
 * claimed: the nonce is consumed for good, and the cost is counted. limited: the key has too little left in its window.
 * refused: the nonce was consumed before, or the key was revoked, expired or changed since that revision. The last two
 * write nothing. A quota is null where the kind has no limit.
 */
export type NonceOutcome =
  | { outcome: "claimed"; quota: Quota | null; version?: AnswerVersion }
  | { outcome: "limited"; quota: Quota }
  | { outcome: "refused" };

/**
 * Claims a nonce. Rejects with ApiError DATABASE_UNAVAILABLE where the outcome cannot be known in time.
 * @param onAsked called before the outcome is known, unless it is known in memory; returns whose version is to be
 *   read in the same statement, or null
 */
export type ClaimNonce = (claim: NonceClaim, onAsked?: () => ProductId | null) => Promise<NonceOutcome>;

export interface NonceOptions {
  /** Shared by all replicas; without them, nothing is limited. */
  limits?: KeyLimits | undefined;
  /** True: PostgreSQL parses and plans the statement once per connection (see PoolOptions). */
  preparedStatements?: boolean | undefined;
  /** Timeout of a claim, milliseconds; AUTH_TIMEOUT_MS by default. */
  timeoutMs?: number;
}

/**
 * Nonces are kept twice as long as docs/api.md#authentication asks (90 s): replicas whose clocks are apart take a
 * timestamp for longer than one of them alone would.
 */
export const NONCE_RETENTION_SECONDS = 180;

/** `pg` takes the time limit of a statement, milliseconds; its types do not know that. */
type BoundedConfig = pg.QueryArrayConfig & { query_timeout: number };

/** Creates a claimer. Concurrent claims share a statement and a commit; claims that ask for a version have their own. */
export function createNonceClaimer(pool: pg.Pool, options: NonceOptions = {}): ClaimNonce {
  const { limits = NO_LIMITS, preparedStatements = false, timeoutMs = AUTH_TIMEOUT_MS } = options;
  const exhausted = createExhausted();

  function configOf({ name, text, values }: ClaimStatement, deadline: number): BoundedConfig {
    return {
      name: preparedStatements ? name : undefined,
      text,
      values,
      rowMode: "array",
      // Closes the connection when the statement takes longer: a dead one is not waited for again.
      query_timeout: Math.max(1, deadline - performance.now()),
    };
  }

  /** Returns no row where the nonce cannot be claimed, or not at once. */
  async function runAlone(item: Item, deadline: number): Promise<Row[]> {
    const config = configOf(singleClaimStatement(item, limits), deadline);
    try {
      const { rows } = await withConnection(pool, (client) => client.query<Row>(config), isNonceTaken);
      return rows;
    } catch (error) {
      if (isNonceTaken(error)) return [];
      throw error;
    }
  }

  async function runAll(items: Item[], deadline: number): Promise<Row[]> {
    const { rows } = await pool.query<Row>(configOf(claimStatement(items, limits), deadline));
    return rows;
  }

  async function run(items: Item[]): Promise<NonceOutcome[]> {
    const distinct = distinctNonces(items);
    let askedAt = performance.now();
    const deadline = askedAt + timeoutMs;
    const rows = await withDatabaseErrors(async () => {
      const [only, ...others] = distinct;
      const alone = only && others.length === 0 ? await runAlone(only, deadline) : [];
      if (alone.length > 0) return alone;
      askedAt = performance.now();
      return runAll(distinct, deadline);
    });
    const outcomes = new Map<Item, NonceOutcome>();
    for (const row of rows) {
      const item = distinct[row[0] - 1];
      if (item) outcomes.set(item, outcomeOf(row, item.claim, limits, askedAt));
    }
    return items.map((item) => outcomes.get(item) ?? { outcome: "refused" });
  }

  const batch = { maxItems: 500, maxRunning: 2, timeoutMs };
  const claimPlain = createBatcher(run, batch);
  const claimWithVersion = createBatcher(run, batch);
  return async (claim, onAsked) => {
    // A request that costs more than the whole limit takes a whole window.
    const cost = limits[claim.kind] > 0 ? Math.min(claim.cost, limits[claim.kind]) : claim.cost;
    const known = exhausted.refusal(claim, cost);
    if (known) return { outcome: "limited", quota: known };
    const versionOf = onAsked?.() ?? null;
    const claimInBatch = versionOf ? claimWithVersion : claimPlain;
    const result = await claimInBatch({ claim: { ...claim, cost }, versionOf });
    if (result.outcome === "limited") exhausted.remember(claim, result.quota);
    return result;
  };
}

const isNonceTaken = (error: unknown): boolean => violatedConstraint(error) !== null;

/**
 * Returns one claim for each nonce of a key: of those whose key was read last, the first. The others are refused; a key's
 * revision only grows, so they could not have been claimed beside it.
 */
function distinctNonces(items: Item[]): Item[] {
  const chosen = new Map<string, Item>();
  for (const item of items) {
    const { claim } = item;
    const name = `${claim.keyId} ${claim.nonce.toLowerCase()}`;
    const other = chosen.get(name);
    if (!other || claim.revision > other.claim.revision) chosen.set(name, item);
  }
  return [...chosen.values()];
}

const NO_LIMITS: KeyLimits = { reads: 0, writes: 0 };

function outcomeOf(
  [_place, outcome, left, resetMs, version, block]: Row,
  { kind }: NonceClaim,
  limits: KeyLimits,
  askedAt: number,
): NonceOutcome {
  if (outcome === "refused") return { outcome };
  const read = version && block ? { version: { version, block: { number: BigInt(block) }, askedAt } } : {};
  if (outcome === "claimed" && (left === null || resetMs === null)) return { outcome, quota: null, ...read };
  const quota: Quota = {
    limit: kind,
    points: limits[kind],
    remaining: Math.max(0, left ?? 0),
    // The replica that began the window may have done so after this statement began.
    resetMs: Math.min(Math.max(0, resetMs ?? 0), RATE_WINDOW_SECONDS * 1000),
  };
  return outcome === "claimed" ? { outcome, quota, ...read } : { outcome, quota };
}

/** Number of keys over a limit that are refused in memory, reads and writes apart. */
const EXHAUSTED_KEPT = 10_000;

/**
 * Refuses in memory what the database has refused: within a window the use of a key only grows. So a key over its limit
 * costs the database nothing more.
 */
function createExhausted() {
  const quotas = new LRUCache<string, Quota>({ max: EXHAUSTED_KEPT, ttlResolution: 0 });
  const nameOf = ({ keyId, kind }: NonceClaim) => `${kind} ${keyId}`;
  return {
    remember(claim: NonceClaim, quota: Quota): void {
      // A time to live of 0 would be none at all.
      if (quota.resetMs > 0) quotas.set(nameOf(claim), quota, { ttl: quota.resetMs });
    },
    refusal(claim: NonceClaim, cost: number): Quota | null {
      const resetMs = quotas.getRemainingTTL(nameOf(claim));
      const quota = quotas.get(nameOf(claim));
      return quota && resetMs > 0 && cost > quota.remaining ? { ...quota, resetMs } : null;
    },
  };
}

const portionSchema = z.object({ removed: z.number(), since: z.date().nullable() });
type Portion = z.output<typeof portionSchema>;

/**
 * Deletes nonces whose timestamps have left the window. Runs in the worker every minute, in any number of workers.
 * @returns how many were removed
 */
export async function removeExpiredNonces(pool: pg.Pool): Promise<number> {
  let removed = 0;
  let since: Date | null = null;
  for (;;) {
    // In portions, so that no statement holds its locks for long. Each begins where the one before ended: while an old
    // snapshot keeps vacuum from them, index entries of what was removed are read again otherwise, by every portion.
    const portion: Portion | null = await queryMaybeOne(
      pool,
      sql`
        WITH gone AS (
           DELETE FROM app.api_nonce WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM app.api_nonce
             WHERE claimed_at < now() - make_interval(secs => ${NONCE_RETENTION_SECONDS})
               AND claimed_at >= coalesce(${since}, '-infinity'::timestamptz)
             ORDER BY claimed_at LIMIT 10000 FOR UPDATE SKIP LOCKED)) RETURNING claimed_at)
        SELECT count(*)::int AS removed, max(claimed_at) AS since FROM gone`,
      portionSchema,
    );
    if (!portion) return removed;
    removed += portion.removed;
    since = portion.since;
    if (portion.removed < 10_000) return removed;
  }
}
