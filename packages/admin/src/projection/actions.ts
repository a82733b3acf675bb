import type pg from "pg";
import { execute } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { estimateRows, type Projection, readProjections } from "../../../../src/events/writer/check-store.ts";
import { insertAudit } from "../audit-store.ts";
import { withPool } from "../database.ts";
import { type Column, printJson, printTable } from "../output.ts";
import { operator, type Terminal } from "../terminal.ts";

interface JsonOption {
  json?: boolean;
}

interface ChainRow {
  chainId: number;
  block: bigint;
  /** Null, like the lag, where the index is not ready. */
  indexedBlock: bigint | null;
  lagBlocks: bigint | null;
  buildId: string | null;
  filled: boolean;
  /** Number of claims that were compared since the last rebuild, or with the build. */
  comparedPercent: number;
  rowsEstimate: number;
}

const COLUMNS: Column<ChainRow>[] = [
  { heading: "CHAIN", value: ({ chainId }) => chainId },
  { heading: "STATE", value: stateOf },
  { heading: "BLOCK", value: ({ block }) => block.toString(), align: "right" },
  { heading: "INDEXED", value: ({ indexedBlock }) => indexedBlock?.toString() ?? null, align: "right" },
  { heading: "LAG", value: ({ lagBlocks }) => lagBlocks?.toString() ?? null, align: "right" },
  { heading: "ROWS (ABOUT)", value: ({ rowsEstimate }) => rowsEstimate, align: "right" },
  { heading: "BUILD", value: ({ buildId }) => buildId },
];

function stateOf({ filled, comparedPercent }: ChainRow): string {
  if (!filled) return `being filled: ${comparedPercent}%`;
  return comparedPercent === 100 ? "filled" : `filled, compared again: ${comparedPercent}%`;
}

export function show(terminal: Terminal, options: JsonOption): Promise<void> {
  return withPool(terminal, (pool) => showChains(terminal, pool, options));
}

async function showChains(terminal: Terminal, pool: pg.Pool, { json }: JsonOption): Promise<void> {
  const rows: ChainRow[] = [];
  for (const projection of await readProjections(pool))
    rows.push({ ...rowOf(projection), rowsEstimate: await estimateRows(pool, projection.chainId) });
  if (json) return printJson(terminal, rows);
  printTable(terminal, rows, COLUMNS, "Nothing is projected yet: the worker begins once a chain is indexed.");
}

const rowOf = ({ chainId, block, buildId, filled, filledTo, indexed }: Projection) => ({
  chainId,
  block,
  indexedBlock: indexed?.block ?? null,
  lagBlocks: indexed && indexed.block - block,
  buildId,
  filled,
  comparedPercent: percentOf(filledTo),
});

/** Returns how many of the claims come up to one, in percent: ids are random, so its id says so. 100 for the last one alone. */
function percentOf(claimId: string | null): number {
  return claimId === null ? 100 : Math.floor((Number.parseInt(claimId.slice(0, 8), 16) / 2 ** 32) * 100);
}

interface RebuildOptions extends JsonOption {
  chain?: number;
}

/** Has all claims compared with their rows once more. What lists read stays filled. */
export function rebuild(terminal: Terminal, options: RebuildOptions): Promise<void> {
  const { chain = null } = options;
  return withPool(terminal, async (pool) => {
    await inTransaction(pool, async (tx) => {
      const chains = await execute(
        tx,
        sql`
          UPDATE app.event_chain SET filled_to = '00000000-0000-0000-0000-000000000000'
          WHERE ${chain}::int IS NULL OR chain_id = ${chain}`,
      );
      if (chain !== null && chains === 0) throw new Error(unknownChain(chain));
      const subject = chain === null ? "projection" : String(chain);
      await insertAudit(tx, { actor: operator(), action: "projection rebuild", subject, detail: { chains } });
    });
    await showChains(terminal, pool, options);
  });
}

export const unknownChain = (chainId: number): string =>
  `nothing is projected of chain ${chainId}: \`projection show\` has all chains`;
