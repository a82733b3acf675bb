import type pg from "pg";
import { z } from "zod";
import { queryOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import type { SealedSecret } from "./secrets.ts";

const endedSchema = z.object({ ended: z.number() });

/**
 * Removes previous secrets whose overlap is over. They are accepted nowhere; this also removes them from the database. The worker
 * calls it every minute; any number of workers may.
 * @returns the number of keys
 */
export async function endRotations(pool: pg.Pool): Promise<number> {
  const { ended } = await queryOne(pool, sql`SELECT app.end_rotations() AS ended`, endedSchema);
  return ended;
}

const rotatedSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("rotated"), at: z.date() }),
  z.object({ outcome: z.literal("limited"), at: z.date() }),
  z.object({ outcome: z.literal("changed") }),
]);

/**
 * rotated: the key has the secret, and the one that signed works until `at`. limited: the key rotated as often as it may, until `at`.
 * changed: the key is not as the request was checked any more.
 */
export type OwnRotation = z.output<typeof rotatedSchema>;

export interface RotationRequest extends SealedSecret {
  keyId: string;
  /** As of Caller. */
  signed: { revision: number; isPrevious: boolean };
  overlapSeconds: number;
}

/** Rotates the secret of a key in its own name: the function decides and audits, in one transaction. */
export function rotateOwnSecret(
  pool: pg.Pool,
  { keyId, signed, sealed, masterKeyId, overlapSeconds }: RotationRequest,
): Promise<OwnRotation> {
  const statement = sql`
    SELECT r.outcome, r.at FROM app.rotate_own_secret(${keyId}::uuid, ${signed.revision}, ${signed.isPrevious},
      ${Buffer.from(sealed)}::bytea, ${masterKeyId}, ${overlapSeconds}) r`;
  return queryOne(pool, statement, rotatedSchema);
}
