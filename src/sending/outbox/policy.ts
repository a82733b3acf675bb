import type { Tx } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import { kindsOf, OPERATIONS } from "../../protocol/operations.ts";
import { countSpent, type KeyPolicy, lockPolicy } from "./policy-store.ts";

/** Part of a request that policies check. `notional` is mUSD wad, of orders and of the fees of movements. */
export interface PolicySubject {
  keyId: string;
  operation: string;
  symbol: string | null;
  notional: bigint | null;
  /** True where the quote behind the notional is missing or stale. */
  unquoted?: boolean;
}

export type PolicyName =
  | "killSwitch"
  | "expiry"
  | "allowedOperations"
  | "allowedSymbols"
  | "dailyNotionalCap";

/**
 * Returns the policy that refuses, or null; "unquoted" where a cap applies and the order cannot be valued now.
 * @param spent the notional of the key's requests of this UTC day, mUSD wad
 */
export function refusingPolicy(
  policy: KeyPolicy,
  subject: PolicySubject,
  spent: bigint,
  nowMs: number,
): PolicyName | "unquoted" | null {
  if (policy.killed) return "killSwitch";
  if (policy.expiresAtMs !== null && nowMs >= policy.expiresAtMs) return "expiry";
  const named = !subject.operation.startsWith("1ct/");
  if (named && policy.allowedOperations.length > 0 && !policy.allowedOperations.includes(subject.operation)) {
    return "allowedOperations";
  }
  if (subject.symbol !== null && policy.allowedSymbols.length > 0 && !names(policy, subject.symbol)) {
    return "allowedSymbols";
  }
  const { dailyNotionalCap } = policy;
  if (dailyNotionalCap === null || !COUNTED.includes(subject.operation)) return null;
  // An order without a value might exceed any cap.
  if (subject.notional === null || subject.unquoted) return "unquoted";
  return spent + subject.notional <= dailyNotionalCap ? null : "dailyNotionalCap";
}

/** Compares symbols in any case, because issuers spell them differently. */
function names({ allowedSymbols }: KeyPolicy, symbol: string): boolean {
  return allowedSymbols.some((allowed) => allowed.toUpperCase() === symbol.toUpperCase());
}

/** Operations that count for a daily cap: orders by their possible fill, movements of cash by their fee. */
const COUNTED: readonly string[] = [
  "orders/send",
  "orders/with-deposit/send",
  ...kindsOf("cash").map((kind) => OPERATIONS[kind].path),
];

/**
 * Enforces a key's policy inside the transaction that writes its request. Locks the policy's row, so that two requests cannot
 * both use the rest of a cap.
 * @throws ApiError POLICY_REFUSED, `param` naming the policy; MARKET_DATA_UNAVAILABLE where a cap applies and the order has no
 * current quote
 */
export async function enforcePolicy(tx: Tx, subject: PolicySubject, nowMs: number): Promise<void> {
  const policy = await lockPolicy(tx, subject.keyId);
  if (!policy) return;
  const isCapped = policy.dailyNotionalCap !== null && subject.notional !== null;
  const spent = isCapped ? await countSpent(tx, subject.keyId, policy) : 0n;
  const refusing = refusingPolicy(policy, subject, spent, nowMs);
  if (refusing === "unquoted") {
    const message = `The key has a daily cap, and ${subject.symbol} has no current quote to value the order by`;
    throw new ApiError("MARKET_DATA_UNAVAILABLE", { message });
  }
  if (refusing) throw new ApiError("POLICY_REFUSED", { param: refusing });
}
