import { divide, fraction } from "../market-data/fraction.ts";
import { addDays, newYorkTime } from "../market-data/new-york.ts";
import type { CorporateAction } from "../market-data/provider.ts";
import { formatWad } from "../protocol/decimal.ts";
import type { ActionStatus } from "../protocol/enums.ts";

/** A change of a stock token's multiplier, in the chain's order. */
export interface MultiplierChange {
  /** Stock symbol, upper case. */
  symbol: string;
  /** Unix seconds of its block. */
  timestamp: number;
  /** Wad. */
  oldMultiplier: bigint;
  newMultiplier: bigint;
}

export interface ListedAction extends CorporateAction {
  status: ActionStatus;
  /** Decimal text; null while no change of the multiplier is known to come from this action. */
  multiplierBefore: string | null;
  multiplierAfter: string | null;
}

/** Multipliers change on the ex-date or soon after it; the day before, where the chain's clock is ahead. */
const DAYS_BEFORE = 1;
const DAYS_AFTER = 7;

/**
 * Returns the progress of each action, and its effect on the token here. PENDING before the ex-date; COMPLETE once the
 * token's multiplier followed, or once the payable date is over (cash may be paid without touching the token);
 * IN_PROGRESS between.
 * @param today market date
 */
export function withMultipliers(
  actions: readonly CorporateAction[],
  changes: readonly MultiplierChange[],
  today: string,
): ListedAction[] {
  const found = matchChanges(actions, changes);
  return actions.map((action) => {
    const change = found.get(action);
    return {
      ...action,
      status: statusOf(action, change !== undefined, today),
      multiplierBefore: change ? formatWad(change.oldMultiplier) : null,
      multiplierAfter: change ? formatWad(change.newMultiplier) : null,
    };
  });
}

function statusOf({ exDate, payableDate }: CorporateAction, applied: boolean, today: string): ActionStatus {
  if (applied) return "COMPLETE";
  if (exDate > today) return "PENDING";
  const over = payableDate && payableDate > exDate ? payableDate : exDate;
  return over < today ? "COMPLETE" : "IN_PROGRESS";
}

/**
 * Matches changes with actions, because the chain records no cause of a change. Each change goes to one action of its stock and
 * days: a split whose ratio is exactly the change's, else, where the multiplier rose, a dividend or spin-off; the one that went
 * ex last before the change, and of several on one date the first.
 */
function matchChanges(
  actions: readonly CorporateAction[],
  changes: readonly MultiplierChange[],
): Map<CorporateAction, MultiplierChange> {
  const found = new Map<CorporateAction, MultiplierChange>();
  for (const change of changes) {
    const candidates = actions.filter(
      (action) => !found.has(action) && action.symbol === change.symbol && isNear(action, change),
    );
    const { date } = newYorkTime(change.timestamp);
    const rose = change.newMultiplier > change.oldMultiplier;
    const splits = candidates.filter((candidate) => isSplitOf(candidate, change));
    const paid = candidates.filter(({ type }) => type !== "split" && rose);
    const action = nearest(splits, date) ?? nearest(paid, date);
    if (action) found.set(action, change);
  }
  return found;
}

function isNear({ exDate, payableDate }: CorporateAction, { timestamp }: MultiplierChange): boolean {
  const { date } = newYorkTime(timestamp);
  const over = payableDate && payableDate > exDate ? payableDate : exDate;
  return date >= addDays(exDate, -DAYS_BEFORE) && date <= addDays(over, DAYS_AFTER);
}

/** Returns true where the ratios are equal, or equal once rounded down to a wad as the chain must. */
function isSplitOf(action: CorporateAction, { oldMultiplier, newMultiplier }: MultiplierChange): boolean {
  if (action.type !== "split" || action.oldRate === null || action.newRate === null) return false;
  const { num, den } = divide(fraction(action.newRate), fraction(action.oldRate));
  const off = newMultiplier - (oldMultiplier * num) / den;
  return off >= -1n && off <= 1n;
}

/** Returns the first of the actions that went ex last, up to a market date; where none did, the first of those that go ex next. */
function nearest(actions: readonly CorporateAction[], date: string): CorporateAction | undefined {
  const better = (action: CorporateAction, best: CorporateAction) => {
    if (action.exDate <= date) return best.exDate > date || action.exDate > best.exDate;
    return best.exDate > date && action.exDate < best.exDate;
  };
  return actions.reduce<CorporateAction | undefined>(
    (best, action) => (best && !better(action, best) ? best : action),
    undefined,
  );
}
