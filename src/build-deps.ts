import type pg from "pg";
import type { Logger } from "pino";
import { createChains } from "./chain/clients.ts";
import type { Deployments } from "./config/deployments.ts";
import type { AttributionKey, Deps } from "./context/deps.ts";
import { createPool, createPrismaWithPool } from "./db/client.ts";
import { createSelect } from "./db/select.ts";
import { tracePool } from "./db/trace-pool.ts";
import type { MarketData } from "./market-data/provider.ts";
import type { RpcTelemetry } from "./telemetry/rpc-metrics.ts";

export interface BuildOptions {
  databaseUrl: string;
  /** Connections of the process at most, over both clients; at least one each. */
  connections: number;
  /** See PoolOptions. */
  preparedStatements: boolean;
  deployments: Deployments;
  marketData: MarketData;
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
  /** Every pool of connections, by a name for metrics. */
  pools: Record<"prisma" | "pg", pg.Pool>;
  close: () => Promise<void>;
}

/** Dependencies for a composition root. Nothing is connected to yet: a program starts while others are down. */
export function buildDeps(options: BuildOptions): BuiltDeps {
  const {
    databaseUrl,
    connections,
    preparedStatements,
    deployments,
    marketData,
    attributionKeys,
    webhooks,
    limits,
    rpc,
    log,
    now,
  } = options;
  const onIdleError = (err: Error) => log.warn({ err }, "an idle database connection broke");
  const half = Math.max(1, Math.floor(connections / 2));
  const max = Math.max(1, connections - half);
  const { prisma, pool: prismaPool } = createPrismaWithPool(databaseUrl, {
    max,
    preparedStatements,
    onIdleError,
  });
  const pool = createPool(databaseUrl, { max: half, preparedStatements, onIdleError });
  for (const each of [prismaPool, pool]) tracePool(each);
  const select = createSelect(pool, preparedStatements);
  const chains = createChains(deployments, rpc.of);
  return {
    deps: {
      prisma,
      pool,
      select,
      deployments,
      chains,
      marketData,
      attributionKeys,
      webhooks,
      limits: limits ?? NO_LIMITS,
      log,
      now,
    },
    pools: { prisma: prismaPool, pg: pool },
    close: async () => {
      await Promise.all([pool.end(), prisma.$disconnect()]);
    },
  };
}
