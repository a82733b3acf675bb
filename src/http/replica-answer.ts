import type { AnswerVersion } from "../auth/nonce-claim-store.ts";
import type { Replicas, ReplicaUse } from "../context/replicas.ts";
import type { RequestContext } from "../context/request.ts";
import { PrimaryOnlyError } from "../db/replica-source.ts";
import type { ReplicaOutcome } from "../db/replica-state.ts";
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
 * @param of what the versions are of
 * @param claimed the version that the claim's statement read; undefined where there is none
 */
export function isReleased(
  of: string,
  { context, replica }: ReplicaWork,
  answer: Answer,
  claimed: AnswerVersion | undefined,
  replicas: Replicas | null | undefined,
): boolean {
  if (!claimed || !replicas || !replica) return false;
  const outcome = outcomeOf(of, context, answer, claimed, replicas);
  replica.report(outcome, answer.unexpected);
  return outcome === "served";
}

function outcomeOf(
  of: string,
  { version, indexedBlock }: RequestContext,
  answer: Answer,
  claimed: AnswerVersion,
  replicas: Replicas,
): ReplicaOutcome {
  if (answer.unexpected instanceof PrimaryOnlyError) return "refused";
  if (answer.data === null) return FAILURES[answer.errCode ?? ""] ?? "refused";
  if (!version || indexedBlock === null) return "behind";
  const isCurrent = replicas.isCurrent(of, version, claimed);
  return isCurrent && indexedBlock >= claimed.block.number ? "served" : "behind";
}

/** The outcome for the replica, by the errCode of a refusal. INTERNAL is also a read that no replica may have (replica-source.ts). */
const FAILURES: Record<string, ReplicaOutcome> = {
  DATABASE_UNAVAILABLE: "failed",
  INTERNAL: "failed",
  INDEXER_BEHIND: "behind",
};
