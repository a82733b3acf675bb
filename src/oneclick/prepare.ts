import { getAddress } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { requireFuture } from "../context/input/fields.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { readDelegation } from "../sending/delegation/bound-user.ts";
import { withUsableWallet } from "../sending/delegation/store.ts";
import { refuseOtherUser } from "../sending/send.ts";
import { boundUserOf, requireBoundUser } from "./bound-user.ts";
import type { PrepareInput } from "./input.ts";
import { signPayload, typedData } from "./payload.ts";

/**
 * POST /1ct/prepare: the typed data that the bound user signs.
 * @throws ApiError USER_NOT_BOUND, VALIDATION_FAILED, DEADLINE_EXPIRED, OPERATOR_UNAVAILABLE, RPC_UNAVAILABLE
 */
export async function prepare(deps: Deps, caller: Caller, { userAddress, deadline }: PrepareInput) {
  const user = boundUserOf(caller);
  requireFuture(deadline, deps.now());
  refuseOtherUser(userAddress, user);
  const { row, scope, chain, product } = await requireBoundUser(deps, caller);
  const { delegatee } = await withDatabaseErrors(() => withUsableWallet(deps.prisma, scope, row));
  const nonce = Number((await readDelegation(chain, product, user)).nonce);
  const { oneClickRouter } = product.contracts;
  const { chainId } = caller;
  const delegate = { chainId, oneClickRouter, user, delegatee, nonce, deadline };
  return {
    delegatee: getAddress(delegatee),
    signPayload: signPayload(delegate),
    typedData: typedData(delegate),
    nonce,
    deadline,
  };
}
