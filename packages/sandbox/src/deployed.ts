import pg from "pg";
import { type Address, getAddress } from "viem";
import { z } from "zod";
import { parseCheckpoint } from "../../../src/db/checkpoint.ts";
import { START_FRESH } from "./command.ts";
import { connect } from "./transact.ts";

/**
 * The sandbox's chains, as the database has them. Chain and database belong together: one that has lost the other's past must be
 * noticed before anything is built on it.
 */

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .transform((value) => value as Address);
const token = z.object({ address, symbol: z.string(), name: z.string(), decimals: z.int() });

const recordSchema = z.object({
  chainId: z.int(),
  stockRouter: address,
  cashier: address,
  stock: address,
  oneClickRouter: address,
  cashTokens: z.array(token),
  stockTokens: z.array(token.extend({ stockSymbol: z.string() })),
  startBlock: z.int(),
  /** Last block of the set-up. */
  readyBlock: z.int(),
  /** Hash of startBlock: distinguishes development chains with the same id. (Anvil makes block 0 anew at a restart.) */
  startHash: z.string(),
});

/** A chain that is set up: deployed, funded and approved. */
export type DeployedChain = z.output<typeof recordSchema>;

/** Keeps the sandbox's own tables apart from those of the service. */
const SCHEMA = "sandbox";
const OWNED_SCHEMAS = `SELECT nspname FROM pg_namespace
  WHERE nspname IN ('app', 'onchain', 'ponder_sync', '${SCHEMA}') OR nspname LIKE 'onchain\\_%'`;

/**
 * Claims the database for the sandbox. Refuses a database given by DATABASE_URL that already serves something else; with `fresh`,
 * drops everything of the sandbox in it first.
 * @throws Error where the database is in use by another installation
 */
export async function claimDatabase(databaseUrl: string, fresh: boolean): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ nspname: string }>(OWNED_SCHEMAS);
    const schemas = rows.map(({ nspname }) => nspname);
    if (schemas.length > 0 && !schemas.includes(SCHEMA)) {
      throw new Error(
        "the database of DATABASE_URL is in use by another installation; give the sandbox an empty one",
      );
    }
    if (fresh) {
      for (const schema of schemas) await client.query(`DROP SCHEMA ${pg.escapeIdentifier(schema)} CASCADE`);
      if (schemas.includes("app")) await client.query("DROP TABLE IF EXISTS public._prisma_migrations");
    }
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${SCHEMA}.chain (chain_id integer PRIMARY KEY, record jsonb NOT NULL)`,
    );
  });
}

export async function recallChain(databaseUrl: string, chainId: number): Promise<DeployedChain | null> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ record: unknown }>(
      `SELECT record FROM ${SCHEMA}.chain WHERE chain_id = $1`,
      [chainId],
    );
    if (!rows[0]) return null;
    const record = recordSchema.safeParse(rows[0].record);
    if (!record.success) throw new Error(`the database was set up by another version. ${ADVICE}`);
    return record.data;
  });
}

export async function rememberChain(databaseUrl: string, chain: DeployedChain): Promise<void> {
  await withClient(databaseUrl, (client) =>
    client.query(
      `INSERT INTO ${SCHEMA}.chain (chain_id, record) VALUES ($1, $2)
       ON CONFLICT (chain_id) DO UPDATE SET record = excluded.record`,
      [chain.chainId, JSON.stringify(chain)],
    ),
  );
}

export const ADVICE = `\`${START_FRESH}\` starts anew`;

/**
 * Compares a chain with the database's record of it.
 * @throws Error with the advice to start afresh, where the chain lacks blocks that the database has seen.
 */
export async function requireSameChain(
  databaseUrl: string,
  rpcUrl: string,
  known: DeployedChain,
): Promise<void> {
  const { chainId, startBlock, startHash, stockRouter } = known;
  const client = connect(rpcUrl, chainId);
  const behind = (what: string) => new Error(`chain ${chainId} is behind the database: ${what}. ${ADVICE}`);
  const [head, code, indexed] = await Promise.all([
    client.getBlockNumber({ cacheTime: 0 }),
    client.getCode({ address: stockRouter }),
    indexedBlock(databaseUrl, chainId),
  ]);
  if (!code)
    throw behind(`it has no contract at ${getAddress(stockRouter)}, which the database knows as StockRouter`);
  if (head < BigInt(known.readyBlock))
    throw behind(`its head is ${head}, the set-up ended at ${known.readyBlock}`);
  if (indexed !== null && head < indexed) throw behind(`its head is ${head}, indexed is ${indexed}`);
  const { hash } = await client.getBlock({ blockNumber: BigInt(startBlock) });
  if (hash !== startHash) throw behind("it is another chain, which started anew");
}

/**
 * Drops the views over an earlier run's index; the indexer creates them again once it has caught up. Until then no reader
 * mistakes the old state for the present one, and /readyz reports the chain as not indexed.
 */
export async function hideIndex(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query("DROP SCHEMA IF EXISTS onchain CASCADE"));
}

/** Returns the last block that the indexer has seen of the chain, over all builds; null where it has seen none. */
async function indexedBlock(databaseUrl: string, chainId: number): Promise<bigint | null> {
  return withClient(databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{ nspname: string }>(
      `SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relname = '_ponder_checkpoint' AND c.relkind = 'r' AND n.nspname LIKE 'onchain%'`,
    );
    let last: bigint | null = null;
    for (const { nspname } of tables) {
      const { rows } = await client.query<{ latest_checkpoint: string }>(
        `SELECT latest_checkpoint FROM ${pg.escapeIdentifier(nspname)}._ponder_checkpoint WHERE chain_id = $1`,
        [chainId],
      );
      for (const { latest_checkpoint } of rows) {
        const block = blockOf(latest_checkpoint);
        if (block !== null && (last === null || block > last)) last = block;
      }
    }
    return last;
  });
}

function blockOf(checkpoint: string): bigint | null {
  try {
    return parseCheckpoint(checkpoint).number;
  } catch {
    // Before its first block, the indexer writes a checkpoint of another form.
    return null;
  }
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 3_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
