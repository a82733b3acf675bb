import type pg from "pg";
import { type Chain, createChains } from "../../chain/clients.ts";
import { loadDeployments } from "../../config/deployments.ts";
import { parseEnv } from "../../config/env.ts";
import { withPool } from "../database.ts";
import { formatDuration, printFields, printJson } from "../output.ts";
import { Failed, note, print, type Terminal } from "../terminal.ts";
import { openChainView } from "./chain-view.ts";
import { type Comparison, compareProduct } from "./compare.ts";
import { type Difference, KINDS, type Kind } from "./difference.ts";
import { beginSnapshot, readIndexedBlock } from "./store.ts";
import { compareWallets } from "./wallets.ts";

interface Options {
  chain: number;
  block?: bigint;
  /** Differences kept. */
  limit: number;
  json?: boolean;
}

interface Report {
  chainId: number;
  blockNumber: bigint;
  /** Rows that were compared, by kind. */
  compared: Record<Kind, number>;
  /** All of them, also those beyond the limit. */
  differenceCount: number;
  differences: Difference[];
}

/** Rows between two lines of progress. */
const PROGRESS_ROWS = 10_000;

/** Compares a chain. @throws Failed where something differs */
export async function reconcile(terminal: Terminal, options: Options): Promise<void> {
  const chain = chainOf(terminal, options.chain);
  await withPool(terminal, async (pool) => {
    const client = await pool.connect();
    try {
      const report = await compare(terminal, { client, chain }, options);
      if (options.json) printJson(terminal, report);
      else printReport(terminal, report);
      if (report.differenceCount > 0) throw new Failed();
    } finally {
      // The connection goes, and with it the snapshot and its cursor.
      client.release(true);
    }
  });
}

function chainOf({ env }: Terminal, chainId: number): Chain {
  const deployments = loadDeployments(parseEnv("cli wallets", env).DEPLOYMENTS_FILE, env);
  const chain = createChains(deployments).get(chainId);
  if (chain) return chain;
  const known = deployments.chains.map((each) => each.chainId).join(", ");
  throw new Error(`chain ${chainId} is not in the deployments file: it has ${known}`);
}

async function compare(
  terminal: Terminal,
  { client, chain }: { client: pg.ClientBase; chain: Chain },
  { chain: chainId, block: asked, limit }: Options,
): Promise<Report> {
  await beginSnapshot(client);
  const indexed = await readIndexedBlock(client, chainId);
  const number = asked ?? indexed.number;
  if (number > indexed.number)
    throw new Error(`block ${number} is not indexed yet: the index is at ${indexed.number}`);
  const first = Math.max(...chain.config.products.map(({ startBlock }) => startBlock));
  if (number < BigInt(first))
    throw new Error(`block ${number} is before the contracts, which begin at ${first}`);
  const view = await openChainView(chain, number, indexed);
  note(terminal, `Comparing chain ${chainId} at block ${number}.`);
  const progress = createProgress(terminal);
  const report: Report = {
    ...{ chainId, blockNumber: number },
    compared: Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>,
    ...{ differenceCount: 0, differences: [] },
  };
  const add = ({ kind, rows, differences }: Comparison) => {
    report.compared[kind] += rows;
    report.differenceCount += differences.length;
    report.differences.push(...differences.slice(0, limit - report.differences.length));
    progress(rows);
  };
  for (const product of chain.config.products) {
    const scope = { chainId, productType: product.productType, block: view.block };
    for await (const comparison of compareProduct({ client, view, scope, product })) add(comparison);
  }
  add(await compareWallets({ client, view, chainId, confirmations: chain.config.confirmations }));
  await view.requireUnchanged();
  return report;
}

function createProgress(terminal: Terminal): (rows: number) => void {
  const startedMs = performance.now();
  let compared = 0;
  return (rows) => {
    const before = Math.floor(compared / PROGRESS_ROWS);
    compared += rows;
    if (Math.floor(compared / PROGRESS_ROWS) === before) return;
    note(terminal, `${compared} rows in ${formatDuration((performance.now() - startedMs) / 1_000)}`);
  };
}

function printReport(terminal: Terminal, { chainId, blockNumber, compared, ...found }: Report): void {
  const { differences, differenceCount } = found;
  for (const { kind, productType, object, field, ours, chain, likelyCause, whatToDo } of differences) {
    print(terminal, `${kind} ${object}${productType === null ? "" : ` (${productType})`}`);
    const what = { [`${field}, ours`]: ours, [`${field}, chain's`]: chain };
    printFields(terminal, { ...what, "likely cause": likelyCause, "what to do": whatToDo });
    print(terminal, "");
  }
  const rows = KINDS.map((kind) => `${compared[kind]} ${kind}`).join(", ");
  print(terminal, `chain ${chainId} at block ${blockNumber}: compared ${rows}`);
  const beyond = differenceCount - differences.length;
  const more = beyond > 0 ? `, ${beyond} of them not shown (--limit)` : "";
  const count = differenceCount === 1 ? "1 difference" : `${differenceCount || "no"} differences`;
  print(terminal, `${count}${more}`);
}
