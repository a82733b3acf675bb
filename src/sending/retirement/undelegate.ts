import type pg from "pg";
import type { Hex } from "viem";
import { inTransaction, type Tx } from "../../db/transaction.ts";
import { blockDelegation, lockDelegation } from "../delegation/store.ts";
import { UNDELEGATE_GAS, undelegationHash, undelegationKey } from "../delegation/undelegation.ts";
import { cancelAccepted } from "../outbox/end-store.ts";
import { findByOperationKey } from "../outbox/request-store.ts";
import { type FormerUser, insertUndelegation, readUnderWay, type UnderWay } from "./store.ts";

/**
 * Ends a user's delegation to a retired wallet, as a disable of their own does: blocks /send, cancels what has no nonce and
 * queues `undelegateFor`, in one transaction under the delegation's lock. Queues nothing where that is already under way. A user
 * who has another wallet by now is not blocked there; an enable of it that is under way ends the delegation.
 * @param isDelegated true where the chain has the delegation
 * @returns true where it queued the request
 */
export function undelegateUser(
  pool: pg.Pool,
  wallet: Hex,
  user: FormerUser,
  isDelegated: boolean,
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const row = await lockDelegation(tx, user, "UPDATE");
    const underWay = await readUnderWay(tx, user, wallet);
    if (row?.delegatee !== wallet) {
      if (!isDue(underWay, isDelegated)) return false;
      // The epoch belongs to the user's present wallet.
      const epoch = row?.epoch ?? 0;
      const operationKey = `${undelegationKey(user.user, epoch)}:${wallet}:${underWay.undelegations}`;
      return queue(tx, wallet, user, epoch, operationKey);
    }
    await cancelAccepted(tx, user);
    const isOpen = !row.blocked || underWay.enabling;
    let epoch = isOpen ? await blockDelegation(tx, user) : row.epoch;
    if (!isDue(underWay, isDelegated)) return false;
    // A delegation that returned after the undelegation of this epoch.
    if (await findByOperationKey(tx, user, undelegationKey(user.user, epoch)))
      epoch = await blockDelegation(tx, user);
    return queue(tx, wallet, user, epoch, undelegationKey(user.user, epoch));
  });
}

function isDue({ enabling, undelegating, moving }: UnderWay, isDelegated: boolean): boolean {
  if (moving) return false;
  return enabling || (isDelegated && !undelegating);
}

/** @throws Error where its operation key is taken */
async function queue(
  tx: Tx,
  wallet: Hex,
  user: FormerUser,
  epoch: number,
  operationKey: string,
): Promise<boolean> {
  const hash = undelegationHash(user.user, epoch);
  const isQueued = await insertUndelegation(tx, wallet, user, { gas: UNDELEGATE_GAS, hash, operationKey });
  if (!isQueued) throw new Error(`the operation ${operationKey} is taken`);
  return true;
}
