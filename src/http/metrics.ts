import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { LimitName } from "../auth/rate-limits.ts";
import { COMMIT, VERSION } from "../config/version.ts";
import type { ReplicaOutcome } from "../db/replica-state.ts";

/** Milliseconds between two samples of the event loop's delay. Each one wakes the process, also while it is idle. */
const EVENT_LOOP_SAMPLE_MS = 100;

interface Observation {
  /** Of METHODS, or "other". */
  method: string;
  route: string | null;
  status: number;
  code: number | null;
  seconds: number;
}

/** Why the server closed a connection by itself. */
export type CloseCause =
  | "too many connections"
  | "too many requests in flight"
  | "body in too many pieces"
  | "too many incomplete bodies";

/** Result of a request whose answer may be kept; changed: the kept answer was of another version. */
export type KeptResult = "served" | "changed" | "absent";

/** The metrics of /metrics. Labels come from fixed sets: never a path, a key or an address that a caller sent. */
export interface Metrics {
  registry: Registry;
  observe(request: Observation): void;
  authenticationFailed(cause: string): void;
  rateLimited(limit: LimitName): void;
  connectionClosed(cause: CloseCause): void;
  keptAnswer(result: KeptResult): void;
  replicaRead(replica: string, outcome: ReplicaOutcome): void;
}

/** Methods that are told apart; a caller may send any word. */
const METHODS = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"]);

/** Returns a request's method, or "other". */
export const verbOf = (method: string): string => (METHODS.has(method) ? method : "other");

/**
 * Metrics of one program, with those of the process and its event loop.
 * @param indexerLag seconds since the indexed block's time, by chain id; asked when /metrics is read
 */
export function createMetrics(indexerLag: () => ReadonlyMap<number, number>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  new Gauge({
    name: "build_info",
    help: "1; its labels name the version and the Git commit of the program",
    labelNames: ["version", "commit"],
    registers: [registry],
  }).set({ version: VERSION, commit: COMMIT }, 1);
  const requests = new Histogram({
    name: "http_request_duration_seconds",
    help: "Requests by route, HTTP status and envelope code",
    labelNames: ["method", "route", "status", "code"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const failures = new Counter({
    name: "authentication_failures_total",
    help: "Requests refused by authentication, by cause",
    labelNames: ["cause"],
    registers: [registry],
  });
  const limited = new Counter({
    name: "rate_limited_requests_total",
    help: "Requests answered 429, by limit: reads, writes and requests in flight of a key, failures of an address",
    labelNames: ["limit"],
    registers: [registry],
  });
  const closed = new Counter({
    name: "http_connections_closed_total",
    help: "Connections closed because there were too many, or too many requests in flight on one",
    labelNames: ["cause"],
    registers: [registry],
  });
  const kept = new Counter({
    name: "kept_answers_total",
    help: "Requests whose answer may be kept in memory: served from there, changed since, or absent",
    labelNames: ["result"],
    registers: [registry],
  });
  const replicaReads = new Counter({
    name: "database_replica_reads_total",
    help: "Answers that were read from a read replica: served, or read again from the primary: behind, failed, refused",
    labelNames: ["replica", "outcome"],
    registers: [registry],
  });
  new Gauge({
    name: "indexer_block_age_seconds",
    help: "Age of the block that the indexer has reached",
    labelNames: ["chain_id"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [chainId, seconds] of indexerLag()) this.set({ chain_id: String(chainId) }, seconds);
    },
  });
  return {
    registry,
    observe: ({ method, route, status, code, seconds }) => {
      requests.observe({ method, route: route ?? "none", status, code: code ?? "none" }, seconds);
    },
    authenticationFailed: (cause) => failures.inc({ cause }),
    rateLimited: (limit) => limited.inc({ limit }),
    connectionClosed: (cause) => closed.inc({ cause }),
    keptAnswer: (result) => kept.inc({ result }),
    replicaRead: (replica, outcome) => replicaReads.inc({ replica, outcome }),
  };
}
