import { randomUUID } from "node:crypto";
import { encodeFunctionData, type Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { oneClickRouterAbi } from "../contracts/abi/index.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { inTransaction, type Tx } from "../db/transaction.ts";
import { ApiError } from "../protocol/errors.ts";
import { type OnChainDelegation, readDelegation } from "../sending/delegation/bound-user.ts";
import {
  blockDelegation,
  type DelegationRow,
  lockDelegation,
  type UserScope,
} from "../sending/delegation/store.ts";
import { UNDELEGATE_GAS, undelegationHash, undelegationKey } from "../sending/delegation/undelegation.ts";
import { cancelAccepted } from "../sending/outbox/end-store.ts";
import { findByOperationKey } from "../sending/outbox/request-store.ts";
import type { SendRow } from "../sending/outbox/rows.ts";
import { announce, insertSend, type NewSend } from "../sending/outbox/submit.ts";
import { waitForBroadcast } from "../sending/outbox/wait.ts";
import { type BoundUser, requireBoundUser } from "./bound-user.ts";
import { isEnableUnderWay, readNewestEnable } from "./store.ts";

/**
 * POST /1ct/disable. From its commit on, no /send of the user is accepted and no waiting request is signed; the transaction that
 * it queues ends the delegation on the chain. Requests signed before may still land.
 * @throws ApiError USER_NOT_BOUND, OPERATOR_UNAVAILABLE (no wallet was ever there), DATABASE_UNAVAILABLE
 */
export async function disable(
  deps: Deps,
  caller: Caller,
): Promise<{ status: "disabled"; txHash: Hex | null }> {
  const bound = await requireBoundUser(deps, caller);
  const onChain = await readDelegation(bound.chain, bound.product, bound.user).catch(() => null);
  const queued = await withDatabaseErrors(() =>
    inTransaction(deps.pool, async (tx) => {
      const row = await lockDelegation(tx, bound.scope, "UPDATE");
      if (!row) throw new ApiError("DELEGATION_NOT_ENABLED");
      await cancelAccepted(tx, bound.scope);
      const enabling = await isEnableUnderWay(tx, bound.scope, row.delegatee);
      // A new epoch even where it is blocked already: the enable would lift a block of its own epoch.
      const epoch = row.blocked && !enabling ? row.epoch : await blockDelegation(tx, bound.scope);
      if (!enabling && !(await mayBeDelegated(tx, bound.scope, row, onChain))) return null;
      return queueUndelegate(deps, tx, caller, bound, { ...row, epoch });
    }),
  );
  if (!queued) return { status: "disabled", txHash: null };
  if (queued.state === "accepted") announce(deps, queued);
  const { txHash } = await waitForBroadcast(deps, queued);
  return { status: "disabled", txHash };
}

/**
 * Returns true where a delegation may be in force on the chain.
 * @param onChain the delegation as a node reports it, possibly older than the newest enable; null where none answers
 */
async function mayBeDelegated(
  tx: Tx,
  scope: UserScope,
  row: DelegationRow,
  onChain: OnChainDelegation | null,
): Promise<boolean> {
  if (!onChain || onChain.delegatee === row.delegatee) return true;
  const enabled = await readNewestEnable(tx, scope);
  return enabled !== null && onChain.nonce <= enabled;
}

async function queueUndelegate(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  { user, product, scope }: BoundUser,
  { delegatee, epoch }: DelegationRow,
): Promise<SendRow> {
  const operationKey = undelegationKey(user, epoch);
  const standing = await findByOperationKey(tx, scope, operationKey);
  if (standing) return standing;
  const data = encodeFunctionData({
    abi: oneClickRouterAbi,
    functionName: "undelegateFor",
    args: [user],
  });
  const request: NewSend = {
    operation: "1ct/disable",
    wallet: delegatee,
    user,
    to: product.contracts.oneClickRouter,
    data,
    gasLimit: UNDELEGATE_GAS,
    deadline: null,
    idempotencyKey: null,
    inputHash: undelegationHash(user, epoch),
    clientOrderId: null,
    operationType: null,
    operationKey,
    notional: null,
    symbol: null,
    needsDelegation: false,
    queuedMax: null,
    bypassChecks: true,
  };
  return insertSend(deps, tx, caller, request, { requestId: randomUUID(), mayExist: false });
}
