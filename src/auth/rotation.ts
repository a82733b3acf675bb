import type pg from "pg";
import { withDatabaseErrors } from "../db/errors.ts";
import { inTransaction } from "../db/transaction.ts";
import { writeAudit } from "./audit.ts";
import { type KeyAdminDeps, lockKey } from "./keys-admin.ts";
import { newSecret, type SealedSecret, sealSecret } from "./secrets.ts";

export interface RotatedKey {
  apiKey: string;
  /** Signs requests from now on. It is stored sealed, so it cannot be shown again. */
  apiSecret: string;
  /** Until when the secret before it also works; null where it does not any more. */
  previousUntil: Date | null;
}

type RotationDeps = Pick<KeyAdminDeps, "pool" | "masterKeys" | "actor">;

/**
 * Gives a key a second secret. The one it has also works for the overlap, by the database's clock; it ends at once where
 * that is 0.
 * @throws Error where there is no such key, it was revoked, or a rotation of it is under way
 */
export async function rotateKey(
  deps: RotationDeps,
  apiKey: string,
  { overlapSeconds }: { overlapSeconds: number },
): Promise<RotatedKey> {
  return inTransaction(deps.pool, async (client) => {
    const { keyId, previousUntil } = await lockRotation(client, apiKey);
    if (previousUntil) {
      throw new Error(
        `${apiKey} is being rotated until ${previousUntil.toISOString()}: --finish drops its previous secret, --replace its new one`,
      );
    }
    const { apiSecret, sealed, masterKeyId } = seal(deps, keyId);
    const { rows } = await client.query<{ until: Date | null }>(
      `UPDATE app.api_key SET secret_sealed = $2, master_key_id = $3,
         previous_secret_sealed = CASE WHEN $4::int > 0 THEN secret_sealed END,
         previous_master_key_id = CASE WHEN $4::int > 0 THEN master_key_id END,
         previous_secret_until = CASE WHEN $4::int > 0 THEN now() + make_interval(secs => $4::int) END
       WHERE key_id = $1 RETURNING previous_secret_until AS until`,
      [keyId, sealed, masterKeyId, overlapSeconds],
    );
    const until = rows[0]?.until ?? null;
    await writeAudit(client, deps.actor, "key.rotate", apiKey, { masterKeyId, previousUntil: until });
    if (!until) await writeAudit(client, deps.actor, "key.rotate.finish", apiKey, {});
    return { apiKey, apiSecret, previousUntil: until };
  });
}

/**
 * Replaces the new secret of a rotation under way, for one that was lost or leaked before it was in use. It ends at once;
 * the previous secret works on as before.
 * @throws Error where there is no such key, it was revoked, or no rotation of it is under way
 */
export async function replaceNewSecret(deps: RotationDeps, apiKey: string): Promise<RotatedKey> {
  return inTransaction(deps.pool, async (client) => {
    const { keyId, previousUntil } = await lockRotation(client, apiKey);
    if (!previousUntil) throw new Error(`no rotation of ${apiKey} is under way`);
    const { apiSecret, sealed, masterKeyId } = seal(deps, keyId);
    await client.query("UPDATE app.api_key SET secret_sealed = $2, master_key_id = $3 WHERE key_id = $1", [
      keyId,
      sealed,
      masterKeyId,
    ]);
    await writeAudit(client, deps.actor, "key.rotate.replace", apiKey, { masterKeyId });
    return { apiKey, apiSecret, previousUntil };
  });
}

/**
 * Drops the previous secret of a key; the next request that is signed with it is refused, on every replica.
 * @throws Error where there is no such key, it was revoked, or no rotation of it is under way
 */
export async function finishRotation(
  deps: Pick<KeyAdminDeps, "pool" | "actor">,
  apiKey: string,
): Promise<void> {
  await inTransaction(deps.pool, async (client) => {
    const { keyId, previousUntil } = await lockRotation(client, apiKey);
    if (!previousUntil) throw new Error(`no rotation of ${apiKey} is under way`);
    await client.query(
      `UPDATE app.api_key SET previous_secret_sealed = NULL, previous_master_key_id = NULL,
         previous_secret_until = NULL WHERE key_id = $1`,
      [keyId],
    );
    await writeAudit(client, deps.actor, "key.rotate.finish", apiKey, {});
  });
}

/**
 * Removes previous secrets whose overlap is over. They are accepted nowhere any more; this keeps them from being stored.
 * For the worker, every minute or so; any number of workers may.
 * @returns of how many keys
 */
export async function endRotations(pool: pg.Pool): Promise<number> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<{ ended: number }>("SELECT app.end_rotations() AS ended"),
  );
  return rows[0]?.ended ?? 0;
}

/** Locks a key; `previousUntil` is null where its overlap is over, or it never had one. */
async function lockRotation(
  client: pg.PoolClient,
  apiKey: string,
): Promise<{ keyId: string; previousUntil: Date | null }> {
  const keyId = await lockKey(client, apiKey);
  const { rows } = await client.query<{ revoked: boolean; until: Date | null }>(
    `SELECT revoked_at IS NOT NULL AS revoked,
       CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS until
     FROM app.api_key WHERE key_id = $1`,
    [keyId],
  );
  if (rows[0]?.revoked) throw new Error(`${apiKey} is revoked`);
  return { keyId, previousUntil: rows[0]?.until ?? null };
}

function seal({ masterKeys }: RotationDeps, keyId: string): SealedSecret & { apiSecret: string } {
  const apiSecret = newSecret();
  return { apiSecret, ...sealSecret(masterKeys, keyId, apiSecret) };
}
