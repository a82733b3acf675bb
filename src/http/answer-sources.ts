import type { Caller } from "../auth/caller.ts";
import type { AnswerVersion } from "../auth/nonce-claim-store.ts";
import type { Replicas, ReplicaUse } from "../context/replicas.ts";
import { PrimaryOnlyError } from "../db/replica-source.ts";
import type { ReplicaOutcome } from "../db/replica-state.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { type Answer, success } from "./envelope.ts";
import { stampOf } from "./http-exchange.ts";
import { etagOf, type KeptAnswers } from "./kept-answers.ts";
import type { Metrics } from "./metrics.ts";
import { once } from "./once.ts";
import { type ReadAnswer, type ReadOptions, readAnswer } from "./read-answer.ts";
import type { Call } from "./request-arguments.ts";

/** Memory, a replica and the primary: where the answer to a request may come from. */

export interface SourceOptions extends ReadOptions {
  /** Without it, every answer is read. */
  kept?: KeptAnswers | null;
  /** Without them, every answer is read from the primary. */
  replicas?: Replicas | null;
  metrics: Metrics;
}

/** An answer, and what its headers say. */
export interface Answered {
  answer: Answer;
  /** Of a GET that succeeded. */
  etag: string | null;
  /** Block that the answer was read at; null where it was read at none. */
  block: bigint | null;
  /** Of a list: where the log of events was when it was read. */
  eventCursor: string | null;
}

/** A source of the answer to one request. */
export interface Source {
  /** Scope in which the version of the key's rows decides whether this source answers; null: it answers always. */
  versionOf: ProductId | null;
  /** Begins to read ahead of `answer`. */
  begin(): void;
  /**
   * Returns the answer; where it is not certainly the primary's, that of another source.
   * @param claimed the version that the nonce claim's statement read; undefined where there is none
   */
  answer(claimed: AnswerVersion | undefined): Promise<Answered>;
}

/** A request of a caller who is known, or whose nonce is being claimed. */
interface Asked {
  call: Call;
  caller: Caller;
  options: SourceOptions;
}

/** Returns the source that is asked first: what reads the rows of a key may be in memory, or on a replica. */
export function sourceOf(call: Call, caller: Caller, options: SourceOptions): Source {
  const asked = { call, caller, options };
  if (!call.route.readsRows) return fromPrimary(asked);
  return options.kept ? fromMemory(asked, options.kept) : fromDatabase(asked);
}

/** Names the key and scope of a version: versions of different keys or scopes are never compared. */
export const rowsOf = ({ keyId, chainId, productType }: Caller): string =>
  `${keyId} ${chainId} ${productType}`;

/** Names a request in the cache: the caller's key and scope, path and query as sent. */
const keptName = ({ call, caller }: Asked): string => `${rowsOf(caller)} ${call.uri}`;

/** Answers with a kept answer if that was read at the nonce claim's version. */
function fromMemory(asked: Asked, kept: KeptAnswers): Source {
  const { call, caller, options } = asked;
  const { exchange, body } = call;
  // One that waits for a block is always read; one with a body, which names do not have, is always checked.
  const mayBeKept = body.length === 0 && exchange.request.headers["x-min-block"] === undefined;
  const found = mayBeKept ? kept.find(keptName(asked)) : undefined;
  if (!found) {
    const source = fromDatabase(asked);
    const answer: Source["answer"] = (claimed) => {
      options.metrics.keptAnswer("absent");
      return source.answer(claimed);
    };
    return { ...source, answer };
  }
  const { version, data, etag, eventCursor = null } = found;
  return {
    versionOf: caller,
    begin: () => undefined,
    answer: async (claimed) => {
      const isCurrent = claimed?.version === version;
      options.metrics.keptAnswer(isCurrent ? "served" : "changed");
      if (!isCurrent) return fromDatabase(asked).answer(claimed);
      const answer = success(data, stampOf(exchange, options.deps.now));
      return { answer, etag, eventCursor, block: claimed.block.number };
    },
  };
}

function fromDatabase(asked: Asked): Source {
  const { replicas } = asked.options;
  const use = replicas?.take();
  return replicas && use ? fromReplica(asked, replicas, use) : fromPrimary(asked);
}

function fromPrimary(asked: Asked): Source {
  const { call, caller, options } = asked;
  const read = once(() => readAnswer(call, caller, options.deps, options));
  return { versionOf: null, begin: read, answer: async () => answeredWith(asked, await read()) };
}

/**
 * Answers with what a replica answers if that succeeded at a version that the primary had when the request's nonce was claimed, or
 * after, and at no lower block. Refusals carry no version: ORDER_NOT_FOUND of a replica means little.
 */
function fromReplica(asked: Asked, replicas: Replicas, replica: ReplicaUse): Source {
  const { call, caller, options } = asked;
  const read = once(() => readAnswer(call, caller, replica.deps, options));
  return {
    versionOf: caller,
    begin: read,
    answer: async (claimed) => {
      if (!claimed) return fromPrimary(asked).answer(claimed);
      const { answer, context } = await read();
      const outcome = outcomeOf({ answer, context }, rowsOf(caller), claimed, replicas);
      replica.report(outcome, answer.unexpected);
      if (outcome === "served") return answeredWith(asked, { answer, context });
      return fromPrimary(asked).answer(claimed);
    },
  };
}

function outcomeOf(
  { answer: { data, errCode, unexpected }, context: { version, indexedBlock } }: ReadAnswer,
  rows: string,
  claimed: AnswerVersion,
  replicas: Replicas,
): ReplicaOutcome {
  if (unexpected instanceof PrimaryOnlyError) return "refused";
  if (data === null) return FAILURES[errCode ?? ""] ?? "refused";
  if (!version || indexedBlock === null || indexedBlock < claimed.block.number) return "behind";
  return replicas.isCurrent(rows, version, claimed) ? "served" : "behind";
}

/** The outcome for the replica, by the errCode of a refusal. */
const FAILURES: Record<string, ReplicaOutcome> = {
  DATABASE_UNAVAILABLE: "failed",
  INTERNAL: "failed",
  INDEXER_BEHIND: "behind",
};

/** Keeps the answer where it says at what version it was read. */
function answeredWith(asked: Asked, { answer, context }: ReadAnswer): Answered {
  const { route } = asked.call;
  const { data } = answer;
  const { version, eventCursor = null, indexedBlock: block } = context;
  if (route.method !== "GET" || data === null) return { answer, etag: null, eventCursor: null, block };
  const etag = etagOf(data);
  if (route.readsRows && version)
    asked.options.kept?.keep(keptName(asked), { version, data, etag, eventCursor });
  return { answer, etag, eventCursor, block };
}
