import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import type { Args } from "../../context/input/fields.ts";
import { formatWad } from "../../protocol/decimal.ts";
import { ORDER_STATUSES } from "../../protocol/enums.ts";
import { scopeOfAsked } from "../claims.ts";
import { groupBy } from "../group.ts";
import { parseScopedSpan } from "./input.ts";
import { readSlippage } from "./order-quote-store.ts";
import { type Counted, readSeries, readTotals } from "./order-store.ts";
import { pointsOf } from "./span.ts";

const statusSchema = z.enum(ORDER_STATUSES);

/**
 * GraphQL `Dashboard.orderSeries`: the orders of `Dashboard.orders`, counted by the step that they were mapped in.
 * @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND, DATABASE_UNAVAILABLE
 */
export async function readOrderSeries(deps: Deps, args: Args) {
  const { span, asked } = parseScopedSpan(deps, args);
  const counted = await readSeries(deps.pool, scopeOfAsked(deps, asked), span);
  const steps = [...groupBy(counted, ({ at }) => at)].map(([at, ofStep]) => ({ at, ofStep }));
  const points = pointsOf(span, steps, (at, row) => pointOf(at, row?.ofStep ?? []));
  return { stepSeconds: span.stepSeconds, points };
}

const pointOf = (at: number, ofStep: readonly Counted[]) => ({
  at,
  count: ofStep.reduce((sum, { count }) => sum + count, 0),
  byStatus: ofStep.map(({ status, count }) => ({ status: statusSchema.parse(status), count })),
  volume: formatWad(ofStep.reduce((sum, { amount }) => sum + amount, 0n)),
});

/** Limit of each breakdown: a longer table belongs on a page of its own. */
const TOTALS_MAX = 20;

/** GraphQL `Dashboard.orderTotals`. @throws ApiError as readOrderSeries */
export async function readOrderTotals(deps: Deps, args: Args) {
  const { span, asked } = parseScopedSpan(deps, args);
  const scope = scopeOfAsked(deps, asked);
  const [totals, slippage] = await Promise.all([
    readTotals(deps.pool, scope, span),
    readSlippage(deps.pool, scope, span),
  ]);
  const by = (name: "keyId" | "symbol" | "chainId") =>
    totals
      .filter((total) => total[name] !== null)
      .slice(0, TOTALS_MAX)
      .map(({ amount, ...total }) => ({
        ...total,
        volume: formatWad(amount),
        slippageBps: slippage.find((one) => one[name] === total[name])?.slippageBps ?? null,
      }));
  return { byKey: by("keyId"), bySymbol: by("symbol"), byChain: by("chainId") };
}
