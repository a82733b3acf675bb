import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

/** A key that seals API secrets, 32 bytes. Its id is stored with what it sealed, so that it can be replaced. */
export interface MasterKey {
  id: string;
  key: Uint8Array;
}

export interface SealedSecret {
  /** iv (12 bytes), tag (16), ciphertext. */
  sealed: Uint8Array;
  masterKeyId: string;
}

/** Makes an API secret. */
export const newSecret = (): string => `sk_${randomBytes(32).toString("hex")}`;

const IV_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
const OPTIONS = { authTagLength: TAG_BYTES };

/**
 * Encrypts an API secret under the current (first) master key. It can be opened for this API key only: moved to another
 * key's row, it fails like any other tampering.
 */
export function sealSecret(masterKeys: readonly MasterKey[], keyId: string, secret: string): SealedSecret {
  const current = masterKeys[0];
  if (!current) throw new Error("there is no master key to seal secrets with");
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, current.key, iv, OPTIONS).setAAD(boundTo(keyId));
  const ciphertext = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return { sealed: Buffer.concat([iv, cipher.getAuthTag(), ciphertext]), masterKeyId: current.id };
}

/**
 * Decrypts an API secret.
 * @throws Error where its master key is not among these, or anything of it was changed
 */
export function openSecret(
  masterKeys: readonly MasterKey[],
  keyId: string,
  { sealed, masterKeyId }: SealedSecret,
): Buffer {
  const master = masterKeys.find((candidate) => candidate.id === masterKeyId);
  if (!master) throw new Error(`master key ${masterKeyId} is not configured`);
  if (sealed.length <= IV_BYTES + TAG_BYTES) throw new Error("the sealed secret is too short");
  const decipher = createDecipheriv(CIPHER, master.key, sealed.subarray(0, IV_BYTES), OPTIONS)
    .setAAD(boundTo(keyId))
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}

/** Returns the opened secret as a key that can sign but is not printed; null where it cannot be opened. */
export function openSigningKey(
  masterKeys: readonly MasterKey[],
  keyId: string,
  sealed: SealedSecret,
): KeyObject | null {
  try {
    const secret = openSecret(masterKeys, keyId, sealed);
    const key = createSecretKey(secret);
    secret.fill(0);
    return key;
  } catch {
    // Fails closed: the caller refuses a key without a secret.
    return null;
  }
}

function boundTo(keyId: string): Buffer {
  return Buffer.from(keyId.toLowerCase(), "utf8");
}
