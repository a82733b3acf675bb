import { createCipheriv, pbkdf2Sync, scryptSync } from "node:crypto";
import { type Hex, keccak256 } from "viem";

interface KeyFile {
  version: number;
  crypto: {
    cipher: string;
    ciphertext: string;
    cipherparams: { iv: string };
    mac: string;
    kdf: string;
    kdfparams: Record<string, unknown>;
  };
}

/** Derivation by scrypt, with the least work. */
export const SCRYPT = { n: 2, r: 1, p: 1, dklen: 32 };
/** Derivation by PBKDF2, with the least work. */
export const PBKDF2 = { c: 1, dklen: 32, prf: "hmac-sha256" };

const SALT = Buffer.alloc(32, 7);
const IV = Buffer.alloc(16, 9);

/** Encrypts a key as version 3 of the Web3 Secret Storage defines. */
export function sealKey(key: Hex, password: string, params: typeof SCRYPT | typeof PBKDF2 = PBKDF2): KeyFile {
  const derived =
    "c" in params
      ? pbkdf2Sync(password, SALT, params.c, params.dklen, "sha256")
      : scryptSync(password, SALT, params.dklen, { N: params.n, r: params.r, p: params.p });
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), IV);
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(key.slice(2), "hex")), cipher.final()]);
  const mac = keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2);
  return {
    version: 3,
    crypto: {
      cipher: "aes-128-ctr",
      ciphertext: ciphertext.toString("hex"),
      cipherparams: { iv: IV.toString("hex") },
      mac,
      kdf: "c" in params ? "pbkdf2" : "scrypt",
      kdfparams: { ...params, salt: SALT.toString("hex") },
    },
  };
}
