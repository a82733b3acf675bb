import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Tx } from "../db/transaction.ts";
import type { UserScope } from "../sending/delegation/store.ts";

/**
 * Returns true where an enable of a wallet has its nonce, so may begin on the chain what is to end, and nothing is queued behind it
 * that ends it: what another wallet undelegates, such as a retired one, does not. Under the delegation's lock; what has no nonce is
 * canceled by then.
 */
export async function isEnableUnderWay(
  tx: Tx,
  { chainId, productType, user }: UserScope,
  wallet: Hex,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM app.send_request e
     WHERE e.chain_id = $1 AND e.product_type = $2 AND e.user_address = $3 AND e.operation = '1ct/enable'
       AND e.wallet = $4 AND e.state IN ('signed', 'broadcast', 'mined') AND NOT EXISTS (
         SELECT 1 FROM app.send_request d
         WHERE d.chain_id = $1 AND d.product_type = $2 AND d.user_address = $3 AND d.operation = '1ct/disable'
           AND d.wallet = $4 AND d.sequence > e.sequence AND d.state NOT IN ('failed', 'canceled'))`,
    [chainId, productType, user, wallet],
  );
  return rowCount !== 0;
}

/** Returns the user's nonce of their newest enable, by any key, that is mined with success; null where there is none. */
export async function readNewestEnable(
  tx: Tx,
  { chainId, productType, user }: UserScope,
): Promise<bigint | null> {
  const { rows } = await tx.query<{ nonce: string | null }>(
    `SELECT max(split_part(operation_key, ':', 3)::bigint) AS nonce FROM app.send_request
     WHERE chain_id = $1 AND product_type = $2 AND user_address = $3 AND operation = '1ct/enable'
       AND operation_key IS NOT NULL
       AND (outcome = 'confirmed' OR (state = 'mined' AND mined_success AND mined_filler IS NOT TRUE))`,
    [chainId, productType, user],
  );
  return rows[0]?.nonce == null ? null : BigInt(rows[0].nonce);
}

const lastSchema = z.object({
  operation: z.string(),
  state: z.string(),
  tx_hash: z.string().nullable(),
});

/** Returns the key's last enable or the user's last disable by any key, whichever came later. */
export async function readLastChange(
  pool: pg.Pool,
  keyId: string,
  { chainId, productType, user }: UserScope,
) {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<Record<string, unknown>>(
      `SELECT operation, state, tx_hash FROM app.send_request
       WHERE chain_id = $1 AND product_type = $2 AND user_address = $3
         AND (operation = '1ct/disable' OR (operation = '1ct/enable' AND key_id = $4))
       ORDER BY sequence DESC LIMIT 1`,
      [chainId, productType, user, keyId],
    ),
  );
  return rows[0] ? lastSchema.parse(rows[0]) : null;
}
