import type pg from "pg";
import { createBatcher } from "../db/batch.ts";
import { withDatabaseErrors } from "../db/errors.ts";

/** A nonce to be spent, for the key as it was when the request was checked. */
export interface NonceClaim {
  keyId: string;
  /** The key's revision that the request was checked against. */
  revision: number;
  /** A UUID; its case makes no difference. */
  nonce: string;
}

/**
 * Spends a nonce for good. False where it was spent before, and also where the key was revoked, expired or changed
 * since that revision. Rejects with ApiError DATABASE_UNAVAILABLE where that cannot be known in time.
 */
export type ClaimNonce = (claim: NonceClaim) => Promise<boolean>;

export interface NonceOptions {
  /** How long one claim may take, milliseconds. */
  timeoutMs?: number;
}

/**
 * Nonces are kept twice as long as API.md asks (90 s): replicas whose clocks are apart take a timestamp for longer
 * than one of them alone would.
 */
export const NONCE_RETENTION_SECONDS = 180;

// The key is looked at by the very statement that spends the nonce, so that a cached copy of it decides nothing.
// Committed when it answers: no transaction is around it, and no replay gets past a crash.
const CLAIM = `
  INSERT INTO app.api_nonce (key_id, nonce)
  SELECT c.key_id, c.nonce
  FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS c (key_id, nonce, revision)
  JOIN app.api_key k ON k.key_id = c.key_id AND k.revision = c.revision
  WHERE k.active AND (k.expires_at IS NULL OR k.expires_at > now())
  ON CONFLICT DO NOTHING
  RETURNING key_id::text || nonce::text`;

/** Claims of one tick share one statement, and one commit. */
export function createNonceClaimer(pool: pg.Pool, { timeoutMs = 2_500 }: NonceOptions = {}): ClaimNonce {
  return createBatcher((claims: NonceClaim[]) => claimAll(pool, claims, timeoutMs), {
    maxItems: 500,
    maxRunning: 2,
    timeoutMs,
  });
}

async function claimAll(pool: pg.Pool, claims: NonceClaim[], timeoutMs: number): Promise<boolean[]> {
  const query = {
    text: CLAIM,
    values: [claims.map(keyIdOf), claims.map(nonceOf), claims.map(revisionOf)],
    rowMode: "array" as const,
    // The connection of a statement that takes longer is closed, so that a dead one is not waited for again.
    query_timeout: timeoutMs,
  };
  const { rows } = await withDatabaseErrors(() => pool.query<[string]>(query));
  const won = new Set(rows.map(([id]) => id));
  // Of the same nonce twice in one batch the first has it: taken out of the set, it is gone for the second.
  return claims.map((claim) => won.delete((claim.keyId + claim.nonce).toLowerCase()));
}

const keyIdOf = (claim: NonceClaim) => claim.keyId;
const nonceOf = (claim: NonceClaim) => claim.nonce;
const revisionOf = (claim: NonceClaim) => claim.revision;

/**
 * Forgets nonces that no timestamp can bring back. For the worker, every minute or so; any number of workers may.
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
