import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { parseCheckpoint } from "../../db/checkpoint.ts";
import { whereIndexed } from "../../db/errors.ts";
import { queryMaybeOne, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { storedHex } from "../../protocol/shapes.ts";
import type { CursorScope, SyncCursor } from "./sync-cursor.ts";

/** Suffixes that one statement reads, claimed or not: what a statement costs does not grow with the table. */
export const PAGE = 1_000;

const rowSchema = z
  .object({
    txHash: storedHex,
    block: z.coerce.bigint(),
    index: z.number(),
    from: storedHex,
    /** Null where the transaction is claimed already. */
    callData: storedHex.nullable(),
    suffix: storedHex.nullable(),
  })
  .transform(({ block, index, txHash, ...row }) => ({ ...row, cursor: { block, index, txHash } }));
export type SuffixRow = z.output<typeof rowSchema>;

/** Returns the suffixes behind a cursor, in the order of the chain. */
export function readSuffixes(
  { pool }: Pick<Deps, "pool">,
  { chainId, productType }: CursorScope,
  after: Pick<SyncCursor, "block" | "index"> | null,
): Promise<SuffixRow[]> {
  // Limits the page before it joins claims, so that each suffix of the page costs one index lookup.
  const statement = sql`
    SELECT s.tx_hash, s.from_address AS "from", s.block_number::text AS block, s.transaction_index AS index,
      CASE WHEN claim.found IS NULL THEN s.call_data END AS call_data,
      CASE WHEN claim.found IS NULL THEN s.suffix END AS suffix
    FROM (
      SELECT * FROM onchain.attribution_suffix p
      WHERE p.chain_id = ${chainId} AND p.product_type = ${productType}
        AND (p.block_number, p.transaction_index) > (${String(after?.block ?? 0n)}::numeric, ${after?.index ?? -1}::int)
      ORDER BY p.block_number, p.transaction_index LIMIT ${PAGE}) s
    LEFT JOIN LATERAL (
      SELECT true AS found FROM app.transaction_claim c
      JOIN app.transaction_attribution a ON a.chain_id = c.chain_id AND a.tx_hash = c.tx_hash
      WHERE c.chain_id = s.chain_id AND c.product_type = s.product_type AND c.tx_hash = s.tx_hash
        AND c.source = 'attributed' LIMIT 1) claim ON true
    ORDER BY s.block_number, s.transaction_index`;
  return queryRows(pool, statement, rowSchema);
}

const indexSchema = z.object({ safeCheckpoint: z.string(), holds: z.boolean() });

interface IndexState {
  /** Last block that is final for the indexer, also after a crash. */
  safe: bigint;
  /** True if the index has the cursor's transaction at the cursor's position, or no cursor is given. */
  holds: boolean;
}

/** Reads how far the index is, and whether a cursor still holds; null before the indexer has any block. */
export async function readIndex(
  { pool }: Pick<Deps, "pool">,
  { chainId, productType }: CursorScope,
  cursor: SyncCursor | null,
): Promise<IndexState | null> {
  const isAt = cursor
    ? sql`EXISTS (SELECT 1 FROM onchain.attribution_suffix s
        WHERE s.chain_id = ${chainId} AND s.product_type = ${productType} AND s.tx_hash = ${cursor.txHash}
          AND s.block_number = ${String(cursor.block)}::numeric AND s.transaction_index = ${cursor.index}::int)`
    : sql`true`;
  const statement = sql`
    SELECT p.safe_checkpoint, ${isAt} AS holds FROM onchain._ponder_checkpoint p WHERE p.chain_id = ${chainId}`;
  const index = await whereIndexed(() => queryMaybeOne(pool, statement, indexSchema), null);
  return index && { safe: parseCheckpoint(index.safeCheckpoint).number, holds: index.holds };
}
