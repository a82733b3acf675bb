import type pg from "pg";
import type { PrismaClient } from "./generated/client.ts";
import type { Select, Statement } from "./select.ts";

/**
 * Reads of a replica that cannot be mistaken for reads of the primary: Prisma reads there the views whose rows name the version of their
 * own snapshot, and a statement runs only if it is marked as one that names it. Everything else throws, so an endpoint that reads
 * anything else on a replica is answered by the primary.
 */
export interface ReplicaSource {
  prisma: PrismaClient;
  pool: pg.Pool;
  select: Select;
}

const versionedStatements = new WeakSet<Statement>();

/** Marks a statement that names the version of its own snapshot, or decides about a refusal alone. @returns the statement */
export function markVersioned<S extends Statement>(statement: S): S {
  versionedStatements.add(statement);
  return statement;
}

/** Returns the same connections, for what may be read of a replica alone. */
export function guardReplica({ prisma, select }: Pick<ReplicaSource, "prisma" | "select">): ReplicaSource {
  return {
    prisma: only<PrismaClient>("prisma", {
      shownOrder: only("prisma.shownOrder", { findMany: prisma.shownOrder.findMany }),
      shownOperation: only("prisma.shownOperation", { findMany: prisma.shownOperation.findMany }),
    }),
    pool: only<pg.Pool>("pool", {}),
    select: async (statement) => {
      if (versionedStatements.has(statement)) return select(statement);
      throw new PrimaryOnlyError("a statement for a replica that reads no version");
    },
  };
}

/** The primary has to answer: a statement does not say what version it reads, or reads of two versions. */
export class PrimaryOnlyError extends Error {
  override readonly name = "PrimaryOnlyError";
}

/** Returns an object that has these members alone: any other name throws. */
function only<T extends object>(what: string, members: object): T {
  return new Proxy(members, {
    get: (target, name) => {
      if (name in target || typeof name === "symbol") return Reflect.get(target, name);
      throw new PrimaryOnlyError(`${what}.${name} is not for replicas`);
    },
  }) as T;
}
