import { readdir } from "node:fs/promises";
import type pg from "pg";
import type { Chain, Chains } from "../chain/clients.ts";
import { readShownBlocks } from "../claims/shown.ts";
import { ROOT } from "../config/root.ts";
import type { IndexedBlock } from "../db/checkpoint.ts";
import { readCheckpoints } from "../db/checkpoint-watch.ts";
import type { ReplicaState } from "../db/replica-state.ts";
import { createSharedRead } from "../db/shared-read.ts";
import { readHalts } from "../sending/halt-store.ts";
import { readAppliedMigrations, requireDatabase } from "./readiness-store.ts";

/** A condition of readiness. Throws, or rejects, while it does not hold. */
export interface Check {
  /** Name that /readyz shows while it fails. */
  name: string;
  run: () => Promise<void>;
}

const MIGRATIONS_DIR = `${ROOT}prisma/migrations`;

/** Returns the checks that the database answers, and has every migration that this program was written for. */
export function databaseChecks(pool: pg.Pool): Check[] {
  return [
    { name: "database", run: () => requireDatabase(pool) },
    { name: "migrations", run: () => requireMigrations(pool) },
  ];
}

async function requireMigrations(pool: pg.Pool): Promise<void> {
  const entries = await readdir(MIGRATIONS_DIR, { withFileTypes: true });
  const applied = await readAppliedMigrations(pool);
  const missing = entries.find((entry) => entry.isDirectory() && !applied.has(entry.name));
  if (missing) throw new Error(`migration ${missing.name} is not applied`);
}

/** Work in the background, which names what of it failed last. */
interface Background {
  failing(): string[];
}

/** Returns the check that no work in the background fails. */
export const jobsCheck = (...parts: readonly Background[]): Check => ({
  name: "jobs",
  run: async () => {
    const failing = parts.flatMap((part) => part.failing());
    if (failing.length > 0) throw new Error(`failing: ${failing.join(", ")}`);
  },
});

/** Maximum lag of the indexer behind its chain's head, in seconds between the two blocks. */
const INDEXER_LAG_MAX_S = 60n;

/**
 * Returns for each chain the checks that a node answers and is of that chain, the indexer is near its head, and the rows of its keys are
 * complete.
 */
export function chainChecks(pool: pg.Pool, chains: Chains): Check[] {
  return [...chains.entries()].flatMap(([chainId, chain]) => [
    { name: `chain ${chainId}`, run: () => requireNode(chain) },
    {
      name: `indexer of chain ${chainId}`,
      run: async () => {
        const [checkpoints, head] = await Promise.all([readCheckpoints(pool), chain.client.getBlock()]);
        requireFresh(checkpoints.get(chainId), head);
      },
    },
    {
      name: `rows of keys on chain ${chainId}`,
      run: async () => {
        if (!(await readShownBlocks(pool)).has(chainId)) throw new Error("a worker is still writing them");
      },
    },
  ]);
}

/** A read replica, and connections to it that take any statement. */
export interface ProbedReplica {
  name: string;
  pool: pg.Pool;
  state: ReplicaState;
}

/** Returns for each read replica a check that it answers, and is not behind. The primary serves without them. */
export function replicaChecks(replicas: readonly ProbedReplica[]): Check[] {
  return replicas.map(({ name, pool, state }) => ({
    name: `read replica ${name}`,
    run: async () => {
      await requireDatabase(pool);
      if (state.condition() === "behind") throw new Error("behind the primary when it was last read");
    },
  }));
}

async function requireNode({ client, config }: Chain): Promise<void> {
  const chainId = await client.getChainId();
  if (chainId !== config.chainId) throw new Error(`the node is of chain ${chainId}`);
}

/** Refuses an index that lags, measured against the head and not the clock: a chain may rest, and is then still fully indexed. */
export function requireFresh(indexed: IndexedBlock | undefined, head: { timestamp: bigint }): void {
  if (!indexed) throw new Error("nothing is indexed yet");
  const behind = head.timestamp - indexed.timestamp;
  if (behind > INDEXER_LAG_MAX_S) throw new Error(`${behind} s behind the chain's head`);
}

/**
 * Returns for each chain a check that no operator has halted sending there. The programs do all else, so it belongs among
 * those without which they are degraded.
 */
export function haltChecks(pool: pg.Pool, chainIds: readonly number[]): Check[] {
  const readShared = createSharedRead(() => readHalts(pool));
  return chainIds.map((chainId) => ({
    name: `sending on chain ${chainId} (halted by an operator)`,
    run: async () => {
      const halt = (await readShared())?.find((each) => each.chainId === chainId);
      if (halt) throw new Error(`halted at ${halt.haltedAt.toISOString()} by ${halt.actor}`);
    },
  }));
}
