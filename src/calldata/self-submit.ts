import { concat, type Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Chain } from "../chain/clients.ts";
import { signAttribution } from "../claims/attribution/suffix.ts";
import type { Deps } from "../context/deps.ts";
import { type Call, type CalldataReply, presentCalldata, type RouterCall } from "./calldata.ts";
import { type Preflight, preflight, type Requirement } from "./preflight.ts";

/** A call for a caller who submits it himself. */
export interface SelfSubmittedCall {
  chain: Chain;
  /** The encoded call, without a suffix. */
  call: RouterCall;
  /** The wallet that will submit, lower case; null where the caller named none. */
  user: Hex | null;
  /** Returns the requirements that the call has of that wallet. */
  requirementsOf: (user: Hex) => Promise<Requirement[]>;
}

/**
 * Returns what every calldata endpoint answers (docs/api.md#calldata-reply): the call with the suffix that attributes it to the
 * caller's key, tried from the wallet where that is known, with the very calldata that is returned. A fix that is a
 * call of the router carries a suffix of its own; an approval goes to a token, which has nothing to do with us.
 * @throws ApiError with a wallet: RPC_UNAVAILABLE, and what needsOf throws
 */
export async function presentSelfSubmitted(
  deps: Deps,
  caller: Caller,
  { chain, call, user, requirementsOf: needsOf }: SelfSubmittedCall,
): Promise<CalldataReply & { preflight: Preflight | null }> {
  const withSuffix = <C extends Call>(bare: C): C => withAttribution(deps, caller, user, bare);
  const own = withSuffix(call);
  const reply = presentCalldata(own, caller);
  if (!user) return { ...reply, preflight: null };
  const needs = (await needsOf(user)).map((need) =>
    need.fix?.toAddress === call.toAddress ? { ...need, fix: withSuffix(need.fix) } : need,
  );
  return { ...reply, preflight: await preflight(chain, user, own, needs) };
}

/** Returns a call of the router with a suffix behind it that attributes it to the caller's key. */
function withAttribution<C extends Call>(
  { attributionKeys }: Deps,
  { apiKey, chainId }: Caller,
  user: Hex | null,
  call: C,
): C {
  const { toAddress, callData } = call;
  const suffix = signAttribution(attributionKeys, { chainId, router: toAddress, callData }, { apiKey, user });
  return Object.freeze({ ...call, callData: concat([callData, suffix]) });
}
