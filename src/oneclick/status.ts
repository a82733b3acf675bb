import { getAddress, type Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import type { DelegationStatus } from "../protocol/enums.ts";
import { enablesOf, readDelegation } from "../sending/delegation/bound-user.ts";
import { requireBoundUser } from "./bound-user.ts";
import { readLastChange } from "./store.ts";

/**
 * GET /1ct/status, from the chain's latest block and from what is under way here. `enable`: this key may send; `pending`:
 * an enable of this key is on its way.
 * @throws ApiError USER_NOT_BOUND, OPERATOR_UNAVAILABLE, RPC_UNAVAILABLE
 */
export async function readStatus(deps: Deps, caller: Caller) {
  const { user, scope, row, chain, product } = await requireBoundUser(deps, caller);
  const [onChain, last] = await Promise.all([
    readDelegation(chain, product, user),
    readLastChange(deps.pool, caller.keyId, scope),
  ]);
  const enables = await enablesOf(deps, caller, user, { row, onChain });
  const isEnabled = enables.length > 0;
  return presentStatus({ isEnabled, delegatee: row.delegatee, user, nonce: onChain.nonce, last });
}

/** Facts that determine a status. */
interface StatusFacts {
  isEnabled: boolean;
  delegatee: Hex;
  user: Hex;
  nonce: bigint;
  last: Awaited<ReturnType<typeof readLastChange>>;
}

/** Returns a delegation's status in the API's shape. */
export function presentStatus({ isEnabled, delegatee, user, nonce, last }: StatusFacts) {
  const isPending =
    last?.operation === "1ct/enable" && ["accepted", "signed", "broadcast"].includes(last.state);
  const status: DelegationStatus = isEnabled ? "enable" : isPending ? "pending" : "disabled";
  return {
    status,
    delegatee: getAddress(delegatee),
    userAddress: getAddress(user),
    nonce: Number(nonce),
    txHash: last?.txHash ?? null,
  };
}
