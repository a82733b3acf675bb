import type { ProductId } from "../protocol/shapes.ts";
import { type KeyLimits, RATE_WINDOW_SECONDS, type UsageKind } from "./rate-limits.ts";

/** A nonce to claim, with the revision of the key that the request was checked against. */
export interface NonceClaim {
  keyId: string;
  /** Revision of the key against which the request was checked. */
  revision: number;
  /** A UUID; its case makes no difference. */
  nonce: string;
  /** Limit against which the request counts. */
  kind: UsageKind;
  /** Cost units of the request. */
  cost: number;
  /** Signed with the secret before the key's last rotation. */
  isPrevious?: boolean;
}

/** Version of a key's rows: equal versions mean equal answers (docs/decisions/2026-11-22-kept-answers.md). */
export interface AnswerVersion {
  version: string;
  /** Block at which the rows were projected. */
  block: { number: bigint };
  /** performance.now() before its statement was sent: it saw everything that was committed by then. */
  askedAt: number;
}

/** Parts of the statement that only claims with a version have. */
interface VersionParts {
  item: string;
  columns: string;
  join: string;
}

/**
 * Checks the keys, counts the costs and consumes the nonces of a batch in one statement, committed when it answers: no
 * cached copy of a key decides anything, no replay survives a crash, and what is not let in is not counted.
 *
 * - `usage` locks the rows of the batch in one order, so that replicas cannot deadlock, and reads them as the replica
 *   before left them. A window that ends later than any could was begun under a clock that has since been set back.
 * - The cheapest requests of a batch come first, so that what is refused costs more than what is left.
 * - `points` of 0 is no limit: nothing is locked or counted.
 * - No nonce of a key may be in a batch twice: `decided` would take both as claimed.
 * - `consumed` takes nonces in one order, too: those of a key's other kind have another row of `usage`.
 */
const decision = (version: VersionParts) => `
  WITH ${version.item} claim AS (
    SELECT c.* ${version.columns}
    FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::int[], $6::int[], $8::boolean[]) WITH ORDINALITY
      AS c (key_id, nonce, revision, kind, cost, points, is_previous, ordinal)
    JOIN app.api_key k ON k.key_id = c.key_id AND k.revision = c.revision ${version.join}
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
      sum(c.cost) OVER (PARTITION BY c.key_id, c.kind ORDER BY c.cost, c.ordinal) AS total
    FROM claim c LEFT JOIN usage u ON u.key_id = c.key_id AND u.kind = c.kind
  ), consumed AS (
    INSERT INTO app.api_nonce (key_id, nonce)
    SELECT key_id, nonce FROM ranked WHERE points = 0 OR total <= room ORDER BY key_id, nonce
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
  ordinal::int, CASE WHEN is_claimed THEN 'claimed' WHEN total > room THEN 'limited' ELSE 'refused' END,
    (room - sum(CASE WHEN is_claimed THEN cost ELSE 0 END)
      OVER (PARTITION BY key_id, kind ORDER BY cost, ordinal))::int,
    (extract(epoch FROM ends_at - now()) * 1000)::float8`;

const CLAIM = `${decision({ item: "", columns: "", join: "" })} SELECT ${OUTCOMES} FROM decided`;

/** Selects also the version of each claim, read when the statement begins: the nonce is claimed after that. */
const WITH_VERSION: VersionParts = {
  item: `version AS MATERIALIZED (
    SELECT c.key_id, c.chain_id, c.product_type, v.version, v.shown_block::text AS block
    FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $9::int[], $10::text[]) AS u (key_id, chain_id, product_type)) c
    CROSS JOIN LATERAL app.key_state(c.chain_id, c.key_id, c.product_type) v
  ),`,
  columns: ", v.version, v.block",
  join: `LEFT JOIN version v ON v.key_id = c.key_id AND v.chain_id = ($9::int[])[c.ordinal]
      AND v.product_type = ($10::text[])[c.ordinal]`,
};
const CLAIM_WITH_VERSION = `${decision(WITH_VERSION)} SELECT ${OUTCOMES}, version, block FROM decided`;

/** Ordinal in the batch from 1, outcome, cost units left, milliseconds until the window ends; version and its block. */
export type Row = [
  number,
  "claimed" | "limited" | "refused",
  number | null,
  number | null,
  (string | null)?,
  (string | null)?,
];

/** A claim as its statement takes it. */
export interface Item {
  claim: NonceClaim;
  /** Scope in which the version of the rows of the claim's key is read; null: none is. */
  versionOf: ProductId | null;
}

export interface ClaimStatement {
  name: string;
  text: string;
  values: unknown[];
}

/** Returns the statement that claims nonces, and finds out why one cannot be claimed. All items ask for a version, or none does. */
export function claimStatement(items: readonly Item[], limits: KeyLimits): ClaimStatement {
  const claims = items.map(({ claim }) => claim);
  const values = [
    claims.map((claim) => claim.keyId),
    claims.map((claim) => claim.nonce),
    claims.map((claim) => claim.revision),
    claims.map((claim) => claim.kind),
    claims.map((claim) => claim.cost),
    claims.map((claim) => limits[claim.kind]),
    RATE_WINDOW_SECONDS,
    claims.map((claim) => claim.isPrevious ?? false),
  ];
  if (!items[0]?.versionOf) return { name: "claim_nonces", text: CLAIM, values };
  const chains = items.map(({ versionOf }) => versionOf?.chainId);
  const products = items.map(({ versionOf }) => versionOf?.productType);
  return {
    name: "claim_nonces_with_version",
    text: CLAIM_WITH_VERSION,
    values: [...values, chains, products],
  };
}
