import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, queryMaybeOne, queryOne } from "../db/query.ts";
import { raw, sql } from "../db/sql.ts";
import type { Tx } from "../db/transaction.ts";
import type { UserScope } from "../sending/delegation/store.ts";

/**
 * Returns true where an enable of a wallet has its nonce, so that it may begin a delegation on the chain, and nothing that is
 * queued behind it ends that delegation. An undelegation of another wallet, such as a retired one, does not. Called under the
 * delegation's lock; requests without a nonce are canceled by then.
 */
export async function isEnableUnderWay(
  tx: Tx,
  { chainId, productType, user }: UserScope,
  wallet: Hex,
): Promise<boolean> {
  const ofUser = (alias: string) => {
    const column = (name: string) => raw(`${alias}.${name}`);
    return sql`
      ${column("chain_id")} = ${chainId} AND ${column("product_type")} = ${productType}
      AND ${column("user_address")} = ${user} AND ${column("wallet")} = ${wallet}`;
  };
  const statement = sql`
    SELECT 1 FROM app.send_request e
    WHERE ${ofUser("e")} AND e.operation = '1ct/enable'
      AND e.state IN ('signed', 'broadcast', 'mined') AND NOT EXISTS (
        SELECT 1 FROM app.send_request d
        WHERE ${ofUser("d")} AND d.operation = '1ct/disable'
          AND d.sequence > e.sequence AND d.state NOT IN ('failed', 'canceled'))`;
  return (await execute(tx, statement)) !== 0;
}

const nonceSchema = z.object({ nonce: z.coerce.bigint().nullable() });

/** Returns the nonce of the user's newest enable, by any key, that was mined with success; null where there is none. */
export async function readNewestEnable(
  tx: Tx,
  { chainId, productType, user }: UserScope,
): Promise<bigint | null> {
  const statement = sql`
    SELECT max(split_part(operation_key, ':', 3)::bigint) AS nonce FROM app.send_request
    WHERE chain_id = ${chainId} AND product_type = ${productType} AND user_address = ${user} AND operation = '1ct/enable'
      AND operation_key IS NOT NULL
      AND (outcome = 'confirmed' OR (state = 'mined' AND mined_success AND mined_filler IS NOT TRUE))`;
  return (await queryOne(tx, statement, nonceSchema)).nonce;
}

const lastSchema = z.object({
  operation: z.string(),
  state: z.string(),
  txHash: z.string().nullable(),
});

/** Returns the key's last enable or the user's last disable by any key, whichever came later. */
export function readLastChange(pool: pg.Pool, keyId: string, { chainId, productType, user }: UserScope) {
  const statement = sql`
    SELECT operation, state, tx_hash FROM app.send_request
    WHERE chain_id = ${chainId} AND product_type = ${productType} AND user_address = ${user}
      AND (operation = '1ct/disable' OR (operation = '1ct/enable' AND key_id = ${keyId}))
    ORDER BY sequence DESC LIMIT 1`;
  return queryMaybeOne(pool, statement, lastSchema);
}
