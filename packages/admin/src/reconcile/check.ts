import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import type { Difference, Kind } from "./difference.ts";
import { type Key, PAGE, type PageOf, type Part, readPage, type Source } from "./pages.ts";
import { TryAgain } from "./try-again.ts";

/** Result of comparing rows. */
export interface Compared {
  /** Number of rows compared. */
  rows: number;
  /** Number of rows that could not be compared, because no node has their counterpart any more. */
  unverified: number;
  /** Differences, each with the index of its row in the page. */
  found: { index: number; difference: Difference }[];
}

/** A kind of comparison: its source of rows, and its comparison of a page. */
export interface Check<Row> {
  kind: Kind;
  source: Source<Row>;
  /** @throws TryAgain where the chain changed meanwhile */
  compare(page: PageOf<Row>): Promise<Compared>;
}

/** A step of a check, for the report. */
export interface Comparison extends Omit<Compared, "found"> {
  kind: Kind;
  differences: Difference[];
}

export interface CheckContext {
  pool: pg.Pool;
  chainId: number;
  /** Pause between a difference and its second check, ms. */
  pauseMs: number;
}

/** Tries of one page. */
const TRIES = 5;
const TRY_AGAIN_MS = 1_000;

/**
 * Compares all rows of a check, a page at a time. Rows that differ are read and compared once more after a pause, and only
 * differences in both reads are reported: rows and chain change during the comparison.
 * @throws TryAgain where the chain or the index keep changing
 */
export async function* runCheck<Row>(context: CheckContext, check: Check<Row>): AsyncGenerator<Comparison> {
  let suspects: Suspect[] = [];
  let after: Key | null = null;
  for (;;) {
    const { page, compared }: ComparedPage<Row> = await comparePart(context, check, { after });
    suspects.push(...suspectsOf(page, compared));
    yield { kind: check.kind, rows: compared.rows, unverified: compared.unverified, differences: [] };
    after = page.rows.at(-1)?.pageKey ?? null;
    const isLast = page.rows.length < PAGE || after === null;
    if (suspects.length > 0 && (isLast || suspects.length >= PAGE)) {
      yield await confirm(context, check, suspects);
      suspects = [];
    }
    if (isLast) return;
  }
}

/** A row that differed in the first check. */
interface Suspect {
  key: Key;
  /** Names of its differences. */
  names: Set<string>;
}

const nameOf = ({ object, field }: Difference): string => `${object} ${field}`;

function suspectsOf<Row>(page: PageOf<Row>, { found }: Compared): Suspect[] {
  const byRow = new Map<number, Set<string>>();
  for (const { index, difference } of found)
    byRow.set(index, (byRow.get(index) ?? new Set()).add(nameOf(difference)));
  return [...byRow].map(([index, names]) => ({ key: page.rows[index]?.pageKey ?? [], names }));
}

async function confirm<Row>(
  context: CheckContext,
  check: Check<Row>,
  suspects: readonly Suspect[],
): Promise<Comparison> {
  await wait(context.pauseMs);
  const names = new Map(suspects.map((suspect) => [suspect.key.join(" "), suspect.names]));
  const { page, compared } = await comparePart(context, check, { only: suspects.map(({ key }) => key) });
  const confirmed = compared.found.filter(({ index, difference }) =>
    names.get((page.rows[index]?.pageKey ?? []).join(" "))?.has(nameOf(difference)),
  );
  const differences = confirmed.map(({ difference }) => difference);
  return { kind: check.kind, rows: 0, unverified: 0, differences };
}

interface ComparedPage<Row> {
  page: PageOf<Row>;
  compared: Compared;
}

async function comparePart<Row>(
  { pool, chainId }: CheckContext,
  check: Check<Row>,
  part: Part,
): Promise<ComparedPage<Row>> {
  for (let tries = 1; ; tries += 1) {
    try {
      const page = await readPage(pool, chainId, check.source, part);
      const compared =
        page.rows.length > 0 ? await check.compare(page) : { rows: 0, unverified: 0, found: [] };
      return { page, compared };
    } catch (error) {
      if (!(error instanceof TryAgain) || tries === TRIES) throw error;
      await wait(TRY_AGAIN_MS);
    }
  }
}
