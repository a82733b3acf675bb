import type { Tx } from "../../db/transaction.ts";
import { type Ending, endRequest } from "../outbox/end-store.ts";
import { refusingPolicy } from "../outbox/policy.ts";
import type { KeyPolicy } from "../outbox/policy-store.ts";
import type { Appraisal, Appraised } from "./appraise.ts";
import { lockSignedToday } from "./policy-store.ts";

/**
 * Holds requests to the policies of their keys, in the transaction that signs them, and cancels those that are refused. What a key's
 * cap has left follows from what workers signed, and not from what the api counted.
 * @param policies of the keys that have one, as they are behind the locks of this transaction
 * @returns those that may be signed, in their order here. What cannot be valued now is neither signed nor canceled
 */
export async function holdToPolicies(
  tx: Tx,
  requests: readonly Appraised[],
  policies: ReadonlyMap<string, KeyPolicy>,
  nowMs: number,
): Promise<{ signable: Appraised[]; canceled: number }> {
  const capped = requests.filter(({ keyId }) => policies.get(keyId)?.dailyNotionalCap != null);
  const spent = await lockSignedToday(tx, [...new Set(capped.map(({ keyId }) => keyId))]);
  const signable: Appraised[] = [];
  let canceled = 0;
  for (const request of requests) {
    const { requestId, keyId, operation, appraisal } = request;
    const policy = operation === "1ct/disable" ? undefined : policies.get(keyId);
    if (!policy) {
      signable.push(request);
      continue;
    }
    const terms = appraisal ?? (isLimiting(policy) ? null : UNLIMITED);
    if (!terms) continue;
    const sum = spent.get(keyId) ?? 0n;
    const refusing = refusingPolicy(policy, { keyId, operation, ...terms }, sum, nowMs);
    if (refusing) {
      await endRequest(tx, requestId, refused(refusing));
      canceled += 1;
    } else {
      spent.set(keyId, sum + (terms.notional ?? 0n));
      signable.push(request);
    }
  }
  return { signable, canceled };
}

/** Terms of which the policy asks for none. */
const UNLIMITED: Appraisal = { symbol: null, notional: null };

/** Returns true for a policy that asks for what a call is worth, or of which stock it is. */
const isLimiting = ({ dailyNotionalCap, allowedSymbols }: KeyPolicy): boolean =>
  dailyNotionalCap !== null || allowedSymbols.length > 0;

const refused = (policy: string): Ending => ({
  state: "canceled",
  errCode: "POLICY_REFUSED",
  reason: `the key's policy before it was signed: ${policy}`,
});
