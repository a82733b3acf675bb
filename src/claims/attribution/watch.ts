import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { parseCheckpoint } from "../../db/checkpoint.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { ApiError } from "../../protocol/errors.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { attribute, type SuffixedTransaction } from "./claim.ts";
import {
  type CursorScope,
  cursorScopeOf,
  readSyncCursor,
  type SyncCursor,
  writeSyncCursor,
} from "./sync-cursor.ts";

/** Behind every transaction of a block: the largest integer of PostgreSQL. */
const LAST_INDEX = 2 ** 31 - 1;
/** Suffixes that one statement reads, claimed or not: what a statement costs does not grow with the table. */
const PAGE = 1_000;
/** Pages of what is final that one run reads, so that a worker with much before it can still be stopped. */
const FINAL_PAGES = 20;

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
type Row = z.output<typeof rowSchema>;

/**
 * What a worker does again and again: it looks at the suffixes that the indexer keeps, and claims for their keys the
 * transactions whose suffix is valid.
 *
 * What the indexer will not take back any more is looked at once; what it may still take back, again on every run, save
 * what is claimed already. Where it stopped is kept for the workers that come after, for as long as the very transaction
 * is found there in the index, and for the same server keys: so nothing can be missed for good, and a key that was
 * missing works after a restart.
 */
export function createAttributionWatch(deps: Deps): () => Promise<number> {
  const scopes = deps.deployments.chains.flatMap(({ chainId, products }) =>
    products.map(({ productType, startBlock, contracts }) =>
      cursorScopeOf(deps.attributionKeys, {
        chainId,
        productType,
        router: contracts.stockRouter as Hex,
        startBlock,
      }),
    ),
  );
  const watches = scopes.map((scope) => watchProduct(deps, scope));
  return async () =>
    (await Promise.all(watches.map((watch) => watch()))).reduce((sum, seen) => sum + seen, 0);
}

function watchProduct(deps: Deps, scope: CursorScope): () => Promise<number> {
  let settled: SyncCursor | null = null;
  const settle = async (place: SyncCursor) => {
    await writeSyncCursor(deps.prisma, scope, place);
    settled = place;
  };
  return async () => {
    settled ??= await readSyncCursor(deps.prisma, scope);
    const index = await readIndex(deps, scope, settled);
    if (index === null) return 0;
    // The chain before it is another one than was looked at.
    if (!index.holds) settled = null;
    const { safe } = index;
    const old = await attributeBehind(deps, scope, { from: settled, safe, settle });
    if (old.complete) return old.seen;
    // What is new does not wait until all that is old has been looked at.
    const head = await attributeBehind(deps, scope, {
      from: { block: safe, index: LAST_INDEX },
      safe,
      settle,
    });
    return old.seen + head.seen;
  };
}

interface Run {
  /** Behind what place to look; null: at all there is. */
  from: Pick<SyncCursor, "block" | "index"> | null;
  /** The last block that the indexer will not take back any more. */
  safe: bigint;
  /** Told of the last suffix that needs no look any more. */
  settle: (place: SyncCursor) => Promise<void>;
}

interface Looked {
  /** How many suffixes were looked at. */
  seen: number;
  /** Whether none is left. */
  complete: boolean;
}

/** In the order of the chain, since the first use of a suffix counts. */
async function attributeBehind(deps: Deps, scope: CursorScope, { from, safe, settle }: Run): Promise<Looked> {
  let seen = 0;
  let after = from;
  for (let pages = 1; ; pages++) {
    const rows = await readSuffixes(deps, scope, after);
    for (const row of rows) {
      const transaction = toTransaction(scope, row);
      if (!transaction) continue;
      await attribute(deps, scope.router, transaction);
      seen += 1;
    }
    const final = rows.findLast(({ place }) => place.block <= safe)?.place;
    if (final) await settle(final);
    if (rows.length < PAGE) return { seen, complete: true };
    after = rows.at(-1)?.place ?? after;
    if (pages >= FINAL_PAGES && after === final) return { seen, complete: false };
  }
}

/** Null where it is claimed already. */
function toTransaction({ chainId, productType }: CursorScope, row: Row): SuffixedTransaction | null {
  const { place, from, callData, suffix } = row;
  if (callData === null || suffix === null) return null;
  return { chainId, productType, txHash: place.txHash, from, callData, suffix };
}

/** The suffixes behind a place, in the order of the chain. */
async function readSuffixes(
  { pool }: Deps,
  { chainId, productType }: CursorScope,
  after: Run["from"],
): Promise<Row[]> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query({
      // The page is cut before the claims are asked for. Their LIMIT makes that one look for each of its suffixes.
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
  /** The last block that the indexer will not take back any more, not even after a crash. */
  safe: bigint;
  /** Whether the index has the transaction of the place, and there. True where no place is given. */
  holds: boolean;
}

/** Null before the indexer has any block. */
async function readIndex(
  { pool }: Deps,
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
