import { existsSync } from "node:fs";
import pg from "pg";
import { startProduct } from "../../support/chain/product.ts";
import { type PostgresServer, startPostgres } from "../../support/db/postgres.ts";
import { type Standby, startStandby } from "../../support/db/standby.ts";
import { startFeed } from "../../support/sandbox/feed.ts";
import { startApi } from "../contestants/order-detail.ts";
import type { ServerProcess } from "../contestants/process.ts";
import { createDataSet, type DataSet } from "../dataset/database.ts";
import { SPAN_S } from "../dataset/orders.ts";
import { type Generator, startGenerator } from "../load/start.ts";
import { postmasterIn, secondsOfServer } from "../sandbox/cpu.ts";

/** Oldest version that is supported, where the machine has Debian's; else the embedded one. */
const DEBIAN = "/usr/lib/postgresql/15/bin";
/** Counts statements, and lets no checkpoint fall into a round. */
const FLAGS = [
  "-c",
  "shared_preload_libraries=pg_stat_statements",
  "-c",
  "max_wal_size=8GB",
  "-c",
  "checkpoint_timeout=1h",
];
const PROCESSES_MAX = 4;

/** Processor time and statements of a server so far. */
export interface ServerUse {
  seconds: number;
  statements: number;
}

export interface Servers {
  version: string;
  data: DataSet;
  /** Apis by the number of replicas that they read from. */
  apis: Record<0 | 1, ServerProcess[]>;
  generators: Generator[];
  use(server: "primary" | "standby"): Promise<ServerUse>;
}

/** Starts a primary with a data set, its standby, four apis that read from it and four that do not. All of it ends with `run`. */
export async function withServers(orders: number, run: (servers: Servers) => Promise<void>): Promise<void> {
  const ends: (() => unknown)[] = [];
  try {
    const product = await startProduct({ users: 3, genesisBlock: SPAN_S / 10 });
    ends.push(product.stop);
    const feed = await startFeed();
    ends.push(feed.stop);
    const programs = existsSync(DEBIAN) ? { programs: DEBIAN } : {};
    const primary = await startPostgres({ durable: true, onDisk: true, flags: FLAGS, ...programs });
    ends.push(primary.stop);
    const version = await ask(primary, "SHOW server_version", "server_version");
    const data = await createDataSet({
      adminUrl: primary.adminUrl,
      orders,
      product,
      marketDataUrl: feed.url,
    });
    ends.push(data.close);
    await ask(primary, "CREATE EXTENSION pg_stat_statements");
    const standby: Standby = await startStandby(primary);
    ends.push(standby.stop);
    await standby.catchUp();
    const env = { ...data.env, DATABASE_READ_URLS: standby.urlOf(data.urls.api) };
    const start = async (of: DataSet) => {
      const api = await startApi(of);
      ends.push(api.stop);
      return api;
    };
    const apis: Servers["apis"] = { 0: [], 1: [] };
    for (let count = 0; count < PROCESSES_MAX; count++) {
      apis[0].push(await start(data));
      apis[1].push(await start({ ...data, env }));
    }
    const generators = Array.from({ length: PROCESSES_MAX }, startGenerator);
    for (const { stop } of generators) ends.push(stop);
    const servers = { primary, standby };
    await run({ version, data, apis, generators, use: (name) => useOf(servers[name]) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

const STATEMENTS = `SELECT coalesce(sum(calls), 0)::text AS calls FROM pg_stat_statements
  WHERE userid = 'partner_api'::regrole`;

async function useOf(server: PostgresServer): Promise<ServerUse> {
  const statements = Number(await ask(server, STATEMENTS, "calls"));
  return { seconds: secondsOfServer(postmasterIn(server.home.data)), statements };
}

async function ask({ adminUrl }: PostgresServer, statement: string, column = ""): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return String(rows[0]?.[column]);
  } finally {
    await client.end();
  }
}
