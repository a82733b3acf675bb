import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import { namedSql } from "../chain/product/tokens.ts";
import { type FindMany, type RowList, readPage } from "../claims/list-read.ts";
import { LISTED_COLUMNS, listedShape, selectColumns } from "../claims/list-row.ts";
import {
  areCountsEnough,
  type Conditions,
  type Counts,
  conditionsOf,
  equal,
  ofClaims,
  type Shapes,
} from "../claims/list-search.ts";
import { STATE_COLUMNS } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import type { Order } from "../context/schema-types.ts";
import { empty, join, raw, type Sql, sql } from "../db/sql.ts";
import {
  type OnChainStatus,
  ORDER_STATUSES,
  ORDER_TYPES,
  type OrderStatus,
  SIDES,
} from "../protocol/enums.ts";
import { type OrderFilter, type OrderListInput, orderFilters } from "./input.ts";
import { orderOfRow } from "./shown.ts";
import { statusesOf } from "./status.ts";

const COLUMNS = { ...LISTED_COLUMNS, clientOrderId: true } as const;
const rowSchema = z.object({ ...listedShape, clientOrderId: z.string().nullable() });
type OrderRow = z.output<typeof rowSchema>;

/**
 * Returns the rows of orders that a list asks for.
 * @param keyId the only key whose orders are listed, where there is one
 */
export function orderList(filter: OrderFilter, keyId: string | null): RowList<OrderRow> {
  const { symbol } = filter;
  const token = sql`
    JOIN onchain.stock_token k
      ON k.chain_id = q.chain_id AND k.product_type = q.product_type AND ${namedSql("k", symbol ?? "")}`;
  const conditions: Conditions<OrderFilter> = {
    status: equal(sql`s.status`, filter.status),
    onChainStatus: standingAs(filter.onChainStatus),
    side: equal(sql`s.side`, filter.side),
    type: equal(sql`s.order_type`, filter.type),
    symbol: symbol === undefined ? [] : [sql`s.stock_address = k.token_address`],
    stockAddress: equal(sql`s.stock_address`, filter.stockAddress),
    clientOrderId: sentAs(filter.clientOrderId, keyId),
    ...conditionsOf(filter),
  };
  return {
    table: sql`app.key_order`,
    object: sql`order_id`,
    columns: selectColumns(COLUMNS),
    schema: rowSchema,
    each: symbol === undefined ? undefined : token,
    where: Object.values(conditions).flat(),
    shapes: shapesOf(filter),
    counts: countsOf(filter),
    updatedAfter: filter.updatedAfter,
  };
}

/** Returns a page of the viewer's orders (docs/api.md#lists). @throws as readPage */
export function readOrders(
  deps: Pick<Deps, "prisma" | "pool">,
  viewer: Viewer,
  input: OrderListInput,
): ReturnType<typeof readPage<OrderRow, Order>> {
  const { chainId, productType, keyId } = viewer;
  const { page, limit, cursor, from, to } = input;
  const list = {
    ...orderList(input, keyId),
    name: { list: "orders", chainId, productType },
    page,
    limit,
    cursor,
    from,
    to,
    findMany: areCountsEnough(orderFilters, ["from", "to"], input) ? findMany : undefined,
    // Neither the hashes of attempts nor the names of tokens are part of what a key sees.
    isUnversioned: input.txHash !== undefined || input.symbol !== undefined,
  };
  return readPage(deps, viewer, list, orderOfRow);
}

const findMany: FindMany<OrderRow> = (prisma, page) =>
  prisma.shownOrder.findMany({ ...page, select: { ...COLUMNS, ...STATE_COLUMNS } });

/** While nothing of a claim is indexed, its row has neither side nor type. */
const UNINDEXED: readonly OrderStatus[] = ["Init", "Failed"];
const SHAPES = ORDER_STATUSES.flatMap((status) =>
  UNINDEXED.includes(status)
    ? [[status, "", ""]]
    : SIDES.flatMap((side) => ORDER_TYPES.map((type) => [status, side, type])),
);
const SHAPES_SQL = raw(SHAPES.map((shape) => `('${shape.join("', '")}')`).join(", "));

/** Returns the shapes of orders that a filter lets through; none where the time, a user's stock or a claim's id finds the rows. */
function shapesOf(input: OrderFilter): Shapes | undefined {
  const { status, onChainStatus, side, type, symbol, stockAddress, userAddress } = input;
  const isOfFewClaims = input.txHash !== undefined || input.clientOrderId !== undefined;
  const equals = [status, onChainStatus, side, type, symbol, stockAddress, userAddress];
  const isOfUsersStock = userAddress !== undefined && (symbol ?? stockAddress) !== undefined;
  if (isOfFewClaims || isOfUsersStock || equals.every((value) => value === undefined)) return undefined;
  const given = [
    sql`true`,
    ...equal(sql`v.status`, status),
    ...amongStatuses("v", onChainStatus),
    ...equal(sql`v.side`, side),
    ...equal(sql`v.order_type`, type),
  ];
  return {
    from: sql`
      CROSS JOIN (SELECT * FROM (VALUES ${SHAPES_SQL}) AS v (status, side, order_type)
        WHERE ${join(given, " AND ")}) x`,
    where: sql`s.status = x.status AND s.side = x.side AND s.order_type = x.order_type`,
  };
}

/** Returns how what a filter lets through is counted by what is kept; undefined where it asks for more than a shape. */
function countsOf(input: OrderFilter): Counts | undefined {
  const { status, onChainStatus, side, type } = input;
  if (!areCountsEnough(orderFilters, ["status", "onChainStatus", "side", "type"], input)) return undefined;
  if (isRowNeeded(onChainStatus)) return undefined;
  const statuses = onChainStatus === undefined ? ORDER_STATUSES : statusesOf(onChainStatus);
  const isUnindexed = (one: OrderStatus) => UNINDEXED.includes(one) && (status ?? one) === one;
  return {
    where: [
      sql`n.kind = 'order'`,
      ...equal(sql`n.status`, status),
      ...amongStatuses("n", onChainStatus),
      ...equal(sql`n.side`, side),
      ...equal(sql`n.order_type`, type),
    ],
    mayBePending: side === undefined && type === undefined && statuses.some(isUnindexed),
  };
}

const amongStatuses = (alias: "s" | "v" | "n", onChainStatus: OnChainStatus | undefined): Sql[] =>
  onChainStatus === undefined ? [] : [sql`${raw(alias)}.status = ANY(${statusesOf(onChainStatus)}::text[])`];

/** Returns true where the status of an order does not decide: one whose cancel was asked for keeps the status it had. */
const isRowNeeded = (onChainStatus: OnChainStatus | undefined): boolean =>
  onChainStatus === "open" || onChainStatus === "canceling";

/** Returns the conditions that an order stands so on the chain; by its status alone where that decides: indexes have it. */
const standingAs = (onChainStatus: OnChainStatus | undefined): Sql[] => [
  ...amongStatuses("s", onChainStatus),
  ...(isRowNeeded(onChainStatus) ? equal(sql`s.on_chain_status`, onChainStatus) : []),
];

/** Returns the condition that a row is of a claim with the caller's own identifier, which has an index of its own. */
const sentAs = (clientOrderId: string | undefined, keyId: string | null): Sql[] =>
  clientOrderId === undefined
    ? []
    : [
        ofClaims(sql`
          SELECT o.claim_id FROM app.key_order o WHERE o.client_order_id = ${clientOrderId}
            ${keyId === null ? empty : sql`AND o.key_id = ${keyId}::uuid`}`),
      ];
