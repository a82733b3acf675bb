import type { Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../../auth/caller.ts";
import type { Chain } from "../../chain/clients.ts";
import type { ProductConfig } from "../../config/deployments.ts";
import type { Deps } from "../../context/deps.ts";
import { joined } from "../../context/joined.ts";
import { oneClickRouterAbi } from "../../contracts/abi/index.ts";
import { ApiError } from "../../protocol/errors.ts";
import { readEnables } from "./enable-store.ts";
import { type DelegationRow, readDelegationRow } from "./store.ts";

/** A user's delegation in the OneClickRouter at the node's latest block. */
export interface OnChainDelegation {
  /** Lower case; null where there is none. */
  delegatee: Hex | null;
  nonce: bigint;
}

const ZERO = "0x0000000000000000000000000000000000000000";
const address = z.string().transform((value) => value.toLowerCase() as Hex);
const nonce = z.union([z.bigint(), z.number().transform(BigInt)]);

/** @throws ApiError RPC_UNAVAILABLE */
export async function readDelegation(
  chain: Chain,
  product: ProductConfig,
  user: Hex,
): Promise<OnChainDelegation> {
  const router = { address: product.contracts.oneClickRouter, abi: oneClickRouterAbi, args: [user] };
  const { results } = await chain.reads.latest([
    { ...router, functionName: "delegateeOf" },
    { ...router, functionName: "nonceOf" },
  ]);
  const delegatee = address.parse(results[0]);
  return { delegatee: delegatee === ZERO ? null : delegatee, nonce: nonce.parse(results[1]) };
}

/**
 * Returns the nonces of the enables by which a key may send for a user, newest first; none where the delegation is blocked here,
 * is not in force on the chain for the user's wallet, or was enabled by other keys alone.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function enablesOf(
  deps: Deps,
  { chainId, productType, keyId }: Caller,
  user: Hex,
  { row, onChain }: { row: DelegationRow; onChain: OnChainDelegation },
): Promise<number[]> {
  if (row.blocked || onChain.delegatee !== row.delegatee) return [];
  const input = { user, keyId, chainNonce: onChain.nonce.toString() };
  return readJoinedEnables(deps, { chainId, productType }, input);
}

/** Concurrent sends of one user read their delegation once. */
const readJoinedRow = joined(({ pool }: Deps, scope, user: Hex) =>
  readDelegationRow(pool, { ...scope, user }),
);
const readJoinedEnables = joined(
  ({ pool }: Deps, scope, { user, keyId, chainNonce }: { user: Hex; keyId: string; chainNonce: string }) =>
    readEnables(pool, { ...scope, user }, keyId, BigInt(chainNonce)),
);

/** A user whom a key sends for, in one scope. */
interface BoundScope {
  chain: Chain;
  product: ProductConfig;
  user: Hex;
}

/**
 * Returns the delegation of a user for whom sending is not disabled here. requireEnabled checks that it is in force.
 * @throws ApiError DELEGATION_NOT_ENABLED, DATABASE_UNAVAILABLE
 */
export async function requireUnblocked(
  deps: Deps,
  { chainId, productType }: Caller,
  user: Hex,
): Promise<DelegationRow> {
  const row = await readJoinedRow(deps, { chainId, productType }, user);
  if (!row || row.blocked) throw new ApiError("DELEGATION_NOT_ENABLED");
  return row;
}

/**
 * Refuses a /send unless the delegation is in force on the chain, enabled by this key.
 * @throws ApiError DELEGATION_NOT_ENABLED, RPC_UNAVAILABLE, DATABASE_UNAVAILABLE
 */
export async function requireEnabled(
  deps: Deps,
  caller: Caller,
  { chain, product, user }: BoundScope,
  row: DelegationRow,
): Promise<void> {
  const onChain = await readDelegation(chain, product, user);
  const enables = await enablesOf(deps, caller, user, { row, onChain });
  if (enables.length === 0) throw new ApiError("DELEGATION_NOT_ENABLED");
}
