import type pg from "pg";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import { type AtBlock, readAtBlock } from "../db/checkpoint.ts";
import { empty, type Sql, sql } from "../db/sql.ts";
import { storedAmount, storedHex } from "../protocol/shapes.ts";
import {
  ACTIVITIES,
  activitySchema,
  DISTRIBUTED,
  JOIN_DISTRIBUTION,
  OLDEST_FIRST,
  ordinal,
  owned,
  type Position,
  pageSql,
} from "./activity-store.ts";
import type { StatementInput } from "./input.ts";

/** Amounts of a fill, and of a cash operation, where the activity has one; wad, `tokenAmount` base units of `decimals`. */
const rowSchema = activitySchema.extend({
  part: z.literal("row"),
  quantity: storedAmount.nullable(),
  price: storedAmount.nullable(),
  notional: storedAmount.nullable(),
  fillFee: storedAmount.nullable(),
  tokenAmount: storedAmount.nullable(),
  wadAmount: storedAmount.nullable(),
  /** 6 decimals. */
  usdRate: storedAmount.nullable(),
  decimals: z.number().nullable(),
});
export type StatementRow = z.output<typeof rowSchema>;

const balanceSchema = z.object({
  part: z.enum(["opening", "closing"]),
  asset: z.union([z.literal("mUSD"), storedHex]),
  symbol: z.string().nullable(),
  delta: storedAmount,
  lockedDelta: storedAmount,
});

/** Balance of a user in an asset, wad. */
export interface StatementBalance {
  /** mUSD, or a token's address. */
  asset: string;
  symbol: string | null;
  available: bigint;
  locked: bigint;
}

export interface StatementPage {
  /** One more than asked for, where there are more. */
  rows: StatementRow[];
  /** Null behind a position. */
  opening: StatementBalance[] | null;
  /** Null where more rows follow. */
  closing: StatementBalance[] | null;
}

interface Asked extends Pick<StatementInput, "userId" | "to" | "limit"> {
  /** Unix seconds, as `to`, without which it goes on to the indexed block. */
  from: number;
}

/**
 * Returns a page of a user's statement behind a position. Its balances are those of now less what has happened since, so that they
 * are the sums of the same activities.
 * @throws ApiError INDEXER_BEHIND
 */
export async function readStatement(
  pool: pg.Pool,
  viewer: Viewer,
  asked: Asked,
  after: Position | null,
): Promise<AtBlock<StatementPage>> {
  const { from, to, limit } = asked;
  const afterTo = to === undefined ? sql`false` : sql`a.timestamp > ${String(to)}::numeric`;
  const opening = balancesSql(viewer, asked, {
    part: sql`'opening'`,
    since: sql`a.timestamp >= ${String(from)}::numeric`,
  });
  const closing = balancesSql(viewer, asked, { part: sql`'closing'`, since: afterTo });
  const statement = sql`
    WITH page AS MATERIALIZED (${pageSql(viewer, { ...asked, asset: undefined }, after, OLDEST_FIRST)})
    SELECT a.* FROM (
      ${rowsSql(viewer)}
      ${after ? empty : sql`UNION ALL ${opening}`}
      UNION ALL ${closing} AND (SELECT count(*) FROM page) <= ${limit}) a
    ORDER BY a.timestamp::numeric, a.block_number::numeric, a.log_index, (a.part <> 'row' AND a.asset <> 'mUSD'), a.asset`;
  const { data, ...read } = await readAtBlock(
    pool,
    viewer.chainId,
    statement,
    z.discriminatedUnion("part", [rowSchema, balanceSchema]),
  );
  const balancesOf = (part: "opening" | "closing") =>
    data.flatMap((row) => (row.part === part ? [balanceOf(row)] : []));
  const rows = data.filter((row): row is StatementRow => row.part === "row");
  return {
    ...read,
    data: {
      rows,
      opening: after ? null : balancesOf("opening"),
      closing: rows.length > limit ? null : balancesOf("closing"),
    },
  };
}

const balanceOf = ({
  asset,
  symbol,
  delta,
  lockedDelta,
}: z.output<typeof balanceSchema>): StatementBalance => ({
  asset,
  symbol,
  available: delta,
  locked: lockedDelta,
});

const rowsSql = (viewer: Viewer): Sql => sql`
  SELECT 'row' AS part, a.user_address, a.asset, t.symbol, a.timestamp::text AS timestamp, a.block_number::text AS block_number,
    a.log_index, a.tx_hash, a.kind, a.cause_id, a.delta::text AS delta, a.locked_delta::text AS locked_delta,
    a.balance_after::text AS balance_after, ${ordinal} AS ordinal, ${owned(viewer)} AS owned,
    f.quantity::text AS quantity, f.price::text AS price, f.notional::text AS notional, f.fee::text AS fill_fee,
    o.token_amount::text AS token_amount, o.wad_amount::text AS wad_amount, o.usd_rate::text AS usd_rate, c.decimals, ${DISTRIBUTED}
  FROM page a
  LEFT JOIN onchain.stock_token t
    ON t.chain_id = a.chain_id AND t.product_type = a.product_type AND t.token_address = a.asset
  LEFT JOIN LATERAL (${FILL}) f ON true
  LEFT JOIN onchain.cash_operation o
    ON o.chain_id = a.chain_id AND o.product_type = a.product_type AND o.op_id = a.cause_id AND a.kind IN ('deposit', 'withdraw')
  LEFT JOIN onchain.cash_token c
    ON c.chain_id = o.chain_id AND c.product_type = o.product_type AND c.token_address = o.token_address
  ${JOIN_DISTRIBUTION}`;

/** Selects the fill of an activity of its stock: of fills of an order in one transaction, that of the same place. */
const FILL = sql`
  SELECT f.quantity, f.price, f.notional, f.fee FROM onchain.order_fill f
  WHERE a.kind = 'order-filled' AND a.asset <> 'mUSD'
    AND f.chain_id = a.chain_id AND f.product_type = a.product_type AND f.order_id = a.cause_id AND f.tx_hash = a.tx_hash
  ORDER BY f.ordinal
  OFFSET (SELECT count(*) FROM (${ACTIVITIES}) b
    WHERE b.chain_id = a.chain_id AND b.product_type = a.product_type AND b.user_address = a.user_address AND b.asset = a.asset
      AND b.timestamp = a.timestamp AND b.block_number = a.block_number AND b.tx_hash = a.tx_hash AND b.kind = a.kind
      AND b.cause_id = a.cause_id AND b.log_index < a.log_index)
  LIMIT 1`;

/** Selects what a user has, less what has happened since. The WHERE clause is last: another condition may follow. */
const balancesSql = (
  { chainId, productType }: Viewer,
  { userId }: Asked,
  { part, since }: { part: Sql; since: Sql },
): Sql => sql`
  SELECT ${part}, NULL, b.asset, t.symbol, NULL, NULL, NULL, NULL, NULL, NULL, (b.available - m.delta)::text, (b.locked - m.locked)::text,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM (SELECT k.chain_id, k.product_type, k.user_address, 'mUSD'::text AS asset, k.available, k.locked FROM onchain.cash_balance k
    UNION ALL SELECT k.chain_id, k.product_type, k.user_address, k.stock_address, k.available, k.locked FROM onchain.stock_balance k) b
  LEFT JOIN onchain.stock_token t
    ON t.chain_id = b.chain_id AND t.product_type = b.product_type AND t.token_address = b.asset
  CROSS JOIN LATERAL (SELECT coalesce(sum(a.delta), 0) AS delta, coalesce(sum(a.locked_delta), 0) AS locked
    FROM (${ACTIVITIES}) a
    WHERE a.chain_id = b.chain_id AND a.product_type = b.product_type AND a.user_address = b.user_address AND a.asset = b.asset
      AND ${since}) m
  WHERE b.chain_id = ${chainId} AND b.product_type = ${productType} AND b.user_address = ${userId}`;
