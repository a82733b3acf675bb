import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { createWallet } from "../db/builders/sends.ts";

/**
 * Writes an enable of a key as one that was sent and is final, or mined with success, in the delegation's present epoch and after the user's other
 * enables: for tests that begin with a delegation in force. Binds the key to the user. Its wallet is one of its own, so that it takes no nonce from
 * those under test.
 */
export async function seedEnable(
  pool: pg.Pool,
  { keyId, chainId, productType }: Pick<Caller, "keyId" | "chainId" | "productType">,
  user: Hex,
  state: "final" | "mined" = "final",
): Promise<void> {
  const wallet: Hex = `0x${randomBytes(20).toString("hex")}`;
  await createWallet(pool, wallet, { chainIds: [chainId], state: "halted", assignable: false });
  await bindKey(pool, keyId, user);
  await pool.query(
    `INSERT INTO app.send_request (request_id, key_id, chain_id, product_type, operation, user_address, wallet, to_address,
       call_data, gas_limit, input_hash, operation_key, delegation_epoch, state, nonce, outcome,
       mined_block, mined_block_hash, mined_success)
     SELECT gen_random_uuid(), $1, $2, $3, '1ct/enable', $4, $5, $5, '\\x', 150000, 'seeded',
       format('enable:%s:%s', $4::text, (SELECT count(*) FROM app.send_request WHERE user_address = $4 AND operation = '1ct/enable')),
       d.epoch, $6, 0, CASE $6 WHEN 'final' THEN 'confirmed' END, 1, '0x', true
     FROM app.delegation d WHERE d.chain_id = $2 AND d.product_type = $3 AND d.user_address = $4`,
    [keyId, chainId, productType, user, wallet, state],
  );
}

/** Binds a key to a user: a worker signs for no other. */
export async function bindKey(pool: pg.Pool, keyId: string, user: Hex): Promise<void> {
  await pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [keyId, user]);
}
