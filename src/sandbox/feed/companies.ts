import { STOCKS } from "../tokens.ts";
import type { Micros } from "./dataset.ts";

/** A company whose stock the sandbox lists. */
export interface Company {
  symbol: string;
  name: string;
  /** Used where the data set has no prices of the company: what the index is scaled to end at. */
  lastClose: Micros;
}

/** Rounded prices in dollars of the listed companies that the data set does not know. */
const LAST_CLOSE = new Map([
  ["META", 560n],
  ["NVDA", 140n],
  ["TSLA", 250n],
]);
const ANY_CLOSE = 100n;

/** The listed companies, in the order in which they are listed. */
export const COMPANIES: readonly Company[] = STOCKS.map(({ stockSymbol, name }) => ({
  symbol: stockSymbol,
  name,
  lastClose: (LAST_CLOSE.get(stockSymbol) ?? ANY_CLOSE) * 1_000_000n,
}));
