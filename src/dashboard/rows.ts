import { withDatabaseErrors } from "../db/errors.ts";
import type { Prisma, PrismaClient } from "../db/generated/client.ts";
import { ApiError } from "../protocol/errors.ts";

type Row = Record<string, unknown>;

/** Runs a SELECT. @throws ApiError DATABASE_UNAVAILABLE, INDEXER_BEHIND where it names a view that does not exist */
export const selectRows = (prisma: PrismaClient, statement: Prisma.Sql): Promise<Row[]> =>
  withDatabaseErrors(() => prisma.$queryRaw<Row[]>(statement));

/** Returns what a read of the index answers; `otherwise` while there is no index to read. */
export async function whereIndexed<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "INDEXER_BEHIND") return otherwise;
    throw error;
  }
}
