import { z } from "zod";
import { type Chain, resolveScope } from "../chain/clients.ts";
import { withRpcErrors } from "../chain/errors.ts";
import { findTransaction } from "../chain/receipts.ts";
import type { ProductConfig } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { OPERATION_TYPES } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { storedHex } from "../protocol/shapes.ts";
import { effectsOf } from "./effects.ts";

/** Claims that one run takes. */
const BATCH = 50;
/** Claims of one key that one run reads: as many as two workers take at the same moment. */
const READ_OF_KEY = 2 * BATCH;
/** Between two looks at a claim: soon while it is young, then a tenth of its age, at most this. Seconds. */
const CHECK_AGAIN_MIN = 2;
const CHECK_AGAIN_MAX = 300;
const DROPPED_AFTER_MS = 24 * 3600 * 1000;

const dueClaimSchema = z.object({
  claim_id: z.string(),
  chain_id: z.number(),
  product_type: z.string(),
  operation_type: z.enum(OPERATION_TYPES),
  tx_hash: storedHex,
  /** When a node last knew the transaction; before that, when it was claimed. */
  known_at: z.date(),
});
type DueClaim = z.output<typeof dueClaimSchema>;

/** What looking at a claim's transaction comes to; `seen` only notes that a node knows it. */
type ClaimOutcome = "final" | "reverted" | "dropped" | "seen" | "none";

/**
 * Looks at the transactions of recorded claims, and writes down what is final: reverted (such transactions emit no
 * events, so the index cannot tell), dropped (no node has known it for 24 hours, or it did nothing of this kind), or
 * final with success. Whatever is not final is left to the next look: a reorg may change it.
 *
 * What this service sent is followed by the sender (sender/confirm.ts), which knows all its hashes.
 *
 * Safe with any number of workers: each takes claims that no other has just taken, nothing is held while a node is
 * asked, and a outcome is only written to a claim that is still pending.
 * @returns how many claims were looked at
 */
export async function watchClaims(deps: Deps): Promise<number> {
  const claims = await takeClaims(deps);
  const heads = new Map<number, Promise<bigint>>();
  await Promise.all(claims.map((claim) => watch(deps, claim, heads)));
  return claims.length;
}

async function watch(deps: Deps, claim: DueClaim, heads: Map<number, Promise<bigint>>): Promise<void> {
  try {
    const { chain, product } = resolveScope(deps, {
      chainId: claim.chain_id,
      productType: claim.product_type,
    });
    const head = heads.get(claim.chain_id) ?? withRpcErrors(() => chain.client.getBlockNumber());
    heads.set(claim.chain_id, head);
    await write(
      deps,
      claim,
      await decideOutcome({ chain, product, head: await head, now: deps.now() }, claim),
    );
  } catch (err) {
    // A chain that is down, or no longer in the deployments file, must not keep the others from being watched.
    if (err instanceof ApiError && err.errCode === "DATABASE_UNAVAILABLE") throw err;
    deps.log.warn({ err, claimId: claim.claim_id, chainId: claim.chain_id }, "cannot look at a claim");
  }
}

interface ClaimContext {
  chain: Chain;
  product: ProductConfig;
  /** The chain's latest block, read before the transaction: what is final by it stays final. */
  head: bigint;
  /** Unix milliseconds. */
  now: number;
}

async function decideOutcome(
  { chain, product, head, now }: ClaimContext,
  claim: DueClaim,
): Promise<ClaimOutcome> {
  const status = await findTransaction(chain, claim.tx_hash);
  if (status.state === "waiting") return "seen";
  if (status.state === "unknown") {
    return now - claim.known_at.getTime() >= DROPPED_AFTER_MS ? "dropped" : "none";
  }
  const isFinal = head - status.blockNumber >= BigInt(chain.config.confirmations);
  if (!isFinal) return "seen";
  // A node that lags may answer a receipt of a block that a reorg took out.
  const { hash } = await withRpcErrors(() => chain.client.getBlock({ blockNumber: status.blockNumber }));
  if (hash !== status.blockHash) return "seen";
  if (status.reverted) return "reverted";
  const effects = effectsOf(status.logs, { ...product, chainId: chain.config.chainId });
  return effects.some(({ operationType }) => operationType === claim.operation_type) ? "final" : "dropped";
}

/**
 * Takes the claims that are due, so that other workers leave them alone until they are due again. Keys take turns: one
 * that records more than can be looked at waits for itself, and keeps no other waiting. Of each key the first few are
 * read alone, however many it has.
 */
async function takeClaims({ pool, now }: Deps): Promise<DueClaim[]> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query({
      text: `
        WITH due AS (
          SELECT d.claim_id, d.next_look_at, d.turn
          FROM app.api_key k CROSS JOIN LATERAL (
            SELECT f.claim_id, f.next_look_at, row_number() OVER (ORDER BY f.next_look_at) AS turn
            FROM (
              SELECT w.claim_id, w.next_look_at FROM app.transaction_claim w
              WHERE w.key_id = k.key_id AND w.next_look_at <= $1::timestamptz
                AND w.state = 'pending' AND w.source <> 'send' AND w.tx_hash IS NOT NULL
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

async function write({ pool, now }: Deps, { claim_id }: DueClaim, outcome: ClaimOutcome): Promise<void> {
  if (outcome === "none") return;
  const time = new Date(now());
  const [text, values] =
    outcome === "seen"
      ? ["SET last_seen_at = $2", [claim_id, time]]
      : ["SET state = $3::app.claim_state, updated_at = $2", [claim_id, time, outcome]];
  await withDatabaseErrors(() =>
    pool.query(`UPDATE app.transaction_claim ${text} WHERE claim_id = $1 AND state = 'pending'`, values),
  );
}
