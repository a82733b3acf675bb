import type pg from "pg";
import type { PrismaClient } from "./generated/client.ts";
import { nameOn } from "./pool.ts";
import type { Statement } from "./query.ts";

/**
 * Reads of a replica that cannot be mistaken for reads of the primary: Prisma reads there the views whose rows name the version of their
 * own snapshot, and a statement runs only if it is marked as one that names it. Everything else throws, so an endpoint that reads
 * anything else on a replica is answered by the primary.
 */
export interface ReplicaSource {
  prisma: PrismaClient;
  /** Takes statements of query.ts that are marked, and no others. */
  pool: pg.Pool;
}

/** Returns a statement as one that names the version of its own snapshot, or that decides about a refusal alone. */
export const markVersioned = ({ text, values }: Statement): Statement => ({
  text,
  values,
  isVersioned: true,
});

/** Returns the same connections, for what may be read of a replica alone. */
export function guardReplica({ prisma, pool }: ReplicaSource): ReplicaSource {
  const query = async (config: pg.QueryConfig & Pick<Statement, "isVersioned">) => {
    if (config.isVersioned) return pool.query({ ...config, name: nameOn(pool, config.text) });
    throw new PrimaryOnlyError("a statement for a replica that reads no version");
  };
  return {
    prisma: only<PrismaClient>("prisma", {
      shownOrder: only("prisma.shownOrder", { findMany: prisma.shownOrder.findMany }),
      shownOperation: only("prisma.shownOperation", { findMany: prisma.shownOperation.findMany }),
    }),
    pool: only<pg.Pool>("pool", { query }),
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
