import type { Statement } from "../context/schema-types.ts";

/** Columns of the file. */
const COLUMNS = [
  "timestamp",
  "kind",
  "asset",
  "stockAddress",
  "delta",
  "balanceAfter",
  "lockedDelta",
  "lockedAfter",
  "fillQuantity",
  "fillPrice",
  "fillNotional",
  "fee",
  "orderId",
  "operationId",
  "txHash",
  "blockNumber",
  "activityId",
  "multiplierBefore",
  "multiplierAfter",
] as const;

/** Returns a page of a statement as a part of one file: names and opening balances on the first page, closing balances on the last one. */
export function csvOf({ from, to, opening, closing, rows }: Omit<Statement, "csv">): string {
  const balances = (kind: string, timestamp: unknown, of: Statement["opening"]) =>
    (of ?? []).map(({ available, locked, ...asset }) => ({
      ...asset,
      timestamp,
      kind,
      balanceAfter: available,
      lockedAfter: locked,
    }));
  const records = [
    ...balances("opening", from, opening),
    ...rows.map(({ fill, distribution, ...row }) => ({
      ...row,
      multiplierBefore: distribution?.multiplierBefore,
      multiplierAfter: distribution?.multiplierAfter,
      fillQuantity: fill?.quantity,
      fillPrice: fill?.price,
      fillNotional: fill?.notional,
    })),
    ...balances("closing", to, closing),
  ];
  const lines = records.map((record: Partial<Record<(typeof COLUMNS)[number], unknown>>) =>
    COLUMNS.map((column) => String(record[column] ?? "")),
  );
  return [...(opening ? [COLUMNS] : []), ...lines].map(csvLine).join("");
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Returns a line of CSV (RFC 4180). */
const csvLine = (values: readonly string[]): string => `${values.map(cell).join(",")}\r\n`;

/** A spreadsheet calculates a text that begins like a formula, and some texts are a partner's: such a one begins with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
