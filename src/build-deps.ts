import type pg from "pg";
import type { Logger } from "pino";
import { createChains } from "./chain/clients.ts";
import type { Deployments } from "./config/deployments.ts";
import type { AttributionKey, Deps } from "./context/deps.ts";
import type { Replica } from "./context/replicas.ts";
import { createPool, type PoolOptions, prismaOn } from "./db/client.ts";
import { guardReplica } from "./db/replica-source.ts";
import { createReplicaState } from "./db/replica-state.ts";
import { tracePool } from "./db/trace-pool.ts";
import type { ProbedReplica } from "./http/readiness.ts";
import type { MarketData } from "./market-data/provider.ts";
import type { RpcTelemetry } from "./telemetry/rpc-metrics.ts";

export interface BuildOptions extends Pick<PoolOptions, "connectTimeoutMs" | "queryTimeoutMs"> {
  databaseUrl: string;
  /** Connections of the process at most. */
  connections: number;
  /** See PoolOptions. */
  preparedStatements: boolean;
  deployments: Deployments;
  marketData: MarketData;
  /** See Deps. */
  masterKeys?: Deps["masterKeys"];
  attributionKeys: readonly AttributionKey[];
  webhooks: Deps["webhooks"];
  /** Needed by what answers requests. */
  limits?: Deps["limits"];
  /** Observes calls to nodes. */
  rpc: RpcTelemetry;
  log: Logger;
  now: () => number;
}

const NO_LIMITS: Deps["limits"] = { reads: 0, writes: 0, inFlight: 0 };

export interface BuiltDeps {
  deps: Deps;
  close: () => Promise<void>;
}

/** Connections of one URL: Prisma and other statements share them. */
interface Connections {
  source: Pick<Deps, "prisma" | "pool">;
  close: () => Promise<void>;
}

type ConnectOptions = Pick<BuildOptions, "databaseUrl" | "connections" | "preparedStatements" | "log"> &
  Pick<PoolOptions, "connectTimeoutMs" | "queryTimeoutMs">;

function connect({ databaseUrl, connections, log, ...options }: ConnectOptions): Connections {
  const onIdleError = (err: Error) => log.warn({ err }, "an idle database connection broke");
  const pool = createPool(databaseUrl, { ...options, max: connections, onIdleError });
  tracePool(pool);
  const prisma = prismaOn(pool, { connectTimeoutMs: options.connectTimeoutMs ?? 3_000 });
  return {
    source: { prisma, pool },
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** Dependencies for a composition root. Nothing is connected to yet: a program starts while others are down. */
export function buildDeps(options: BuildOptions): BuiltDeps {
  const { deployments, marketData, masterKeys = [], attributionKeys, webhooks } = options;
  const { limits = NO_LIMITS, rpc, log, now } = options;
  const { source, close } = connect(options);
  const chains = createChains(deployments, rpc.of);
  const keys = { masterKeys, attributionKeys };
  const deps = { ...source, ...keys, deployments, chains, marketData, webhooks, limits, log, now };
  return { deps, close };
}

export interface BuiltReplicas {
  replicas: (Replica & ProbedReplica)[];
  /** Every pool of connections, by a name for metrics. */
  pools: Record<string, pg.Pool>;
  close: () => Promise<void>;
}

/** A replica that does not answer costs a request this long at most, before the primary is asked. */
const REPLICA_TIMEOUTS = { connectTimeoutMs: 500, queryTimeoutMs: 2_000 };

/**
 * Returns the dependencies of reads from each replica: those of the primary but for the database. What is batched or shared is
 * so by these, so no two servers' reads mix.
 */
export function buildReplicas(
  deps: Deps,
  urls: readonly string[],
  options: Pick<BuildOptions, "connections" | "preparedStatements">,
): BuiltReplicas {
  const built = urls.map((databaseUrl) => {
    const name = new URL(databaseUrl).host;
    const connected = connect({ ...options, ...REPLICA_TIMEOUTS, databaseUrl, log: deps.log });
    const state = createReplicaState({ name, log: deps.log });
    const replica = {
      name,
      deps: { ...deps, ...guardReplica(connected.source) },
      state,
      pool: connected.source.pool,
    };
    return { ...connected, replica };
  });
  return {
    replicas: built.map(({ replica }) => replica),
    pools: Object.fromEntries(built.map(({ replica }) => [`pg ${replica.name}`, replica.pool])),
    close: async () => {
      await Promise.all(built.map(({ close }) => close()));
    },
  };
}
