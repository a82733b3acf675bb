import { concat, type Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Chain } from "../chain/clients.ts";
import { signAttribution } from "../claims/attribution/suffix.ts";
import type { Deps } from "../context/deps.ts";
import type { Preflight } from "../context/schema-types.ts";
import { type Call, type CalldataReply, presentCalldata, type RouterCall } from "./calldata.ts";
import { type OrderCosts, preflight, type Requirement } from "./preflight.ts";

/** A call for a caller who submits it himself. */
export interface SelfSubmittedCall {
  chain: Chain;
  /** The encoded call, without a suffix. */
  call: RouterCall;
  /** Wallet that will submit, lower case; null where the caller named none. */
  user: Hex | null;
  /** Returns the requirements that the call has of that wallet. */
  requirementsOf: (user: Hex) => Promise<Requirement[]>;
  /** Returns what an order locks and costs; of an order alone. */
  costsOf?: () => Promise<OrderCosts>;
}

type Submission = Omit<SelfSubmittedCall, "call">;

/**
 * Returns what every calldata endpoint answers (docs/api.md#calldata-reply): the call with the suffix that attributes it to the
 * caller's key, tried from the wallet where that is known, with the very calldata that is returned. A fix that is a
 * call of the router carries a suffix of its own; an approval goes to a token, which has nothing to do with us.
 * @throws ApiError with a wallet: RPC_UNAVAILABLE, and what requirementsOf and costsOf throw
 */
export async function presentSelfSubmitted(
  deps: Deps,
  caller: Caller,
  { call, ...submission }: SelfSubmittedCall,
): Promise<CalldataReply & { preflight: Preflight | null }> {
  const own = withAttribution(deps, caller, submission.user, call);
  const tried = submission.user === null ? null : await tryCall(deps, caller, own, submission);
  return { ...presentCalldata(own, caller), preflight: tried };
}

/**
 * Returns what presentSelfSubmitted says of a call as its preflight, also where no wallet is named.
 * @throws ApiError as presentSelfSubmitted
 */
export function previewSelfSubmitted(
  deps: Deps,
  caller: Caller,
  { call, ...submission }: SelfSubmittedCall,
): Promise<Preflight> {
  return tryCall(deps, caller, withAttribution(deps, caller, submission.user, call), submission);
}

async function tryCall(
  deps: Deps,
  caller: Caller,
  call: RouterCall,
  { chain, user, requirementsOf, costsOf }: Submission,
): Promise<Preflight> {
  const [required, costs] = await Promise.all([
    user === null ? [] : requirementsOf(user),
    costsOf ? costsOf() : null,
  ]);
  const needs = required.map((need) =>
    need.fix?.toAddress === call.toAddress
      ? { ...need, fix: withAttribution(deps, caller, user, need.fix) }
      : need,
  );
  return preflight(chain, { wallet: user, call, needs, costs });
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
