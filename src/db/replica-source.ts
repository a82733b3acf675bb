import type pg from "pg";
import type { Prisma, PrismaClient } from "./generated/client.ts";
import type { Select, Statement } from "./select.ts";

/**
 * Reads of a replica that cannot be mistaken for reads of the primary: a statement runs there only if it also reads the
 * version of its own snapshot, which the readers of checkpoint.ts see to, and the views whose rows have one. Everything else throws, so
 * an endpoint that reads anything else on a replica is answered by the primary.
 */
export interface ReplicaSource {
  prisma: PrismaClient;
  pool: pg.Pool;
  select: Select;
}

/** The clients themselves, by what guardReplica returned. */
const sources = new WeakMap<object, PrismaClient>();
const versionedStatements = new WeakSet<Statement>();

/** Returns true for what guardReplica returned. */
export const isReplica = (source: PrismaClient | Select): boolean => sources.has(source);

/**
 * Returns the client for a transaction that reads one snapshot and its version (index-snapshot.ts), also of a replica: nothing else may
 * use it.
 */
export const transactionClient = (prisma: PrismaClient): PrismaClient => sources.get(prisma) ?? prisma;

/** Marks a statement that reads the version of its own snapshot. @returns the statement */
export function markVersioned<S extends Statement>(statement: S): S {
  versionedStatements.add(statement);
  return statement;
}

/** Returns the same connections, for statements that are marked alone. */
export function guardReplica({ prisma, select }: Pick<ReplicaSource, "prisma" | "select">): ReplicaSource {
  const guardedSelect: Select = async (statement) => select(requireVersioned(statement));
  const queryRaw = async (statement: Prisma.Sql) => prisma.$queryRaw(requireVersioned(statement));
  const guarded = {
    prisma: only<PrismaClient>("prisma", {
      $queryRaw: queryRaw,
      shownOrder: only("prisma.shownOrder", { findMany: prisma.shownOrder.findMany }),
      shownOperation: only("prisma.shownOperation", { findMany: prisma.shownOperation.findMany }),
    }),
    pool: only<pg.Pool>("pool", {}),
    select: guardedSelect,
  };
  for (const source of [guarded.prisma, guarded.select]) sources.set(source, prisma);
  return guarded;
}

/** The primary has to answer: a statement does not say what version it reads, or reads of two versions. */
export class PrimaryOnlyError extends Error {
  override readonly name = "PrimaryOnlyError";
}

function requireVersioned<S extends Statement>(statement: S): S {
  if (!versionedStatements.has(statement))
    throw new PrimaryOnlyError("a statement for a replica that reads no version");
  return statement;
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
