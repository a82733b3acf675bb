import type pg from "pg";
import { freePort } from "../../../packages/sandbox/src/ports.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { NotYetError, until, whenReachable } from "../assert/until.ts";
import { type IndexedChain, startIndexer, type TestIndexer } from "../chain/indexer.ts";
import { type Product, startProduct } from "../chain/product.ts";
import { type RpcProxy, startRpcProxy } from "../chain/rpc-proxy.ts";
import { openPool } from "../db/pool.ts";
import { createDatabase, type PostgresServer, startPostgres } from "../db/postgres.ts";
import { type Program, startProgram, urlOf } from "../program/program.ts";
import { chainClient } from "./chain-fixture.ts";
import { createSending, type Sending, type SendingOptions } from "./sending.ts";

export interface Started {
  url: string;
  program: Program;
}

/** Everything that production has, as programs of their own: PostgreSQL, a node behind a proxy, indexer, apis, workers. */
export interface Stack {
  databaseUrl: string;
  /** Null where the database is on the server of the run. */
  server: PostgresServer | null;
  pool: pg.Pool;
  product: Product;
  chain: ReturnType<typeof chainClient>;
  /** Between the programs and the node; the indexer asks the node itself. */
  proxy: RpcProxy;
  sending: Sending;
  /** Returns the indexer that was started last. */
  indexer(): TestIndexer;
  /** Starts the indexer again, once it has ended. */
  restartIndexer(): TestIndexer;
  /** Runs `npm run api` until it listens; untilReady waits for more. `script` is another entry point of the same program. */
  startApi(env?: NodeJS.ProcessEnv, script?: string): Promise<Started>;
  /** Runs `npm run worker` until it listens. `script` is another entry point of the same program. */
  startWorker(env?: NodeJS.ProcessEnv, script?: string): Promise<Started>;
  /** Runs `npm run deliverer` until it listens. */
  startDeliverer(env?: NodeJS.ProcessEnv): Promise<Started>;
  /** Runs `npm run prober` until it listens. */
  startProber(env: NodeJS.ProcessEnv): Promise<Started>;
  close(): Promise<void>;
}

export interface StackOptions extends Omit<SendingOptions, "rpcUrls"> {
  users?: number;
  /** Blocks come by the clock instead of with each transaction. */
  blockTimeSeconds?: number;
  /** A PostgreSQL server of its own: what was committed survives its SIGKILL. */
  ownServer?: boolean;
  /** A migrated database from elsewhere. */
  database?: StackDatabase;
}

/** The database of a stack, and how it ends. */
export interface StackDatabase extends Pick<Stack, "server" | "databaseUrl"> {
  stop(): Promise<void>;
}

/** Polling interval of programs that run for a minute: each wallet cycle costs some milliseconds of the processor. */
const POLLING_MS = 250;

/** Starts one part after the other; where one does not start, those before it are stopped. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  try {
    return { ...(await startParts(options, (stop) => stops.push(stop))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(
  options: StackOptions,
  onStop: (stop: () => Promise<unknown>) => void,
): Promise<Omit<Stack, "close">> {
  const { server, databaseUrl, stop } = options.database ?? (await makeDatabase(options));
  onStop(stop);
  const product = await startProduct({ users: options.users ?? 2 });
  onStop(product.stop);
  const pool = openPool({ connectionString: databaseUrl, max: 5 });
  onStop(() => pool.end());
  const proxy = await startRpcProxy(product.rpcUrl);
  onStop(proxy.close);
  const shared = { rpcUrls: [proxy.url], pollingIntervalMs: POLLING_MS };
  const sending = await createSending(databaseUrl, product, { ...options, ...shared });
  onStop(sending.dispose);
  const chain = chainClient(product.rpcUrl);
  if (options.blockTimeSeconds) await chain.setIntervalMining({ interval: options.blockTimeSeconds });
  const indexed: IndexedChain[] = [{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }];
  let indexer = startIndexer(databaseUrl, indexed);
  onStop(() => indexer.kill());
  const programs = new Set<Program>();
  onStop(async () => {
    for (const program of programs) program.kill("SIGKILL");
    await Promise.all([...programs].map(({ exited }) => exited));
  });
  const startApi = async (script: string, env: NodeJS.ProcessEnv): Promise<Started> => {
    const all = { ...sending.env, OPERATOR_PORT: String(await freePort()), ...env };
    const started = await start(script, all);
    operatorUrls.set(started.url, `http://127.0.0.1:${all.OPERATOR_PORT}`);
    return started;
  };
  const start = async (script: string, env: NodeJS.ProcessEnv): Promise<Started> => {
    const program = startProgram(script, env);
    programs.add(program);
    void program.exited.then(() => programs.delete(program));
    return { program, url: await urlOf(program) };
  };
  return {
    databaseUrl,
    server,
    pool,
    product,
    chain,
    proxy,
    sending,
    indexer: () => indexer,
    restartIndexer: () => {
      indexer = startIndexer(databaseUrl, indexed);
      return indexer;
    },
    startApi: (env = {}, script = "src/bin/api.ts") => startApi(script, env),
    startWorker: (env = {}, script = "src/bin/worker.ts") => start(script, { ...sending.workerEnv, ...env }),
    startDeliverer: (env = {}) => start("src/bin/deliverer.ts", { ...sending.env, ...env }),
    startProber: (env) => start("src/bin/prober.ts", { ...sending.env, ...env }),
  };
}

async function makeDatabase({ ownServer = false }: StackOptions): Promise<StackDatabase> {
  if (ownServer) {
    const server = await startPostgres({ durable: true });
    await migrate(server.adminUrl, { info: () => undefined });
    return { server, databaseUrl: server.adminUrl, stop: server.stop };
  }
  const { url, drop } = await createDatabase();
  return { server: null, databaseUrl: url, stop: drop };
}

/** Ports for operators of the apis that stacks started, by the URL for partners. */
const operatorUrls = new Map<string, string>();

/** Waits until an api says that it is ready; one that a stack started also serves its chain, and has an index and a worker's rows of it. */
export function untilReady(url: string, withinMs = 60_000): Promise<true> {
  const ask = async (): Promise<true> => {
    const response = await whenReachable(fetch(`${operatorUrls.get(url) ?? url}/readyz`));
    const text = await response.text();
    if (response.status === 200 && !/"(indexer of |rows of keys on )?chain /.test(text)) return true;
    throw new NotYetError(text);
  };
  return until("the api is ready", ask, withinMs);
}
