import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { queryOne, queryRows } from "../db/query.ts";
import { raw, sql } from "../db/sql.ts";
import { OPERATION_TYPES } from "../protocol/enums.ts";
import { storedHex } from "../protocol/shapes.ts";

type WatchDeps = Pick<Deps, "pool" | "now">;

/** Claims that one run takes. */
const BATCH = 50;
/** Claims of one key that one run reads: as many as two workers take at the same moment. */
const READ_OF_KEY = 2 * BATCH;
/** Between two checks of a claim: soon while it is young, then a tenth of its age, at most this. Seconds. */
const CHECK_AGAIN_MIN = 2;
const CHECK_AGAIN_MAX = 300;
const dueClaimSchema = z.object({
  claimId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  operationType: z.enum(OPERATION_TYPES),
  txHash: storedHex,
  /** Time at which a node last knew the transaction; the time of the claim before any did. */
  knownAt: z.date(),
});
export type DueClaim = z.output<typeof dueClaimSchema>;

/** The outcome of checking a claim's transaction; `seen` only records that a node has it. */
export type ClaimOutcome = "final" | "reverted" | "dropped" | "seen" | "none";

/** Of a claim `w`; the index of due claims has the same condition. */
const IS_WATCHED = raw("w.state = 'pending' AND w.source <> 'send' AND w.tx_hash IS NOT NULL");

/**
 * Takes claims of a chain that are due, so that other workers leave them alone until they are due again. Keys take turns: one
 * that records more than can be checked waits for itself, and keeps no other waiting. Of each key the first few are
 * read alone, however many it has.
 */
export async function takeClaims({ pool, now }: WatchDeps, chainId: number): Promise<DueClaim[]> {
  const time = sql`${new Date(now())}::timestamptz`;
  const statement = sql`
    WITH due AS (
      SELECT d.claim_id, d.next_look_at, d.turn
      FROM app.api_key k CROSS JOIN LATERAL (
        SELECT f.claim_id, f.next_look_at, row_number() OVER (ORDER BY f.next_look_at) AS turn
        FROM (
          SELECT w.claim_id, w.next_look_at FROM app.transaction_claim w
          WHERE w.key_id = k.key_id AND w.chain_id = ${chainId} AND w.next_look_at <= ${time} AND ${IS_WATCHED}
          ORDER BY w.next_look_at LIMIT ${READ_OF_KEY}) f) d)
    UPDATE app.transaction_claim c
    SET next_look_at = ${time} + make_interval(secs => least(greatest(
      extract(epoch FROM ${time} - c.created_at)::float8 / 10, ${CHECK_AGAIN_MIN}::float8), ${CHECK_AGAIN_MAX}::float8))
    WHERE c.claim_id IN (
      SELECT d.claim_id FROM due JOIN app.transaction_claim d ON d.claim_id = due.claim_id
      -- Holds no more where another worker has just taken it.
      WHERE d.next_look_at = due.next_look_at
      ORDER BY due.turn, due.next_look_at LIMIT ${BATCH} FOR UPDATE OF d SKIP LOCKED)
    RETURNING c.claim_id, c.chain_id, c.product_type, c.operation_type::text, c.tx_hash,
      coalesce(c.last_seen_at, c.created_at) AS known_at`;
  return queryRows(pool, statement, dueClaimSchema);
}

const nextSchema = z.object({ nextLookAt: z.date().nullable() });

/** Returns when the next check of any claim of a chain is due; null where none waits for one. */
export async function readNextCheck({ pool }: Pick<Deps, "pool">, chainId: number): Promise<Date | null> {
  const statement = sql`
    SELECT min(first.next_look_at) AS next_look_at
    FROM app.api_key k CROSS JOIN LATERAL (
      SELECT w.next_look_at FROM app.transaction_claim w
      WHERE w.key_id = k.key_id AND w.chain_id = ${chainId} AND ${IS_WATCHED}
      ORDER BY w.next_look_at LIMIT 1) first`;
  return (await queryOne(pool, statement, nextSchema)).nextLookAt;
}

/** Writes the outcome of a check, to a claim that is still pending. */
export async function writeOutcome(
  { prisma, now }: Pick<Deps, "prisma" | "now">,
  { claimId }: DueClaim,
  outcome: ClaimOutcome,
): Promise<void> {
  if (outcome === "none") return;
  const time = new Date(now());
  const data = outcome === "seen" ? { lastSeenAt: time } : { state: outcome, updatedAt: time };
  await withDatabaseErrors(() =>
    prisma.transactionClaim.updateMany({ where: { claimId, state: "pending" }, data }),
  );
}
