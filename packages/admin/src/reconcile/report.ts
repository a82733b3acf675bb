import { formatDuration, printFields } from "../output.ts";
import { note, print, type Terminal } from "../terminal.ts";
import type { Comparison } from "./check.ts";
import { type Difference, explanationOf, KINDS, type Kind } from "./difference.ts";

export interface Report {
  chainId: number;
  /** Block that was indexed at the start, or that was given. */
  blockNumber: bigint;
  /** Block that was indexed at the end. */
  lastBlockNumber: bigint;
  /** Number of compared rows, by kind. */
  compared: Record<Kind, number>;
  /** Number of rows that could not be compared: no node has the receipt any more, or one that may have it does not answer. */
  unverified: number;
  /** Number of all differences, including those beyond the limit. */
  differenceCount: number;
  differences: (Difference & { explanation: string })[];
}

/** Number of rows between two lines of progress. */
const PROGRESS_ROWS = 10_000;

export interface Reporter {
  add(comparison: Comparison): void;
  finish(lastBlockNumber: bigint): Report;
}

/**
 * Collects the results of comparisons, and shows progress.
 * @param limit differences to keep
 */
export function createReporter(
  terminal: Terminal,
  subject: Pick<Report, "chainId" | "blockNumber">,
  limit: number,
): Reporter {
  const progress = createProgress(terminal);
  const compared = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  const differences: Report["differences"] = [];
  let [unverified, differenceCount] = [0, 0];
  return {
    add: (comparison) => {
      compared[comparison.kind] += comparison.rows;
      unverified += comparison.unverified;
      differenceCount += comparison.differences.length;
      const kept = comparison.differences.slice(0, limit - differences.length);
      differences.push(...kept.map((one) => ({ ...one, explanation: explanationOf(one) })));
      progress(comparison.kind, comparison.rows);
    },
    finish: (lastBlockNumber) => ({
      ...subject,
      lastBlockNumber,
      compared,
      unverified,
      differenceCount,
      differences,
    }),
  };
}

function createProgress(terminal: Terminal): (kind: Kind, rows: number) => void {
  const startedMs = performance.now();
  let compared = 0;
  return (kind, rows) => {
    const before = Math.floor(compared / PROGRESS_ROWS);
    compared += rows;
    if (Math.floor(compared / PROGRESS_ROWS) === before) return;
    const spent = formatDuration((performance.now() - startedMs) / 1_000);
    note(terminal, `${compared} rows in ${spent}, now comparing: ${kind}`);
  };
}

export function printReport(terminal: Terminal, report: Report): void {
  const { chainId, blockNumber, compared, unverified, differences, differenceCount } = report;
  for (const { kind, productType, object, field, ours, chain, explanation } of differences) {
    print(terminal, `${kind} ${object}${productType === null ? "" : ` (${productType})`}`);
    printFields(terminal, { [`${field}, ours`]: ours, [`${field}, chain's`]: chain, explanation });
    print(terminal, "");
  }
  const rows = KINDS.map((kind) => `${compared[kind]} ${kind}`).join(", ");
  print(terminal, `chain ${chainId} at block ${blockNumber}: compared ${rows}`);
  if (unverified > 0)
    print(
      terminal,
      `${unverified} could not be compared: the nodes no longer have the receipts, or one does not answer`,
    );
  const beyond = differenceCount - differences.length;
  const more = beyond > 0 ? `, ${beyond} of them not shown (--limit)` : "";
  const count = differenceCount === 1 ? "1 difference" : `${differenceCount || "no"} differences`;
  print(terminal, `${count}${more}`);
}
