import pg from "pg";
import { migrate } from "../../src/db/migrate.ts";
import { type IndexedChain, startIndexer, type TestIndexer } from "./indexer.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";
import { type Product, startProduct } from "./product.ts";
import { type Program, startProgram, urlOf } from "./program.ts";
import { type RpcProxy, startRpcProxy } from "./rpc-proxy.ts";
import { chainClient } from "./sender-rig.ts";
import { createSending, type Sending, type SendingOptions } from "./sending.ts";
import { until } from "./until.ts";

export interface Started {
  url: string;
  program: Program;
}

/** Everything that production has, as programs of their own: PostgreSQL, a node behind a proxy, indexer, apis, workers. */
export interface Stack {
  server: PostgresServer;
  pool: pg.Pool;
  product: Product;
  chain: ReturnType<typeof chainClient>;
  /** Between the programs and the node; the indexer asks the node itself. */
  proxy: RpcProxy;
  sending: Sending;
  /** `npm run api`, once it listens; untilReady waits for more. `script` is another entry point of the same program. */
  startApi(env?: NodeJS.ProcessEnv, script?: string): Promise<Started>;
  /** `npm run worker`, once it listens. */
  startWorker(env?: NodeJS.ProcessEnv): Promise<Started>;
  close(): Promise<void>;
}

export interface StackOptions extends Omit<SendingOptions, "rpcUrls"> {
  users?: number;
  /** Blocks come by the clock instead of with each transaction. */
  blockTimeSeconds?: number;
  /** What was committed survives a SIGKILL of the server. */
  durable?: boolean;
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const [server, product] = await Promise.all([
    startPostgres({ durable: options.durable ?? false }),
    startProduct({ users: options.users ?? 2 }),
  ]);
  const databaseUrl = server.adminUrl;
  await migrate(databaseUrl, { info: () => undefined });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 5 });
  pool.on("error", () => undefined);
  const proxy = await startRpcProxy(product.rpcUrl);
  const sending = await createSending(databaseUrl, product, { ...options, rpcUrls: [proxy.url] });
  const chain = chainClient(product.rpcUrl);
  if (options.blockTimeSeconds) await chain.setIntervalMining({ interval: options.blockTimeSeconds });
  const indexed: IndexedChain[] = [{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }];
  const indexer: TestIndexer = startIndexer(databaseUrl, indexed);
  const programs = new Set<Program>();
  const start = async (script: string, env: NodeJS.ProcessEnv): Promise<Started> => {
    const program = startProgram(script, env);
    programs.add(program);
    void program.exited.then(() => programs.delete(program));
    return { program, url: await urlOf(program) };
  };
  return {
    server,
    pool,
    product,
    chain,
    proxy,
    sending,
    startApi: (env = {}, script = "src/main.ts") => start(script, { ...sending.env, ...env }),
    startWorker: (env = {}) => start("src/worker.ts", { ...sending.workerEnv, ...env }),
    close: async () => {
      for (const program of programs) program.kill("SIGKILL");
      await Promise.all([...programs].map(({ exited }) => exited));
      await indexer.kill();
      await sending.dispose();
      await pool.end();
      await proxy.close();
      await product.stop();
      await server.stop();
    },
  };
}

/** Waits until an api says that it is ready. */
export function untilReady(url: string, withinMs = 60_000): Promise<true> {
  const ask = async (): Promise<true> => {
    const response = await fetch(`${url}/readyz`);
    if (response.status === 200) return true;
    throw new Error(await response.text());
  };
  return until("the api is ready", ask, withinMs);
}
