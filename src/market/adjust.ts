import type { ScaledBar } from "./bars.ts";
import { add, divide, type Fraction, fraction, multiply, ONE, round, subtract } from "./exact.ts";
import { newYorkTime } from "./new-york.ts";

export const ADJUSTMENTS = ["raw", "split", "dividend", "spin-off", "all"] as const;
export type Adjustment = (typeof ADJUSTMENTS)[number];

/** What of a corporate action moves prices. Amounts are decimal text, per share as held before the ex-date. */
export interface AdjustingAction {
  type: "split" | "dividend" | "spin-off";
  /** Market date on which the stock first trades without the entitlement. */
  exDate: string;
  /** Cash per share; null where none is paid. */
  cash: string | null;
  /**
   * Every `oldRate` shares become `newRate` (split, stock dividend), or bring `newRate` shares of the new company
   * (spin-off); null where shares stay as they are.
   */
  oldRate: string | null;
  newRate: string | null;
  /** Raw close of the last session before the ex-date. */
  previousClose: string | null;
  /** Spin-offs: price of one share of the new company, first known. */
  spunOffPrice: string | null;
}

/** Prices of bars before `exDate` are multiplied by `price`, their volumes by `volume`. */
export interface AdjustmentStep {
  exDate: string;
  price: Fraction;
  volume: Fraction;
}

/**
 * Steps that make prices before each ex-date comparable with those of today, one per ex-date, oldest first.
 *
 * A split of `old` into `new` shares: price times old / new, volume times new / old. A distribution of value D at the
 * previous close P: price times (P - D) / P, so that the return over the ex-date is what a holder had; several on one
 * date are added up before, as all were earned from the same close. What cannot be known (no close, no price of the
 * new company) or makes no sense (D not below P) adjusts nothing.
 * @param today market date; later ex-dates are announcements and change no price yet.
 */
export function adjustmentSteps(
  actions: readonly AdjustingAction[],
  adjustment: Adjustment,
  today: string,
): AdjustmentStep[] {
  const byDate = new Map<string, AdjustingAction[]>();
  for (const action of actions) {
    const wanted = adjustment === "all" || adjustment === action.type;
    if (!wanted || action.exDate > today) continue;
    byDate.set(action.exDate, [...(byDate.get(action.exDate) ?? []), action]);
  }
  return [...byDate]
    .map(([exDate, sameDay]) => stepOf(exDate, sameDay))
    .sort((a, b) => (a.exDate < b.exDate ? -1 : 1));
}

function stepOf(exDate: string, actions: readonly AdjustingAction[]): AdjustmentStep {
  let shares = ONE;
  let distributed: Fraction = { num: 0n, den: 1n };
  for (const action of actions) {
    if (action.type !== "spin-off") shares = multiply(shares, shareRatio(action));
    distributed = add(distributed, valuePerShare(action));
  }
  const close = actions.find((action) => action.previousClose !== null)?.previousClose ?? null;
  return { exDate, price: divide(remaining(close, distributed), shares), volume: shares };
}

/** New shares per old share. */
function shareRatio({ oldRate, newRate }: AdjustingAction): Fraction {
  if (oldRate === null || newRate === null) return ONE;
  const ratio = divide(fraction(newRate), fraction(oldRate));
  return ratio.num > 0n ? ratio : ONE;
}

function valuePerShare(action: AdjustingAction): Fraction {
  if (action.type === "spin-off" && action.spunOffPrice !== null) {
    return multiply(fraction(action.spunOffPrice), shareRatio(action));
  }
  return fraction(action.cash ?? "0");
}

function remaining(previousClose: string | null, distributed: Fraction): Fraction {
  if (previousClose === null || distributed.num <= 0n) return ONE;
  const close = fraction(previousClose);
  const left = subtract(close, distributed);
  return left.num > 0n ? divide(left, close) : ONE;
}

/**
 * Applies steps to bars of at most a day's length, oldest first. Each price is rounded once, from its exact product,
 * and rounding keeps order, so high and low stay the extremes.
 */
export function adjustBars(bars: readonly ScaledBar[], steps: readonly AdjustmentStep[]): ScaledBar[] {
  if (steps.length === 0) return [...bars];
  const adjusted: ScaledBar[] = [];
  let price = ONE;
  let volume = ONE;
  let next = steps.length - 1;
  for (const bar of bars.toReversed()) {
    const { date } = newYorkTime(bar.timestamp);
    for (let step = steps[next]; step && date < step.exDate; step = steps[--next]) {
      price = multiply(price, step.price);
      volume = multiply(volume, step.volume);
    }
    adjusted.push(scale(bar, price, volume));
  }
  return adjusted.reverse();
}

function scale(bar: ScaledBar, price: Fraction, volume: Fraction): ScaledBar {
  const priced = (value: bigint) => round({ num: value * price.num, den: price.den });
  return {
    timestamp: bar.timestamp,
    open: priced(bar.open),
    high: priced(bar.high),
    low: priced(bar.low),
    close: priced(bar.close),
    volume: round({ num: bar.volume * volume.num, den: volume.den }),
  };
}
