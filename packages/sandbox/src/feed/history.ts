import { isTradingDay, previousTradingDay } from "../../../../src/market-data/calendar.ts";
import { addDays, dayOfWeek } from "../../../../src/market-data/new-york.ts";

/**
 * Corporate actions of the listed companies' past. Splits and the spin-off are real; dividends follow a rule, because no package
 * has the real ones. The data set's prices are adjusted for splits, so printed prices before a split were higher by its ratio.
 */
export interface PastAction {
  actionId: string;
  symbol: string;
  type: "split" | "dividend" | "spin-off";
  subType: string;
  declarationDate: string | null;
  exDate: string;
  recordDate: string | null;
  payableDate: string | null;
  /** US dollars per share, or null. */
  cash: string | null;
  oldRate: string | null;
  newRate: string | null;
  /** Spin-offs: the first price of the new company's share, US dollars. */
  spunOffPrice: string | null;
}

/** Symbol, ex-date, shares before, shares after. */
const SPLITS = [
  ["AAPL", "2000-06-21", "1", "2"],
  ["AAPL", "2005-02-28", "1", "2"],
  ["AAPL", "2014-06-09", "1", "7"],
  ["AAPL", "2020-08-31", "1", "4"],
  ["AMZN", "2022-06-06", "1", "20"],
  ["GOOG", "2022-07-18", "1", "20"],
  ["MSFT", "2003-02-18", "1", "2"],
  ["NVDA", "2021-07-20", "1", "4"],
  ["NVDA", "2024-06-10", "1", "10"],
  ["TSLA", "2020-08-31", "1", "5"],
  ["TSLA", "2022-08-25", "1", "3"],
] as const;

/** Kyndryl: IBM's holders got one share for five. */
const SPIN_OFF: PastAction = {
  actionId: "IBM-spin-off-2021-11-04",
  symbol: "IBM",
  type: "spin-off",
  subType: "spin-off",
  declarationDate: "2021-10-12",
  exDate: "2021-11-04",
  recordDate: "2021-10-25",
  payableDate: "2021-11-03",
  cash: null,
  oldRate: "5",
  newRate: "1",
  spunOffPrice: "26.38",
};

/** Quarterly dividends: symbol, US dollars, the first month of the year with one, and the Thursday in it. */
const DIVIDENDS = [
  ["AAPL", "0.26", 2, 2],
  ["IBM", "0.55", 2, 2],
  ["META", "0.53", 3, 3],
  ["MSFT", "0.14", 2, 3],
  ["NVDA", "0.01", 3, 2],
] as const;
const FIRST_DIVIDEND_YEAR = 2024;
const DECLARED_DAYS_BEFORE = 35;
const PAID_DAYS_AFTER = 21;

/** Returns the actions declared by `today` (a market date), by ex-date. */
export function pastActions(today: string): PastAction[] {
  return [...SPLITS.map(splitOf), SPIN_OFF, ...dividendsUpTo(today)]
    .filter(({ declarationDate, exDate }) => (declarationDate ?? exDate) <= today)
    .sort((a, b) => (a.exDate + a.symbol < b.exDate + b.symbol ? -1 : 1));
}

function splitOf([symbol, exDate, oldRate, newRate]: (typeof SPLITS)[number]): PastAction {
  return {
    actionId: `${symbol}-split-${exDate}`,
    symbol,
    type: "split",
    subType: "forward-split",
    declarationDate: null,
    exDate,
    recordDate: null,
    payableDate: exDate,
    cash: null,
    oldRate,
    newRate,
    spunOffPrice: null,
  };
}

function dividendsUpTo(today: string): PastAction[] {
  const lastYear = Number(addDays(today, DECLARED_DAYS_BEFORE).slice(0, 4));
  const years = Array.from({ length: Math.max(0, lastYear - FIRST_DIVIDEND_YEAR + 1) }, (_, index) => index);
  return years.flatMap((year) =>
    DIVIDENDS.flatMap(([symbol, cash, firstMonth, week]) =>
      [0, 3, 6, 9].map((months) => {
        const month = `${FIRST_DIVIDEND_YEAR + year}-${String(firstMonth + months).padStart(2, "0")}`;
        return dividendOf(symbol, cash, nthThursday(month, week));
      }),
    ),
  );
}

function dividendOf(symbol: string, cash: string, exDate: string): PastAction {
  return {
    actionId: `${symbol}-dividend-${exDate}`,
    symbol,
    type: "dividend",
    subType: "cash",
    declarationDate: addDays(exDate, -DECLARED_DAYS_BEFORE),
    exDate,
    recordDate: exDate,
    payableDate: addDays(exDate, PAID_DAYS_AFTER),
    cash,
    oldRate: null,
    newRate: null,
    spunOffPrice: null,
  };
}

/** Returns the nth Thursday, or the trading day before it where the exchange is shut. */
function nthThursday(month: string, nth: number): string {
  const first = `${month}-01`;
  const date = addDays(first, ((4 - dayOfWeek(first) + 7) % 7) + (nth - 1) * 7);
  return isTradingDay(date) ? date : previousTradingDay(date);
}
