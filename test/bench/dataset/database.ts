import { randomBytes } from "node:crypto";
import pg from "pg";
import { pino } from "pino";
import { type DatabaseUrls, separateRoles } from "../../../packages/sandbox/src/database.ts";
import { loadDeployments } from "../../../src/config/deployments.ts";
import { createPool } from "../../../src/db/client.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { ROLES, type RoleName } from "../../../src/db/roles.ts";
import { createEventWriter } from "../../../src/events/writer/write.ts";
import { canary } from "../../support/assert/logs.ts";
import type { Product } from "../../support/chain/product.ts";
import { createOnchain, indexOnchain, type Onchain } from "../../support/db/onchain.ts";
import { seedTerms } from "../../support/db/seed.ts";
import { makeEnvOf } from "../../support/http/api.ts";
import { PRODUCT } from "../../support/http/features.ts";
import type { PartnerKey } from "../../support/http/partner.ts";
import { type LoadInput, loadOrders } from "./load.ts";
import { BLOCK_S, type Head, type OrderKey } from "./orders.ts";
import { keySizes, lostClaims } from "./sizes.ts";

/** The schema with the index's tables; `onchain` has views of them, as with an indexer. */
export const TABLES_SCHEMA = "onchain_bench";

export interface DataSet {
  urls: DatabaseUrls;
  /** The environment of an api over this database. */
  env: NodeJS.ProcessEnv;
  head: Head;
  /** Largest first. */
  keys: (PartnerKey & OrderKey)[];
  /** Lower case, in the order of their listing. */
  stockTokens: { address: string; symbol: string }[];
  seedSeconds: number;
  bytes: number;
  close(): Promise<void>;
}

export interface DataSetOptions {
  /** URL of a superuser's connection; the database is created on its server, and dropped by close(). */
  adminUrl: string;
  /** Orders of the largest key. */
  orders: number;
  product: Product;
  marketDataUrl: string;
}

const PASSWORDS = Object.fromEntries(
  Object.keys(ROLES).map((role) => [role, randomBytes(24).toString("hex")]),
) as Record<RoleName, string>;

/** Creates a database as production has it, roles and migrations included, and fills it. */
export async function createDataSet(options: DataSetOptions): Promise<DataSet> {
  const { product, marketDataUrl } = options;
  const { urls, drop } = await createDatabase(options.adminUrl);
  const { chainId, stockRouter, cashier, stock, oneClickRouter } = product.deployment;
  const contracts = { stockRouter, cashier, stock, oneClickRouter };
  const deployments = {
    chains: [
      {
        chainId,
        rpcUrls: [product.rpcUrl],
        ephemeral: true,
        products: [{ productType: PRODUCT, startBlock: 0, contracts }],
      },
    ],
  };
  await migrate(urls.owner, { info: () => undefined });
  const maker = makeEnvOf(urls.operator, deployments, { MARKET_DATA_URL: marketDataUrl });
  const keys: (PartnerKey & OrderKey & { keyId: string })[] = [];
  for (const [index, orders] of keySizes(options.orders).entries()) {
    keys.push({ ...(await maker.makeKey({ name: `bench ${index}` })), index, orders });
  }
  const startedMs = Date.now();
  const { head, stockTokens } = await fill(urls, {
    product,
    keys,
    lost: lostClaims(options.orders),
    env: maker.env,
  });
  return {
    urls,
    env: { ...maker.env, DATABASE_URL: urls.api },
    head,
    keys,
    stockTokens,
    seedSeconds: (Date.now() - startedMs) / 1000,
    bytes: await sizeOf(urls.admin),
    close: async () => {
      await maker.dispose();
      await drop();
    },
  };
}

async function createDatabase(adminUrl: string) {
  const name = `bench_${randomBytes(6).toString("hex")}`;
  await administer(adminUrl, `CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const urls = await separateRoles(url.href, PASSWORDS);
  for (const password of Object.values(PASSWORDS)) canary("database password", password);
  return { urls, drop: () => administer(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`) };
}

interface Filling {
  product: Product;
  keys: (OrderKey & { keyId: string })[];
  lost: number;
  env: NodeJS.ProcessEnv;
}

async function fill(urls: DatabaseUrls, { product, keys, lost, env }: Filling) {
  // Connects with the indexer's role, which grants the others their reads of its tables.
  const indexer = createPool(urls.indexer, { max: 1 });
  const admin = createPool(urls.admin, { max: LOADERS, queryTimeoutMs: HOUR_MS });
  try {
    const onchain = await createOnchain(indexer);
    await seedTerms(onchain, product);
    await seedLedgers(onchain, product);
    const { number, timestamp } = await product.client.getBlock();
    const head = { number: Number(number), timestamp: Number(timestamp) };
    const stockTokens = product.deployment.stockTokens.map(({ address, stockSymbol }) => ({
      address: address.toLowerCase(),
      symbol: stockSymbol,
    }));
    const { chainId } = product.deployment;
    const safe = {
      number: number - BigInt(UNFINAL_BLOCKS),
      timestamp: timestamp - BigInt(UNFINAL_BLOCKS * BLOCK_S),
    };
    await load(admin, {
      scope: { chainId, productType: PRODUCT },
      head,
      keys,
      lostClaims: lost,
      stockTokens: stockTokens.map(({ address }) => address),
    });
    await onchain.setBlock(chainId, { number, timestamp }, safe);
    await indexOnchain(admin);
    await admin.query(PRIMARY_KEYS);
    await indexer.query(BEHIND_VIEWS);
    await projectAll(urls.worker, env);
    await admin.query("VACUUM ANALYZE");
    await admin.query("CHECKPOINT");
    return { head, stockTokens };
  } finally {
    await Promise.all([indexer.end(), admin.end()]);
  }
}

async function load(admin: pg.Pool, input: LoadInput): Promise<void> {
  const clients = await Promise.all(Array.from({ length: LOADERS }, () => admin.connect()));
  const [first, ...others] = clients;
  try {
    if (first) await loadOrders([first, ...others], input);
  } finally {
    // Their settings and temporary tables go with them.
    for (const client of clients) client.release(true);
  }
}

/** Connections that fill the tables. */
const LOADERS = 2;
const HOUR_MS = 3_600_000;
/** Blocks that are not final: what changed in them is in the log. */
const UNFINAL_BLOCKS = 64;

/** Writes the rows of all keys, as a worker does. */
async function projectAll(workerUrl: string, env: NodeJS.ProcessEnv): Promise<void> {
  const pool = createPool(workerUrl, { max: 2, queryTimeoutMs: HOUR_MS, preparedStatements: true });
  try {
    const deployments = loadDeployments(env.DEPLOYMENTS_FILE ?? "", env);
    const deps = { pool, log: pino({ level: "silent" }), deployments, chains: new Map() };
    const run = createEventWriter(deps, { verifyMs: HOUR_MS });
    for (const { chainId } of deployments.chains) while (!(await run(chainId)).complete);
  } finally {
    await pool.end();
  }
}

/** mUSD that each user of the product has on the exchange, whole units. */
export const LEDGER_CASH = 50_000n;
/** The exchange's balance of every stock token, whole units. */
const LEDGER_STOCK = 100n;
const WAD = 10n ** 18n;

async function seedLedgers(onchain: Onchain, { deployment, users }: Product): Promise<void> {
  const scope = { chainId: deployment.chainId, productType: PRODUCT };
  for (const { address } of users) {
    const userAddress = address.toLowerCase() as typeof address;
    await onchain.insert("cashBalance", { ...scope, userAddress, available: LEDGER_CASH * WAD, locked: 0n });
    for (const token of deployment.stockTokens) {
      await onchain.insert("stockBalance", {
        ...scope,
        userAddress,
        stockAddress: token.address,
        available: LEDGER_STOCK * WAD,
        tradedQuantity: LEDGER_STOCK * WAD,
        costBasis: LEDGER_STOCK * 100n * WAD,
      });
    }
  }
}

/** Turns unique indexes into the primary keys that they stand for. */
const PRIMARY_KEYS = `DO $$
DECLARE
  item record;
BEGIN
  FOR item IN
    SELECT i.indrelid::regclass AS named, c.relname AS index_name
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'onchain' AND i.indisunique AND NOT i.indisprimary
  LOOP
    EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY USING INDEX %I', item.named, item.index_name);
  END LOOP;
END $$`;

/** Puts views in the place of the tables, as Ponder does. */
const BEHIND_VIEWS = `ALTER SCHEMA onchain RENAME TO ${TABLES_SCHEMA};
CREATE SCHEMA onchain;
DO $$
DECLARE
  item record;
BEGIN
  FOR item IN SELECT tablename FROM pg_tables WHERE schemaname = '${TABLES_SCHEMA}' LOOP
    EXECUTE format('CREATE VIEW onchain.%I AS SELECT * FROM ${TABLES_SCHEMA}.%I', item.tablename, item.tablename);
  END LOOP;
END $$`;

async function sizeOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>(
      "SELECT pg_database_size(current_database()) AS bytes",
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
