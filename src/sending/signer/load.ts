import { readFileSync } from "node:fs";
import type { Hex } from "viem";
import { type DeviceKeys, openDevice } from "./device.ts";
import { openKeystore } from "./keystore.ts";
import { createLocalSigner, createSigner, type Signer, type WalletKey } from "./signer.ts";

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

/** Names of keys in a PKCS#11 device; all but the PIN's file are required, or none is given. */
export interface DeviceSource {
  driver?: string | undefined;
  token?: string | undefined;
  /** Labels of keys, comma separated. */
  keys?: string | undefined;
  pin?: string | undefined;
  /** A file with the PIN; used before pin. */
  pinFile?: string | undefined;
}

/**
 * Opens the device of a source; null without one.
 * @throws Error naming what is missing or refused, never the PIN
 */
export async function loadDevice(source: DeviceSource): Promise<DeviceKeys | null> {
  const { driver, token, pinFile } = source;
  const keys = [...new Set(entries(source.keys, ","))];
  if (!driver && !token && keys.length === 0) return null;
  if (!driver) throw new Error("keys in a device need SENDER_HSM_DRIVER");
  if (!token) throw new Error("keys in a device need SENDER_HSM_TOKEN");
  if (keys.length === 0) throw new Error("a device needs SENDER_HSM_KEYS");
  const pin = pinFile ? readSecret(pinFile, "the PIN's file") : source.pin;
  if (pin === undefined) throw new Error("keys in a device need SENDER_HSM_PIN or SENDER_HSM_PIN_FILE");
  return openDevice({ library: driver, token, pin, keys });
}

/**
 * Adds the wallets of a device to those in memory.
 * @throws Error where a wallet is in both: only one may have the key
 */
export function addSigners(inMemory: readonly Signer[], keys: readonly WalletKey[]): Signer[] {
  const known = new Set(inMemory.map(({ address }) => address));
  const twice = keys.find(({ address }) => known.has(address));
  if (twice)
    throw new Error(`the key of ${twice.address} is in the device and in memory: remove it from memory`);
  return [...inMemory, ...keys.map(createSigner)];
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
  if (keystorePasswordFile) return readSecret(keystorePasswordFile, "the password file");
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

/** Returns a file's text without the line break at its end, which editors add. */
function readSecret(path: string, what: string): string {
  return read(path, what).replace(/\r?\n$/, "");
}

function read(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = typeof error === "object" && error && "code" in error ? String(error.code) : "unreadable";
    throw new Error(`cannot read ${what}: ${code}`);
  }
}
