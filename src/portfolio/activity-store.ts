import type pg from "pg";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import { ownerSql } from "../claims/ownership.ts";
import { type AtBlock, readAtBlock } from "../db/checkpoint.ts";
import { join, raw, type Sql, sql } from "../db/sql.ts";
import { ACTIVITY_KINDS } from "../protocol/enums.ts";
import { storedAmount, storedHex, storedSeconds } from "../protocol/shapes.ts";
import type { ActivityListInput } from "./input.ts";

export const activitySchema = z.object({
  userAddress: storedHex,
  asset: z.string(),
  symbol: z.string().nullable(),
  timestamp: storedSeconds,
  blockNumber: z.coerce.number(),
  logIndex: z.number(),
  txHash: storedHex,
  kind: z.enum(ACTIVITY_KINDS),
  causeId: storedHex.nullable(),
  delta: storedAmount,
  lockedDelta: storedAmount,
  balanceAfter: storedAmount,
  /** Of a distribution, wad; else null. */
  oldMultiplier: storedAmount.nullable(),
  newMultiplier: storedAmount.nullable(),
  held: storedAmount.nullable(),
  /** Counts from 0 the user's activities of the transaction. */
  ordinal: z.number(),
  /** True where the viewer owns the cause. */
  owned: z.boolean(),
});
export type ActivityRow = z.output<typeof activitySchema>;

/** Columns that a user's list is sorted by. */
export type Position = readonly [timestamp: number, block: number, logIndex: number, asset: string];

/** Returns the activities of a user behind a position, one more than asked for. @throws ApiError INDEXER_BEHIND */
export function readActivities(
  pool: pg.Pool,
  viewer: Viewer,
  input: Omit<ActivityListInput, "cursor">,
  after: Position | null,
): Promise<AtBlock<ActivityRow[]>> {
  const statement = sql`
    SELECT a.user_address, a.asset, t.symbol, a.timestamp::text AS timestamp, a.block_number::text AS block_number,
      a.log_index, a.tx_hash, a.kind, a.cause_id, a.delta::text AS delta, a.locked_delta::text AS locked_delta,
      a.balance_after::text AS balance_after, ${ordinal} AS ordinal, ${owned(viewer)} AS owned,
      ${DISTRIBUTED}
    FROM (${pageSql(viewer, input, after, NEWEST_FIRST)}) a
    LEFT JOIN onchain.stock_token t
      ON t.chain_id = a.chain_id AND t.product_type = a.product_type AND t.token_address = a.asset
    ${JOIN_DISTRIBUTION}
    ${orderBy(NEWEST_FIRST)}`;
  return readAtBlock(pool, viewer.chainId, statement, activitySchema);
}

/** The order of a list, and how rows behind a position compare with it. */
interface Order {
  direction: Sql;
  behind: Sql;
}

const NEWEST_FIRST: Order = { direction: raw("DESC"), behind: raw("<") };
export const OLDEST_FIRST: Order = { direction: raw("ASC"), behind: raw(">") };

const orderBy = ({ direction }: Order): Sql => sql`
  ORDER BY a.timestamp ${direction}, a.block_number ${direction}, a.log_index ${direction}, a.asset ${direction}`;

/**
 * Returns the activities that balances keep, the last ones of their accounts: halves that nothing has joined so far
 * (indexer/src/activity.ts). Of a cause, the lock alone has moved.
 */
const openActivities = (asset: Sql, table: Sql): Sql => sql`
  SELECT b.chain_id, b.product_type, b.user_address, b.open_timestamp AS timestamp, b.open_block_number AS block_number,
    b.open_log_index AS log_index, ${asset} AS asset, b.open_tx_hash AS tx_hash, b.open_kind AS kind, b.open_cause_id AS cause_id,
    CASE b.open_kind WHEN 'other' THEN b.open_delta ELSE 0 END AS delta, b.open_locked AS locked_delta,
    b.available AS balance_after
  FROM ${table} b WHERE b.open_kind = 'other' OR b.open_locked <> 0`;

/** Returns splits and dividends of tokens that users held: they move no balance. */
const DISTRIBUTIONS = sql`
  SELECT d.chain_id, d.product_type, d.user_address, d.timestamp, d.block_number, d.log_index, d.token_address AS asset, d.tx_hash,
    'distribution' AS kind, NULL AS cause_id, 0 AS delta, 0 AS locked_delta, d.available AS balance_after
  FROM onchain.distribution d`;

/** Activities that onchain.activity does not have: a few for each asset of a user. */
const OTHERS = sql`
  ${openActivities(sql`'mUSD'::text`, sql`onchain.cash_balance`)}
  UNION ALL ${openActivities(sql`b.stock_address`, sql`onchain.stock_balance`)}
  UNION ALL ${DISTRIBUTIONS}`;

const COLUMNS = sql`
  a.chain_id, a.product_type, a.user_address, a.timestamp, a.block_number, a.log_index, a.asset, a.tx_hash, a.kind, a.cause_id,
  a.delta, a.locked_delta, a.balance_after`;

/** Columns of a distribution, of JOIN_DISTRIBUTION. */
export const DISTRIBUTED = sql`
  d.old_multiplier::text AS old_multiplier, d.new_multiplier::text AS new_multiplier, (d.available + d.locked)::text AS held`;

export const JOIN_DISTRIBUTION = sql`
  LEFT JOIN onchain.distribution d ON a.kind = 'distribution'
    AND d.chain_id = a.chain_id AND d.product_type = a.product_type AND d.user_address = a.user_address AND d.token_address = a.asset
    AND d.timestamp = a.timestamp AND d.block_number = a.block_number AND d.log_index = a.log_index`;

/** All activities. */
export const ACTIVITIES = sql`
  SELECT ${COLUMNS} FROM onchain.activity a UNION ALL SELECT ${COLUMNS} FROM (${OTHERS}) a`;

/** Selects a page, and one row more. It searches each asset by itself, in the order of the primary key; a user has few. */
export function pageSql(
  { chainId, productType }: Omit<Viewer, "keyId">,
  { userId, asset, from, to, limit }: Omit<ActivityListInput, "cursor">,
  after: Position | null,
  order: Order,
): Sql {
  const conditions = [
    sql`a.chain_id = ${chainId} AND a.product_type = ${productType} AND a.user_address = ${userId}`,
    sql`a.asset = named.asset`,
    ...(from === undefined ? [] : [sql`a.timestamp >= ${String(from)}::numeric`]),
    ...(to === undefined ? [] : [sql`a.timestamp <= ${String(to)}::numeric`]),
    ...(after ? [behind(after, order)] : []),
  ];
  const where = join(conditions, " AND ");
  return sql`
    SELECT a.* FROM (${assetsOf({ chainId, productType }, userId, asset)}) named
    CROSS JOIN LATERAL (
      (SELECT ${COLUMNS} FROM onchain.activity a WHERE ${where} ${orderWithin(order)} LIMIT ${limit + 1})
      UNION ALL SELECT ${COLUMNS} FROM (${OTHERS}) a WHERE ${where}) a
    ${orderBy(order)} LIMIT ${limit + 1}`;
}

/** Sorts rows of one asset. */
const orderWithin = ({ direction }: Order): Sql => sql`
  ORDER BY a.timestamp ${direction}, a.block_number ${direction}, a.log_index ${direction}`;

/** Selects rows behind a position. The second comparison implies the first, whose columns are in the order of the primary key. */
const behind = ([timestamp, block, logIndex, asset]: Position, order: Order): Sql => sql`
  (a.timestamp, a.block_number, a.log_index) ${order.behind}= (${String(timestamp)}::numeric, ${String(block)}::numeric, ${logIndex}::int)
  AND (a.timestamp, a.block_number, a.log_index, a.asset)
    ${order.behind} (${String(timestamp)}::numeric, ${String(block)}::numeric, ${logIndex}::int, ${asset})`;

/** Returns the assets that a name stands for, as activities have them; without one, all that the user ever had. */
function assetsOf(
  { chainId, productType }: Omit<Viewer, "keyId">,
  user: string,
  name: string | undefined,
): Sql {
  if (name === undefined)
    return sql`
      SELECT 'mUSD'::text AS asset UNION ALL SELECT k.stock_address FROM onchain.stock_balance k
      WHERE k.chain_id = ${chainId} AND k.product_type = ${productType} AND k.user_address = ${user}`;
  if (name.toLowerCase() === "musd") return sql`SELECT 'mUSD'::text AS asset`;
  if (/^0x[0-9a-f]{40}$/i.test(name)) return sql`SELECT ${name.toLowerCase()}::text AS asset`;
  return sql`
    SELECT k.token_address AS asset FROM onchain.stock_token k
    WHERE k.chain_id = ${chainId} AND k.product_type = ${productType} AND upper(k.symbol) = ${name.toUpperCase()}`;
}

export const ordinal = sql`
  (SELECT count(*)::int FROM (${assetsSql()}) named CROSS JOIN LATERAL (
    SELECT b.log_index, b.asset FROM (${ACTIVITIES}) b
    WHERE b.chain_id = a.chain_id AND b.product_type = a.product_type AND b.user_address = a.user_address
      AND b.asset = named.asset AND b.timestamp = a.timestamp AND b.block_number = a.block_number AND b.tx_hash = a.tx_hash) b
    WHERE (b.log_index, b.asset) < (a.log_index, a.asset))`;

function assetsSql(): Sql {
  return sql`
    SELECT 'mUSD'::text AS asset UNION ALL SELECT k.stock_address FROM onchain.stock_balance k
    WHERE k.chain_id = a.chain_id AND k.product_type = a.product_type AND k.user_address = a.user_address`;
}

/** Orders and operations by their ids, with the type of the claims that count for them: a combined call's are of its trade. */
const CAUSES = sql`
  SELECT s.chain_id, s.product_type, s.tx_hash, s.user_address, 'trade' AS claim_type
  FROM onchain.stock_order s WHERE a.kind LIKE 'order-%'
    AND s.chain_id = a.chain_id AND s.product_type = a.product_type AND s.order_id = a.cause_id
  UNION ALL
  SELECT s.chain_id, s.product_type, s.tx_hash, s.user_address, CASE WHEN s.order_id IS NULL THEN s.kind ELSE 'trade' END
  FROM onchain.cash_operation s WHERE a.kind IN ('deposit', 'withdraw', 'withdraw-rejected')
    AND s.chain_id = a.chain_id AND s.product_type = a.product_type AND s.op_id = a.cause_id
  UNION ALL
  SELECT s.chain_id, s.product_type, s.tx_hash, s.user_address, CASE WHEN s.order_id IS NULL THEN s.kind ELSE 'trade' END
  FROM onchain.stock_operation s WHERE a.kind IN ('stock-deposit', 'stock-withdraw')
    AND s.chain_id = a.chain_id AND s.product_type = a.product_type AND s.op_id = a.cause_id`;

/** Holds for the causes that the viewer may read: all for a dashboard, those that it owns for a key. */
export const owned = ({ keyId }: Viewer): Sql =>
  keyId === null
    ? sql`true`
    : sql`
      EXISTS (SELECT 1 FROM (${CAUSES}) o JOIN ${ownerSql("o", sql`o.claim_type`)} owner ON true
        JOIN app.transaction_claim c ON c.claim_id = owner.claim_id WHERE c.key_id = ${keyId}::uuid)`;
