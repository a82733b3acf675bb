import { z } from "zod";
import type { Prisma } from "../db/generated/client.ts";

/** Row locks on keys, which Prisma's query API does not have. What is read under them is read by it. */

const lockedSchema = z.object({
  keyId: z.string(),
  /** Time, by the database's clock, which all programs share. */
  now: z.date(),
});

/** A key that is locked until the transaction ends. */
export type LockedKey = z.output<typeof lockedSchema>;

/** Locks a key until the transaction ends. @throws Error where there is no such key */
export async function lockKey(tx: Prisma.TransactionClient, apiKey: string): Promise<LockedKey> {
  const [row] = await tx.$queryRaw<unknown[]>`
    SELECT key_id::text AS "keyId", now() AS now FROM app.api_key WHERE api_key = ${apiKey} FOR UPDATE`;
  if (!row) throw new Error(`there is no key ${apiKey}`);
  return lockedSchema.parse(row);
}

const idSchema = z.object({ keyId: z.string() });

/**
 * Locks the keys that have a secret sealed under another master key. Leaves out those that are revoked: their secrets sign nothing, and
 * need not be opened again, as after a loss of the key that sealed them (docs/operations/lost-master-keys.md).
 * @returns their ids
 */
export async function lockSealedByOthers(
  tx: Prisma.TransactionClient,
  masterKeyId: string,
): Promise<string[]> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT key_id::text AS "keyId" FROM app.api_key
    WHERE revoked_at IS NULL AND (master_key_id <> ${masterKeyId} OR previous_master_key_id <> ${masterKeyId}) FOR UPDATE`;
  return rows.map((row) => idSchema.parse(row).keyId);
}
