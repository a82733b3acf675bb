import type { Prisma } from "../db/generated/client.ts";
import { writeAudit } from "./audit.ts";
import { type LockedKey, lockKey } from "./key-lock-store.ts";
import { bytes, type KeyAdminDeps } from "./keys-admin.ts";
import { newSecret, sealSecret } from "./secrets.ts";

export interface RotatedKey {
  apiKey: string;
  /** Signs requests from now on. It is stored sealed, so it cannot be shown again. */
  apiSecret: string;
  /** End of the previous secret's validity; null where it is over. */
  previousUntil: Date | null;
}

type RotationDeps = Pick<KeyAdminDeps, "prisma" | "masterKeys" | "actor">;

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
  return deps.prisma.$transaction(async (tx) => {
    const { keyId, now, previousUntil, current } = await lockRotation(tx, apiKey);
    if (previousUntil) {
      throw new Error(
        `${apiKey} is being rotated until ${previousUntil.toISOString()}: --finish drops its previous secret, --replace its new one`,
      );
    }
    const until = overlapSeconds > 0 ? new Date(now.getTime() + overlapSeconds * 1000) : null;
    const { apiSecret, masterKeyId, secretSealed } = seal(deps, keyId);
    const previous = until ? { ...current, previousSecretUntil: until } : NO_PREVIOUS;
    const data = { secretSealed, masterKeyId, ...previous };
    await tx.apiKey.update({ where: { keyId }, data, select: { keyId: true } });
    const detail = { masterKeyId, previousUntil: until };
    await writeAudit(tx, { actor: deps.actor, action: "key.rotate", subject: apiKey, detail });
    if (!until) await auditFinish(tx, deps, apiKey);
    return { apiKey, apiSecret, previousUntil: until };
  });
}

/**
 * Replaces the new secret of a rotation under way, for one that was lost or leaked before it was in use. It ends at once;
 * the previous secret works on as before.
 * @throws Error where there is no such key, it was revoked, or no rotation of it is under way
 */
export async function replaceNewSecret(deps: RotationDeps, apiKey: string): Promise<RotatedKey> {
  return deps.prisma.$transaction(async (tx) => {
    const { keyId, previousUntil } = await lockRotation(tx, apiKey);
    if (!previousUntil) throw new Error(`no rotation of ${apiKey} is under way`);
    const { apiSecret, masterKeyId, secretSealed } = seal(deps, keyId);
    const data = { secretSealed, masterKeyId };
    await tx.apiKey.update({ where: { keyId }, data, select: { keyId: true } });
    const detail = { masterKeyId };
    await writeAudit(tx, { actor: deps.actor, action: "key.rotate.replace", subject: apiKey, detail });
    return { apiKey, apiSecret, previousUntil };
  });
}

/**
 * Drops the previous secret of a key; the next request that is signed with it is refused, on every replica.
 * @throws Error where there is no such key, it was revoked, or no rotation of it is under way
 */
export async function finishRotation(
  deps: Pick<KeyAdminDeps, "prisma" | "actor">,
  apiKey: string,
): Promise<void> {
  await deps.prisma.$transaction(async (tx) => {
    const { keyId, previousUntil } = await lockRotation(tx, apiKey);
    if (!previousUntil) throw new Error(`no rotation of ${apiKey} is under way`);
    await tx.apiKey.update({ where: { keyId }, data: NO_PREVIOUS, select: { keyId: true } });
    await auditFinish(tx, deps, apiKey);
  });
}

const NO_PREVIOUS = { previousSecretSealed: null, previousMasterKeyId: null, previousSecretUntil: null };

const auditFinish = (tx: Prisma.TransactionClient, { actor }: { actor: string }, subject: string) =>
  writeAudit(tx, { actor, action: "key.rotate.finish", subject, detail: {} });

interface Rotation extends LockedKey {
  /** Null where the overlap is over, or there never was one. */
  previousUntil: Date | null;
  /** The secret in use, as the columns of the previous one. */
  current: { previousSecretSealed: Uint8Array<ArrayBuffer>; previousMasterKeyId: string };
}

/** Locks a key and reads how its rotation stands. @throws Error where there is no such key, or it was revoked */
async function lockRotation(tx: Prisma.TransactionClient, apiKey: string): Promise<Rotation> {
  const { keyId, now } = await lockKey(tx, apiKey);
  const row = await tx.apiKey.findUniqueOrThrow({
    select: { revokedAt: true, previousSecretUntil: true, secretSealed: true, masterKeyId: true },
    where: { keyId },
  });
  if (row.revokedAt) throw new Error(`${apiKey} is revoked`);
  const until = row.previousSecretUntil;
  return {
    keyId,
    now,
    previousUntil: until && until > now ? until : null,
    current: { previousSecretSealed: row.secretSealed, previousMasterKeyId: row.masterKeyId },
  };
}

function seal({ masterKeys }: RotationDeps, keyId: string) {
  const apiSecret = newSecret();
  const { sealed, masterKeyId } = sealSecret(masterKeys, keyId, apiSecret);
  return { apiSecret, masterKeyId, secretSealed: bytes(sealed) };
}
