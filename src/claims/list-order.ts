import { z } from "zod";
import { MAX_SECONDS } from "../context/input/fields.ts";
import {
  decodeCursor,
  encodeCursor,
  type ListName,
  openCursor,
  type SortKey,
  sealCursor,
} from "../context/input/list.ts";
import { empty, raw, type Sql, sql } from "../db/sql.ts";

/** The sort order of a list of what claims own: indexes of the rows have both times, in both directions. */
export interface ListOrder {
  by: "createdAt" | "updatedAt";
  direction: "asc" | "desc";
}

/** The only order of partners' lists. */
export const NEWEST_FIRST: ListOrder = { by: "createdAt", direction: "desc" };

/** The position of a row in a list. */
export interface Position extends SortKey {
  /** Time of the row's last change, Unix milliseconds; null in a list that is not sorted by it. */
  updatedMs: number | null;
}

/** Returns the names of the columns that rows are sorted by. */
const columnNames = ({ by }: ListOrder): string[] => [
  ...(by === "updatedAt" ? ["updated_at"] : []),
  "created_at",
  "claim_id",
  "log_index",
];

/** Returns the columns that rows are sorted by, of a FROM item where one is named. */
export const sortColumns = (order: ListOrder, alias?: string): Sql =>
  raw(
    columnNames(order)
      .map((name) => (alias ? `${alias}.${name}` : name))
      .join(", "),
  );

/** Returns the order of rows, of a FROM item where one is named. */
export function orderBySql(order: ListOrder, alias?: string): Sql {
  const columns = columnNames(order).map(
    (name) => `${alias ? `${alias}.` : ""}${name} ${order.direction.toUpperCase()}`,
  );
  return raw(`ORDER BY ${columns.join(", ")}`);
}

/** Returns the comparison that rows behind another one meet. */
export const comparison = ({ direction }: ListOrder): Sql => raw(direction === "desc" ? "<" : ">");

/** Returns the condition that a row comes behind a position. */
export const behind = (order: ListOrder, position: Position): Sql => sql`
  (${sortColumns(order)}) ${comparison(order)} (${positionSql(order, position)})`;

/** Returns the values of a position, in the order of sortColumns. */
export function positionSql({ by }: ListOrder, { updatedMs, createdMs, claimId, logIndex }: Position): Sql {
  const updated = by === "updatedAt" ? sql`${new Date(updatedMs ?? 0)}, ` : empty;
  return sql`${updated}${new Date(createdMs)}, ${claimId}::uuid, ${logIndex}::int`;
}

const ms = z
  .int()
  .min(0)
  .max(MAX_SECONDS * 1000);
const updatedSchema = z.tuple([ms, ms, z.uuid(), z.int().min(-1).max(2_147_483_647)]);

/** Returns the name of a list that its cursors carry, with its order: in another one a cursor would stand for another position. */
const named = (name: ListName, { by, direction }: ListOrder): ListName =>
  by === NEWEST_FIRST.by && direction === NEWEST_FIRST.direction
    ? name
    : { ...name, list: `${name.list} by ${by} ${direction}` };

/** Returns the cursor that continues after a row. */
export function encodePosition(name: ListName, order: ListOrder, position: Position): string {
  const ofOrder = named(name, order);
  if (order.by === "createdAt") return encodeCursor(ofOrder, position);
  return sealCursor(ofOrder, [position.updatedMs, position.createdMs, position.claimId, position.logIndex]);
}

/** Reads a cursor of encodePosition. @throws ApiError VALIDATION_FAILED, `param` is the parameter that carried it */
export function decodePosition(name: ListName, order: ListOrder, cursor: string, param: string): Position {
  const ofOrder = named(name, order);
  if (order.by === "createdAt") return { ...decodeCursor(ofOrder, cursor, param), updatedMs: null };
  const [updatedMs, createdMs, claimId, logIndex] = openCursor(ofOrder, cursor, param, updatedSchema);
  return { updatedMs, createdMs, claimId, logIndex };
}
