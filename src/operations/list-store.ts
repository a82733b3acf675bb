import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import { type FindMany, type RowList, readPage } from "../claims/list-read.ts";
import { LISTED_COLUMNS, listedShape, selectColumns } from "../claims/list-row.ts";
import {
  areCountsEnough,
  type Conditions,
  type Counts,
  conditionsOf,
  equal,
  type Shapes,
} from "../claims/list-search.ts";
import { STATE_COLUMNS } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import type { OperationDetail } from "../context/schema-types.ts";
import { join, raw, sql } from "../db/sql.ts";
import { OPERATION_STATUSES } from "../protocol/enums.ts";
import { OPERATION_KINDS, type OperationKind } from "../protocol/operations.ts";
import { type OperationFilter, type OperationListInput, operationFilters } from "./input.ts";
import { operationOfRow } from "./present.ts";

const COLUMNS = { ...LISTED_COLUMNS, kind: true } as const;
const rowSchema = z.object({ ...listedShape, kind: z.enum(OPERATION_KINDS) });
type OperationRow = z.output<typeof rowSchema>;

type Kinds = readonly OperationKind[];

/** Returns the rows of operations, of some kinds, that a list asks for. */
export function operationList(kinds: Kinds, filter: OperationFilter): RowList<OperationRow> {
  const single = kinds.length === 1 ? kinds[0] : undefined;
  const conditions: Conditions<OperationFilter> = {
    status: equal(sql`s.status`, filter.status),
    tokenAddress: equal(sql`s.token_address`, filter.tokenAddress),
    ...conditionsOf(filter),
  };
  return {
    table: sql`app.key_operation`,
    object: sql`operation_id`,
    columns: selectColumns(COLUMNS),
    schema: rowSchema,
    each: single ? undefined : sql`CROSS JOIN unnest(${kinds}::text[]) AS k (kind)`,
    where: [single ? sql`s.kind = ${single}` : sql`s.kind = k.kind`, ...Object.values(conditions).flat()],
    shapes: shapesOf(filter),
    counts: countsOf(kinds, filter),
    updatedAfter: filter.updatedAfter,
  };
}

/** Returns a page of the viewer's operations of a kind (docs/api.md#lists). @throws as readPage */
export function readOperations(
  deps: Pick<Deps, "prisma" | "pool">,
  viewer: Viewer,
  kind: OperationKind,
  input: OperationListInput,
): ReturnType<typeof readPage<OperationRow, OperationDetail>> {
  const { chainId, productType } = viewer;
  const { page, limit, cursor, from, to } = input;
  const list = {
    ...operationList([kind], input),
    name: { list: kind, chainId, productType },
    page,
    limit,
    cursor,
    from,
    to,
    findMany: areCountsEnough(operationFilters, ["from", "to"], input) ? findManyOf(kind) : undefined,
    // The hashes of attempts are no part of what a key sees.
    isUnversioned: input.txHash !== undefined,
  };
  return readPage(deps, viewer, list, (row) => operationOfRow(row.kind, row));
}

const findManyOf =
  (kind: OperationKind): FindMany<OperationRow> =>
  async (prisma, { where, ...page }) => {
    const select = { ...COLUMNS, ...STATE_COLUMNS };
    const rows = await prisma.shownOperation.findMany({ ...page, where: { ...where, kind }, select });
    return rows.map((row) => ({ ...row, kind }));
  };

const SHAPES_SQL = raw(OPERATION_STATUSES.map((status) => `('${status}')`).join(", "));

/** Returns the statuses of operations that are searched for; none where time, status, a user's token or a claim's id finds the rows. */
function shapesOf({ status, tokenAddress, userAddress, txHash }: OperationFilter): Shapes | undefined {
  if (txHash !== undefined || (tokenAddress === undefined) === (userAddress === undefined)) return undefined;
  const given = [sql`true`, ...equal(sql`v.status`, status)];
  return {
    from: sql`
      CROSS JOIN (SELECT * FROM (VALUES ${SHAPES_SQL}) AS v (status) WHERE ${join(given, " AND ")}) x`,
    where: sql`s.status = x.status`,
  };
}

/** The statuses of what is not indexed. */
const UNINDEXED: readonly string[] = ["pending", "failed"];

/** Returns how what a filter lets through is counted by what is kept; undefined where it asks for more than a status. */
function countsOf(kinds: Kinds, input: OperationFilter): Counts | undefined {
  const { status } = input;
  if (!areCountsEnough(operationFilters, ["status"], input)) return undefined;
  return {
    where: [sql`n.kind = ANY(${kinds}::text[])`, ...equal(sql`n.status`, status)],
    mayBePending: status === undefined || UNINDEXED.includes(status),
  };
}
