import { LRUCache } from "lru-cache";
import type { ReplicaOutcome, ReplicaState } from "../db/replica-state.ts";
import type { Deps } from "./deps.ts";

/** A version of a key's rows that the statement of a nonce claim read from the primary. */
export interface SeenVersion {
  version: string;
  /** performance.now() before the statement was sent: it saw everything that was committed by then. */
  askedAt: number;
}

/** A replica that one request reads from. */
export interface ReplicaUse {
  /** Its reads come from the replica alone (replica-source.ts). */
  deps: Deps;
  report(outcome: ReplicaOutcome, error?: unknown): void;
}

/** Streaming replicas that reads may come from (docs/decisions/2026-11-23-read-replicas.md). */
export interface Replicas {
  /** Returns the next one, round-robin; null where all are passed over. */
  take(): ReplicaUse | null;
  /** Takes note of what the primary's version was. @param of whose rows it is a version of */
  saw(of: string, seen: SeenVersion): void;
  /**
   * Returns true where a version is the nonce claim's own, or that of one that was sent later: an answer of that version is one
   * that the primary has given, or could have given, since.
   */
  isCurrent(of: string, version: string, claimed: SeenVersion): boolean;
}

export interface Replica {
  /** Host and port of its URL: for logs and metrics. */
  name: string;
  deps: Deps;
  state: ReplicaState;
}

/** Number of versions that are kept: only those of the last moments matter. */
const VERSIONS_MAX = 1_000;

/** @param onOutcome called with what became of each read */
export function createReplicas(
  replicas: readonly Replica[],
  onOutcome: (name: string, outcome: ReplicaOutcome) => void,
): Replicas {
  const seen = new LRUCache<string, number>({ max: VERSIONS_MAX });
  const nameOf = (of: string, version: string) => `${of} ${version}`;
  let next = 0;

  function take(): ReplicaUse | null {
    for (let tries = 0; tries < replicas.length; tries++) {
      const replica = replicas[next];
      next = (next + 1) % replicas.length;
      const permit = replica?.state.take();
      if (!replica || !permit) continue;
      const report: ReplicaUse["report"] = (outcome, error) => {
        onOutcome(replica.name, outcome);
        permit.report(outcome, error);
      };
      return { deps: replica.deps, report };
    }
    return null;
  }

  return {
    take,
    saw: (of, { version, askedAt }) => {
      const name = nameOf(of, version);
      seen.set(name, Math.max(askedAt, seen.get(name) ?? 0));
    },
    isCurrent: (of, version, claimed) =>
      version === claimed.version || (seen.get(nameOf(of, version)) ?? -1) >= claimed.askedAt,
  };
}
