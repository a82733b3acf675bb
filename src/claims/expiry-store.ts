import type { Deps } from "../context/deps.ts";
import { INDEX_IS_READY } from "../db/checkpoint.ts";
import { whereIndexed } from "../db/errors.ts";
import { execute } from "../db/query.ts";
import { raw, sql } from "../db/sql.ts";

const FORGOTTEN_AFTER_MS = 30 * 24 * 3600 * 1000;
/** Claims that one run removes. */
const BATCH = 1_000;

/**
 * Removes recorded claims that were dropped thirty days ago: no answer shows them, and a caller who still needs one records
 * it again. One whose transaction is in the index after all is kept: a dropped claim owns it all the same.
 * @returns how many were removed
 */
export function expireDroppedClaims({ pool, now }: Pick<Deps, "pool" | "now">): Promise<number> {
  const done = ["stock_order", "cash_operation", "stock_operation"].map(
    (table) =>
      `AND NOT EXISTS (SELECT 1 FROM onchain.${table} o WHERE o.chain_id = c.chain_id AND o.tx_hash = c.tx_hash)`,
  );
  const statement = sql`
    DELETE FROM app.transaction_claim d
    WHERE d.state = 'dropped' AND d.claim_id IN (
      SELECT c.claim_id FROM app.transaction_claim c
      WHERE c.state = 'dropped' AND c.source = 'recorded' AND c.updated_at < ${new Date(now() - FORGOTTEN_AFTER_MS)}
        -- Only the index of a chain that is followed can tell that there is nothing.
        AND ${raw(INDEX_IS_READY)}
        AND EXISTS (SELECT 1 FROM onchain._ponder_checkpoint p WHERE p.chain_id = c.chain_id)
        ${raw(done.join("\n"))}
      ORDER BY c.updated_at LIMIT ${BATCH})`;
  return whereIndexed(() => execute(pool, statement), 0);
}
