import type { Hex } from "viem";
import { z } from "zod";
import { type Claim, claimSchema } from "../../claims/mapping.ts";
import { boundUser, claimColumns, UNBOUND } from "../../claims/ownership.ts";
import type { Deps } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { Prisma } from "../../db/generated/client.ts";
import { storedHex } from "../../protocol/shapes.ts";

/** A claim to a timeline's transaction, with the key that made it. */
export interface KeyedClaim extends Claim {
  keyId: string;
  keyName: string;
  /** recorded: the user that the key was bound to then, or null. */
  boundTo: Hex | null;
  beforeFinal: boolean;
  envelopeUuid: string | null;
  /** When a node last knew the transaction, Unix milliseconds, or null. */
  lastSeenMs: number | null;
}

const ownerSchema = z.object({
  key_id: z.string(),
  key_name: z.string(),
  bound_to: storedHex.nullable(),
  before_final: z.boolean(),
  envelope_uuid: z.string().nullable(),
  last_seen_ms: z.coerce.number().nullable(),
});

const CLAIMS_MAX = 50;

/**
 * Returns the claims to a transaction, oldest first, and the one with an id; by the hash of any attempt.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function readClaims(
  { prisma }: Pick<Deps, "prisma">,
  { chainId, txHash, claimId }: { chainId: number; txHash: Hex | null; claimId: string | null },
): Promise<KeyedClaim[]> {
  const statement = Prisma.sql`
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
  const rows = await withDatabaseErrors(() => prisma.$queryRaw<Record<string, unknown>[]>(statement));
  return rows.map((row) => {
    const owner = ownerSchema.parse(row);
    return {
      ...claimSchema.parse(row),
      keyId: owner.key_id,
      keyName: owner.key_name,
      boundTo: owner.bound_to,
      beforeFinal: owner.before_final,
      envelopeUuid: owner.envelope_uuid,
      // null would be 0 as a number.
      lastSeenMs: row.last_seen_ms === null ? null : owner.last_seen_ms,
    };
  });
}
