import type { Logger } from "pino";
import { type Deployments, loadDeployments } from "../../../src/config/deployments.ts";
import { createPrisma } from "../../../src/db/client.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { sandboxAccounts } from "./accounts.ts";
import { banner } from "./banner.ts";
import type { Allowed } from "./browser-guard.ts";
import { type ChainNode, type SetUp, setUpChain, startNode } from "./chains.ts";
import type { Child } from "./children.ts";
import type { ControlContext } from "./control/context.ts";
import { startControl } from "./control/server.ts";
import { type DatabaseUrls, separateRoles, sharedUrls } from "./database.ts";
import { delegateBoundUsers } from "./delegate.ts";
import { claimDatabase, hideIndex } from "./deployed.ts";
import type { Directory } from "./directory.ts";
import { CHAIN_IDS, type SandboxEnv } from "./env.ts";
import { createMarket } from "./feed/market.ts";
import { marketStateSchema, newMarketState } from "./feed/state.ts";
import { readJson, writeJson } from "./files.ts";
import { untilIndexed } from "./indexed.ts";
import type { Life } from "./lifecycle.ts";
import { createUserMaker } from "./new-user.ts";
import { createOperator } from "./operator.ts";
import { createOutages, type OutagePart } from "./outages.ts";
import { choosePorts, type Ports } from "./ports.ts";
import { startPostgres } from "./postgres.ts";
import { type Program, type ProgramOptions, startProgram, untilReady } from "./programs.ts";
import { ensureKeys, loadSecrets, type SandboxKey, type Secrets } from "./secrets.ts";
import { createDesk, type Desk } from "./settler/desk.ts";
import { runDesk } from "./settler/run.ts";
import { deploymentsOf, type SandboxState, stateOf } from "./state.ts";
import { logDestination, type Terminal } from "./terminal.ts";

export interface StartOptions {
  env: SandboxEnv;
  fresh: boolean;
  directory: Directory;
  life: Life;
  terminal: Terminal;
}

/** Options and parts that all steps share. */
interface Site extends StartOptions {
  ports: Ports;
  log: Logger;
}

const accounts = sandboxAccounts();
/** The indexer has finished its backfill by then; only the last few blocks are left. */
const INDEXED_MS = 60_000;

/** Starts everything in order, and registers the end of each part with `life`. */
export async function startSandbox(options: StartOptions): Promise<SandboxState> {
  const { env, fresh, directory, life, terminal } = options;
  const site = await prepare(options);

  // Before the database, which gets its passwords from there.
  const secrets = loadSecrets(directory.path);
  const [urls, nodes] = await Promise.all([startDatabase(site, secrets), startNodes(site)]);
  await claimDatabase(urls.admin, fresh);
  const [{ chains, deployments, indexer }] = await Promise.all([
    startIndex(site, urls, nodes),
    migrateDatabase(site, urls.owner),
  ]);
  const keys = await life.step("API keys", () => makeKeys(site, urls.operator, deployments, secrets));
  const baseUrl = `http://127.0.0.1:${site.ports.api}`;
  const operator = createOperator({ databaseUrl: urls.operator, deployments, secrets, ips: ipsOf(env) });
  const wallets = new Map(accounts.users.map(({ account }) => [account.address.toLowerCase(), account]));
  const makeUser = createUserMaker({ chains, baseUrl, operator, wallets });
  const programs = new Map<string, Child>();
  const outages = createOutages((part) => processesOf(part, nodes, programs));
  life.onEnd("programs", outages.end);
  // Null until everything is ready.
  let ready: SandboxState | null = null;
  const controlUrl = await life.step("market feed, settler and control", () =>
    startMarket(site, chains, nodes, { baseUrl, operator, wallets, makeUser, outages, sandbox: () => ready }),
  );

  const operatorUrl = `http://127.0.0.1:${site.ports.operator}`;
  const { users } = accounts;
  const state = stateOf({
    baseUrl,
    operatorUrl,
    controlUrl,
    secrets,
    chains,
    users,
    keys,
    databaseUrl: urls.operator,
  });
  // Before the API is up: a client that sees it ready finds everything.
  writeJson(directory.file("state.json"), state, 0o600);
  const started = await startPrograms(site, state, secrets, urls, indexer);
  for (const child of started) programs.set(child.name, child);
  await life.step("index", () => untilIndexed(urls.operator, chains, life.ending, INDEXED_MS));
  await life.step("one click", () => delegateOrReport(site, state));

  ready = state;
  const ms = Math.round(process.uptime() * 1000);
  terminal.print(`  ${(ms / 1000).toFixed(1).padStart(5)} s  in all`);
  terminal.print(banner(state, directory.path));
  terminal.showWarnings(true);
  site.log.info({ baseUrl, ms, databaseGiven: env.DATABASE_URL !== undefined }, "ready");
  return state;
}

/** Returns the addresses that may use the sandbox's keys: requests to a container come from its network. */
const ipsOf = ({ SANDBOX_HOST }: SandboxEnv): string[] =>
  SANDBOX_HOST === "127.0.0.1" ? ["127.0.0.1", "::1"] : ["0.0.0.0/0"];

const allowedBy = ({ SANDBOX_ALLOWED_ORIGINS, SANDBOX_ALLOWED_HOSTS }: SandboxEnv): Allowed => ({
  origins: SANDBOX_ALLOWED_ORIGINS,
  hosts: SANDBOX_ALLOWED_HOSTS,
});

/** Without the delegation everything works but a first `/send`, which reports what is missing: no reason to end the start. */
async function delegateOrReport({ log, terminal }: Site, state: SandboxState): Promise<void> {
  try {
    await delegateBoundUsers(state, accounts.users);
  } catch (err) {
    log.warn({ err }, "the bound user is not delegated");
    terminal.print("           The bound user is not delegated: POST /1ct/enable before the first /send");
  }
}

async function prepare(options: StartOptions): Promise<Site> {
  const { env, directory, terminal } = options;
  const destination = logDestination(directory.log("sandbox"), terminal);
  const log = createLog("sandbox", env.LOG_LEVEL ?? "info", destination);
  const ports = await choosePorts(env, directory.file("ports.json"));
  return { ...options, ports, log };
}

async function startDatabase(
  { env, directory, ports, life, terminal }: Site,
  { databasePasswords }: Secrets,
): Promise<DatabaseUrls> {
  if (env.DATABASE_URL !== undefined) return sharedUrls(env.DATABASE_URL);
  return life.step("PostgreSQL 18", async () => {
    const postgres = await startPostgres({
      directory: directory.path,
      port: ports.postgres,
      password: databasePasswords.admin,
      logFile: directory.log("postgres"),
      onSpawn: (pid) => directory.ledger.add(pid, "postgres-keeper"),
      onPrivate: (path) =>
        terminal.print(`           The database is in ${path}: its user cannot enter this directory`),
    });
    life.onEnd("services", postgres.stop);
    void postgres.exited.then(() => {
      life.fail(new Error(`PostgreSQL ended by itself (its log: ${directory.log("postgres")})`));
    });
    return separateRoles(postgres.url, databasePasswords);
  });
}

function startNodes({ env, directory, ports, life, log }: Site): Promise<ChainNode[]> {
  const rpcUrls = { 31337: env.SANDBOX_RPC_URL_31337, 31338: env.SANDBOX_RPC_URL_31338 };
  const rpcPorts = { 31337: ports.rpc31337, 31338: ports.rpc31338 };
  return life.step(`chains ${CHAIN_IDS.join(" and ")}`, () =>
    Promise.all(
      CHAIN_IDS.map(async (chainId) => {
        const node = await startNode({
          chainId,
          rpcUrl: rpcUrls[chainId],
          port: rpcPorts[chainId],
          directory: directory.path,
          host: env.SANDBOX_HOST,
          allowed: allowedBy(env),
          log: (line) => log.trace({ chainId }, line),
        });
        const { anvil } = node;
        if (anvil) {
          directory.ledger.add(anvil.pid, `chain-${chainId}.json`);
          life.onEnd("services", anvil.stop);
          void anvil.exited.then(() => life.fail(new Error(`chain ${chainId} ended by itself`)));
        }
        return node;
      }),
    ),
  );
}

function setUpChains({ life, log }: Site, databaseUrl: string, nodes: ChainNode[]): Promise<SetUp[]> {
  return life.step("contracts, listings, liquidity and users", () =>
    Promise.all(nodes.map((node) => setUpChain(databaseUrl, node, log, accounts))),
  );
}

function migrateDatabase({ life, log }: Site, databaseUrl: string): Promise<unknown> {
  return life.step("database migrated", () => migrate(databaseUrl, log));
}

function writeDeployments(directory: Directory, chains: SetUp[]): Deployments {
  const file = directory.file("deployments.json");
  writeJson(file, deploymentsOf(chains));
  return loadDeployments(file, {});
}

async function makeKeys(
  { env, directory }: Site,
  databaseUrl: string,
  deployments: Deployments,
  secrets: Secrets,
): Promise<SandboxKey[]> {
  // A machine that starts everything at once is slow.
  const prisma = createPrisma(databaseUrl, { max: 1, connectTimeoutMs: 30_000 });
  try {
    const boundUser = accounts.users[0]?.account.address ?? "";
    return await ensureKeys({
      directory: directory.path,
      prisma,
      deployments,
      secrets,
      boundUser,
      ips: ipsOf(env),
    });
  } finally {
    await prisma.$disconnect();
  }
}

/** @returns the control's URL, which is the market feed's too */
async function startMarket(
  { env, directory, ports, life, log }: Site,
  chains: SetUp[],
  nodes: ChainNode[],
  parts: Pick<ControlContext, "baseUrl" | "operator" | "wallets" | "makeUser" | "outages" | "sandbox">,
): Promise<string> {
  const file = directory.file("market.json");
  const market = createMarket({
    state: readJson(file, marketStateSchema) ?? newMarketState(),
    save: (state) => writeJson(file, state),
    now: Date.now,
  });
  const policy = {
    orderDelayMs: env.SANDBOX_ORDER_DELAY_MS,
    operationDelayMs: env.SANDBOX_OPERATION_DELAY_MS,
  };
  const desks = new Map<number, Desk>();
  for (const { rpcUrl, mining, readyBlock, ...deployment } of chains) {
    const { chainId } = deployment;
    const account = accounts.settler;
    const deskLog = log.child({ chainId });
    desks.set(
      chainId,
      createDesk({
        rpcUrl,
        mining,
        deployment,
        readyBlock,
        account,
        market,
        policy,
        log: deskLog,
        now: Date.now,
      }),
    );
    // Transactions in a pool would be lost with the chain. A chain of the caller's own is left as it was.
    life.onEnd("settler", () => mining.set(true));
  }
  const control = await startControl(ports.control, env.SANDBOX_HOST, {
    ...parts,
    desks,
    market,
    log,
    now: Date.now,
    allowed: allowedBy(env),
  });
  life.onEnd("settler", control.close);
  for (const [chainId, desk] of desks) {
    const changes = nodes.find((node) => node.chainId === chainId)?.changes ?? null;
    life.onEnd("settler", runDesk(desk, changes).stop);
  }
  return control.url;
}

/** Returns what all programs start with. */
const programOptions = ({ env, directory, life, terminal }: Site): ProgramOptions => ({
  directory,
  life,
  terminal,
  env: {
    DEPLOYMENTS_FILE: directory.file("deployments.json"),
    LOG_LEVEL: env.LOG_LEVEL ?? "info",
    HOST: env.SANDBOX_HOST,
  },
});

const program = (name: string, port: number, env: Record<string, string>): Program => ({
  name,
  entry: `dist/src/bin/${name}.js`,
  url: `http://127.0.0.1:${port}`,
  env: { PORT: `${port}`, ...env },
});

/**
 * Sets up the chains, and starts the indexer as soon as they are: it takes longest of all programs, and needs nothing of the schema that is
 * migrated meanwhile.
 */
async function startIndex(site: Site, urls: DatabaseUrls, nodes: ChainNode[]) {
  const chains = await setUpChains(site, urls.admin, nodes);
  const deployments = writeDeployments(site.directory, chains);
  if (chains.some(({ resumed }) => resumed)) await hideIndex(urls.admin);
  const spec = program("indexer", site.ports.indexer, { DATABASE_URL: urls.indexer });
  return { chains, deployments, indexer: { url: spec.url, child: startProgram(programOptions(site), spec) } };
}

async function startPrograms(
  site: Site,
  state: SandboxState,
  secrets: Secrets,
  urls: DatabaseUrls,
  indexer: { url: string; child: Child },
): Promise<Child[]> {
  const { env, ports, life } = site;
  // Dashboards in development may read the schema, and partners receive events on their own machine.
  const webhooks = {
    WEBHOOK_KEYS: secrets.webhookKeys,
    WEBHOOK_LOOPBACK: "on",
    NODE_ENV: "development",
  };
  const marketData = { MARKET_DATA_PROVIDER: "sandbox", MARKET_DATA_URL: state.controlUrl };
  const worker = program("worker", ports.worker, {
    DATABASE_URL: urls.worker,
    KEY_AND_STATUS_EVENTS: "on",
    SENDER_KEYS: accounts.delegateeKeys.join(","),
    ATTRIBUTION_KEYS: secrets.attributionKeys,
    ...marketData,
  });
  const deliverer = program("deliverer", ports.deliverer, {
    DATABASE_URL: urls.deliverer,
    ...webhooks,
  });
  const api = program("api", ports.api, {
    DATABASE_URL: urls.api,
    OPERATOR_HOST: env.SANDBOX_HOST,
    OPERATOR_PORT: `${ports.operator}`,
    ...webhooks,
    SANDBOX_AUTH_CAUSE: "on",
    DOCS_URL: `${state.baseUrl}/docs`,
    MASTER_KEYS: secrets.masterKeys,
    ATTRIBUTION_KEYS: secrets.attributionKeys,
    DASHBOARD_TOKENS: secrets.dashboardToken,
    ENVIRONMENT_NAME: "sandbox",
    ENVIRONMENT_COLOUR: "green",
    ...marketData,
    RATE_LIMIT_READS: env.RATE_LIMIT_READS,
    RATE_LIMIT_WRITES: env.RATE_LIMIT_WRITES,
    RATE_LIMIT_IN_FLIGHT: env.RATE_LIMIT_IN_FLIGHT,
    RATE_LIMIT_FAILURES: env.RATE_LIMIT_FAILURES,
  });
  const children = [worker, deliverer, api].map((each) => startProgram(programOptions(site), each));
  await Promise.all([
    life.step("indexer", () => untilReady("the indexer", `${indexer.url}/readyz`, life)),
    life.step("worker", () => untilReady("the worker", `${worker.url}/readyz`, life)),
    life.step("deliverer", () => untilReady("the deliverer", `${deliverer.url}/readyz`, life)),
    life.step("API", () => untilReady("the API", `${state.operatorUrl}/readyz`, life)),
  ]);
  return [indexer.child, ...children];
}

/** Returns the leaders of the process groups that are a part. */
function processesOf(part: OutagePart, nodes: ChainNode[], programs: ReadonlyMap<string, Child>): number[] {
  if (part === "node") return nodes.flatMap(({ anvil }) => anvil?.pid ?? []);
  const pid = programs.get(part === "webhooks" ? "deliverer" : part)?.pid();
  return pid === undefined ? [] : [pid];
}
