import type pg from "pg";
import { prismaOn } from "../../../src/db/client.ts";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import { withPool } from "./database.ts";
import type { Terminal } from "./terminal.ts";

// Apart from database.ts, so that commands without Prisma do not load it.

/** Runs a command on the database of the environment, by Prisma and by `pg`, over one connection. */
export function withPrisma(
  terminal: Terminal,
  work: (database: { prisma: PrismaClient; pool: pg.Pool }) => Promise<void>,
): Promise<void> {
  return withPool(terminal, (pool) => work({ pool, prisma: prismaOn(pool) }));
}
