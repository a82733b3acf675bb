import type pg from "pg";
import { checkRows, type RowDifference } from "../../../../src/events/writer/check.ts";
import { readProjections } from "../../../../src/events/writer/check-store.ts";
import { withPool } from "../database.ts";
import { type Column, formatDuration, printJson, printTable } from "../output.ts";
import { Failed, note, print, type Terminal } from "../terminal.ts";
import { unknownChain } from "./actions.ts";

export interface CheckOptions {
  chain?: number;
  claim?: string;
  /** Differences kept. */
  limit: number;
  /** Claims that the projection has not reached are no failure. */
  allowBehind?: boolean;
  json?: boolean;
}

interface Report {
  chains: number[];
  /** Claims that were compared. */
  claims: number;
  /** All of them, also those beyond the limit. */
  differenceCount: number;
  differences: ({ chainId: number } & RowDifference)[];
  /** Claims that could not be compared. */
  behindCount: number;
  behind: { chainId: number; claimId: string }[];
}

/** Characters of a value in the table: --json has all of it. */
const SHOWN = 80;

const shown = (value: string | null) =>
  value !== null && value.length > SHOWN ? `${value.slice(0, SHOWN - 1)}…` : value;

const COLUMNS: Column<Report["differences"][number]>[] = [
  { heading: "CHAIN", value: ({ chainId }) => chainId },
  { heading: "CLAIM", value: ({ claimId }) => claimId },
  { heading: "LIST", value: ({ list }) => list },
  { heading: "ORDINAL", value: ({ ordinal }) => ordinal, align: "right" },
  { heading: "COLUMN", value: ({ column }) => column },
  { heading: "EXPECTED", value: ({ expected }) => shown(expected), shrinks: true },
  { heading: "FOUND", value: ({ found }) => shown(found), shrinks: true },
];

/**
 * Compares the rows of chains with what claims own.
 * @param pauseMs between two comparisons of what differs
 * @throws Failed where something differs, or could not be compared and that is not allowed
 */
export function check(terminal: Terminal, options: CheckOptions, pauseMs?: number): Promise<void> {
  return withPool(terminal, async (pool) => {
    const report = await compare(terminal, pool, options, pauseMs);
    if (options.json) printJson(terminal, report);
    else printReport(terminal, report);
    if (report.differenceCount > 0 || (report.behindCount > 0 && !options.allowBehind)) throw new Failed();
  });
}

async function compare(
  terminal: Terminal,
  pool: pg.Pool,
  options: CheckOptions,
  pauseMs?: number,
): Promise<Report> {
  const { chain, claim, limit } = options;
  const known = (await readProjections(pool)).map(({ chainId }) => chainId);
  const chains = chain === undefined ? known : known.filter((chainId) => chainId === chain);
  if (chain !== undefined && chains.length === 0) throw new Error(unknownChain(chain));
  const report: Report = {
    chains,
    claims: 0,
    differenceCount: 0,
    differences: [],
    behindCount: 0,
    behind: [],
  };
  const progress = createProgress(terminal);
  for (const chainId of chains) {
    for await (const step of checkRows(pool, { chainId, claimId: claim, pauseMs })) {
      report.claims += step.claims;
      report.differenceCount += step.differences.length;
      report.behindCount += step.behind.length;
      const kept = step.differences.slice(0, limit - report.differences.length);
      report.differences.push(...kept.map((difference) => ({ chainId, ...difference })));
      const behind = step.behind.slice(0, limit - report.behind.length);
      report.behind.push(...behind.map((claimId) => ({ chainId, claimId })));
      progress(chainId, report.claims);
    }
  }
  const isFound = report.claims + report.differenceCount + report.behindCount > 0;
  if (claim !== undefined && !isFound) throw new Error(`there is no claim ${claim}`);
  return report;
}

/** Claims between two lines of progress. */
const PROGRESS_CLAIMS = 10_000;

function createProgress(terminal: Terminal): (chainId: number, claims: number) => void {
  const startedMs = performance.now();
  let before = 0;
  return (chainId, claims) => {
    const spent = formatDuration((performance.now() - startedMs) / 1_000);
    const isNext = Math.floor(claims / PROGRESS_CLAIMS) > Math.floor(before / PROGRESS_CLAIMS);
    if (isNext) note(terminal, `${claims} claims in ${spent}, now comparing: chain ${chainId}`);
    before = claims;
  };
}

function printReport(terminal: Terminal, report: Report): void {
  const { chains, claims, differences, differenceCount, behind, behindCount } = report;
  if (differences.length > 0) {
    printTable(terminal, differences, COLUMNS, "");
    print(terminal, "");
  }
  for (const { chainId, claimId } of behind)
    print(terminal, `chain ${chainId}, claim ${claimId}: not comparable: the projection is behind`);
  const of = chains.map((chainId) => `chain ${chainId}`).join(", ") || "no chain";
  print(terminal, `${of}: compared the rows of ${counted(claims, "claim")}`);
  const beyond = differenceCount - differences.length;
  const more = beyond > 0 ? `, ${beyond} of them not shown (--limit)` : "";
  print(terminal, `${counted(differenceCount, "difference")}${more}`);
  if (behindCount > 0)
    print(terminal, `${counted(behindCount, "claim")} not comparable: the projection is behind`);
}

const counted = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${count || "no"} ${noun}s`;
