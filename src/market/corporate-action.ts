import type { Deps } from "../context/deps.ts";
import { findListedStock } from "../context/listed-stock.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { addDays, newYorkTime } from "../market-data/new-york.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { type ActionsInput, toActionFilter } from "./input.ts";
import { type ListedAction, withMultipliers } from "./multipliers.ts";
import { readMultiplierChanges } from "./store.ts";

/** A multiplier's change goes to the action that fits best, which may lie outside the days asked for. */
const NEIGHBOUR_DAYS = 60;

/**
 * GET /corporate-action: splits, dividends and spin-offs by ex-date, oldest first; of one stock, or of all that are
 * listed here. No action is no failure.
 * @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND, RPC_UNAVAILABLE, MARKET_DATA_UNAVAILABLE
 */
export async function listCorporateActions(
  deps: Deps,
  scope: ProductId,
  input: ActionsInput,
): Promise<AtBlock<ListedAction[]>> {
  const { date: today } = newYorkTime(Math.floor(deps.now() / 1000));
  const { name, type, from, to } = toActionFilter(input, today);
  const { block, data } = await readMultiplierChanges(deps.prisma, scope);
  const symbols = name === null ? data.symbols : [await symbolOf(deps, scope, name)];
  const wide = { from: addDays(from, -NEIGHBOUR_DAYS), to: addDays(to, NEIGHBOUR_DAYS) };
  const actions = await deps.marketData.corporateActions({ symbols, ...wide });
  const shown = withMultipliers(actions, data.changes, today).filter(
    (action) => action.exDate >= from && action.exDate <= to && (type === null || action.type === type),
  );
  return { block, data: shown };
}

/** Returns the stock's symbol: a name that nothing is listed under may still be one. */
async function symbolOf(deps: Deps, scope: ProductId, name: string): Promise<string> {
  const { data: token } = await findListedStock(deps, scope, name);
  return token?.symbol.toUpperCase() ?? name;
}
