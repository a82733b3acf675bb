import type { Ending } from "../outbox/end-store.ts";
import { refusingPolicy } from "../outbox/policy.ts";
import type { KeyPolicy } from "../outbox/policy-store.ts";
import type { Appraisal, Appraised } from "./appraise.ts";
import type { SenderTx } from "./sender-store.ts";

/**
 * Enforces the policies of requests' keys, in the transaction that signs them, and cancels those that are refused. The rest of a
 * key's cap follows from the signed requests, not from the api's count.
 * @param policies of the keys that have one, read under the locks of this transaction
 * @returns those that may be signed, in the given order. A request that cannot be valued now is neither signed nor canceled
 */
export async function holdToPolicies(
  tx: SenderTx,
  requests: readonly Appraised[],
  policies: ReadonlyMap<string, KeyPolicy>,
  nowMs: number,
): Promise<{ signable: Appraised[]; canceled: number }> {
  const capped = requests.filter(({ keyId }) => policies.get(keyId)?.dailyNotionalCap != null);
  const spent = await tx.lockSignedToday([...new Set(capped.map(({ keyId }) => keyId))]);
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
      await tx.endRequest(requestId, refused(refusing));
      canceled += 1;
    } else {
      spent.set(keyId, sum + (terms.notional ?? 0n));
      signable.push(request);
    }
  }
  return { signable, canceled };
}

/** Appraisal that no policy requires. */
const UNLIMITED: Appraisal = { symbol: null, notional: null };

/** Returns true for a policy that limits the value or the stock of a call. */
const isLimiting = ({ dailyNotionalCap, allowedSymbols }: KeyPolicy): boolean =>
  dailyNotionalCap !== null || allowedSymbols.length > 0;

const refused = (policy: string): Ending => ({
  state: "canceled",
  errCode: "POLICY_REFUSED",
  reason: `the key's policy before it was signed: ${policy}`,
});
