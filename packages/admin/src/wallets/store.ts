import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, queryRows } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";
import type { Tx } from "../../../../src/db/transaction.ts";
import { storedHex } from "../../../../src/protocol/shapes.ts";
import type { UserScope } from "../../../../src/sending/delegation/store.ts";

// Statements of `partner-trading-admin wallets`. They run in one transaction with those of the sending side.

/** Lets a wallet send again, from a nonce on where that is ahead. @returns false where there is no such wallet */
export async function resumeWallet(tx: Tx, chainId: number, wallet: Hex, nonce: bigint): Promise<boolean> {
  const statement = sql`
    UPDATE app.delegatee_wallet
    SET state = 'active', state_reason = NULL, next_nonce = greatest(next_nonce, ${nonce})
    WHERE chain_id = ${chainId} AND address = ${wallet}`;
  return (await execute(tx, statement)) !== 0;
}

const publicKeySchema = z.object({ keyId: z.string(), apiKey: z.string() });

/** Returns the public ids of API keys, by their own. */
export async function readPublicKeys(
  pool: pg.Pool,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const statement = sql`SELECT key_id, api_key FROM app.api_key WHERE key_id = ANY(${keyIds}::uuid[])`;
  const keys = await queryRows(pool, statement, publicKeySchema);
  return new Map(keys.map(({ keyId, apiKey }) => [keyId, apiKey]));
}

/**
 * Locks a request with a nonce and without a receipt.
 * @returns false where it has changed: mined, final, failed or canceled
 */
export async function lockUnmined(tx: Tx, requestId: string): Promise<boolean> {
  const statement = sql`
    SELECT FROM app.send_request
    WHERE request_id = ${requestId} AND state IN ('signed', 'broadcast') FOR UPDATE`;
  return (await execute(tx, statement)) !== 0;
}

const delegatorSchema = z.object({ productType: z.string(), userAddress: storedHex });

/**
 * Returns users for whom a wallet may send, or could once an enable under way is mined: in a fixed order, at most `limit` after
 * the one given, or from the first.
 */
export async function readDelegators(
  pool: pg.Pool,
  { chainId, wallet, after }: { chainId: number; wallet: Hex; after: UserScope | undefined },
  limit: number,
): Promise<UserScope[]> {
  const rows = await queryRows(
    pool,
    sql`
      SELECT d.product_type, d.user_address FROM app.delegation d
      WHERE d.chain_id = ${chainId} AND d.delegatee = ${wallet}
        AND (d.product_type, d.user_address) > (${after?.productType ?? ""}, ${after?.user ?? ""})
        AND (NOT d.blocked OR EXISTS (
          SELECT FROM app.send_request r
          WHERE r.chain_id = d.chain_id AND r.product_type = d.product_type AND r.user_address = d.user_address
            AND r.operation = '1ct/enable' AND r.delegation_epoch = d.epoch
            AND r.state IN ('accepted', 'signed', 'broadcast', 'mined')))
      ORDER BY d.product_type, d.user_address LIMIT ${limit}`,
    delegatorSchema,
  );
  return rows.map(({ productType, userAddress }) => ({ chainId, productType, user: userAddress }));
}
