import type pg from "pg";
import { z } from "zod";
import { type Chain, createChains } from "../../../../src/chain/clients.ts";
import { loadDeployments } from "../../../../src/config/deployments.ts";
import { parseEnv } from "../../../../src/config/env.ts";
import type { IndexedBlock } from "../../../../src/db/checkpoint.ts";
import { queryMaybeOne } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";
import { withPool } from "../database.ts";
import { printJson } from "../output.ts";
import { Failed, note, type Terminal } from "../terminal.ts";
import { attributionCheck } from "./attributions.ts";
import { type Check, runCheck } from "./check.ts";
import { claimCheck } from "./claims.ts";
import type { ReceiptScope } from "./history.ts";
import { readIndexedBlock } from "./pages.ts";
import { openHistory } from "./receipts.ts";
import { createReporter, printReport, type Report } from "./report.ts";
import { sendCheck } from "./sends.ts";
import { stateChecks } from "./state.ts";
import { walletCheck } from "./wallets.ts";

export interface Options {
  chain: number;
  block?: bigint;
  fromBlock?: bigint;
  toBlock?: bigint;
  key?: string;
  /** Maximum number of differences kept. */
  limit: number;
  json?: boolean;
}

type Scope = Pick<Options, "fromBlock" | "toBlock" | "key">;

/** Pause between a difference and its second check: a worker's cycle and the next block of most chains. */
const PAUSE_MS = 2_000;

/** Compares a chain. @throws Failed where something differs */
export async function reconcile(terminal: Terminal, options: Options): Promise<void> {
  const { DEPLOYMENTS_FILE, ATTRIBUTION_KEYS } = parseEnv("cli reconcile", terminal.env);
  const chain = chainOf(terminal, DEPLOYMENTS_FILE, options.chain);
  await withPool(terminal, async (pool) => {
    const report = await compare(terminal, { pool, chain, keys: ATTRIBUTION_KEYS ?? null }, options);
    if (options.json) printJson(terminal, report);
    else printReport(terminal, report);
    if (report.differenceCount > 0) throw new Failed();
  });
}

function chainOf({ env }: Terminal, file: string, chainId: number): Chain {
  const deployments = loadDeployments(file, env);
  const chain = createChains(deployments).get(chainId);
  if (chain) return chain;
  const known = deployments.chains.map((each) => each.chainId).join(", ");
  throw new Error(`chain ${chainId} is not in the deployments file: it has ${known}`);
}

/**
 * Returns all comparisons of a chain.
 * @param asked the given block; null compares each page at the block indexed then
 */
export async function createChecks(
  sources: Sources,
  options: Scope,
  asked: IndexedBlock | null,
): Promise<Check<unknown>[]> {
  return [...(await receiptChecks(sources, options, asked)), ...stateChecksOf(sources, options, asked)];
}

interface Sources {
  pool: pg.Pool;
  chain: Chain;
  /** Keys that sign attributions; null skips the comparison of suffixes. */
  keys: Parameters<typeof attributionCheck>[0]["keys"] | null;
}

async function compare(terminal: Terminal, sources: Sources, options: Options): Promise<Report> {
  const { pool, chain, keys } = sources;
  const { chainId } = chain.config;
  const indexed = await readIndexedBlock(pool, chainId);
  const asked = options.block === undefined ? null : await askedBlock(chain, indexed, options.block);
  const number = asked?.number ?? indexed.number;
  note(terminal, `Comparing chain ${chainId} at block ${number}.`);
  if (keys === null)
    note(terminal, "ATTRIBUTION_KEYS is not set: the suffixes of transactions are not compared.");
  const reporter = createReporter(terminal, { chainId, blockNumber: number }, options.limit);
  const context = { pool, chainId, pauseMs: PAUSE_MS };
  for (const check of await createChecks(sources, options, asked))
    for await (const step of runCheck(context, check)) reporter.add(step);
  return reporter.finish((await readIndexedBlock(pool, chainId)).number);
}

/**
 * Returns the given block.
 * @throws Error where the index lacks it
 */
async function askedBlock(
  { client, config }: Chain,
  indexed: IndexedBlock,
  number: bigint,
): Promise<IndexedBlock> {
  if (number > indexed.number)
    throw new Error(`block ${number} is not indexed yet: the index is at ${indexed.number}`);
  const first = Math.max(...config.products.map(({ startBlock }) => startBlock));
  if (number < BigInt(first))
    throw new Error(`block ${number} is before the contracts, which begin at ${first}`);
  const { timestamp } = await client.getBlock({ blockNumber: number });
  return { number, timestamp };
}

/** Returns true where a key or a range of blocks narrows the comparison with receipts; balances are sums over all blocks. */
const isNarrowed = ({ fromBlock, toBlock, key }: Scope): boolean =>
  [fromBlock, toBlock, key].some((each) => each !== undefined);

function stateChecksOf(
  { pool, chain }: Sources,
  options: Scope,
  asked: IndexedBlock | null,
): Check<unknown>[] {
  if (isNarrowed(options)) return [];
  return [
    ...chain.config.products.flatMap((product) => stateChecks({ chain, product, asked })),
    walletCheck({ pool, chain, asked }) as Check<unknown>,
  ];
}

async function receiptChecks(
  { pool, chain, keys }: Sources,
  { fromBlock, toBlock, key }: Scope,
  asked: IndexedBlock | null,
): Promise<Check<unknown>[]> {
  const scope: ReceiptScope = {
    chain,
    history: await openHistory(chain.config),
    range: { from: fromBlock ?? null, to: toBlock ?? asked?.number ?? null },
    keyId: key === undefined ? null : await readKeyId(pool, key),
  };
  const { products } = chain.config;
  const attributions = keys
    ? products.map((product) => attributionCheck({ ...scope, pool, keys }, product))
    : [];
  return [
    ...products.map((product) => claimCheck(scope, product)),
    ...attributions,
    sendCheck(scope),
  ] as Check<unknown>[];
}

const keySchema = z.object({ keyId: z.string() });

async function readKeyId(pool: pg.Pool, apiKey: string): Promise<string> {
  const key = await queryMaybeOne(
    pool,
    sql`SELECT key_id FROM app.api_key WHERE api_key = ${apiKey}`,
    keySchema,
  );
  if (!key) throw new Error(`there is no key ${apiKey}: \`keys list\` shows all`);
  return key.keyId;
}
