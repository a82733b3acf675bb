import { z } from "zod";
import { ApiError } from "../protocol/errors.ts";
import { type AtBlock, buildIdSql, checkpointSql, parseCheckpoint } from "./checkpoint.ts";
import { withDatabaseErrors } from "./errors.ts";
import { Prisma, type PrismaClient } from "./generated/client.ts";
import { type Sql, sql } from "./sql.ts";

/** Prisma's models, of one state of the database. */
export type Snapshot = Prisma.TransactionClient;

/** Views move to another build once in a while, and not twice within a read. */
const ATTEMPTS = 2;

/**
 * Runs reads of the index through Prisma's models, and returns what they found with the block that all of it is of
 * (docs/decisions/2026-11-24-index-by-prisma.md). A REPEATABLE READ transaction has one snapshot of rows and checkpoint. Names are
 * resolved by each statement: where the views moved to another build in between, everything is read again.
 * @param read asks its argument and nothing else: it holds a connection
 * @throws ApiError INDEXER_BEHIND where a view or the checkpoint is missing, DATABASE_UNAVAILABLE
 */
export async function readAtIndexedBlock<T>(
  prisma: PrismaClient,
  chainId: number,
  read: (index: Snapshot) => Promise<T>,
): Promise<AtBlock<T>> {
  const readOnce = async (index: Snapshot): Promise<AtBlock<T> | null> => {
    const buildId = buildIdSql(sql`${chainId}`);
    const { checkpoint, build } = await readMark(
      index,
      sql`${checkpointSql(chainId)} AS checkpoint, ${buildId} AS build`,
    );
    const block = parseCheckpoint(checkpoint);
    const data = await read(index);
    const after = await readMark(index, sql`${buildId} AS build`);
    return after.build === build ? { block, data } : null;
  };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const found = await withDatabaseErrors(() =>
      prisma.$transaction(readOnce, { isolationLevel: "RepeatableRead" }),
    );
    if (found) return found;
  }
  throw new ApiError("INDEXER_BEHIND");
}

const markSchema = z.object({
  checkpoint: z.string().nullish(),
  build: z.string().nullable(),
});

async function readMark(index: Snapshot, columns: Sql): Promise<z.output<typeof markSchema>> {
  const { text, values } = sql`SELECT ${columns}`;
  const [row] = await index.$queryRawUnsafe<unknown[]>(text, ...values);
  return markSchema.parse(row);
}

/** NUMERIC as Prisma returns it. Its `toString()` would print exponents. */
export const decimalAmount = z.instanceof(Prisma.Decimal).transform((decimal) => BigInt(decimal.toFixed()));

/** Returns the fields of a row's schema as Prisma selects them: a build of the indexer may lack columns that others need. */
export const selectOf = <S extends z.ZodRawShape>({ shape }: z.ZodObject<S>): Record<keyof S, true> =>
  Object.fromEntries(Object.keys(shape).map((field) => [field, true])) as Record<keyof S, true>;
