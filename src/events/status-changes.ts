import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Deps } from "../context/deps.ts";
import { inTransaction } from "../db/transaction.ts";
import { readChainStatuses, readMarketDataStatus } from "../market/status/health.ts";
import { readKeysOf } from "../market/status/notice-store.ts";
import { appendToKeys, type KeyEvent } from "./append-store.ts";
import {
  HOLD_SECONDS,
  insertReport,
  lockReport,
  type ServiceState,
  type StatusReport,
  type StatusScope,
  updateReport,
} from "./status-store.ts";

/** A worker whose last observation is older has ended, or cannot observe: another one takes its place, seconds. */
const OBSERVER_SECONDS = 60;
/** States that follow each other within this time must last longer each time, seconds. */
const QUIET_SECONDS = 3_600;
/** Maximum time for which a state must last, seconds: a part that comes and goes all day is at most four events an hour. */
const HOLD_SECONDS_MAX = 900;

/** A worker that observes. */
export type StatusObserver = Pick<Deps, "pool" | "prisma" | "chains" | "marketData" | "now">;

/**
 * Returns a job that reports changed health of chains and market data as events of every key that has their scope (docs/events.md). Any
 * number of workers may run it: one of them observes a scope, and events and what is reported are one transaction. It returns the number of
 * scopes that it reported.
 */
export function createStatusReporter(deps: StatusObserver): () => Promise<number> {
  const observer = randomUUID();
  return async () => {
    const chains = [...deps.chains.values()];
    const statuses = await readChainStatuses(deps, chains);
    const scopes = chains.flatMap(({ config: { chainId, products } }) =>
      products.map(({ productType }) => ({ chainId, productType })),
    );
    const reported = await Promise.all(
      scopes.map(async (scope) => {
        const chain = statuses.find(({ chainId }) => chainId === scope.chainId);
        if (!chain) return false;
        const { health: marketDataHealth } = await readMarketDataStatus(deps, scope);
        const { health, sendingHalted } = chain;
        return observe(deps, scope, { state: { health, sendingHalted, marketDataHealth }, observer });
      }),
    );
    return reported.filter(Boolean).length;
  };
}

interface Observation {
  state: ServiceState;
  observer: string;
}

/** Stores an observation, and appends the event that it brings about. @returns true where it did */
function observe({ pool }: StatusObserver, scope: StatusScope, observation: Observation): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const report = await lockReport(tx, scope);
    if (!report) {
      await insertReport(tx, scope, observation);
      return false;
    }
    const next = nextReport(report, observation);
    if (!next) return false;
    await updateReport(tx, scope, next);
    if (next.reported === report.reported) return false;
    await appendToKeys(tx, [scope.chainId], eventsOf(scope, next, await readKeysOf(tx, scope.chainId)));
    return true;
  });
}

/**
 * Returns what is known of a scope after an observation. A state that has lasted becomes the reported one; one that comes back before that is
 * none.
 * @returns null where another worker observes the scope
 */
export function nextReport(report: StatusReport, { state, observer }: Observation): StatusReport | null {
  const { now, observedAt, observedBy, observed, reported } = report;
  const secondsSince = (time: Date) => (now.getTime() - time.getTime()) / 1000;
  if (observedBy !== observer && secondsSince(observedAt) <= OBSERVER_SECONDS) return null;
  // Another worker sees it by other connections: what it saw lasts no longer.
  const lasts = observedBy === observer && isDeepStrictEqual(observed, state);
  const observedSince = lasts ? report.observedSince : now;
  const seen = { ...report, observed: state, observedSince, observedAt: now, observedBy: observer };
  const isQuiet = !report.reportedAt || secondsSince(report.reportedAt) > QUIET_SECONDS;
  const holdSeconds = isQuiet ? HOLD_SECONDS : report.holdSeconds;
  if (isDeepStrictEqual(reported, state) || secondsSince(observedSince) < holdSeconds) return seen;
  // The way back from the first state after an hour is told as soon as that state was.
  const nextHold = isQuiet ? HOLD_SECONDS : Math.min(2 * holdSeconds, HOLD_SECONDS_MAX);
  return { ...seen, reported: state, reportedAt: now, holdSeconds: nextHold };
}

function eventsOf(
  { chainId, productType }: StatusScope,
  { reported, observedSince }: StatusReport,
  keyIds: readonly string[],
): KeyEvent[] {
  const data = { chainId, ...reported, since: Math.floor(observedSince.getTime() / 1000) };
  return keyIds.map((keyId) => ({
    keyId,
    productType,
    type: "status.changed",
    resource: "status",
    object: "status",
    data,
  }));
}
