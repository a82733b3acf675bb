import { z } from "zod";
import { type Queryable, queryRows } from "../../db/query.ts";
import type { UserScope } from "./store.ts";

/** SQL expressions that name a user, a key and, where it is known, the user's nonce on the chain (or NULL). */
interface EnableTerms {
  chainId: string;
  productType: string;
  user: string;
  keyId: string;
  chainNonce: string;
}

/**
 * Returns SQL that selects the nonces of a key's enables which are in force (docs/sending.md#enable). An enable is:
 *
 * - mined with success, below the chain's nonce;
 * - of the delegation's epoch, and the delegation is not blocked: no disable came after it, by any key;
 * - followed by nothing but other enables: each nonce from its own to the newest was spent by one that succeeded. Every
 *   `Undelegated` spends a nonce too, so a nonce that no enable accounts for means that the user ended the delegation.
 *
 * An enable that was accepted proves that the chain had reached its nonce, even while it is not mined. `operation_key` is
 * `enable:<user>:<nonce>`, unique, and given up by enables that failed.
 */
export const enablesInForce = ({ chainId, productType, user, keyId, chainNonce }: EnableTerms): string => `
  SELECT run.nonce FROM (
    SELECT sent.*, count(*) FILTER (WHERE succeeded) OVER (ORDER BY nonce DESC) AS enables_since,
      greatest(max(nonce + succeeded::int) OVER (), ${chainNonce}::bigint) AS newest
    FROM (
      SELECT key_id, delegation_epoch, split_part(operation_key, ':', 3)::bigint AS nonce,
        (state = 'mined' AND mined_success AND mined_filler IS NOT TRUE)
          OR coalesce(outcome = 'confirmed', false) AS succeeded
      FROM app.send_request
      WHERE chain_id = ${chainId} AND product_type = ${productType} AND user_address = ${user}
        AND operation = '1ct/enable' AND operation_key IS NOT NULL) sent) run
  JOIN app.delegation d ON d.chain_id = ${chainId} AND d.product_type = ${productType} AND d.user_address = ${user}
  WHERE run.key_id = ${keyId} AND run.succeeded AND run.delegation_epoch = d.epoch AND NOT d.blocked
    AND run.enables_since = run.newest - run.nonce AND (${chainNonce}::bigint IS NULL OR run.nonce < ${chainNonce})`;

const IN_FORCE = `${enablesInForce({
  chainId: "$1",
  productType: "$2",
  user: "$3",
  keyId: "$4::uuid",
  chainNonce: "$5",
})} ORDER BY run.nonce DESC`;

const nonceSchema = z.object({ nonce: z.coerce.number() });

/**
 * Returns the nonces of a key's enables in force, the newest first; none where the key may not send for the user.
 * @param chainNonce the user's nonce at the chain's latest block; null within a transaction, where no node is asked
 */
export async function readEnables(
  db: Queryable,
  { chainId, productType, user }: UserScope,
  keyId: string,
  chainNonce: bigint | null,
): Promise<number[]> {
  const values = [chainId, productType, user, keyId, chainNonce];
  const enables = await queryRows(db, { text: IN_FORCE, values }, nonceSchema);
  return enables.map(({ nonce }) => nonce);
}
