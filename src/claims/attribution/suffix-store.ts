import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { parseCheckpoint } from "../../db/checkpoint.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { ApiError } from "../../protocol/errors.ts";
import { storedHex } from "../../protocol/shapes.ts";
import type { CursorScope, SyncCursor } from "./sync-cursor.ts";

/** Suffixes that one statement reads, claimed or not: what a statement costs does not grow with the table. */
export const PAGE = 1_000;

const rowSchema = z
  .object({
    tx_hash: storedHex,
    block_number: z.coerce.bigint(),
    transaction_index: z.number(),
    from_address: storedHex,
    /** Null where the transaction is claimed already. */
    call_data: storedHex.nullable(),
    suffix: storedHex.nullable(),
  })
  .transform((row) => ({
    place: {
      block: row.block_number,
      index: row.transaction_index,
      txHash: row.tx_hash,
    } satisfies SyncCursor,
    from: row.from_address,
    callData: row.call_data,
    suffix: row.suffix,
  }));
export type SuffixRow = z.output<typeof rowSchema>;

/** Returns the suffixes behind a place, in the order of the chain. */
export async function readSuffixes(
  { pool }: Pick<Deps, "pool">,
  { chainId, productType }: CursorScope,
  after: Pick<SyncCursor, "block" | "index"> | null,
): Promise<SuffixRow[]> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query({
      // The page is cut before the claims are joined: their LIMIT makes that one index lookup per suffix of the page.
      text: `
        SELECT s.tx_hash, s.from_address, s.block_number::text AS block_number, s.transaction_index,
          CASE WHEN claim.found IS NULL THEN s.call_data END AS call_data,
          CASE WHEN claim.found IS NULL THEN s.suffix END AS suffix
        FROM (
          SELECT * FROM onchain.attribution_suffix p
          WHERE p.chain_id = $1 AND p.product_type = $2
            AND (p.block_number, p.transaction_index) > ($3::numeric, $4::int)
          ORDER BY p.block_number, p.transaction_index LIMIT $5) s
        LEFT JOIN LATERAL (
          SELECT true AS found FROM app.transaction_claim c
          JOIN app.transaction_attribution a ON a.chain_id = c.chain_id AND a.tx_hash = c.tx_hash
          WHERE c.chain_id = s.chain_id AND c.product_type = s.product_type AND c.tx_hash = s.tx_hash
            AND c.source = 'attributed' LIMIT 1) claim ON true
        ORDER BY s.block_number, s.transaction_index`,
      values: [chainId, productType, String(after?.block ?? 0n), after?.index ?? -1, PAGE],
    }),
  );
  return rows.map((row: unknown) => rowSchema.parse(row));
}

const indexSchema = z.object({ safe_checkpoint: z.string(), holds: z.boolean() });

interface IndexState {
  /** The last block that is final for the indexer, also after a crash. */
  safe: bigint;
  /** True if the index has the cursor's transaction at the cursor's position, or no cursor is given. */
  holds: boolean;
}

/** Reads how far the index is, and whether a cursor still holds; null before the indexer has any block. */
export async function readIndex(
  { pool }: Pick<Deps, "pool">,
  { chainId, productType }: CursorScope,
  place: SyncCursor | null,
): Promise<IndexState | null> {
  try {
    const { rows } = await withDatabaseErrors(() =>
      pool.query<Record<string, unknown>>(
        `SELECT p.safe_checkpoint, $3::text IS NULL OR EXISTS (SELECT 1 FROM onchain.attribution_suffix s
           WHERE s.chain_id = $1 AND s.product_type = $2 AND s.tx_hash = $3::text
             AND s.block_number = $4::numeric AND s.transaction_index = $5::int) AS holds
         FROM onchain._ponder_checkpoint p WHERE p.chain_id = $1`,
        [chainId, productType, place?.txHash, place?.block.toString(), place?.index],
      ),
    );
    if (!rows[0]) return null;
    const { safe_checkpoint, holds } = indexSchema.parse(rows[0]);
    return { safe: parseCheckpoint(safe_checkpoint).number, holds };
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "INDEXER_BEHIND") return null;
    throw error;
  }
}
