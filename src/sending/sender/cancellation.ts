import { enablesInForce, readEnables } from "../delegation/enable-store.ts";
import { lockDelegation } from "../delegation/store.ts";
import { type Ending, endRequest } from "../outbox/end-store.ts";
import { type RawSendRow, type SendRow, toSendRow } from "../outbox/rows.ts";
import type { Tx } from "../outbox/transaction.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import { underLease } from "./lease.ts";

/** Operations that a disabled delegation does not stop. */
const WITHOUT_DELEGATION: readonly string[] = ["1ct/enable", "1ct/disable"];
/** Canceled in one cycle; the others follow in the next. */
const BATCH_SIZE = 100;

/**
 * Cancels requests without a nonce that must not be signed any more, in any state of the wallet: none may stand in the way
 * of what comes behind it, and its caller learns of its end also while the wallet is stopped.
 */
export async function cancelUnsigned(deps: SenderDeps, wallet: Wallet): Promise<void> {
  const { rows } = await deps.pool.query<RawSendRow>(CANCELLATION_CANDIDATES, [
    wallet.nodes.chainId,
    wallet.signer.address,
    WITHOUT_DELEGATION,
    unixSeconds(deps).toString(),
    BATCH_SIZE,
  ]);
  for (const request of rows.map(toSendRow)) {
    await underLease(deps.pool, wallet, (tx) => checkCancellation(deps, tx, request));
  }
}

// Candidates only; checkCancellation decides each one under the locks.
const CANCELLATION_CANDIDATES = `
  WITH waiting AS (
    SELECT * FROM app.send_request WHERE chain_id = $1 AND wallet = $2 AND state = 'accepted'
  ), disabled AS (
    SELECT s.product_type, s.user_address, s.key_id
    FROM (SELECT DISTINCT product_type, user_address, key_id FROM waiting WHERE operation <> ALL($3::text[])) s
    WHERE NOT EXISTS (${enablesInForce({
      chainId: "$1",
      productType: "s.product_type",
      user: "s.user_address",
      keyId: "s.key_id",
      chainNonce: "NULL",
    })})
  )
  SELECT r.* FROM waiting r
  JOIN app.api_key k USING (key_id) LEFT JOIN app.key_policy p USING (key_id)
  WHERE r.deadline < $4
    OR (r.operation <> ALL($3::text[]) AND (r.product_type, r.user_address, r.key_id) IN (TABLE disabled))
    OR (r.operation <> '1ct/disable' AND (k.revoked_at IS NOT NULL OR p.killed))
  ORDER BY r.sequence LIMIT $5`;

/**
 * Locks a waiting request and cancels it where it must not be signed any more. Takes the delegation's lock first and the
 * request's after it, in the order that disable takes them.
 * @returns "gone" where it does not wait any more: a disable may have cancelled it
 */
export async function checkCancellation(
  deps: SenderDeps,
  tx: Tx,
  request: SendRow,
): Promise<"none" | "canceled" | "gone"> {
  const ending = await findCancellation(deps, tx, request);
  if (!(await lockAccepted(tx, request.requestId))) return "gone";
  if (!ending) return "none";
  await endRequest(tx, request.requestId, ending);
  return "canceled";
}

/** Locks the request, if it still waits for a nonce. */
export async function lockAccepted(tx: Tx, requestId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    "SELECT 1 FROM app.send_request WHERE request_id = $1 AND state = 'accepted' FOR UPDATE",
    [requestId],
  );
  return rowCount === 1;
}

async function findCancellation(deps: SenderDeps, tx: Tx, request: SendRow): Promise<Ending | null> {
  if (!WITHOUT_DELEGATION.includes(request.operation)) {
    await lockDelegation(tx, request, "SHARE");
    const enables = await readEnables(tx, request, request.keyId, null);
    if (enables.length === 0) {
      return {
        state: "canceled",
        errCode: "DELEGATION_NOT_ENABLED",
        reason: "disabled before it was signed",
      };
    }
  }
  if (request.deadline !== null && unixSeconds(deps) > request.deadline) {
    return {
      state: "canceled",
      errCode: "DEADLINE_EXPIRED",
      reason: "its deadline passed before it was signed",
    };
  }
  return request.operation === "1ct/disable" ? null : operatorCancellation(tx, request.keyId);
}

/** Returns the cancellation of a revoked key or a kill switch. A disable goes through all the same: it protects. */
async function operatorCancellation(tx: Tx, keyId: string): Promise<Ending | null> {
  const { rows } = await tx.query<{ revoked: boolean; killed: boolean }>(
    `SELECT k.revoked_at IS NOT NULL AS revoked, coalesce(p.killed, false) AS killed
     FROM app.api_key k LEFT JOIN app.key_policy p USING (key_id) WHERE k.key_id = $1`,
    [keyId],
  );
  const [key] = rows;
  if (key?.revoked) return { state: "canceled", errCode: "POLICY_REFUSED", reason: "its key was revoked" };
  if (key?.killed) return { state: "canceled", errCode: "POLICY_REFUSED", reason: "the key's kill switch" };
  return null;
}

function unixSeconds({ now }: SenderDeps): bigint {
  return BigInt(Math.floor(now() / 1000));
}
