import type { AnswerVersion } from "../auth/nonce-claim-store.ts";
import { readHead } from "../claims/log-head.ts";
import type { Deps } from "../context/deps.ts";
import type { Replicas, ReplicaUse } from "../context/replicas.ts";
import type { RequestContext } from "../context/request.ts";
import { blockOf } from "../db/checkpoint.ts";
import { WriteOnReplicaError } from "../db/replica-source.ts";
import type { ReplicaOutcome } from "../db/replica-state.ts";
import { decodeEventCursor } from "../input/event-cursor.ts";
import type { Answer } from "./envelope.ts";

/** A read from a replica. */
interface ReplicaWork {
  context: RequestContext;
  replica: ReplicaUse | null;
}

/**
 * Decides about an answer that was read from a replica, and reports what became of the read. It is released only where it
 * succeeded, at a version that the primary had when the request's nonce was claimed, or after, and at no lower block. Refusals
 * carry no version: ORDER_NOT_FOUND of a replica means little.
 * @param primary reads from the primary
 * @param claimed the version that the claim's statement read; undefined where there is none
 */
export async function isReleased(
  primary: Pick<Deps, "select">,
  { context, replica }: ReplicaWork,
  answer: Answer,
  claimed: AnswerVersion | undefined,
  replicas: Replicas | null | undefined,
): Promise<boolean> {
  if (!claimed || !replicas || !replica) return false;
  const read = outcomeOf(context, answer, claimed, replicas);
  const outcome = read === "served" ? await compareLog(primary, context) : read;
  replica.report(outcome, answer.unexpected);
  return outcome === "served";
}

function outcomeOf(
  { scope, version, indexedBlock }: RequestContext,
  answer: Answer,
  claimed: AnswerVersion,
  replicas: Replicas,
): ReplicaOutcome {
  if (answer.unexpected instanceof WriteOnReplicaError) return "refused";
  if (answer.data === null) return FAILURES[answer.errCode ?? ""] ?? "refused";
  const block = blockOf(claimed.checkpoint);
  if (!version || indexedBlock === null || block === null) return "behind";
  const isCurrent = replicas.isCurrent(scope.chainId, version, claimed);
  return isCurrent && indexedBlock >= block.number ? "served" : "behind";
}

/**
 * Compares a list's place in the log of events with the primary's. The version does not cover the log: a standby that has events
 * which a failover lost would name a place behind others that the new primary has yet to append.
 */
async function compareLog(
  { select }: Pick<Deps, "select">,
  { caller, eventCursor }: RequestContext,
): Promise<ReplicaOutcome> {
  if (!caller || !eventCursor) return "served";
  try {
    const place = decodeEventCursor(caller, eventCursor, "X-Event-Cursor");
    return place <= (await readHead(select, caller)) ? "served" : "behind";
  } catch {
    // The primary is asked for the whole answer, and says why there is none.
    return "refused";
  }
}

/** The outcome for the replica, by the errCode of a refusal. INTERNAL is also a read that no replica may have (replica-source.ts). */
const FAILURES: Record<string, ReplicaOutcome> = {
  DATABASE_UNAVAILABLE: "failed",
  INTERNAL: "failed",
  INDEXER_BEHIND: "behind",
};
