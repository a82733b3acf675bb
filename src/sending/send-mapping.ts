import type { Caller } from "../auth/caller.ts";
import { findClaimById } from "../claims/claim-store.ts";
import { type Claim, type Mapping, presentMapping } from "../claims/mapping.ts";
import { readIndexedClaim } from "../claims/outcome-store.ts";
import type { Deps } from "../context/deps.ts";
import type { OperationType } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import type { SendRow } from "./outbox/rows.ts";

/** Returns the mapping of a sent request; null where it has none of its own. */
export async function readSendMapping(deps: Deps, caller: Caller, row: SendRow): Promise<Mapping | null> {
  if (!row.claimId) return null;
  const claim = await findClaimById(deps.select, row.claimId);
  if (!claim) throw new Error(`the claim of request ${row.requestId} is gone`);
  if (claim.tx_hash && (row.state === "mined" || row.state === "final")) {
    const key = { operationType: claim.operation_type, txHash: claim.tx_hash };
    // A repeat of the call shows it once it is indexed.
    const indexed = await readIndexedClaim(deps.prisma, caller, key).catch((error: unknown) => {
      if (error instanceof ApiError && error.errCode === "INDEXER_BEHIND") return null;
      throw error;
    });
    if (indexed?.own) return presentMapping(indexed.own.claim, indexed.own.outcome);
  }
  return presentMapping(claim, null);
}

/** Returns the mapping as it was written with its request, in the same transaction, where nothing newer can be read. */
export function writtenMapping(row: SendRow, operationType: OperationType | null): Mapping | null {
  const { claimId, chainId, productType, txHash, user, clientOrderId, acceptedAtMs } = row;
  if (!claimId || !operationType) return null;
  const claim: Claim = {
    claim_id: claimId,
    chain_id: chainId,
    product_type: productType,
    operation_type: operationType,
    tx_hash: txHash,
    source: "send",
    state: "pending",
    claim_user: user,
    client_order_id: clientOrderId,
    created_ms: acceptedAtMs,
    updated_ms: acceptedAtMs,
  };
  return presentMapping(claim, null);
}
