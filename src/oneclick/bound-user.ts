import type { Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import { type Chain, resolveScope } from "../chain/clients.ts";
import type { ProductConfig } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { ApiError } from "../protocol/errors.ts";
import { type DelegationRow, delegationOf, type UserScope } from "../sending/delegation/store.ts";

/** A bound user, their wallet here, and the chain. */
export interface BoundUser {
  user: Hex;
  scope: UserScope;
  row: DelegationRow;
  chain: Chain;
  product: ProductConfig;
}

/** Returns the user that the key is bound to. @throws ApiError USER_NOT_BOUND */
export function boundUserOf({ userAddress }: Caller): Hex {
  if (!userAddress) throw new ApiError("USER_NOT_BOUND");
  return userAddress;
}

/** @throws ApiError USER_NOT_BOUND, OPERATOR_UNAVAILABLE, DATABASE_UNAVAILABLE */
export async function requireBoundUser(deps: Deps, caller: Caller): Promise<BoundUser> {
  const user = boundUserOf(caller);
  const scope = { chainId: caller.chainId, productType: caller.productType, user };
  const row = await withDatabaseErrors(() => delegationOf(deps.prisma, scope));
  return { user, scope, row, ...resolveScope(deps, caller) };
}
