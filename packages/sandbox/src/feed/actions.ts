import type { AdjustingAction } from "../../../../src/market-data/adjust.ts";
import { previousTradingDay } from "../../../../src/market-data/calendar.ts";
import { newYorkInstant, newYorkTime } from "../../../../src/market-data/new-york.ts";
import type { CorporateAction as ProviderAction } from "../../../../src/market-data/provider.ts";
import { formatDecimal } from "../../../../src/protocol/decimal.ts";
import { type DailyRow, MICRO_DECIMALS, type Micros } from "./dataset.ts";
import { momentOf } from "./days.ts";
import { type PastAction, pastActions } from "./history.ts";
import { roundToCent } from "./path.ts";
import { type PriceRatio, printedAt } from "./prices.ts";
import { rowOn } from "./series.ts";
import type { CorporateAction } from "./state.ts";

/** A corporate action, with the data for adjusting prices. */
export type FeedAction = ProviderAction & AdjustingAction;

interface Stock {
  company: { symbol: string };
  series: readonly DailyRow[];
  ratios: readonly PriceRatio[];
}

/**
 * Returns the past's and the scripts' actions, oldest first.
 * @param now Unix seconds
 */
export function feedActions(
  stocks: readonly Stock[],
  applied: readonly CorporateAction[],
  now: number,
): FeedAction[] {
  const bySymbol = new Map(stocks.map((stock) => [stock.company.symbol, stock]));
  const past = pastActions(newYorkTime(now).date).flatMap((action) => {
    const stock = bySymbol.get(action.symbol);
    return stock ? [pastAction(action, stock, now)] : [];
  });
  return [...past, ...applied.map(scriptedAction)].sort((a, b) => a.effectiveAt - b.effectiveAt);
}

function pastAction(action: PastAction, stock: Stock, now: number): FeedAction {
  const effectiveAt = newYorkInstant(action.exDate, 0);
  return {
    ...action,
    effectiveAt,
    // The close before an announced action is not known yet.
    previousClose: effectiveAt > now ? null : usd(closeBefore(action.exDate, stock)),
    priceFactor: null,
  };
}

/** Returns a script's action: it takes effect at once, in the middle of a day, and its effect on the price is known. */
function scriptedAction(action: CorporateAction): FeedAction {
  const { date } = newYorkTime(action.appliedAt);
  return {
    actionId: action.actionId,
    symbol: action.symbol,
    type: action.type,
    subType: action.type === "split" ? splitKind(action) : action.type === "dividend" ? "cash" : "spin-off",
    declarationDate: date,
    exDate: date,
    recordDate: date,
    payableDate: date,
    cash: action.cash,
    oldRate: action.oldRate,
    newRate: action.newRate,
    effectiveAt: action.appliedAt,
    previousClose: null,
    spunOffPrice: null,
    priceFactor: { num: action.priceNumerator, den: action.priceDenominator },
  };
}

function splitKind({ priceNumerator, priceDenominator }: CorporateAction): string {
  return BigInt(priceNumerator) > BigInt(priceDenominator) ? "reverse-split" : "forward-split";
}

/** Returns the printed close of the last trading day before a market date. */
function closeBefore(date: string, { series, ratios }: Stock): Micros {
  const { day } = momentOf(newYorkInstant(previousTradingDay(date), 0));
  return printedAt(day.start, ratios, [])(roundToCent(rowOn(series, day.number).close));
}

const usd = (amount: Micros): string => formatDecimal(amount, MICRO_DECIMALS);
