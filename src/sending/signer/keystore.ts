import { createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from "node:crypto";
import { type Hex, keccak256 } from "viem";
import { z } from "zod";

/** The encrypted key file of Ethereum clients (Web3 Secret Storage, version 3). */
const hexText = z
  .string()
  .regex(/^(0x)?([0-9a-fA-F]{2})*$/)
  .transform((text) => Buffer.from(text.replace(/^0x/, ""), "hex"));

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

const keystoreSchema = z.object({
  version: z.literal(3),
  crypto: z.intersection(
    z.object({
      cipher: z.literal("aes-128-ctr"),
      ciphertext: hexText,
      cipherparams: z.object({ iv: hexText }),
      mac: hexText,
    }),
    kdfSchema,
  ),
});

/**
 * Opens an encrypted key file.
 * @param text the file's JSON; field names in any case of `crypto`/`Crypto`
 * @throws Error where the file is of another format, or the password is wrong. It never tells what is inside.
 */
export function openKeystore(text: string, password: string): Hex {
  const parsed = keystoreSchema.safeParse(normalise(text));
  if (!parsed.success) throw new Error(`not a version 3 key file: ${z.prettifyError(parsed.error)}`);
  const { crypto } = parsed.data;
  const derived = derive(crypto, password);
  const mac = Buffer.from(keccak256(Buffer.concat([derived.subarray(16, 32), crypto.ciphertext]), "bytes"));
  if (mac.length !== crypto.mac.length || !timingSafeEqual(mac, crypto.mac)) {
    throw new Error("the key file's password is wrong, or the file was changed");
  }
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), crypto.cipherparams.iv);
  const key = Buffer.concat([decipher.update(crypto.ciphertext), decipher.final()]);
  if (key.length !== 32) throw new Error("the key file holds what is not a private key");
  return `0x${key.toString("hex")}`;
}

type Kdf = z.output<typeof kdfSchema>;

function derive(kdf: Kdf, password: string): Buffer {
  const secret = Buffer.from(password.normalize("NFKC"), "utf8");
  if (kdf.kdf === "pbkdf2") {
    const { salt, c, dklen } = kdf.kdfparams;
    return pbkdf2Sync(secret, salt, c, dklen, "sha256");
  }
  const { n, r, p, dklen, salt } = kdf.kdfparams;
  return scryptSync(secret, salt, dklen, { N: n, r, p, maxmem: 256 * n * r + 1024 * 1024 });
}

/** Some clients write `Crypto`. */
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
