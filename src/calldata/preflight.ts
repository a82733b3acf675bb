import type { Hex } from "viem";
import type { Chain } from "../chain/clients.ts";
import { simulate } from "../chain/simulate.ts";
import { formatDecimal } from "../protocol/decimal.ts";
import type { PreflightCheck } from "../protocol/enums.ts";
import { type Call, presentCall, type RouterCall } from "./calldata.ts";

/** A requirement that a call has of the wallet that submits it; amounts in base units of `decimals`. */
export interface Requirement {
  check: PreflightCheck;
  required: bigint;
  actual: bigint;
  decimals: number;
  /** The token that `required` counts; null: mUSD. */
  token: Hex | null;
  /** The contract that must be allowed to move it; of an allowance alone. */
  spender?: Hex;
  /** A call that ends the shortfall, where there is one. */
  fix: Call | null;
}

/** The outcome of trying a call (docs/api.md#calldata-reply). */
export interface Preflight {
  ok: boolean;
  checks: {
    check: Requirement["check"];
    ok: boolean;
    required: string;
    actual: string;
    fix: ReturnType<typeof presentCall> | null;
  }[];
  gasEstimate: string | null;
  revert: string | null;
}

/**
 * Tries the exact call from the named wallet at the latest block, and returns its requirements. Callers apply the fixes in the
 * order of the checks.
 * @throws ApiError RPC_UNAVAILABLE
 */
export async function preflight(
  chain: Chain,
  wallet: Hex,
  call: RouterCall,
  needs: readonly Requirement[],
): Promise<Preflight> {
  const { gasEstimate, revert } = await simulate(chain, {
    from: wallet,
    to: call.toAddress,
    data: call.callData,
  });
  const checks = needs.map(presentRequirement);
  return {
    ok: revert === null && checks.every(({ ok }) => ok),
    checks,
    gasEstimate: gasEstimate === null ? null : gasEstimate.toString(),
    revert,
  };
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
