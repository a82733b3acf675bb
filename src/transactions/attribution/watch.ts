import type { Hex } from "viem";
import { z } from "zod";
import { parseCheckpoint } from "../../db/checkpoint.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import type { Deps } from "../../deps.ts";
import { ApiError } from "../../protocol/errors.ts";
import { attribute, type SuffixedTransaction } from "./claim.ts";

/** Behind every transaction of a block: the largest integer of PostgreSQL. */
const LAST_INDEX = 2 ** 31 - 1;
/** Suffixes that one statement reads. */
const PAGE = 200;

const hex = z.string().transform((value) => value as Hex);
const rowSchema = z.object({
  tx_hash: hex,
  from_address: hex,
  call_data: hex,
  suffix: hex,
  block_number: z.coerce.bigint(),
  transaction_index: z.number(),
});
type Row = z.output<typeof rowSchema>;

/** A place in the chain: a transaction of a block. */
interface Place {
  block: bigint;
  index: number;
}

interface Product {
  chainId: number;
  productType: string;
  router: Hex;
}

/**
 * What a worker does again and again: it looks at the suffixes that the indexer keeps, and claims for their keys the
 * transactions whose suffix is valid.
 *
 * What the indexer will not take back any more is looked at once; what it may still take back, again on every run, save
 * what is claimed already. Where it stopped, each worker keeps in its memory and nowhere else: a new one looks at all
 * there is, so nothing can be missed for good, whatever died in between, and a server key that was missing works after
 * a restart.
 */
export function createAttributionWatch(deps: Deps): () => Promise<number> {
  const products = deps.deployments.chains.flatMap(({ chainId, products: all }) =>
    all.map(({ productType, contracts }) => ({ chainId, productType, router: contracts.stockRouter as Hex })),
  );
  const watches = products.map((product) => watchProduct(deps, product));
  return async () =>
    (await Promise.all(watches.map((watch) => watch()))).reduce((sum, seen) => sum + seen, 0);
}

function watchProduct(deps: Deps, product: Product): () => Promise<number> {
  let settled: bigint = -1n;
  return async () => {
    const safe = await readSafeBlock(deps, product.chainId);
    if (safe === null) return 0;
    // A chain that started anew is below what was settled on the one before.
    if (safe < settled) settled = -1n;
    const seen = await attributeBehind(deps, product, { block: settled, index: LAST_INDEX });
    settled = safe;
    return seen;
  };
}

/** In the order of the chain, since the first use of a suffix counts. @returns how many suffixes were looked at */
async function attributeBehind(deps: Deps, product: Product, from: Place): Promise<number> {
  let seen = 0;
  let after = from;
  for (;;) {
    const rows = await readSuffixes(deps, product, after);
    for (const row of rows) await attribute(deps, product.router, toTransaction(product, row));
    seen += rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return seen;
    after = { block: last.block_number, index: last.transaction_index };
  }
}

function toTransaction({ chainId, productType }: Product, row: Row): SuffixedTransaction {
  const { tx_hash, from_address, call_data, suffix } = row;
  return { chainId, productType, txHash: tx_hash, from: from_address, callData: call_data, suffix };
}

/** The suffixes behind a place, in the order of the chain, of transactions that nobody has been found for yet. */
async function readSuffixes({ pool }: Deps, { chainId, productType }: Product, after: Place): Promise<Row[]> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query({
      text: `
        SELECT s.tx_hash, s.from_address, s.call_data, s.suffix, s.block_number::text AS block_number,
          s.transaction_index
        FROM onchain.attribution_suffix s
        WHERE s.chain_id = $1 AND s.product_type = $2 AND (s.block_number, s.transaction_index) > ($3::numeric, $4::int)
          AND NOT EXISTS (SELECT 1 FROM app.transaction_claim c
            WHERE c.chain_id = s.chain_id AND c.product_type = s.product_type AND c.tx_hash = s.tx_hash
              AND c.source = 'attributed')
        ORDER BY s.block_number, s.transaction_index LIMIT $5`,
      values: [chainId, productType, after.block.toString(), after.index, PAGE],
    }),
  );
  return rows.map((row: unknown) => rowSchema.parse(row));
}

/** The last block that the indexer will not take back any more, not even after a crash; null before it has any. */
async function readSafeBlock({ pool }: Deps, chainId: number): Promise<bigint | null> {
  try {
    const { rows } = await withDatabaseErrors(() =>
      pool.query<{ safe_checkpoint: string }>(
        "SELECT safe_checkpoint FROM onchain._ponder_checkpoint WHERE chain_id = $1",
        [chainId],
      ),
    );
    return parseCheckpoint(rows[0]?.safe_checkpoint).number;
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "INDEXER_BEHIND") return null;
    throw error;
  }
}
