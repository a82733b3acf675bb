import { z } from "zod";
import type { AtBlock } from "../db/checkpoint.ts";
import { readAtBlock } from "../db/checkpoint.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { Prisma } from "../db/generated/client.ts";
import { decodeCursor, encodeCursor, type ListName, type Place } from "../input/list.ts";

/** Counting stops here: beyond it nobody needs the number, and it would cost more than the page. */
const COUNTED_MAX = 10_000;

/** A list of what claims came to. In its SQL the claim is `c`, and the order or operation, where indexed, `o`. */
export interface ListQuery {
  name: ListName;
  columns: Prisma.Sql;
  /** What is joined to the claims. A row is known by its claim and the log index of `o`. */
  joins: Prisma.Sql;
  where: Prisma.Sql;
  page: number;
  limit: number;
  cursor?: string | undefined;
}

/** API.md section 3. */
export interface Page<T> {
  total: number | null;
  totalExact: boolean | null;
  rows: T[];
  nextCursor: string | null;
}

const totalSchema = z.object({ total: z.number().nullable() });
const placeSchema = z.object({
  claim_id: z.string(),
  created_ms: z.coerce.number(),
  log_index: z.number().nullable(),
});

/**
 * Reads one page, its total and the block it is of in one statement. Newest mapping first; the key (time, claim, log
 * index) is unique, so a cursor neither repeats nor misses a row while others arrive.
 * @throws ApiError VALIDATION_FAILED (param `cursor`), and as readAtBlock
 */
export async function readPage<T>(
  prisma: PrismaClient,
  query: ListQuery,
  present: (row: Record<string, unknown>) => T,
): Promise<AtBlock<Page<T>>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.name, query.cursor);
  const { block, data } = await readAtBlock(prisma, query.name.chainId, pageSql(query, after));
  const rows = data.filter((row) => row.claim_id !== null);
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const total = totalSchema.parse(data[0]).total;
  return {
    block,
    data: {
      total: total === null ? null : Math.min(total, COUNTED_MAX),
      totalExact: total === null ? null : total <= COUNTED_MAX,
      rows: shown.map(present),
      nextCursor: last && rows.length > shown.length ? encodeCursor(query.name, placeOf(last)) : null,
    },
  };
}

function placeOf(row: Record<string, unknown>): Place {
  const { claim_id, created_ms, log_index } = placeSchema.parse(row);
  return { claimId: claim_id, createdMs: created_ms, logIndex: log_index ?? -1 };
}

/** First the page's rows are found, then their columns are worked out: none for rows that are skipped. */
function pageSql({ columns, joins, where, page, limit }: ListQuery, after: Place | null): Prisma.Sql {
  const offset = after ? 0n : BigInt(page - 1) * BigInt(limit);
  return Prisma.sql`
    SELECT t.total, r.*
    FROM (SELECT ${after ? Prisma.sql`NULL::int` : countSql(joins, where)} AS total) t
    LEFT JOIN (
      SELECT ${columns}
      FROM (
        SELECT c.claim_id, coalesce(o.log_index, -1) AS log_index
        FROM app.transaction_claim c ${joins}
        WHERE ${where} ${after ? Prisma.sql`AND ${behind(after)}` : Prisma.empty}
        ORDER BY c.created_at DESC, c.claim_id DESC, coalesce(o.log_index, -1) DESC
        LIMIT ${limit + 1} OFFSET ${offset}
      ) page
      JOIN app.transaction_claim c ON c.claim_id = page.claim_id ${joins}
      WHERE coalesce(o.log_index, -1) = page.log_index
      ORDER BY c.created_at DESC, c.claim_id DESC, coalesce(o.log_index, -1) DESC
    ) r ON true`;
}

const countSql = (joins: Prisma.Sql, where: Prisma.Sql): Prisma.Sql => Prisma.sql`
  (SELECT count(*)::int FROM (
    SELECT 1 FROM app.transaction_claim c ${joins} WHERE ${where} LIMIT ${COUNTED_MAX + 1}) counted)`;

const behind = ({ createdMs, claimId, logIndex }: Place): Prisma.Sql => Prisma.sql`
  (c.created_at, c.claim_id, coalesce(o.log_index, -1)) < (${new Date(createdMs)}, ${claimId}::uuid, ${logIndex}::int)`;

/** Mapped within a span of Unix seconds, both ends included. */
export function mappedWithin(from: number | undefined, to: number | undefined): Prisma.Sql[] {
  return [
    ...(from === undefined ? [] : [Prisma.sql`c.created_at >= ${new Date(from * 1000)}`]),
    ...(to === undefined ? [] : [Prisma.sql`c.created_at < ${new Date((to + 1) * 1000)}`]),
  ];
}
