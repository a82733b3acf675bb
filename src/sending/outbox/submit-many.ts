import type { Caller } from "../../auth/caller.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { inTransaction, type Tx } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { OutboxDeps } from "./deps.ts";
import { findByOperationKey } from "./request-store.ts";
import type { SendRow } from "./rows.ts";
import { announce, insertSend, type NewSend, Repeated, requireDelegation } from "./submit.ts";
import { waitForBroadcast } from "./wait.ts";

/** A call to send, under the id that its request gets. */
export interface IdentifiedSend {
  requestId: string;
  send: NewSend;
}

/** Request of a call, its own or the one under way that it repeats; or the refusal. */
export type Outcome = SendRow | ApiError;

/**
 * Writes requests of one user in one transaction, then waits at most 3 s for their broadcast, and for that of others beside them.
 * A refusal of one leaves the others. Pass those of a key always in the same order: two transactions that insert the same would
 * otherwise deadlock.
 * @param sends outcomes that are known already take part in nothing but the wait
 * @param also writes more in the same transaction, which it rolls back by throwing
 * @returns the outcome of each, in the same order
 * @throws ApiError DELEGATION_NOT_ENABLED; DATABASE_UNAVAILABLE, where all or none may be written: a repeat finds them
 */
export async function submitMany(
  deps: OutboxDeps,
  caller: Caller,
  sends: readonly (IdentifiedSend | Outcome)[],
  also: (tx: Tx, outcomes: readonly Outcome[]) => Promise<void>,
): Promise<Outcome[]> {
  const outcomes = await withDatabaseErrors(() =>
    inTransaction(deps.pool, async (tx) => {
      const written = await insertSends(deps, tx, caller, sends);
      await also(tx, written);
      deps.crash?.("submit:before-commit");
      return written;
    }),
  );
  deps.crash?.("submit:after-commit");
  const rows = outcomes.flatMap((outcome) => (outcome instanceof ApiError ? [] : [outcome]));
  const waiting = rows.find(({ state }) => state === "accepted");
  if (waiting) announce(deps, waiting);
  return Promise.all(
    outcomes.map((outcome) => (outcome instanceof ApiError ? outcome : waitForBroadcast(deps, outcome))),
  );
}

async function insertSends(
  deps: OutboxDeps,
  tx: Tx,
  caller: Caller,
  sends: readonly (IdentifiedSend | Outcome)[],
): Promise<Outcome[]> {
  const { chainId, productType } = caller;
  const outcomes: Outcome[] = [];
  let isRequired = false;
  for (const one of sends) {
    if (!("send" in one)) {
      outcomes.push(one);
      continue;
    }
    if (!isRequired) await requireDelegation(tx, caller.keyId, { chainId, productType, user: one.send.user });
    isRequired = true;
    outcomes.push(await insertOrFind(deps, tx, caller, one));
  }
  return outcomes;
}

async function insertOrFind(
  deps: OutboxDeps,
  tx: Tx,
  caller: Caller,
  { requestId, send }: IdentifiedSend,
): Promise<Outcome> {
  // Again where the request that held the operation key has ended since: that freed it.
  for (;;) {
    try {
      return await insertSend(
        deps,
        tx,
        caller,
        { ...send, needsDelegation: false },
        { requestId, mayExist: true },
      );
    } catch (error) {
      if (error instanceof ApiError && error.errCode !== "DATABASE_UNAVAILABLE") return error;
      if (!(error instanceof Repeated)) throw error;
      const standing = await findByOperationKey(tx, caller, send.operationKey);
      if (standing) return standing;
    }
  }
}
