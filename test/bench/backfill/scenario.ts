import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { DeploymentsInput } from "../../../src/config/deployments.ts";
import { ROOT } from "../../../src/config/root.ts";
import { NotYetError, until } from "../../support/assert/until.ts";
import { type Product, startProduct } from "../../support/chain/product.ts";
import { startPostgres } from "../../support/db/postgres.ts";
import { PRODUCT } from "../../support/http/features.ts";
import { builtScript } from "../../support/program/built.ts";
import { type ServerCommand, startServer } from "../contestants/process.ts";
import { buildPrograms } from "../programs.ts";
import { median } from "../rounds.ts";
import type { OwnSandboxScenario } from "../sandbox/scenario.ts";
import { makeHistory } from "./chain.ts";

const ORDERS = 6_000;
const ROUNDS = 3;
const BACKFILL_MS_MAX = 600_000;
/** Ponder's last step of a backfill, before it follows the chain. The indexer is ready later: with the block that is the head. */
const BACKFILLED = "SELECT count(*)::int AS count FROM pg_trigger WHERE tgname = 'live_query'";
const BARE_SCHEMA = "bare";

/** An application of Ponder that indexes the chain into an empty database. */
interface Indexing {
  name: string;
  command: Pick<ServerCommand, "args" | "env" | "cwd">;
  /** Counts what shows that everything is indexed. */
  count: string;
  expected: number;
}

/**
 * Backfill of the indexer beside that of a bare Ponder application, which follows the same events of the same chain and
 * inserts a row for each: from the moment that the process answers until all is indexed.
 */
export const backfill: OwnSandboxScenario = async ({ isQuick }, report) => {
  await buildPrograms();
  const rounds = isQuick ? 1 : ROUNDS;
  await withHistory(isQuick ? ORDERS / 20 : ORDERS, async ({ adminUrl, contestants, events }) => {
    const seconds = contestants.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < contestants.length; turn++) {
        const index = (round + turn) % contestants.length;
        const contestant = contestants[index];
        if (contestant) seconds[index]?.push(await measure(adminUrl, contestant));
      }
    }
    const [own = [], bare = []] = seconds;
    report({
      scenario: "backfill",
      title: `Backfill of ${events.toLocaleString("en")} events`,
      connections: null,
      series: [],
      ratios: [
        {
          name: "events a second, this / a bare Ponder application",
          value: median(own.map((time, round) => (bare[round] ?? Number.NaN) / time)),
        },
      ],
      values: contestants.map(({ name }, index) => ({
        name: `${name}, until indexed`,
        value: median(seconds[index] ?? []),
        unit: "s",
      })),
    });
  });
};

interface History {
  adminUrl: string;
  /** This one first. */
  contestants: Indexing[];
  events: number;
}

async function withHistory<T>(orders: number, run: (history: History) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "bench-backfill-"));
  const ends: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  try {
    const server = await startPostgres({ durable: true, onDisk: true });
    ends.push(server.stop);
    const product = await startProduct();
    ends.push(product.stop);
    const placed = await makeHistory(product, orders);
    const events = await countEvents(product);
    const env = { DEPLOYMENTS_FILE: writeDeployments(directory, product), PONDER_TELEMETRY_DISABLED: "1" };
    return await run({
      adminUrl: server.adminUrl,
      contestants: [
        {
          name: "this",
          command: { args: [builtScript("src/bin/indexer.ts")], env: { ...env, LOG_LEVEL: "warn" } },
          count: "SELECT count(*)::int AS count FROM onchain.stock_order WHERE status = 'filled'",
          expected: placed,
        },
        {
          name: "a bare Ponder application",
          command: bareCommand(env, directory),
          count: `SELECT count(*)::int AS count FROM ${BARE_SCHEMA}.chain_event`,
          expected: events,
        },
      ],
      events,
    });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Counts what is handled: all but transfers and approvals of the tokens. */
async function countEvents({ client, deployment }: Product): Promise<number> {
  const { stockRouter, cashier, stock, oneClickRouter, startBlock } = deployment;
  const latest = await client.getBlockNumber({ cacheTime: 0 });
  let events = 0;
  // An answer is 10 MB at most.
  for (let fromBlock = BigInt(startBlock); fromBlock <= latest; fromBlock += 10n) {
    const toBlock = fromBlock + 9n;
    const logs = await client.getLogs({
      address: [stockRouter, cashier, stock, oneClickRouter],
      fromBlock,
      toBlock,
    });
    events += logs.length;
  }
  return events;
}

function bareCommand(env: NodeJS.ProcessEnv, cwd: string): Indexing["command"] {
  const ponder = join(ROOT, "node_modules/ponder/dist/esm/bin/ponder.js");
  const root = join(ROOT, "test/bench/contestants/bare");
  return {
    args: [
      "--no-deprecation",
      ponder,
      "start",
      "--root",
      root,
      "--schema",
      BARE_SCHEMA,
      "--hostname",
      "127.0.0.1",
      "--log-level",
      "warn",
    ],
    env: { ...env, PONDER_MAX_THREADS: "1", NODE_ENV: "production" },
    // Ponder writes its schema into the working directory.
    cwd,
  };
}

function writeDeployments(directory: string, { deployment, rpcUrl }: Product): string {
  const { chainId, startBlock, stockRouter, cashier, stock, oneClickRouter } = deployment;
  const contracts = { stockRouter, cashier, stock, oneClickRouter };
  const products = [{ productType: PRODUCT, startBlock, contracts }];
  const deployments: DeploymentsInput = {
    chains: [{ chainId, rpcUrls: [rpcUrl], ephemeral: true, products }],
  };
  const file = join(directory, "deployments.json");
  writeFileSync(file, JSON.stringify(deployments));
  return file;
}

/** Returns the seconds that a contestant takes. @throws Error where it has not indexed everything */
async function measure(adminUrl: string, { name, command, count, expected }: Indexing): Promise<number> {
  const database = new URL(adminUrl);
  database.pathname = "/backfill";
  await query(adminUrl, "CREATE DATABASE backfill");
  const env = { ...command.env, DATABASE_URL: database.href };
  const server = await startServer({ ...command, env, name: "backfill", path: "/health" });
  try {
    const startedMs = performance.now();
    await untilBackfilled(name, database.href);
    const seconds = (performance.now() - startedMs) / 1000;
    await untilCounted(database.href, { name, count, expected });
    return seconds;
  } finally {
    await server.stop();
    await query(adminUrl, "DROP DATABASE backfill WITH (FORCE)");
  }
}

async function untilBackfilled(name: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const done = async () => (await client.query<{ count: number }>(BACKFILLED)).rows[0]?.count || undefined;
    await until(`${name} has indexed all`, done, BACKFILL_MS_MAX);
  } finally {
    await client.end();
  }
}

/** Waits for the views, which exist once the indexer has reached the head. @throws Error where their rows are not the expected ones */
async function untilCounted(
  url: string,
  { name, count, expected }: Omit<Indexing, "command">,
): Promise<void> {
  await until(`${name} has ${expected} rows`, async () => {
    const [row] = await query(url, count).catch((error: unknown) => {
      if (error instanceof pg.DatabaseError && error.code === "42P01")
        throw new NotYetError("there is no view");
      throw error;
    });
    if (row?.count !== expected) throw new NotYetError(`it has ${row?.count}`);
    return true;
  });
}

async function query(url: string, text: string): Promise<{ count?: number }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ count?: number }>(text)).rows;
  } finally {
    await client.end();
  }
}
