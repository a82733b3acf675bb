import type { ScaledBar } from "./bars.ts";
import { add, divide, type Fraction, fraction, multiply, ONE, round, subtract } from "./fraction.ts";

export const ADJUSTMENTS = ["raw", "split", "dividend", "spin-off", "all"] as const;
export type Adjustment = (typeof ADJUSTMENTS)[number];

/** Effect of a corporate action on prices. Amounts are decimal text, per share as held before. */
export interface AdjustingAction {
  type: "split" | "dividend" | "spin-off";
  /** First trading without the entitlement, Unix seconds: the ex-date's midnight in New York. */
  effectiveAt: number;
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
  /** Known factor of the price (whole numbers), which replaces the derived one; or null. */
  priceFactor: { num: string; den: string } | null;
}

/** Prices of bars before `effectiveAt` are multiplied by `price`, their volumes by `volume`. */
export interface AdjustmentStep {
  /** Unix seconds. */
  effectiveAt: number;
  price: Fraction;
  volume: Fraction;
}

/**
 * Returns the steps that make prices before each action comparable with those of today, one per time, oldest first.
 *
 * A split of `old` into `new` shares: price times old / new, volume times new / old. A distribution of value D at the previous
 * close P: price times (P - D) / P, so that the return over the ex-date is what a holder had; several at one time are added up
 * before, as all were earned from the same close. What cannot be known (no close, no price of the new company) or makes no sense
 * (D not below P) adjusts nothing.
 * @param now Unix seconds; later actions are announcements and change no price yet.
 */
export function adjustmentSteps(
  actions: readonly AdjustingAction[],
  adjustment: Adjustment,
  now: number,
): AdjustmentStep[] {
  const byTime = new Map<number, AdjustingAction[]>();
  for (const action of actions) {
    const wanted = adjustment === "all" || adjustment === action.type;
    if (!wanted || action.effectiveAt > now) continue;
    byTime.set(action.effectiveAt, [...(byTime.get(action.effectiveAt) ?? []), action]);
  }
  return [...byTime]
    .map(([effectiveAt, together]) => stepOf(effectiveAt, together))
    .sort((a, b) => a.effectiveAt - b.effectiveAt);
}

function stepOf(effectiveAt: number, actions: readonly AdjustingAction[]): AdjustmentStep {
  let shares = ONE;
  let known = ONE;
  let derivedShares = ONE;
  let distributed: Fraction = { num: 0n, den: 1n };
  for (const action of actions) {
    const ratio = action.type === "spin-off" ? ONE : shareRatio(action);
    shares = multiply(shares, ratio);
    if (action.priceFactor) {
      known = multiply(known, divide(fraction(action.priceFactor.num), fraction(action.priceFactor.den)));
    } else {
      derivedShares = multiply(derivedShares, ratio);
      distributed = add(distributed, valuePerShare(action));
    }
  }
  const close = actions.find((action) => action.previousClose !== null)?.previousClose ?? null;
  const derived = divide(remaining(close, distributed), derivedShares);
  return { effectiveAt, price: multiply(derived, known), volume: shares };
}

/** Returns the new shares per old share. */
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
 * Applies steps to bars, oldest first, none of which reaches over a step. Each price is rounded once, from its exact
 * product, and rounding keeps order, so high and low stay the extremes.
 */
export function adjustBars(bars: readonly ScaledBar[], steps: readonly AdjustmentStep[]): ScaledBar[] {
  const adjusted: ScaledBar[] = [];
  let price = ONE;
  let volume = ONE;
  let next = steps.length - 1;
  for (const bar of bars.toReversed()) {
    for (let step = steps[next]; step && bar.timestamp < step.effectiveAt; step = steps[--next]) {
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
