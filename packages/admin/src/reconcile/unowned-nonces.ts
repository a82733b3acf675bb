import type pg from "pg";
import type { Hex, PublicClient } from "viem";
import { z } from "zod";
import { isMissingState } from "../../../../src/chain/errors.ts";
import { queryOne } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";

/** Maximum number of nonces named; the others are only counted. */
const NAMED_MAX = 5;

const unownedSchema = z.object({
  count: z.number(),
  first: z
    .array(z.coerce.bigint())
    .nullable()
    .transform((nonces) => nonces ?? []),
});

/**
 * Returns the nonces of a wallet that no request has, from the first one that a request has to before the end: their number, and
 * the first of them. Lower ones belong to a use of the wallet before it was registered here.
 */
export function readUnownedNonces(
  pool: pg.Pool,
  { chainId, address }: { chainId: number; address: Hex },
  end: bigint,
): Promise<{ count: number; first: bigint[] }> {
  const statement = sql`
    WITH unowned AS (
      SELECT n.nonce FROM generate_series(
        (SELECT min(nonce) FROM app.send_request WHERE chain_id = ${chainId} AND wallet = ${address}), ${end}::bigint - 1)
        AS n (nonce)
      WHERE NOT EXISTS (
        SELECT FROM app.send_request r WHERE r.chain_id = ${chainId} AND r.wallet = ${address} AND r.nonce = n.nonce)
    )
    SELECT count(*)::int AS count, (SELECT array_agg(f.nonce::text) FROM (
      SELECT nonce FROM unowned ORDER BY nonce LIMIT ${NAMED_MAX}) f) AS first FROM unowned`;
  return queryOne(pool, statement, unownedSchema);
}

/**
 * Finds the transaction with which an account used a nonce, by the account's nonces at blocks up to `toBlock`.
 * @returns null where the node no longer has the state of these blocks
 */
export async function findTransaction(
  client: PublicClient,
  address: Hex,
  nonce: bigint,
  toBlock: bigint,
): Promise<Hex | null> {
  try {
    let [before, at] = [0n, toBlock];
    while (before < at) {
      const middle = (before + at) / 2n;
      const used = await client.getTransactionCount({ address, blockNumber: middle });
      if (BigInt(used) > nonce) at = middle;
      else before = middle + 1n;
    }
    const { transactions } = await client.getBlock({ blockNumber: at, includeTransactions: true });
    const sent = transactions.find(
      (one) => one.from.toLowerCase() === address && BigInt(one.nonce) === nonce,
    );
    return sent?.hash ?? null;
  } catch (error) {
    if (isMissingState(error)) return null;
    throw error;
  }
}
