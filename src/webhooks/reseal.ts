import type pg from "pg";
import { z } from "zod";
import { type MasterKey, openSecret, sealSecret } from "../auth/secrets.ts";
import { Prisma } from "../db/generated/client.ts";
import { select } from "../events/writer/changes-store.ts";

const secretSchema = z.object({
  secret_id: z.string(),
  webhook_id: z.string(),
  sealed: z.instanceof(Uint8Array),
  sealing_key_id: z.string(),
});

/**
 * Seals under the current key every secret that another key sealed, within the caller's transaction.
 * @returns how many
 * @throws Error where one cannot be opened
 */
export async function resealSecrets(client: pg.PoolClient, keys: readonly MasterKey[]): Promise<number> {
  const rows = await select(
    client,
    Prisma.sql`
      SELECT s.secret_id::text AS secret_id, s.webhook_id::text AS webhook_id, s.sealed, s.sealing_key_id
      FROM app.webhook_secret s WHERE s.sealing_key_id <> ${keys[0]?.id ?? ""} ORDER BY s.secret_id FOR UPDATE`,
  );
  for (const row of rows) {
    const { secret_id, webhook_id, sealed, sealing_key_id } = secretSchema.parse(row);
    const secret = openSecret(keys, webhook_id, { sealed, masterKeyId: sealing_key_id });
    const again = sealSecret(keys, webhook_id, secret.toString("utf8"));
    await select(
      client,
      Prisma.sql`
        UPDATE app.webhook_secret SET sealed = ${again.sealed}, sealing_key_id = ${again.masterKeyId}
        WHERE secret_id = ${secret_id}::bigint`,
    );
  }
  return rows.length;
}
