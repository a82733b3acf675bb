import pg from "pg";
import { migrate } from "../../../src/db/migrate.ts";
import { present, until } from "../assert/until.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";
import { rejoin, type Standby, startStandby } from "./standby.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

/** A migrated primary and its standby, behind one address that leads to whichever of them is the primary. */
export interface Pair {
  /** URL of the address. */
  databaseUrl: string;
  primary(): PostgresServer;
  standby(): Standby;
  /** Sets synchronous replication: commits are acknowledged once the standby has them, too. */
  setSynchronous(isOn: boolean): Promise<void>;
  /** Ends what the standby receives: from now on it lacks what is committed. */
  disconnect(): Promise<void>;
  /** Makes the address lead to the standby, which is read only until it is promoted. */
  switchOver(): void;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  /** Starts the former primary, which was shut down, as the standby of the present one. */
  rejoin(): Promise<void>;
  /** Starts a standby of the present primary. */
  addStandby(): Promise<void>;
  close(): Promise<void>;
}

export async function startPair(): Promise<Pair> {
  let former: PostgresServer | null = null;
  let primary = await startPostgres({ durable: true });
  const servers = [primary];
  const proxy = await startTcpProxy(primary.port);
  const close = async () => {
    await proxy.close();
    await Promise.all(servers.map((server) => server.stop()));
  };
  const makeStandby = async () => {
    const made = await startStandby(primary);
    servers.push(made);
    return made;
  };
  let standby: Standby;
  try {
    await migrate(primary.adminUrl, { info: () => undefined });
    standby = await makeStandby();
  } catch (error) {
    await close();
    throw error;
  }
  const databaseUrl = new URL(primary.adminUrl);
  databaseUrl.port = String(proxy.port);
  return {
    databaseUrl: databaseUrl.href,
    primary: () => primary,
    standby: () => standby,
    async setSynchronous(isOn) {
      await configure(primary, "synchronous_standby_names", isOn ? "ANY 1 (standby)" : "");
      if (isOn) await until("the standby is synchronous", () => hasQuorum(primary));
    },
    async disconnect() {
      await configure(standby, "primary_conninfo", "");
      await until("nothing is streamed", async () => !(await isStreaming(primary)));
    },
    switchOver() {
      proxy.targetPort = standby.port;
    },
    async promote() {
      await standby.promote();
      [former, primary] = [primary, standby];
    },
    async rejoin() {
      standby = await rejoin(present(former, "a former primary"), primary);
      // Its own value, which would hold again as soon as it is promoted: every write would wait.
      await configure(standby, "synchronous_standby_names", "");
    },
    async addStandby() {
      standby = await makeStandby();
    },
    close,
  };
}

/** Changes a setting, which takes effect once the server has read it. */
async function configure(server: PostgresServer, setting: string, value: string): Promise<void> {
  await ask(server, `ALTER SYSTEM SET ${setting} = '${value}'`);
  await ask(server, "SELECT pg_reload_conf()");
}

const hasQuorum = async (server: PostgresServer) =>
  (await ask(server, "SELECT FROM pg_stat_replication WHERE sync_state = 'quorum'")) > 0;
const isStreaming = async (server: PostgresServer) =>
  (await ask(server, "SELECT FROM pg_stat_replication")) > 0;

/** @returns the number of rows */
async function ask({ adminUrl }: PostgresServer, statement: string): Promise<number> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
