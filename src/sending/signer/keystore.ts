import * as Keystore from "ox/Keystore";
import type { Hex } from "viem";
import { z } from "zod";

/** Hexadecimal text, without the 0x that some clients write in front. */
const hexText = z
  .string()
  .regex(/^(0x)?([0-9a-fA-F]{2})*$/)
  .transform((text) => text.replace(/^0x/, ""));

/** The bounds keep a changed file from blocking the program; ox refuses to derive with more than 1 GiB of memory. */
const kdfSchema = z.discriminatedUnion("kdf", [
  z.object({
    kdf: z.literal("scrypt"),
    kdfparams: z.object({
      n: z
        .int()
        .min(2)
        .max(1 << 20),
      r: z.int().min(1).max(64),
      p: z.int().min(1).max(16),
      dklen: z.int().min(32).max(64),
      salt: hexText,
    }),
  }),
  z.object({
    kdf: z.literal("pbkdf2"),
    kdfparams: z.object({
      c: z.int().min(1).max(10_000_000),
      prf: z.literal("hmac-sha256"),
      dklen: z.int().min(32).max(64),
      salt: hexText,
    }),
  }),
]);

/** Encrypted key file of Ethereum clients: Web3 Secret Storage, version 3. */
const keystoreSchema = z.object({
  version: z.literal(3),
  crypto: z.intersection(
    z.object({
      cipher: z.literal("aes-128-ctr"),
      ciphertext: hexText,
      cipherparams: z.object({ iv: hexText.refine((iv) => iv.length === 32, "must be 16 bytes") }),
      mac: hexText,
    }),
    kdfSchema,
  ),
});

/**
 * Decrypts a key file.
 * @param text the file's JSON; `crypto` in any case
 * @throws Error where the file has another format, or the password is wrong. The text never contains the key.
 */
export function openKeystore(text: string, password: string): Hex {
  const parsed = keystoreSchema.safeParse(normalise(text));
  if (!parsed.success) throw new Error(`not a version 3 key file: ${z.prettifyError(parsed.error)}`);
  const key = decrypt({ ...parsed.data, id: "" }, password);
  if (key.length !== 66) throw new Error("the key file holds what is not a private key");
  return key;
}

function decrypt(keystore: Keystore.Keystore, password: string): Hex {
  const derived = Keystore.toKey(keystore, { password: password.normalize("NFKC") });
  try {
    return Keystore.decrypt(keystore, derived);
  } catch {
    throw new Error("the key file's password is wrong, or the file was changed");
  }
}

/** Converts the names of a file to lower case: some clients write `Crypto`. */
function normalise(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("not a version 3 key file: not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item]));
}
