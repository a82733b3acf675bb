import type { ClaimStatement, Item } from "./nonce-claim-store.ts";
import { type KeyLimits, RATE_WINDOW_SECONDS } from "./rate-limits.ts";

/** Selects the key of a claim, where its revision is that of the request's check, and the nonce is free. */
const KEY = `app.api_key k
  WHERE k.key_id = $1::uuid AND k.revision = $3::int
    AND k.active AND (k.expires_at IS NULL OR k.expires_at > now())
    AND (NOT $4::boolean OR k.previous_secret_until > now())
    AND NOT EXISTS (SELECT FROM app.api_nonce n WHERE n.key_id = $1::uuid AND n.nonce = $2::uuid)`;

const IS_CURRENT = `u.window_ends_at > now()
    AND u.window_ends_at < now() + 2 * make_interval(secs => $8)`;
const USED = `CASE WHEN ${IS_CURRENT} THEN u.used ELSE 0 END + $6::int`;

/** Counts first: all claims of a key and kind wait for the row of their count, and for nonces only when they have it. */
const claimAndCount = (from: string) => `claimed AS (
    UPDATE app.key_usage u
    SET used = ${USED},
      window_ends_at = CASE WHEN ${IS_CURRENT} THEN u.window_ends_at ELSE now() + make_interval(secs => $8) END
    FROM ${from} ${KEY}
      AND u.key_id = $1::uuid AND u.kind = $5::text AND ${USED} <= $7::int
    RETURNING $7::int - u.used AS left, (extract(epoch FROM u.window_ends_at - now()) * 1000)::float8 AS reset_ms
  ), consumed AS (
    INSERT INTO app.api_nonce (key_id, nonce) SELECT $1::uuid, $2::uuid FROM claimed
  )`;

const claimAlone = (from: string) => `claimed AS (
    INSERT INTO app.api_nonce (key_id, nonce) SELECT k.key_id, $2::uuid FROM ${from} ${KEY}
    RETURNING NULL::int AS left, NULL::float8 AS reset_ms
  )`;

/** @param next the number of the first argument that says whose version it is */
function statementsOf(name: string, claimed: (from: string) => string, next: number) {
  const outcome = "SELECT 1, 'claimed', c.left, c.reset_ms";
  const state = `app.key_state($${next}::int, $1::uuid, $${next + 1}::text)`;
  return {
    plain: { name, text: `WITH ${claimed("")} ${outcome} FROM claimed c` },
    // Reads the version before it locks the row, as the statement for a batch does.
    withVersion: {
      name: `${name}_with_version`,
      text: `WITH version AS MATERIALIZED (SELECT v.version, v.shown_block::text AS block FROM ${state} v),
        ${claimed("version v CROSS JOIN")}
        ${outcome}, v.version, v.block FROM claimed c CROSS JOIN version v`,
    },
  };
}
const LIMITED = statementsOf("claim_nonce", claimAndCount, 9);
const UNLIMITED = statementsOf("claim_unlimited_nonce", claimAlone, 5);

/**
 * Returns the statement that claims one nonce where nothing is in its way, which is nearly always so: it takes two
 * thirds of the time of a batch's. It returns no row, and writes nothing, where the key, its limit or the nonce refuses the claim; it fails by
 * a unique violation where another claim of the nonce is committed meanwhile. The statement of a batch then finds out why.
 */
export function singleClaimStatement({ claim, versionOf }: Item, limits: KeyLimits): ClaimStatement {
  const { keyId, nonce, revision, kind, cost, isPrevious = false } = claim;
  const points = limits[kind];
  const values: unknown[] = [keyId, nonce, revision, isPrevious];
  if (points > 0) values.push(kind, cost, points, RATE_WINDOW_SECONDS);
  const { plain, withVersion } = points > 0 ? LIMITED : UNLIMITED;
  if (versionOf === null) return { ...plain, values };
  return { ...withVersion, values: [...values, versionOf.chainId, versionOf.productType] };
}
