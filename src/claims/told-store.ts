import { LRUCache } from "lru-cache";
import { z } from "zod";
import { withDatabaseErrors } from "../db/errors.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import type { EventResource } from "../protocol/enums.ts";

/**
 * Joins lists to the log of events (docs/events.md). A list may be ahead of the log. What it showed then is entered into
 * app.event_due before it answers: should a reorg take that back before the log tells of it, the log tells what holds.
 */

/** A list of one key, as the log names it. */
export interface Told {
  keyId: string;
  chainId: number;
  productType: string;
  resource: EventResource;
}

/** Returns the sequence of the last event of a key in one scope, as a scalar subquery. */
export const headOf = ({ keyId, chainId, productType }: Omit<Told, "resource">): Prisma.Sql => Prisma.sql`
  coalesce((SELECT h.sequence FROM app.event_head h WHERE h.key_id = ${keyId}::uuid AND h.chain_id = ${chainId}
    AND h.product_type = ${productType}), 0)::text`;

/** Returns the MD5 of all columns that a list reads of a row. */
export const fingerprintOf = (alias: "d" | "p"): Prisma.Sql => Prisma.raw(`md5(${alias}::text)::uuid`);

/** Returns true where the log has not told of a row as the list reads it. */
export const isUntold = (alias: "d" | "p", { resource }: Told): Prisma.Sql => {
  const row = Prisma.raw(alias);
  return Prisma.sql`
    NOT EXISTS (SELECT 1 FROM app.event_memory m
      WHERE m.claim_id = ${row}.claim_id::uuid AND m.resource = ${resource} AND m.ordinal = ${row}.ordinal
        AND m.fingerprint = ${fingerprintOf(alias)})`;
};

const headSchema = z.object({ event_sequence: z.coerce.bigint() });
const untoldSchema = z.object({ claim_id: z.string(), ordinal: z.number(), untold: z.boolean() });

/** What this process has entered: a list that is asked for again while nobody writes the log enters nothing again. */
const entered = new LRUCache<string, true>({ max: 10_000 });

/**
 * Enters the rows of an answer that the log has not told of.
 * @returns where the log was when the list was read
 */
export async function enterUntold(
  prisma: PrismaClient,
  { chainId, resource }: Told,
  first: unknown,
  shown: readonly Record<string, unknown>[],
): Promise<bigint> {
  const { event_sequence: sequence } = headSchema.parse(first);
  const rows = shown.map((row) => untoldSchema.parse(row)).filter(({ untold }) => untold);
  const nameOf = ({ claim_id, ordinal }: (typeof rows)[number]) =>
    [claim_id, resource, ordinal, sequence].join(" ");
  const missing = rows.filter((row) => !entered.has(nameOf(row)));
  if (missing.length === 0) return sequence;
  const claimIds = missing.map(({ claim_id }) => claim_id);
  const ordinals = missing.map(({ ordinal }) => ordinal);
  await withDatabaseErrors(
    () => prisma.$executeRaw`
      INSERT INTO app.event_due (chain_id, claim_id, seen, resource, ordinal)
      SELECT ${chainId}, t.claim_id, ${sequence}, ${resource}, t.ordinal
      FROM unnest(${claimIds}::uuid[], ${ordinals}::int[]) AS t (claim_id, ordinal)`,
  );
  for (const row of missing) entered.set(nameOf(row), true);
  return sequence;
}
