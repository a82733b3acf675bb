import { z } from "zod";
import { type Counted, readSeries } from "../../claims/series-store.ts";
import type { Deps } from "../../context/deps.ts";
import { Prisma } from "../../db/generated/client.ts";
import type { Args } from "../../input/fields.ts";
import { orderRows } from "../../orders/list-store.ts";
import { statusSql } from "../../orders/status.ts";
import { formatWad } from "../../protocol/decimal.ts";
import { ORDER_STATUSES } from "../../protocol/enums.ts";
import { withinScopes } from "../claims.ts";
import { groupBy } from "../group.ts";
import { parseScopedSpan } from "./input.ts";
import { pointsOf } from "./span.ts";

const statusSchema = z.enum(ORDER_STATUSES);

/** Rows that were settled before the archive had the column are looked up in the index. */
const SETTLED_VOLUME = Prisma.sql`
  CASE WHEN s.filled_notional IS NULL AND s.log_index >= 0 THEN (
      SELECT o.filled_notional FROM onchain.stock_order o
      WHERE o.chain_id = s.chain_id AND o.product_type = s.product_type AND o.tx_hash = s.tx_hash
        AND o.log_index = s.log_index)
    ELSE s.filled_notional END`;

/**
 * GraphQL `Dashboard.orderSeries`: the orders of `Dashboard.orders`, counted by the step that they were mapped in.
 * @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND, DATABASE_UNAVAILABLE
 */
export async function readOrderSeries(deps: Deps, args: Args) {
  const { span, asked } = parseScopedSpan(deps, args);
  const rows = withinScopes(deps, asked, orderRows({ from: span.from, to: span.to - 1 }));
  const counted = await readSeries(deps.prisma, rows, {
    ...span,
    settled: { label: Prisma.sql`s.status`, amount: SETTLED_VOLUME },
    live: { label: statusSql, amount: Prisma.sql`o.filled_notional` },
  });
  const steps = [...groupBy(counted, ({ at }) => at)].map(([at, ofStep]) => ({ at, ofStep }));
  const points = pointsOf(span, steps, (at, row) => pointOf(at, row?.ofStep ?? []));
  return { stepSeconds: span.stepSeconds, points };
}

const pointOf = (at: number, ofStep: readonly Counted[]) => ({
  at,
  count: ofStep.reduce((sum, { count }) => sum + count, 0),
  byStatus: ofStep.map(({ label, count }) => ({ status: statusSchema.parse(label), count })),
  volume: formatWad(ofStep.reduce((sum, { amount }) => sum + amount, 0n)),
});
