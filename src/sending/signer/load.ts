import { readFileSync } from "node:fs";
import type { Hex } from "viem";
import { openKeystore } from "./keystore.ts";
import { createLocalSigner, type Signer } from "./signer.ts";

/** Sources of the sending wallets' keys; all are optional, and they add up. */
export interface SignerSources {
  /** Private keys, comma separated: 0x and 64 hex digits each. */
  keys?: string | undefined;
  /** A file with one private key a line. */
  keysFile?: string | undefined;
  /** Encrypted key files (version 3), comma separated paths; all opened with one password. */
  keystoreFiles?: string | undefined;
  keystorePassword?: string | undefined;
  /** A file with that password; used before keystorePassword. */
  keystorePasswordFile?: string | undefined;
}

const PRIVATE_KEY = /^0x[0-9a-fA-F]{64}$/;

/**
 * Opens every wallet of the sources.
 * @throws Error naming the wrong source, never its content
 */
export function loadSigners(sources: SignerSources): Signer[] {
  const plain = [
    ...entries(sources.keys, ",").map((key, index) => parseKey(key, `key ${index + 1}`)),
    ...(sources.keysFile
      ? entries(read(sources.keysFile, "the key file"), "\n").map((key, index) =>
          parseKey(key, `line ${index + 1} of the key file`),
        )
      : []),
  ];
  const sealed = entries(sources.keystoreFiles, ",").map((path) =>
    openKeystore(read(path, "an encrypted key file"), passwordOf(sources)),
  );
  const signers = new Map<Hex, Signer>();
  for (const key of [...plain, ...sealed]) {
    const signer = createLocalSigner(key);
    signers.set(signer.address, signer);
  }
  return [...signers.values()];
}

function passwordOf({ keystorePassword, keystorePasswordFile }: SignerSources): string {
  if (keystorePasswordFile) return read(keystorePasswordFile, "the password file").replace(/\r?\n$/, "");
  if (keystorePassword === undefined) throw new Error("encrypted key files need a password");
  return keystorePassword;
}

function parseKey(text: string, what: string): Hex {
  if (!PRIVATE_KEY.test(text)) throw new Error(`${what} is not a private key (0x and 64 hex digits)`);
  return text as Hex;
}

function entries(text: string | undefined, separator: string): string[] {
  return (text ?? "")
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "" && !entry.startsWith("#"));
}

function read(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = typeof error === "object" && error && "code" in error ? String(error.code) : "unreadable";
    throw new Error(`cannot read ${what}: ${code}`);
  }
}
