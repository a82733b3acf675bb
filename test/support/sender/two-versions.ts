import { schemaName } from "../../../indexer/build.ts";
import { ROOT } from "../../../src/config/root.ts";
import { createRoles, ROLES } from "../../../src/db/roles.ts";
import { present } from "../assert/until.ts";
import { type Product, startProduct } from "../chain/product.ts";
import { createDatabase, type TestDatabase } from "../db/postgres.ts";
import { type Program, startProgram, urlOf } from "../program/program.ts";
import { buildVersionBefore } from "../program/version-before.ts";
import { createSending, type Sending } from "./sending.ts";
import type { Started } from "./stack.ts";

/** A program's version: the last release, or this checkout. */
export type Version = "before" | "next";

/**
 * Two versions on one database, each program under its own role: a privilege that the next version takes away is missed here by the one
 * before.
 */
export interface TwoVersions {
  /** URL of the database's superuser. */
  databaseUrl: string;
  product: Product;
  sending: Sending;
  migrate(version: Version): Promise<void>;
  startApi(version: Version): Promise<Started>;
  startWorker(version: Version): Promise<Started>;
  startDeliverer(version: Version): Promise<Started>;
  startIndexer(version: Version): Program;
  /** Returns the schema that the next version's indexer writes: where both write one, the running indexer is that already. */
  nextSchema(): string;
  /** Returns the logs and the standard error of all programs. */
  logs(): string;
  close(): Promise<void>;
}

/** Events may be delivered to a receiver on this machine. */
const LOOPBACK = { WEBHOOK_LOOPBACK: "on", NODE_ENV: "development" };

export async function startTwoVersions(options: { users: number; wallets: number }): Promise<TwoVersions> {
  const stops: (() => unknown)[] = [];
  const close = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  try {
    const before = await buildVersionBefore();
    const database = await createDatabase({ empty: true });
    stops.push(database.drop);
    await createRoles(database.url);
    const product = await startProduct({ users: options.users });
    stops.push(product.stop);
    const sending = await createSending(database.url, product, { wallets: options.wallets, env: LOOPBACK });
    stops.push(sending.dispose);
    return { ...programsOf({ before, database, sending, stops }), product, sending, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  /** The directory of the version before. */
  before: string;
  database: TestDatabase;
  sending: Sending;
  stops: (() => unknown)[];
}

function programsOf({ before, database, sending, stops }: Parts) {
  const programs: Program[] = [];
  stops.push(async () => {
    for (const program of programs) program.kill("SIGKILL");
    await Promise.all(programs.map(({ exited }) => exited));
  });
  const rootOf = (version: Version) => (version === "before" ? before : ROOT);
  const start = (version: Version, name: string, role: string, env: NodeJS.ProcessEnv): Program => {
    const root = rootOf(version);
    const url = new URL(database.url);
    url.searchParams.set("options", `-c role=${role}`);
    const program = startProgram(`src/bin/${name}.ts`, { ...env, DATABASE_URL: url.href }, root);
    programs.push(program);
    return program;
  };
  const listening = async (program: Program): Promise<Started> => ({ program, url: await urlOf(program) });
  return {
    databaseUrl: database.url,
    migrate: async (version: Version) => {
      const program = start(version, "migrate", ROLES.owner, {});
      if ((await program.exited) !== 0) throw new Error(program.errors());
    },
    startApi: (version: Version) => listening(start(version, "api", ROLES.api, sending.env)),
    startWorker: (version: Version) => listening(start(version, "worker", ROLES.worker, sending.workerEnv)),
    startDeliverer: (version: Version) =>
      listening(start(version, "deliverer", ROLES.deliverer, sending.env)),
    startIndexer: (version: Version) => start(version, "indexer", ROLES.indexer, sending.env),
    nextSchema: () =>
      schemaName(present(sending.admin.deployments.chains[0], "a chain"), `${rootOf("next")}dist/indexer`),
    logs: () => programs.map((program) => program.output() + program.errors()).join("\n"),
  };
}
