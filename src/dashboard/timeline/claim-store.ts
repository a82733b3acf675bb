import type { Hex } from "viem";
import { z } from "zod";
import { claimSchema } from "../../claims/mapping.ts";
import { boundUser, claimColumns, UNBOUND } from "../../claims/ownership.ts";
import type { Deps } from "../../context/deps.ts";
import { queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { storedHex } from "../../protocol/shapes.ts";

const keyedSchema = claimSchema.extend({
  keyId: z.string(),
  keyName: z.string(),
  /** recorded: the user that the key was bound to then, or null. */
  boundTo: storedHex.nullable(),
  beforeFinal: z.boolean(),
  envelopeUuid: z.string().nullable(),
  /** Time at which a node last knew the transaction, Unix milliseconds, or null. */
  lastSeenMs: z.string().transform(Number).nullable(),
});

/** A claim to a timeline's transaction, with the key that made it. */
export type KeyedClaim = z.output<typeof keyedSchema>;

const CLAIMS_MAX = 50;

/**
 * Returns the claims to a transaction, oldest first, and the one with an id; by the hash of any attempt.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export function readClaims(
  { pool }: Pick<Deps, "pool">,
  { chainId, txHash, claimId }: { chainId: number; txHash: Hex | null; claimId: string | null },
): Promise<KeyedClaim[]> {
  const statement = sql`
      WITH found AS (
        SELECT c.claim_id FROM app.transaction_claim c WHERE c.chain_id = ${chainId} AND c.tx_hash = ${txHash}
        UNION SELECT r.claim_id FROM app.send_attempt a JOIN app.send_request r ON r.request_id = a.request_id
        WHERE a.tx_hash = ${txHash}
        UNION SELECT ${claimId}::uuid)
      SELECT ${claimColumns}, c.key_id::text AS key_id, k.name AS key_name,
        nullif(${boundUser("c")}, ${UNBOUND}) AS bound_to, c.before_final, c.envelope_uuid::text AS envelope_uuid,
        (extract(epoch FROM c.last_seen_at) * 1000)::bigint::text AS last_seen_ms
      FROM found f JOIN app.transaction_claim c ON c.claim_id = f.claim_id JOIN app.api_key k ON k.key_id = c.key_id
      ORDER BY c.created_at, c.claim_id LIMIT ${CLAIMS_MAX}`;
  return queryRows(pool, statement, keyedSchema);
}
