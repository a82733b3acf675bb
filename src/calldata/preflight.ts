import type { Hex } from "viem";
import type { Chain } from "../chain/clients.ts";
import { simulate } from "../chain/simulate.ts";
import type { Preflight } from "../context/schema-types.ts";
import { formatDecimal } from "../protocol/decimal.ts";
import type { PreflightCheck } from "../protocol/enums.ts";
import type { ErrCode } from "../protocol/errors.ts";
import { type Call, presentCall, type RouterCall } from "./calldata.ts";

/** A requirement that a call has of the wallet that submits it; amounts in base units of `decimals`. */
export interface Requirement {
  check: PreflightCheck;
  required: bigint;
  actual: bigint;
  decimals: number;
  /** Token that `required` counts; null: mUSD. */
  token: Hex | null;
  /** Contract that must be allowed to move it; of an allowance alone. */
  spender?: Hex;
  /** A call that ends the shortfall, where there is one. */
  fix: Call | null;
}

type Costs = Pick<Preflight, "locked" | "fee" | "minimum" | "estimate" | "forecast">;

/** Parts of a preflight that a call which places no order lacks. */
export const NO_COSTS: Costs = { locked: null, fee: null, minimum: null, estimate: null, forecast: null };

/** Locks and costs of an order (docs/api.md#preview). */
export interface OrderCosts extends Costs {
  /** Why no wallet could place the order, or null. */
  refusal: ErrCode | null;
}

interface Trial {
  /** Wallet that would submit, lower case; null where the caller named none. */
  wallet: Hex | null;
  call: RouterCall;
  needs: readonly Requirement[];
  /** Null where the call places no order. */
  costs: OrderCosts | null;
}

/**
 * Tries the exact call from the named wallet at the latest block, and returns its requirements. Callers apply the fixes in the
 * order of the checks. Without a wallet nothing is tried.
 * @throws ApiError RPC_UNAVAILABLE
 */
export async function preflight(chain: Chain, { wallet, call, needs, costs }: Trial): Promise<Preflight> {
  const { gasEstimate, revert } = wallet
    ? await simulate(chain, { from: wallet, to: call.toAddress, data: call.callData })
    : { gasEstimate: null, revert: null };
  const { refusal, ...shown } = costs ?? { ...NO_COSTS, refusal: null };
  const reason = refusal ?? shortfallOf(needs) ?? (revert === null ? null : "CHAIN_REVERT");
  return {
    ok: reason === null,
    accepted: reason === null,
    reason,
    checks: needs.map(presentRequirement),
    gasEstimate: gasEstimate === null ? null : gasEstimate.toString(),
    revert,
    ...shown,
  };
}

/** Returns a missing balance before a missing allowance, which a plain order has for its fix alone. */
function shortfallOf(needs: readonly Requirement[]): ErrCode | null {
  const missing = needs.filter(({ actual, required }) => actual < required);
  if (missing.length === 0) return null;
  return missing.some(({ spender }) => !spender) ? "BALANCE_INSUFFICIENT" : "ALLOWANCE_INSUFFICIENT";
}

function presentRequirement({
  check,
  required,
  actual,
  decimals,
  fix,
}: Requirement): Preflight["checks"][number] {
  const ok = actual >= required;
  return {
    check,
    ok,
    required: formatDecimal(required, decimals),
    actual: formatDecimal(actual, decimals),
    fix: ok || !fix ? null : presentCall(fix),
  };
}
