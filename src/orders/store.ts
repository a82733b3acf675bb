import type { Hex } from "viem";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import { type ClaimRows, versionOf } from "../claims/indexed-rows.ts";
import { claimSchema } from "../claims/mapping.ts";
import { depositOfOrder } from "../claims/outcome-store.ts";
import { claimColumns, claimsTo, ownerSql, shownUnindexed } from "../claims/ownership.ts";
import { createBatcher } from "../db/batch.ts";
import { type AtBlock, createSetReader, type ReadOptions } from "../db/checkpoint.ts";
import { Prisma } from "../db/generated/client.ts";
import type { Select } from "../db/select.ts";
import { CHAIN_ORDER_STATUSES, ORDER_TYPES, SIDES } from "../protocol/enums.ts";
import { storedAmount, storedHex, storedSeconds } from "../protocol/shapes.ts";

const fillSchema = z.object({
  quantity: storedAmount,
  price: storedAmount,
  fee: storedAmount,
  txHash: storedHex,
  timestamp: storedSeconds,
});

const orderSchema = z.object({
  order_id: storedHex,
  log_index: z.number(),
  ordinal: z.number(),
  block_number: z.coerce.number(),
  created_at: storedSeconds,
  updated_at: storedSeconds,
  user_address: storedHex,
  stock_address: storedHex,
  symbol: z.string().nullable(),
  side: z.enum(SIDES),
  order_type: z.enum(ORDER_TYPES),
  notional: storedAmount.nullable(),
  quantity: storedAmount.nullable(),
  price: storedAmount.nullable(),
  time_in_force: z.number().nullable(),
  deadline: storedSeconds,
  locked_remaining: storedAmount,
  status: z.enum(CHAIN_ORDER_STATUSES),
  filled_quantity: storedAmount,
  filled_notional: storedAmount,
  fee: storedAmount,
  cancel_tx_hash: storedHex.nullable(),
  settle_tx_hash: storedHex.nullable(),
  settled_at: storedSeconds.nullable(),
  reject_reason: z.number().nullable(),
  operation_id: storedHex.nullable(),
  fills: z.array(fillSchema),
});
export type OrderRow = z.output<typeof orderSchema>;

const rowSchema = z.object({ order_ids: z.array(storedHex) });

/** One order of a claim; `order` is null while the claim's transaction is not indexed. */
export interface MappedOrder {
  claim: z.output<typeof claimSchema>;
  order: OrderRow | null;
  /** All orders of the same transaction that the claim owns, in log order. */
  orderIds: Hex[];
}

/** Returns an order as orderColumns selects it. */
export function parseOrderRow(row: Record<string, unknown>): MappedOrder {
  return {
    claim: claimSchema.parse(row),
    order: row.order_id === null ? null : orderSchema.parse(row),
    orderIds: rowSchema.parse(row).order_ids,
  };
}

const TRADE = Prisma.sql`'trade'`;

/** Joins the indexed orders of the claims `c`; `owner` is the claim that owns the order `o`. */
export const orderOfClaim = Prisma.sql`
  LEFT JOIN onchain.stock_order o
    ON o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
  LEFT JOIN ${ownerSql("o", TRADE)} owner ON true
  LEFT JOIN onchain.stock_token t
    ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = o.stock_address`;

/** A claim whose transaction has orders shows those it owns and nothing else. */
export const owned = Prisma.sql`
  c.operation_type = 'trade'
  AND CASE WHEN o.order_id IS NULL THEN ${shownUnindexed} ELSE owner.claim_id = c.claim_id END`;

const columns = Prisma.sql`
  ${claimColumns},
  o.order_id, o.log_index, o.block_number::text AS block_number, o.created_at::text AS created_at,
  o.updated_at::text AS updated_at, o.user_address, o.stock_address, t.symbol, o.side, o.order_type,
  o.notional::text AS notional, o.quantity::text AS quantity, o.price::text AS price, o.time_in_force,
  o.deadline::text AS deadline, o.locked_remaining::text AS locked_remaining, o.status,
  o.filled_quantity::text AS filled_quantity, o.filled_notional::text AS filled_notional, o.fee::text AS fee,
  o.cancel_tx_hash, o.settle_tx_hash, o.settled_at::text AS settled_at, o.reject_reason,
  ${depositOfOrder("o")} AS operation_id,
  (SELECT coalesce(json_agg(json_build_object('quantity', f.quantity::text, 'price', f.price::text,
      'fee', f.fee::text, 'txHash', f.tx_hash, 'timestamp', f.timestamp::text) ORDER BY f.ordinal), '[]')
    FROM onchain.order_fill f
    WHERE f.chain_id = o.chain_id AND f.product_type = o.product_type AND f.order_id = o.order_id) AS fills`;

/**
 * Holds for an order `s` of the same transaction as `o` that the claim `c` owns, too. The claim owns `o`: only the other orders
 * need their owners.
 */
const isSibling = Prisma.sql`
  (s.log_index = o.log_index OR EXISTS (SELECT FROM ${ownerSql("s", TRADE)} other WHERE other.claim_id = c.claim_id))`;

/** Selects the columns that parseOrderRow reads, for a claim `c` and an order `o` that it owns; `o` may be null. */
export const orderColumns = Prisma.sql`
  ${columns},
  (SELECT count(*)::int FROM onchain.stock_order s
    WHERE s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.tx_hash = o.tx_hash
      AND s.log_index < o.log_index) AS ordinal,
  (SELECT coalesce(json_agg(s.order_id ORDER BY s.log_index), '[]') FROM onchain.stock_order s
    WHERE s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.tx_hash = o.tx_hash AND ${isSibling}) AS order_ids`;

/** Selects the last two of them for an order that is indexed. */
const siblings = Prisma.sql`LATERAL (
  SELECT count(*) FILTER (WHERE s.log_index < o.log_index)::int AS ordinal,
    json_agg(s.order_id ORDER BY s.log_index) FILTER (WHERE ${isSibling}) AS order_ids
  FROM onchain.stock_order s
  WHERE s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.tx_hash = o.tx_hash)`;

interface Lookup {
  viewer: Viewer;
  value: string;
}
type Found = AtBlock<Record<string, unknown> | null>;
type ReadFound = (lookup: Lookup) => Promise<Found>;

/** Partners poll orders one by one: those of a chain that are asked for in one tick are read by one statement. */
const BATCH = { maxItems: 100, maxRunning: 4, timeoutMs: 10_000 };

/** Selects rows by the lookup `q`, at most one for each. */
type Find = (chainId: number) => Prisma.Sql;

/** Returns a reader of single orders by what `find` looks up; null where the viewer owns none. */
function readerBy(find: Find) {
  const batchers = new WeakMap<Select, Map<string, ReadFound>>();

  function batcherOf(select: Select, chainId: number, options: ReadOptions): ReadFound {
    const ofClient = batchers.get(select) ?? new Map<string, ReadFound>();
    batchers.set(select, ofClient);
    const name = `${chainId} ${options.versioned ?? false}`;
    const known = ofClient.get(name);
    if (known) return known;
    const batcher = createBatcher(readFound(select, chainId, find(chainId), options), BATCH);
    ofClient.set(name, batcher);
    return batcher;
  }

  return async (
    select: Select,
    viewer: Viewer,
    value: string,
    options: ReadOptions = {},
  ): Promise<AtBlock<MappedOrder | null>> => {
    const found = await batcherOf(select, viewer.chainId, options)({ viewer, value });
    return { ...found, data: found.data && parseOrderRow(found.data) };
  };
}

const toRecord = ({ viewer, value }: Lookup, index: number) => ({
  lookup: index + 1,
  key_id: viewer.keyId,
  product_type: viewer.productType,
  value,
});

/** Reads orders by lookups as JSON: PostgreSQL would plan the statement anew for every length of an array. */
function readFound(select: Select, chainId: number, found: Prisma.Sql, options: ReadOptions) {
  const selectOf = (records: unknown) => Prisma.sql`
      SELECT q.lookup, r.*
      FROM jsonb_to_recordset(${records}::jsonb) AS q (lookup int, key_id uuid, product_type text, value text)
      JOIN LATERAL (${found}) r ON true`;
  const readRows = createSetReader(select, chainId, selectOf, options);
  return async (lookups: Lookup[]): Promise<Found[]> => {
    const read = await readRows(JSON.stringify(lookups.map(toRecord)));
    const rows = new Map(read.data.map((row) => [row.lookup, row]));
    return lookups.map((_lookup, index) => ({ ...read, data: rows.get(index + 1) ?? null }));
  };
}

/** An order that the viewer owns, or null. It begins at the order, whose owner is one claim. */
export const readOrder = readerBy(
  (chainId) => Prisma.sql`
    SELECT ${columns}, siblings.ordinal, siblings.order_ids
    FROM onchain.stock_order o
    JOIN ${ownerSql("o", TRADE)} owner ON true
    JOIN app.transaction_claim c ON c.claim_id = owner.claim_id AND (q.key_id IS NULL OR c.key_id = q.key_id)
    LEFT JOIN onchain.stock_token t
      ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = o.stock_address
    JOIN ${siblings} siblings ON true
    WHERE o.chain_id = ${chainId} AND o.product_type = q.product_type AND o.order_id = q.value`,
);

/** The first order, by log order, that the viewer owns in a transaction, or null. */
export const readOrderByTransaction = readerBy(
  (chainId) => Prisma.sql`
    SELECT ${orderColumns} FROM app.transaction_claim c ${orderOfClaim}
    WHERE c.chain_id = ${chainId} AND c.product_type = q.product_type
      AND (q.key_id IS NULL OR c.key_id = q.key_id) AND ${owned} AND ${claimsTo(Prisma.sql`q.value`)}
    ORDER BY c.created_at, c.claim_id, o.log_index LIMIT 1`,
);

/** The order, or what stands for it while it is not indexed, that the viewer sent under its own identifier; or null. */
export const readOrderByClientId = readerBy(
  (chainId) => Prisma.sql`
    SELECT ${orderColumns} FROM app.transaction_claim c ${orderOfClaim}
    WHERE c.chain_id = ${chainId} AND c.product_type = q.product_type AND c.client_order_id = q.value
      AND (q.key_id IS NULL OR c.key_id = q.key_id) AND ${owned}
    ORDER BY c.created_at DESC, c.claim_id DESC, o.log_index LIMIT 1`,
);

/** The orders of claims `c` as SQL, for the projector and its like. A row is identified by its claim and the log index of `o`. */
export const ORDER_ROWS: ClaimRows = {
  columns: orderColumns,
  joins: orderOfClaim,
  where: owned,
  version: versionOf("stock_order", "order_id", "updated_block"),
};
