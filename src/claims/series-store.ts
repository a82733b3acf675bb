import { z } from "zod";
import { readAtBlocks } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import { storedAmount } from "../protocol/shapes.ts";
import { type ClaimRows, tailSql } from "./settled-page-store.ts";
import { conditionsOf } from "./settled-search.ts";

/** SQL expressions of a series: the label that rows are counted by, and the amount that is summed. */
interface Measures {
  label: Prisma.Sql;
  /** A numeric, or NULL for none. */
  amount: Prisma.Sql;
}

interface SeriesTerms {
  /** Unix seconds, multiples of the step, `to` excluded: what the list is about. */
  from: number;
  to: number;
  stepSeconds: number;
  /** Of the settled row `s`. */
  settled: Measures;
  /** Of the claim `c` and what is indexed of it, `o`. */
  live: Measures;
}

const countedSchema = z.object({
  at: z.coerce.number(),
  label: z.string(),
  count: z.coerce.number(),
  amount: storedAmount,
});
const usableSchema = z.object({ usable: z.boolean() });

/** The rows that were mapped in one step and have one label. */
export type Counted = z.output<typeof countedSchema>;

/**
 * Counts the rows of a list by the step in which they were mapped, and sums an amount of theirs. `at` is the begin of a step,
 * Unix seconds; steps are multiples of their length. A row comes from the archive or the index by the rules of lists
 * (docs/lists.md), so a reorg changes a series as it changes the list.
 * @throws ApiError as readAtBlocks
 */
export async function readSeries(
  prisma: PrismaClient,
  rows: ClaimRows,
  terms: SeriesTerms,
): Promise<Counted[]> {
  const settled = await readAtBlocks(prisma, settledSql(rows, terms));
  const isUsable = usableSchema.parse(settled.data[0]).usable;
  const { data } = isUsable ? settled : await readAtBlocks(prisma, liveSql(rows, terms));
  return data.filter(({ at }) => at !== null).map((row) => countedSchema.parse(row));
}

/** Counts settled rows step by step, along an index: grouped by the step, all of them would be sorted. */
function settledSql(rows: ClaimRows, { from, to, stepSeconds, settled, live }: SeriesTerms): Prisma.Sql {
  const conditions = Prisma.join(conditionsOf(rows.settled, rows.scope), " AND ");
  const length = Prisma.sql`make_interval(secs => ${stepSeconds}::int)`;
  return Prisma.sql`
    WITH ${tailSql(rows)},
    counted AS (
      SELECT b.step, d.label, d.count, d.amount
      FROM scope q
      CROSS JOIN generate_series(to_timestamp(${from}::int8), to_timestamp(${to - 1}::int8), ${length}) AS b (step)
      CROSS JOIN LATERAL (
        SELECT ${settled.label} AS label, count(*) AS count, sum(${settled.amount}) AS amount
        FROM ${rows.settled.table} s
        WHERE ${conditions} AND s.created_at >= b.step AND s.created_at < b.step + ${length}
        GROUP BY 1 OFFSET 0) d
      UNION ALL
      SELECT ${stepOf("page", stepSeconds)}, d.label, count(*), sum(d.amount)
      FROM tail page CROSS JOIN LATERAL (
        SELECT ${live.label} AS label, ${live.amount} AS amount
        FROM app.transaction_claim c ${rows.detail} WHERE c.claim_id = page.claim_id OFFSET 0) d
      GROUP BY 1, 2)
    SELECT (SELECT usable FROM usable) AS usable, r.* FROM (VALUES (1)) one (row)
    LEFT JOIN (${summedSql(Prisma.sql`counted`)}) r ON true`;
}

/** Returns the statement over all claims, for a chain whose archive cannot be used now. */
const liveSql = ({ joins, where }: ClaimRows, { stepSeconds, live }: SeriesTerms): Prisma.Sql =>
  summedSql(Prisma.sql`(
    SELECT ${stepOf("c", stepSeconds)} AS step, ${live.label} AS label, count(*) AS count, sum(${live.amount}) AS amount
    FROM app.transaction_claim c ${joins} WHERE ${where} GROUP BY 1, 2)`);

const summedSql = (counted: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT extract(epoch FROM n.step)::bigint AS at, n.label, sum(n.count)::bigint AS count,
    coalesce(sum(n.amount), 0)::text AS amount
  FROM ${counted} n GROUP BY n.step, n.label ORDER BY n.step, n.label`;

const stepOf = (alias: "c" | "page", stepSeconds: number): Prisma.Sql => Prisma.sql`
  date_bin(make_interval(secs => ${stepSeconds}::int), ${Prisma.raw(alias)}.created_at, to_timestamp(0))`;
