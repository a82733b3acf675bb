import type { Claim } from "../claims/mapping.ts";
import type { ChainOperationStatus, OperationStatus } from "../protocol/enums.ts";

/** Returns where an operation stands (docs/api.md): the chain's word, else the claim's. */
export function operationStatusOf(
  chain: ChainOperationStatus | null,
  claim: Claim["state"],
): OperationStatus {
  return chain ?? (claim === "reverted" ? "failed" : "pending");
}
