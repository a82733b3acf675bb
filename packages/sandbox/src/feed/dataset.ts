import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseDecimal } from "../../../../src/protocol/decimal.ts";

/** Millionths of a US dollar. Prices of the feed are integers in this unit, never floats. */
export type Micros = bigint;
export const MICRO_DECIMALS = 6;

/** One trading day. `volume` counts shares. */
export interface DailyRow {
  /** YYYY-MM-DD of the data set; the feed maps it onto another calendar day. */
  date: string;
  open: Micros;
  high: Micros;
  low: Micros;
  close: Micros;
  volume: bigint;
}

/** Real prices on which everything here is based (package vega-datasets). */
export interface Dataset {
  /** The S&P 500, 5,105 days from 2000-01-03. */
  index: DailyRow[];
  /** Closes by symbol and month (YYYY-MM): AAPL, MSFT, AMZN, IBM and GOOG to 2010-03. */
  monthlyCloses: Map<string, Map<string, Micros>>;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Reads the data set from the installed package; no network.
 * @throws Error naming file and line, where a line has an unexpected form.
 */
export function loadDataset(): Dataset {
  return { index: readIndex(), monthlyCloses: readMonthlyCloses() };
}

function readIndex(): DailyRow[] {
  return lines("sp500-2000.csv").map(([date, open, high, low, close, , volume], position) => {
    const at = `sp500-2000.csv, row ${position + 1}`;
    return {
      date: text(date, at),
      open: micros(open, at),
      high: micros(high, at),
      low: micros(low, at),
      close: micros(close, at),
      volume: BigInt(text(volume, at)),
    };
  });
}

function readMonthlyCloses(): Map<string, Map<string, Micros>> {
  const closes = new Map<string, Map<string, Micros>>();
  for (const [position, [symbol, date, price]] of lines("stocks.csv").entries()) {
    const at = `stocks.csv, row ${position + 1}`;
    const [month = "", , year = ""] = text(date, at).split(" ");
    const ofSymbol = closes.get(text(symbol, at)) ?? new Map<string, Micros>();
    ofSymbol.set(`${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, "0")}`, micros(price, at));
    closes.set(text(symbol, at), ofSymbol);
  }
  return closes;
}

function lines(file: string): string[][] {
  const main = createRequire(import.meta.url).resolve("vega-datasets");
  const content = readFileSync(join(dirname(main), "..", "data", file), "utf8");
  return content
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(","));
}

function text(value: string | undefined, at: string): string {
  if (!value) throw new Error(`${at}: a column is missing`);
  return value;
}

function micros(value: string | undefined, at: string): Micros {
  const parsed = parseDecimal(text(value, at), MICRO_DECIMALS);
  if (typeof parsed !== "bigint") throw new Error(`${at}: ${value} is not a price`);
  return parsed;
}
