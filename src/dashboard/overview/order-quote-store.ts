import type pg from "pg";
import { z } from "zod";
import type { ListScope } from "../../claims/list-scope.ts";
import { execute, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { storedAmount, storedHex } from "../../protocol/shapes.ts";
import type { Span } from "./span.ts";

/** Quotes of market orders (app.order_quote). */

const placedSchema = z.object({
  productType: z.string(),
  orderId: storedHex,
  keyId: z.string(),
  symbol: z.string(),
  /** Wad. */
  multiplier: storedAmount,
  /** Unix seconds. */
  placedAt: z.coerce.number(),
});

/** A market order that a key owns and that has no quote yet. */
export type PlacedOrder = z.output<typeof placedSchema>;

/**
 * Returns market orders that changed in blocks behind `afterBlock`, were placed at or after `placedFrom` (Unix seconds) and have no quote
 * yet, but for those that ended without a fill.
 */
export function readPlaced(
  pool: pg.Pool,
  chainId: number,
  { afterBlock, placedFrom }: { afterBlock: bigint; placedFrom: number },
): Promise<PlacedOrder[]> {
  const statement = sql`
    SELECT o.product_type, o.order_id, s.key_id::text AS key_id, t.symbol, t.multiplier::text AS multiplier, o.created_at::text AS placed_at
    FROM app.key_order s
    JOIN onchain.stock_order o ON o.chain_id = s.chain_id AND o.product_type = s.product_type AND o.order_id = s.order_id
    JOIN onchain.stock_token t
      ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = o.stock_address
    WHERE s.chain_id = ${chainId} AND s.block_number > ${afterBlock}::int8 AND s.order_type = 'Market' AND o.created_at >= ${placedFrom}
      AND (o.settled_at IS NULL OR o.filled_quantity > 0)
      AND NOT EXISTS (SELECT FROM app.order_quote q
        WHERE q.chain_id = o.chain_id AND q.product_type = o.product_type AND q.order_id = o.order_id)`;
  return queryRows(pool, statement, placedSchema);
}

/**
 * Stores how far fills were from their quotes, of orders that ended `confirmations` blocks ago; positive is worse than the quote for
 * the user. Removes quotes of orders that ended without a fill.
 */
export async function settleQuotes(pool: pg.Pool, chainId: number, confirmations: number): Promise<void> {
  const statement = sql`
    WITH ended AS (
      SELECT o.chain_id, o.product_type, o.order_id, o.side, o.filled_notional, o.filled_quantity
      FROM app.order_quote q
      JOIN onchain.stock_order o ON o.chain_id = q.chain_id AND o.product_type = q.product_type AND o.order_id = q.order_id
      WHERE q.chain_id = ${chainId} AND q.slippage_bps IS NULL AND q.placed_at > now() - interval '2 days' AND o.settled_at IS NOT NULL
        AND o.updated_block <= (SELECT c.block_number FROM app.event_chain c WHERE c.chain_id = ${chainId}) - ${confirmations}::int
    ), removed AS (
      DELETE FROM app.order_quote q USING ended e
      WHERE q.chain_id = e.chain_id AND q.product_type = e.product_type AND q.order_id = e.order_id AND e.filled_quantity = 0
    )
    UPDATE app.order_quote q SET filled_notional = e.filled_notional,
      slippage_bps = round((e.filled_notional * 1e18 / e.filled_quantity - q.price) * CASE e.side WHEN 'Buy' THEN 10000 ELSE -10000 END / q.price, 2)
    FROM ended e
    WHERE q.chain_id = e.chain_id AND q.product_type = e.product_type AND q.order_id = e.order_id AND e.filled_quantity > 0`;
  await execute(pool, statement);
}

const slippageSchema = z.object({
  keyId: z.string().nullable(),
  symbol: z.string().nullable(),
  chainId: z.number().nullable(),
  slippageBps: z.coerce.number(),
});

/** Slippage of orders that have one key, symbol or chain in common, the one that is not null. */
export type Slippage = z.output<typeof slippageSchema>;

/** Averages the slippage of orders that were placed in a span, by what their fills come to. */
export function readSlippage(
  pool: pg.Pool,
  scope: ListScope,
  { from, to }: Pick<Span, "from" | "to">,
): Promise<Slippage[]> {
  const statement = sql`
    SELECT s.key_id::text AS key_id, s.symbol, s.chain_id,
      round(sum(s.slippage_bps * s.filled_notional) / sum(s.filled_notional), 2)::text AS slippage_bps
    FROM app.order_quote s JOIN (${scope.scopes}) q USING (chain_id, product_type, key_id)
    WHERE s.placed_at >= to_timestamp(${from}::int8) AND s.placed_at < to_timestamp(${to}::int8) AND s.filled_notional > 0
    GROUP BY GROUPING SETS ((s.key_id), (s.symbol), (s.chain_id))`;
  return queryRows(pool, statement, slippageSchema);
}
