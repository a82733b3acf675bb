import { LRUCache } from "lru-cache";
import type pg from "pg";
import { createBatcher } from "../db/batch.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { type KeyLimits, type Quota, RATE_WINDOW_SECONDS, type UsageKind } from "./rate-limits.ts";

/** A nonce to be claimed, for the key as it was when the request was checked. */
export interface NonceClaim {
  keyId: string;
  /** The key's revision that the request was checked against. */
  revision: number;
  /** A UUID; its case makes no difference. */
  nonce: string;
  /** The limit that the request counts against. */
  kind: UsageKind;
  /** Cost units of the request. */
  cost: number;
  /** Signed with the secret before the key's last rotation. */
  isPrevious?: boolean;
}

/** What answers of a chain are made of: equal versions mean equal answers (docs/decisions/2026-11-22-kept-answers.md). */
export interface AnswerVersion {
  version: string;
  /** As the indexer stores it. */
  checkpoint: string;
}

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
 * @param onAsked called before the outcome is known, unless it is known in memory; returns the chain whose version is to be
 *   read in the same statement, or null
 */
export type ClaimNonce = (claim: NonceClaim, onAsked?: () => number | null) => Promise<NonceOutcome>;

export interface NonceOptions {
  /** Shared by all replicas; without them, nothing is limited. */
  limits?: KeyLimits | undefined;
  /** True: PostgreSQL parses and plans the statement once per connection (see PoolOptions). */
  preparedStatements?: boolean | undefined;
  /** How long one claim may take, milliseconds. */
  timeoutMs?: number;
}

/**
 * Nonces are kept twice as long as docs/api.md#authentication asks (90 s): replicas whose clocks are apart take a
 * timestamp for longer than one of them alone would.
 */
export const NONCE_RETENTION_SECONDS = 180;

/**
 * Checks the keys, counts the costs and consumes the nonces of a batch in one statement, committed when it answers: no
 * cached copy of a key decides anything, no replay survives a crash, and what is not let in is not counted.
 *
 * - `usage` locks the rows of the batch in one order, so that replicas cannot deadlock, and reads them as the replica
 *   before left them. A window that ends later than any could was begun under a clock that has since been set back.
 * - The cheapest requests of a batch come first, so that what is refused costs more than what is left.
 * - `points` of 0 is no limit: nothing is locked or counted.
 * - No nonce of a key may be in a batch twice: `decided` would take both as claimed.
 */
const DECISION = `
  WITH claim AS (
    SELECT c.*
    FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::int[], $6::int[], $8::boolean[]) WITH ORDINALITY
      AS c (key_id, nonce, revision, kind, cost, points, is_previous, place)
    JOIN app.api_key k ON k.key_id = c.key_id AND k.revision = c.revision
    WHERE k.active AND (k.expires_at IS NULL OR k.expires_at > now())
      AND (NOT c.is_previous OR k.previous_secret_until > now())
      AND NOT EXISTS (SELECT FROM app.api_nonce n WHERE n.key_id = c.key_id AND n.nonce = c.nonce)
  ), usage AS MATERIALIZED (
    SELECT u.key_id, u.kind, CASE WHEN w.is_current THEN u.used ELSE 0 END AS used,
      CASE WHEN w.is_current THEN u.window_ends_at ELSE now() + make_interval(secs => $7) END AS ends_at
    FROM app.key_usage u
    CROSS JOIN LATERAL (SELECT u.window_ends_at > now()
      AND u.window_ends_at < now() + 2 * make_interval(secs => $7) AS is_current) w
    WHERE (u.key_id, u.kind) IN (SELECT c.key_id, c.kind FROM claim c WHERE c.points > 0)
    ORDER BY u.key_id, u.kind
    FOR NO KEY UPDATE OF u
  ), ranked AS (
    SELECT c.*, u.used, u.ends_at, c.points - u.used AS room,
      sum(c.cost) OVER (PARTITION BY c.key_id, c.kind ORDER BY c.cost, c.place) AS total
    FROM claim c LEFT JOIN usage u ON u.key_id = c.key_id AND u.kind = c.kind
  ), consumed AS (
    INSERT INTO app.api_nonce (key_id, nonce)
    SELECT key_id, nonce FROM ranked WHERE points = 0 OR total <= room
    ON CONFLICT DO NOTHING
    RETURNING key_id, nonce
  ), decided AS (
    -- Joined by the nonce, which is nearly unique; a batch may be of one key.
    SELECT r.*, n.nonce IS NOT NULL AS is_claimed
    FROM ranked r LEFT JOIN consumed n ON n.nonce = r.nonce AND n.key_id IS NOT DISTINCT FROM r.key_id
  ), counted AS (
    UPDATE app.key_usage u SET used = d.used + d.cost, window_ends_at = d.ends_at
    FROM (SELECT key_id, kind, used, ends_at, sum(cost)::int AS cost FROM decided
          WHERE points > 0 AND is_claimed GROUP BY key_id, kind, used, ends_at) d
    WHERE u.key_id = d.key_id AND u.kind = d.kind
  )`;

const OUTCOMES = `
  place::int, CASE WHEN is_claimed THEN 'claimed' WHEN total > room THEN 'limited' ELSE 'refused' END,
    (room - sum(CASE WHEN is_claimed THEN cost ELSE 0 END)
      OVER (PARTITION BY key_id, kind ORDER BY cost, place))::int,
    (extract(epoch FROM ends_at - now()) * 1000)::float8`;

const CLAIM = `${DECISION} SELECT ${OUTCOMES} FROM decided`;

/** The same with the version of each claim's chain, as it was when the statement began: the nonce is claimed after that. */
const CLAIM_WITH_VERSION = `${DECISION}, version AS MATERIALIZED (
    SELECT c.chain_id, v.version, v.checkpoint
    FROM (SELECT DISTINCT unnest($9::int[]) AS chain_id) c CROSS JOIN LATERAL app.answer_version(c.chain_id) v
  )
  SELECT ${OUTCOMES}, v.version, v.checkpoint
  FROM decided LEFT JOIN version v ON v.chain_id = ($9::int[])[decided.place]`;

/** Place in the batch from 1, outcome, cost units left, milliseconds until the window ends; version and checkpoint. */
type Row = [
  number,
  NonceOutcome["outcome"],
  number | null,
  number | null,
  (string | null)?,
  (string | null)?,
];

/** A claim in a batch. */
interface Item {
  claim: NonceClaim;
  /** The chain whose version is asked for. */
  versionOf: number | null;
}

/**
 * Claims of one tick share one statement, and one commit. Those that ask for a version have a statement of their own: it
 * waits where the indexer changes its views, and no other claim may.
 */
export function createNonceClaimer(pool: pg.Pool, options: NonceOptions = {}): ClaimNonce {
  const { limits = NO_LIMITS, preparedStatements = false, timeoutMs = 2_500 } = options;
  const exhausted = createExhausted();
  const statementOf = (text: string, name: string) => ({
    text,
    rowMode: "array" as const,
    // The connection of a statement that takes longer is closed, so that a dead one is not waited for again.
    query_timeout: timeoutMs,
    ...(preparedStatements ? { name } : {}),
  });
  const plain = statementOf(CLAIM, "claim_nonces");
  const withVersion = statementOf(CLAIM_WITH_VERSION, "claim_nonces_with_version");

  async function runAlike(items: Item[], isVersioned: boolean): Promise<[Item, NonceOutcome][]> {
    const distinct = distinctNonces(items);
    const claims = distinct.map(({ claim }) => claim);
    const values = [
      ...valuesOf(claims, limits),
      ...(isVersioned ? [distinct.map(({ versionOf }) => versionOf)] : []),
    ];
    const statement = isVersioned ? withVersion : plain;
    const { rows } = await withDatabaseErrors(() => pool.query<Row>({ ...statement, values }));
    return rows.flatMap((row) => {
      const item = distinct[row[0] - 1];
      return item ? [[item, outcomeOf(row, item.claim, limits)]] : [];
    });
  }

  async function run(items: Item[]): Promise<NonceOutcome[]> {
    const versioned = items.filter(({ versionOf }) => versionOf !== null);
    const others = items.filter(({ versionOf }) => versionOf === null);
    const runs = await Promise.all([
      versioned.length > 0 ? runAlike(versioned, true) : [],
      others.length > 0 ? runAlike(others, false) : [],
    ]);
    const outcomes = new Map(runs.flat());
    return items.map((item) => outcomes.get(item) ?? { outcome: "refused" });
  }

  const claimInBatch = createBatcher(run, { maxItems: 500, maxRunning: 2, timeoutMs });
  return async (claim, onAsked) => {
    // A request that costs more than the whole limit takes a whole window.
    const cost = limits[claim.kind] > 0 ? Math.min(claim.cost, limits[claim.kind]) : claim.cost;
    const known = exhausted.refusal(claim, cost);
    if (known) return { outcome: "limited", quota: known };
    const item: Item = { claim: { ...claim, cost }, versionOf: null };
    const asked = claimInBatch(item);
    // The batch goes out in a later tick.
    item.versionOf = onAsked?.() ?? null;
    const result = await asked;
    if (result.outcome === "limited") exhausted.remember(claim, result.quota);
    return result;
  };
}

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

const valuesOf = (claims: NonceClaim[], limits: KeyLimits) => [
  claims.map((claim) => claim.keyId),
  claims.map((claim) => claim.nonce),
  claims.map((claim) => claim.revision),
  claims.map((claim) => claim.kind),
  claims.map((claim) => claim.cost),
  claims.map((claim) => limits[claim.kind]),
  RATE_WINDOW_SECONDS,
  claims.map((claim) => claim.isPrevious ?? false),
];

function outcomeOf(
  [_place, outcome, left, resetMs, version, checkpoint]: Row,
  { kind }: NonceClaim,
  limits: KeyLimits,
): NonceOutcome {
  if (outcome === "refused") return { outcome };
  const read = version && checkpoint ? { version: { version, checkpoint } } : {};
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

/** How many keys over a limit are refused in memory, reads and writes apart. */
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

/**
 * Deletes nonces whose timestamps have left the window. Runs in the worker every minute, in any number of workers.
 * @returns how many were removed
 */
export async function removeExpiredNonces(pool: pg.Pool): Promise<number> {
  let removed = 0;
  for (;;) {
    // In portions, so that no statement holds its locks for long.
    const { rowCount } = await withDatabaseErrors(() =>
      pool.query(
        `DELETE FROM app.api_nonce WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM app.api_nonce WHERE claimed_at < now() - make_interval(secs => $1)
           ORDER BY claimed_at LIMIT 10000 FOR UPDATE SKIP LOCKED))`,
        [NONCE_RETENTION_SECONDS],
      ),
    );
    removed += rowCount ?? 0;
    if (!rowCount || rowCount < 10_000) return removed;
  }
}
