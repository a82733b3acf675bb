import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { OPERATION_TYPES } from "../protocol/enums.ts";
import { storedHex } from "../protocol/shapes.ts";

type WatchDeps = Pick<Deps, "pool" | "now">;

/** Claims that one run takes. */
const BATCH = 50;
/** Claims of one key that one run reads: as many as two workers take at the same moment. */
const READ_OF_KEY = 2 * BATCH;
/** Between two looks at a claim: soon while it is young, then a tenth of its age, at most this. Seconds. */
const CHECK_AGAIN_MIN = 2;
const CHECK_AGAIN_MAX = 300;
const dueClaimSchema = z.object({
  claim_id: z.string(),
  chain_id: z.number(),
  product_type: z.string(),
  operation_type: z.enum(OPERATION_TYPES),
  tx_hash: storedHex,
  /** When a node last knew the transaction; before that, when it was claimed. */
  known_at: z.date(),
});
export type DueClaim = z.output<typeof dueClaimSchema>;

/** The outcome of checking a claim's transaction; `seen` only records that a node has it. */
export type ClaimOutcome = "final" | "reverted" | "dropped" | "seen" | "none";

/** Of a claim `w`; the index of due claims has the same condition. */
const IS_WATCHED = "w.state = 'pending' AND w.source <> 'send' AND w.tx_hash IS NOT NULL";

/**
 * Takes the claims that are due, so that other workers leave them alone until they are due again. Keys take turns: one
 * that records more than can be looked at waits for itself, and keeps no other waiting. Of each key the first few are
 * read alone, however many it has.
 */
export async function takeClaims({ pool, now }: WatchDeps): Promise<DueClaim[]> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query({
      text: `
        WITH due AS (
          SELECT d.claim_id, d.next_look_at, d.turn
          FROM app.api_key k CROSS JOIN LATERAL (
            SELECT f.claim_id, f.next_look_at, row_number() OVER (ORDER BY f.next_look_at) AS turn
            FROM (
              SELECT w.claim_id, w.next_look_at FROM app.transaction_claim w
              WHERE w.key_id = k.key_id AND w.next_look_at <= $1::timestamptz AND ${IS_WATCHED}
              ORDER BY w.next_look_at LIMIT $5) f) d)
        UPDATE app.transaction_claim c
        SET next_look_at = $1::timestamptz + make_interval(secs => least(greatest(
          extract(epoch FROM $1::timestamptz - c.created_at)::float8 / 10, $2::float8), $3::float8))
        WHERE c.claim_id IN (
          SELECT d.claim_id FROM due JOIN app.transaction_claim d ON d.claim_id = due.claim_id
          -- Holds no more where another worker has just taken it.
          WHERE d.next_look_at = due.next_look_at
          ORDER BY due.turn, due.next_look_at LIMIT $4 FOR UPDATE OF d SKIP LOCKED)
        RETURNING c.claim_id, c.chain_id, c.product_type, c.operation_type::text, c.tx_hash,
          coalesce(c.last_seen_at, c.created_at) AS known_at`,
      values: [new Date(now()), CHECK_AGAIN_MIN, CHECK_AGAIN_MAX, BATCH, READ_OF_KEY],
    }),
  );
  return rows.map((row: unknown) => dueClaimSchema.parse(row));
}

/** Returns when the next look at any claim is due; null where no claim waits for one. */
export async function readNextLook({ pool }: Pick<Deps, "pool">): Promise<Date | null> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<{ next_look_at: Date | null }>(
      `SELECT min(first.next_look_at) AS next_look_at
       FROM app.api_key k CROSS JOIN LATERAL (
         SELECT w.next_look_at FROM app.transaction_claim w
         WHERE w.key_id = k.key_id AND ${IS_WATCHED}
         ORDER BY w.next_look_at LIMIT 1) first`,
    ),
  );
  return rows[0]?.next_look_at ?? null;
}

/** Writes what a look came to, to a claim that is still pending. */
export async function writeOutcome(
  { prisma, now }: Pick<Deps, "prisma" | "now">,
  { claim_id }: DueClaim,
  outcome: ClaimOutcome,
): Promise<void> {
  if (outcome === "none") return;
  const time = new Date(now());
  const data = outcome === "seen" ? { lastSeenAt: time } : { state: outcome, updatedAt: time };
  await withDatabaseErrors(() =>
    prisma.transactionClaim.updateMany({ where: { claimId: claim_id, state: "pending" }, data }),
  );
}
