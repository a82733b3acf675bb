import type { Viewer } from "../auth/viewer.ts";
import { listScopeOf } from "../claims/list-scope.ts";
import { claimsTo, visibleClaims } from "../claims/ownership.ts";
import { changedAfter, equal, mappedWithin, readPage } from "../claims/page-store.ts";
import { versionOf } from "../claims/reported-store.ts";
import { type ClaimRows, ORDER_SOURCE, reportedList, settledTo } from "../claims/settled-page-store.ts";
import { areCountsEnough, type SettledRows, type Shapes } from "../claims/settled-search.ts";
import type { ReadOptions } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import { namedSql } from "../product/tokens.ts";
import { type OnChainStatus, ORDER_STATUSES, ORDER_TYPES, SIDES } from "../protocol/enums.ts";
import { eventsOf } from "./event-types.ts";
import { type OrderFilter, type OrderListInput, orderFilters } from "./input.ts";
import { onChainStatusSql, statusesOf, statusSql } from "./status.ts";
import { type MappedOrder, orderColumns, orderOfClaim, owned, parseOrderRow } from "./store.ts";

/**
 * Returns the orders of claims, as SQL, for every list of them.
 * @param keyId the only key whose orders are listed, where there is one
 */
export function orderRows(filter: OrderFilter, keyId: string | null = null): Omit<ClaimRows, "scope"> {
  return {
    columns: orderColumns,
    joins: orderOfClaim,
    owned,
    object: Prisma.sql`o.order_id`,
    version: versionOf("stock_order", "order_id", "updated_block"),
    detail,
    settled: settledRows(filter, keyId),
    where: Prisma.join([owned, ...filters(filter)], " AND "),
  };
}

/** Returns a page of the viewer's orders (docs/api.md#lists). */
export function readOrders<T>(
  prisma: PrismaClient,
  viewer: Viewer,
  input: OrderListInput,
  present: (row: MappedOrder) => T,
  options: ReadOptions = {},
): ReturnType<typeof readPage<T>> {
  const rows = orderRows(input, viewer.keyId);
  return readPage(
    prisma,
    {
      name: { list: "orders", chainId: viewer.chainId, productType: viewer.productType },
      ...rows,
      where: Prisma.sql`${visibleClaims(viewer)} AND ${rows.where}`,
      scope: listScopeOf(viewer),
      ...reportedList(viewer, "orders", eventsOf(input)),
      page: input.page,
      limit: input.limit,
      cursor: input.cursor,
    },
    (row) => present(parseOrderRow(row)),
    options,
  );
}

/** The order of a row, which is known to be the claim's. */
const detail = Prisma.sql`
  LEFT JOIN onchain.stock_order o
    ON o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
      AND o.log_index = page.log_index
  LEFT JOIN onchain.stock_token t
    ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = o.stock_address`;

/** Returns the same list in app.settled_order. */
function settledRows(input: OrderFilter, keyId: string | null): SettledRows {
  const { symbol } = input;
  const token = Prisma.sql`
    JOIN onchain.stock_token k
      ON k.chain_id = q.chain_id AND k.product_type = q.product_type AND ${namedSql("k", symbol ?? "")}`;
  return {
    table: Prisma.sql`app.settled_order`,
    sources: [ORDER_SOURCE],
    each: symbol === undefined ? undefined : token,
    where: [
      ...equal(Prisma.sql`s.status`, input.status),
      ...standingAs(input.onChainStatus),
      ...equal(Prisma.sql`s.side`, input.side),
      ...equal(Prisma.sql`s.order_type`, input.type),
      ...(symbol === undefined ? [] : [Prisma.sql`s.stock_address = k.token_address`]),
      ...equal(Prisma.sql`s.stock_address`, input.stockAddress),
      ...equal(Prisma.sql`s.user_address`, input.userAddress),
      ...settledTo(input.txHash),
      ...settledAs(input.clientOrderId, keyId),
      ...mappedWithin("s", input),
    ],
    shapes: shapesOf(input),
    counts: countsOf(input),
    updatedAfter: input.updatedAfter,
  };
}

/** A failed claim has no order, and so neither side nor type; a claim whose order is not placed yet is not settled. */
const FAILED = ["Failed", "", ""] as const;
const SHAPES = ORDER_STATUSES.filter((status) => status !== "Init" && status !== "Failed").flatMap((status) =>
  SIDES.flatMap((side) => ORDER_TYPES.map((type) => [status, side, type] as const)),
);
const SHAPES_SQL = Prisma.raw([...SHAPES, FAILED].map((shape) => `('${shape.join("', '")}')`).join(", "));

/** Returns the shapes of settled orders that a filter lets through; none where the time alone, or a claim's id, finds the rows. */
function shapesOf(input: OrderFilter): Shapes | undefined {
  const { status, onChainStatus, side, type, symbol, stockAddress, userAddress } = input;
  const isOfFewClaims = input.txHash !== undefined || input.clientOrderId !== undefined;
  const equals = [status, onChainStatus, side, type, symbol, stockAddress, userAddress];
  if (isOfFewClaims || equals.every((value) => value === undefined)) return undefined;
  const given = [
    Prisma.sql`true`,
    ...equal(Prisma.sql`v.status`, status),
    ...amongStatuses("v", onChainStatus),
    ...equal(Prisma.sql`v.side`, side),
    ...equal(Prisma.sql`v.order_type`, type),
  ];
  return {
    from: Prisma.sql`
      CROSS JOIN (SELECT * FROM (VALUES ${SHAPES_SQL}) AS v (status, side, order_type)
        WHERE ${Prisma.join(given, " AND ")}) x`,
    where: Prisma.sql`s.status = x.status AND s.side = x.side AND s.order_type = x.order_type`,
  };
}

/** Returns the counts of what a filter lets through; none where it asks for more than a shape. */
function countsOf(input: OrderFilter): Prisma.Sql[] | undefined {
  if (!areCountsEnough(orderFilters, ["status", "onChainStatus", "side", "type"], input)) return undefined;
  if (isRowNeeded(input.onChainStatus)) return undefined;
  return [
    Prisma.sql`n.kind = 'order'`,
    ...equal(Prisma.sql`n.status`, input.status),
    ...amongStatuses("n", input.onChainStatus),
    ...equal(Prisma.sql`n.side`, input.side),
    ...equal(Prisma.sql`n.order_type`, input.type),
  ];
}

const amongStatuses = (alias: "s" | "v" | "n", onChainStatus: OnChainStatus | undefined): Prisma.Sql[] =>
  onChainStatus === undefined
    ? []
    : [Prisma.sql`${Prisma.raw(alias)}.status = ANY(${statusesOf(onChainStatus)}::text[])`];

/** Returns true where the status of a settled row does not decide: an order whose cancel was asked for keeps the status it had. */
const isRowNeeded = (onChainStatus: OnChainStatus | undefined): boolean =>
  onChainStatus === "open" || onChainStatus === "canceling";

/** Returns the conditions that a settled row stands so on the chain. OFFSET 0 makes PostgreSQL look each up by an index. */
function standingAs(onChainStatus: OnChainStatus | undefined): Prisma.Sql[] {
  const statuses = amongStatuses("s", onChainStatus);
  if (!isRowNeeded(onChainStatus)) return statuses;
  const canceling = Prisma.sql`
    EXISTS (SELECT FROM onchain.stock_order o
      WHERE o.chain_id = s.chain_id AND o.product_type = s.product_type AND o.tx_hash = s.tx_hash
        AND o.log_index = s.log_index AND o.status = 'canceling' OFFSET 0)`;
  return [...statuses, onChainStatus === "canceling" ? canceling : Prisma.sql`NOT ${canceling}`];
}

/** Returns the condition that a settled row is of a claim with the caller's own identifier, which an index of claims has. */
const settledAs = (clientOrderId: string | undefined, keyId: string | null): Prisma.Sql[] =>
  clientOrderId === undefined
    ? []
    : [
        Prisma.sql`
          s.claim_id = ANY (ARRAY(
            SELECT c.claim_id FROM app.transaction_claim c WHERE c.client_order_id = ${clientOrderId}
              ${keyId === null ? Prisma.empty : Prisma.sql`AND c.key_id = ${keyId}::uuid`}))`,
      ];

/** Holds for every claim of the status `Failed`; an index has such claims. */
const NEVER_PLACED = Prisma.sql`c.state = 'reverted'`;

function filters(input: OrderFilter): Prisma.Sql[] {
  return [
    ...equal(statusSql, input.status),
    ...equal(onChainStatusSql, input.onChainStatus),
    ...(input.status === "Failed" ? [NEVER_PLACED] : []),
    ...equal(Prisma.sql`o.side`, input.side),
    ...equal(Prisma.sql`o.order_type`, input.type),
    ...(input.symbol === undefined ? [] : [namedSql("t", input.symbol)]),
    ...equal(Prisma.sql`o.stock_address`, input.stockAddress),
    ...equal(Prisma.sql`coalesce(o.user_address, c.user_address)`, input.userAddress),
    ...(input.txHash === undefined ? [] : [claimsTo(input.txHash)]),
    ...equal(Prisma.sql`c.client_order_id`, input.clientOrderId),
    ...mappedWithin("c", input),
    ...changedAfter(input.updatedAfter),
  ];
}
