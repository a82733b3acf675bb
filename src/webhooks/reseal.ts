import type pg from "pg";
import { z } from "zod";
import { type MasterKey, openSecret, sealSecret } from "../auth/secrets.ts";
import { execute, queryRows } from "../db/query.ts";
import { sql } from "../db/sql.ts";

const secretSchema = z.object({
  secretId: z.string(),
  webhookId: z.string(),
  sealed: z.instanceof(Uint8Array),
  sealingKeyId: z.string(),
});

/**
 * Seals every secret that another key sealed under the current key, within the caller's transaction.
 * @returns their number
 * @throws Error where one cannot be opened
 */
export async function resealSecrets(client: pg.PoolClient, keys: readonly MasterKey[]): Promise<number> {
  const rows = await queryRows(
    client,
    sql`
      SELECT s.secret_id::text AS secret_id, s.webhook_id::text AS webhook_id, s.sealed, s.sealing_key_id
      FROM app.webhook_secret s WHERE s.sealing_key_id <> ${keys[0]?.id ?? ""} ORDER BY s.secret_id FOR UPDATE`,
    secretSchema,
  );
  for (const { secretId, webhookId, sealed, sealingKeyId } of rows) {
    const secret = openSecret(keys, webhookId, { sealed, masterKeyId: sealingKeyId });
    const again = sealSecret(keys, webhookId, secret.toString("utf8"));
    await execute(
      client,
      sql`
        UPDATE app.webhook_secret SET sealed = ${again.sealed}, sealing_key_id = ${again.masterKeyId}
        WHERE secret_id = ${secretId}::bigint`,
    );
  }
  return rows.length;
}
