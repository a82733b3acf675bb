import type { Logger } from "pino";

/**
 * The outcome of a read: `served`; `behind`, it was not of the version that the primary had; `failed`; or `refused`, such as
 * ORDER_NOT_FOUND, which says nothing of the replica. All but the first are read again from the primary.
 */
export type ReplicaOutcome = "served" | "behind" | "failed" | "refused";

export type ReplicaCondition = "serving" | "behind" | "failed";

/** For this long after it failed, or was found behind, a replica is asked nothing; then one request tries it each time. */
const PASSED_OVER_MS = 1_000;
/** A replica that a write has not reached yet is behind for a moment. One that serves nothing for this long is behind. */
const BEHIND_MS = 250;

/** Permission to read from a replica once. */
export interface Permit {
  report(outcome: ReplicaOutcome, error?: unknown): void;
}

export interface ReplicaState {
  condition(): ReplicaCondition;
  /** Begins a use of it; null where it is passed over. */
  take(): Permit | null;
}

interface StateOptions {
  /** Its name in logs, without credentials. */
  name: string;
  log: Logger;
  /** Milliseconds, monotonic. */
  now?: () => number;
}

/** Decides by what became of its reads whether a replica is asked. Logs once for each change. */
export function createReplicaState({ name, log, now = () => performance.now() }: StateOptions): ReplicaState {
  let condition: ReplicaCondition = "serving";
  let passedUntil = 0;
  let behindSince: number | null = null;
  /** Counts changes: a read that began before the last one says nothing of what holds now. */
  let changes = 0;

  function change(to: ReplicaCondition, error?: unknown): void {
    if (to !== "serving") passedUntil = now() + PASSED_OVER_MS;
    if (to === condition) return;
    changes += 1;
    condition = to;
    behindSince = null;
    if (to === "serving") log.info({ replica: name }, "a read replica serves again");
    else if (to === "behind")
      log.warn({ replica: name }, "a read replica is behind: the primary serves its reads");
    else log.warn({ replica: name, err: error }, "a read replica failed: the primary serves its reads");
  }

  function reportBehind(): void {
    behindSince ??= now();
    if (condition !== "serving" || now() - behindSince >= BEHIND_MS) change("behind");
  }

  const isOpen = () => condition === "serving" || now() >= passedUntil;
  return {
    condition: () => condition,
    take: () => {
      if (!isOpen()) return null;
      // Others pass it over while this one tries.
      if (condition !== "serving") passedUntil = now() + PASSED_OVER_MS;
      const takenAt = changes;
      return {
        report: (outcome, error) => {
          if (takenAt !== changes || outcome === "refused") return;
          if (outcome === "failed") return change("failed", error);
          if (outcome === "behind") return reportBehind();
          behindSince = null;
          change("serving");
        },
      };
    },
  };
}
