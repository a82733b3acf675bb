import { getAddress } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import type { DelegationStatus } from "../protocol/enums.ts";
import { enablesOf, readDelegation } from "../sending/delegation/bound-user.ts";
import { requireBound } from "./bound-user.ts";
import { readLastChange } from "./store.ts";

/**
 * GET /1ct/status, from the chain's latest block and from what is under way here. `enable`: this key may send; `pending`:
 * an enable of this key is on its way.
 * @throws ApiError USER_NOT_BOUND, OPERATOR_UNAVAILABLE, RPC_UNAVAILABLE
 */
export async function readStatus(deps: Deps, caller: Caller) {
  const { user, scope, row, chain, product } = await requireBound(deps, caller);
  const [onChain, last] = await Promise.all([
    readDelegation(chain, product, user),
    readLastChange(deps.pool, caller.keyId, scope),
  ]);
  const enabling =
    last?.operation === "1ct/enable" && ["accepted", "signed", "broadcast"].includes(last.state);
  const enables = await enablesOf(deps, caller, user, { row, onChain });
  const status: DelegationStatus = enables.length > 0 ? "enable" : enabling ? "pending" : "disabled";
  return {
    status,
    delegatee: getAddress(row.delegatee),
    userAddress: getAddress(user),
    nonce: Number(onChain.nonce),
    txHash: last?.tx_hash ?? null,
  };
}
