import { previousTradingDay } from "../../../../src/market-data/calendar.ts";
import {
  add,
  divide,
  type Fraction,
  fraction,
  multiply,
  ONE,
  round,
} from "../../../../src/market-data/fraction.ts";
import { newYorkInstant } from "../../../../src/market-data/new-york.ts";
import { type DailyRow, MICRO_DECIMALS, type Micros } from "./dataset.ts";
import { momentOf } from "./days.ts";
import type { PastAction } from "./history.ts";
import { roundToCent } from "./path.ts";
import { rowOn } from "./series.ts";
import type { CorporateAction } from "./state.ts";

/** Printed prices before `before` (Unix seconds) are `ratio` times those of the data set. */
export interface PriceRatio {
  before: number;
  ratio: Fraction;
}

/**
 * Returns the ratios of past printed prices to the data set's, which are in today's shares: 20 before a split of one into twenty,
 * and higher by the value of a spun-off company. Dividends change no ratio: the data set's prices include them. Oldest first.
 */
export function pastRatios(series: readonly DailyRow[], actions: readonly PastAction[]): PriceRatio[] {
  const ratios: PriceRatio[] = [];
  let ratio = ONE;
  for (const action of actions.toReversed()) {
    if (action.oldRate === null || action.newRate === null) continue;
    const shares = divide(fraction(action.newRate), fraction(action.oldRate));
    ratio =
      action.spunOffPrice === null
        ? multiply(ratio, shares)
        : liftedBy(
            multiply(shares, fraction(action.spunOffPrice)),
            closeBefore(series, action.exDate),
            ratio,
          );
    ratios.unshift({ before: newYorkInstant(action.exDate, 0), ratio });
  }
  return ratios;
}

/** Returns the ratio that raises the last close with the entitlement by exactly its value. */
function liftedBy(value: Fraction, close: Micros, ratio: Fraction): Fraction {
  const after = multiply({ num: close, den: 10n ** BigInt(MICRO_DECIMALS) }, ratio);
  return multiply(ratio, divide(add(after, value), after));
}

/** Returns the data set's close of the last trading day before a market date. */
function closeBefore(series: readonly DailyRow[], date: string): Micros {
  const { day } = momentOf(newYorkInstant(previousTradingDay(date), 0));
  return roundToCent(rowOn(series, day.number).close);
}

/** Converts a price of the data set to the one printed at a time: before past actions, after scripted ones. */
export function printedAt(
  time: number,
  ratios: readonly PriceRatio[],
  applied: readonly CorporateAction[],
): (price: Micros) => Micros {
  const ratio = ratios.find(({ before }) => time < before)?.ratio ?? ONE;
  const since = applied.filter(({ appliedAt }) => appliedAt <= time);
  return (price) => since.reduce(byFactor, roundToCent(round({ num: price * ratio.num, den: ratio.den })));
}

/** Returns a price after a corporate action. */
export const byFactor = (price: Micros, { priceNumerator, priceDenominator }: CorporateAction): Micros =>
  roundToCent((price * BigInt(priceNumerator)) / BigInt(priceDenominator));
