import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { schemaName } from "../../../indexer/build.ts";
import type { Deployment } from "../../../packages/sandbox/src/deploy.ts";
import { type DeploymentsInput, loadDeployments, selectChains } from "../../../src/config/deployments.ts";
import { ROOT } from "../../../src/config/root.ts";
import { parseCheckpoint } from "../../../src/db/checkpoint.ts";
import { openLog } from "../assert/logs.ts";
import { present, until } from "../assert/until.ts";
import { createTestPool } from "../db/pool.ts";
import { builtScript } from "../program/built.ts";

/** The indexer as it runs in production: the program of `npm run indexer`, in a process group of its own. */
export interface TestIndexer {
  /** Schema that its build writes of each chain that it follows. */
  schemas: ReadonlyMap<number, string>;
  /** The URL of its server, once it listens. */
  url(): Promise<string>;
  /** Its log lines so far. */
  lines: Record<string, unknown>[];
  pid: number;
  /** The exit code, null after a signal. */
  exited: Promise<number | null>;
  /** Sends SIGTERM, like an orchestrator. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL to all of its processes at once. */
  kill(): Promise<void>;
}

export interface IndexedChain {
  /** The product `Sandbox`. */
  deployment: Deployment;
  /** Other products of the same chain, by product type. */
  others?: Record<string, Deployment>;
  rpcUrls: string[];
  /** False: as a real chain, through the transport that doubts, and cached. */
  ephemeral?: boolean;
}

/**
 * Starts an indexer; the first blocks are there some five seconds later.
 * @param followed the chains that it follows; all by default
 */
export function startIndexer(
  databaseUrl: string,
  chains: IndexedChain[],
  followed?: readonly number[],
): TestIndexer {
  const directory = mkdtempSync(join(tmpdir(), "partner-trading-indexer-"));
  const file = join(directory, "deployments.json");
  writeFileSync(file, JSON.stringify(deploymentsOf(chains)));
  const child = spawn(process.execPath, [builtScript("src/bin/indexer.ts")], {
    cwd: ROOT,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DEPLOYMENTS_FILE: file,
      PORT: "0",
      ...(followed && { INDEXER_CHAINS: followed.join(",") }),
      LOG_LEVEL: "debug",
      EXIT_WITH_PARENT: "1",
    },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the indexer did not start");
  const killGroup = () => signalGroup(pid, "SIGKILL");
  process.once("exit", killGroup);
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve)).finally(() => {
    process.removeListener("exit", killGroup);
    rmSync(directory, { recursive: true, force: true });
  });
  const schemas = new Map(
    selectChains(loadDeployments(file, {}), followed).map((chain) => [chain.chainId, schemaName(chain)]),
  );
  const lines = linesOf(child);
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (signal === "SIGKILL") killGroup();
    else child.kill(signal);
    return exited;
  };
  return {
    schemas,
    url: () => until("the indexer listens", () => urlIn(lines)),
    lines,
    pid,
    exited,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
  };
}

/** Returns the one schema of an indexer of one chain. */
export const schemaOf = ({ schemas }: Pick<TestIndexer, "schemas">): string =>
  present([...schemas.values()][0], "a schema");

const urlIn = (lines: TestIndexer["lines"]): string | undefined => {
  const url = lines.find(({ msg }) => msg === "starting the indexer")?.url;
  return typeof url === "string" ? url : undefined;
};

function deploymentsOf(chains: IndexedChain[]): DeploymentsInput {
  return {
    chains: chains.map(({ deployment, others = {}, rpcUrls, ephemeral = true }) => ({
      chainId: deployment.chainId,
      rpcUrls,
      confirmations: 2,
      pollingIntervalMs: 100,
      ephemeral,
      products: Object.entries({ Sandbox: deployment, ...others }).map(([productType, product]) => {
        const { startBlock, stockRouter, cashier, stock, oneClickRouter } = product;
        return { productType, startBlock, contracts: { stockRouter, cashier, stock, oneClickRouter } };
      }),
    })),
  };
}

function linesOf(child: ChildProcess): TestIndexer["lines"] {
  const lines: TestIndexer["lines"] = [];
  const kept = openLog("indexer");
  const take = (text: string) => {
    kept.write(`${text}\n`);
    try {
      lines.push(JSON.parse(text));
    } catch {
      lines.push({ msg: text });
    }
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", take);
  }
  return lines;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}

/** Makes time pass for the successor of an indexer that was killed, which waits until that has been silent for 25 s. */
export async function expireHeartbeat(
  pool: pg.Pool,
  { schemas }: Pick<TestIndexer, "schemas">,
): Promise<void> {
  for (const schema of schemas.values())
    await pool.query(`UPDATE ${schema}._ponder_meta SET value = jsonb_set(value, '{heartbeat_at}', '0')`);
}

/** Waits until the views show a chain at `block` or later. Fails at once where the indexer has ended. */
export async function indexedUpTo(
  pool: pg.Pool,
  indexer: TestIndexer,
  chainId: number,
  block: bigint,
  withinMs = 60_000,
): Promise<void> {
  let ended = false;
  void indexer.exited.then(() => {
    ended = true;
  });
  const reached = async () => {
    if (ended) return true;
    const at = await indexedBlock(pool, chainId);
    return at !== null && at >= block ? true : undefined;
  };
  const late = (error: unknown) => {
    throw new Error(`${error}\n${lastWords(indexer)}`);
  };
  await until(`block ${block} of chain ${chainId} indexed`, reached, withinMs).catch(late);
  if (ended) throw new Error(`the indexer has ended:\n${lastWords(indexer)}`);
}

const lastWords = ({ lines }: TestIndexer) =>
  lines
    .slice(-15)
    .map((line) => JSON.stringify(line))
    .join("\n");

/**
 * PostgreSQL gives up a read while an indexer points its views at new tables: there is no such table or schema yet, or the
 * two wait for each other's locks.
 */
const VIEWS_CHANGE = ["42P01", "3F000", "40P01"];

/** Returns the block that the views show; null before they exist, and while a restart reverts blocks that were not final. */
export async function indexedBlock(pool: pg.Pool, chainId: number): Promise<bigint | null> {
  const text = `SELECT latest_checkpoint FROM onchain._ponder_checkpoint
    WHERE chain_id = $1 AND (SELECT value ->> 'is_ready' = '1' FROM onchain._ponder_meta)`;
  const { rows } = await pool.query(text, [chainId]).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && VIEWS_CHANGE.includes(error.code ?? "")) return { rows: [] };
    throw error;
  });
  return rows[0] ? parseCheckpoint(rows[0].latest_checkpoint).number : null;
}

/** Returns every row of every table of the indexer, all columns, by table and in an order that only their contents decide. */
export async function tablesOf(pool: pg.Pool, schema = "onchain"): Promise<Record<string, unknown[]>> {
  const { rows } = await pool.query(
    `SELECT table_name FROM information_schema.tables
     WHERE table_schema = $1 AND table_name !~ '^_' ORDER BY table_name`,
    [schema],
  );
  const tables: Record<string, unknown[]> = {};
  for (const { table_name: table } of rows) {
    const from = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
    const { rows: contents } = await pool.query(`SELECT to_jsonb(t)::text AS row FROM ${from} t ORDER BY 1`);
    tables[table] = contents.map(({ row }) => row);
  }
  return tables;
}

/** Returns the same of a fresh index of the same chains, made from scratch in an empty database. */
export async function freshIndex(
  database: { url: string },
  chains: IndexedChain[],
  heads: ReadonlyMap<number, bigint>,
  withinMs = 60_000,
): Promise<Record<string, unknown[]>> {
  const indexer = startIndexer(database.url, chains);
  const pool = createTestPool(database.url, { max: 2 });
  try {
    for (const [chainId, head] of heads) await indexedUpTo(pool, indexer, chainId, head, withinMs);
    return await tablesOf(pool);
  } finally {
    await pool.end();
    await indexer.stop();
  }
}

/** Returns where two sets of tables differ: a few rows of each table that only one of them has. Empty where they are equal. */
export function differences(found: Record<string, unknown[]>, expected: Record<string, unknown[]>): string[] {
  const tables = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...tables].flatMap((table) => {
    const [left, right] = [found[table] ?? [], expected[table] ?? []].map((rows) => new Set(rows));
    const only = (one?: Set<unknown>, other?: Set<unknown>) =>
      [...(one ?? [])].filter((row) => !other?.has(row));
    const sizes = (found[table] ?? []).length - (expected[table] ?? []).length;
    return [
      ...only(left, right)
        .slice(0, 3)
        .map((row) => `${table}: found only ${row}`),
      ...only(right, left)
        .slice(0, 3)
        .map((row) => `${table}: missing ${row}`),
      ...(sizes === 0 ? [] : [`${table}: ${sizes} rows too many`]),
    ];
  });
}
