import type { Viewer } from "../auth/viewer.ts";
import { claimsTo, visibleClaims } from "../claims/ownership.ts";
import { type ClaimRows, changedAfter, mappedWithin, type Page, readPage } from "../claims/page-store.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import type { OrderFilter, OrderListInput } from "./input.ts";
import { statusSql } from "./status.ts";
import { type MappedOrder, orderColumns, orderOfClaim, owned, parseOrderRow } from "./store.ts";

/** Returns the orders of claims, as SQL, for every list of them. */
export function orderRows(filter: OrderFilter): ClaimRows {
  return {
    columns: orderColumns,
    joins: orderOfClaim,
    where: Prisma.join([owned, ...filters(filter)], " AND "),
  };
}

/** Returns a page of the viewer's orders (docs/api.md#lists). */
export function readOrders<T>(
  prisma: PrismaClient,
  viewer: Viewer,
  input: OrderListInput,
  present: (row: MappedOrder) => T,
): Promise<AtBlock<Page<T>>> {
  const rows = orderRows(input);
  return readPage(
    prisma,
    {
      name: { list: "orders", chainId: viewer.chainId, productType: viewer.productType },
      ...rows,
      where: Prisma.sql`${visibleClaims(viewer)} AND ${rows.where}`,
      page: input.page,
      limit: input.limit,
      cursor: input.cursor,
    },
    (row) => present(parseOrderRow(row)),
  );
}

/** What the status `Failed` implies, of the claim alone: an index has such claims. */
const NEVER_PLACED = Prisma.sql`c.state = 'reverted'`;

function filters(input: OrderFilter): Prisma.Sql[] {
  const equal = (column: Prisma.Sql, value: string | undefined) =>
    value === undefined ? [] : [Prisma.sql`${column} = ${value}`];
  return [
    ...equal(statusSql, input.status),
    ...(input.status === "Failed" ? [NEVER_PLACED] : []),
    ...equal(Prisma.sql`o.side`, input.side),
    ...equal(Prisma.sql`o.order_type`, input.type),
    ...equal(Prisma.sql`upper(t.symbol)`, input.symbol?.toUpperCase()),
    ...equal(Prisma.sql`o.stock_address`, input.stockAddress),
    ...equal(Prisma.sql`coalesce(o.user_address, c.user_address)`, input.userAddress),
    ...(input.txHash === undefined ? [] : [claimsTo(input.txHash)]),
    ...mappedWithin(input.from, input.to),
    ...changedAfter(input.updatedAfter),
  ];
}
