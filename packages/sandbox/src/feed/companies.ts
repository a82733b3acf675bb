import { STOCKS } from "../tokens.ts";
import type { Micros } from "./dataset.ts";

/** A company whose stock the sandbox lists. */
export interface Company {
  symbol: string;
  name: string;
  /** Final value of the scaled index, where the data set has no prices of the company. */
  lastClose: Micros;
}

/** Rounded prices in dollars of the listed companies that the data set lacks. */
const LAST_CLOSE = new Map([
  ["META", 560n],
  ["NVDA", 140n],
  ["TSLA", 250n],
]);
const ANY_CLOSE = 100n;

/** Listed companies, in the order of their listing. */
export const COMPANIES: readonly Company[] = STOCKS.map(({ stockSymbol, name }) => ({
  symbol: stockSymbol,
  name,
  lastClose: (LAST_CLOSE.get(stockSymbol) ?? ANY_CLOSE) * 1_000_000n,
}));
