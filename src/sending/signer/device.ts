import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Hex, numberToHex, recoverAddress, type Signature } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { ROOT } from "../../config/root.ts";
import { DeviceError, DeviceProgram } from "./device-program.ts";
import type { WalletKey } from "./signer.ts";

/** Keys in a PKCS#11 device. */
export interface DeviceSettings {
  /** Path of the device's driver, a shared library. */
  library: string;
  /** Label of the token. */
  token: string;
  pin: string;
  /** Labels of the keys in it, each of one wallet. */
  keys: readonly string[];
}

const PACKAGE = join(ROOT, "packages/pkcs11");
/** Order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const pointSchema = z.string().regex(/^04[0-9a-f]{128}$/);
const signatureSchema = z.string().regex(/^[0-9a-f]{128}$/);

/** A device behind a program of its own, which is started again, with a new login, once it has ended. */
class Device {
  private program: DeviceProgram | null = null;
  private login: Promise<DeviceProgram> | null = null;
  /** A few repeats of a wrong PIN lock a token. */
  private refusal: string | null = null;
  private readonly settings: DeviceSettings;

  constructor(settings: DeviceSettings) {
    this.settings = settings;
  }

  /** Returns the public point of a key, uncompressed, hex. @throws Error saying what the device, or its driver, refused */
  async readPoint(key: string): Promise<string> {
    return pointSchema.parse(await this.ask({ key }));
  }

  /** Returns r and s, hex. @throws Error where the device does not sign now */
  async sign(key: string, digest: Hex): Promise<string> {
    return signatureSchema.parse(await this.ask({ key, digest: digest.slice(2) }));
  }

  close(): void {
    this.program?.end("the device is closed");
  }

  private async ask(request: object): Promise<string | null> {
    const program = await this.loggedIn();
    try {
      return await program.ask(request);
    } catch (error) {
      // Releases the program, since session or login may be lost; signatures under way are finished.
      if (isRefusal(error, "CKR_")) program.release();
      throw error;
    }
  }

  /** Returns a program that is logged in; whoever needs one at the same time shares it. */
  private loggedIn(): Promise<DeviceProgram> {
    if (this.login && this.program?.isUsable) return this.login;
    if (this.refusal !== null) return Promise.reject(new Error(this.refusal));
    this.program = new DeviceProgram(join(PACKAGE, "src/device.mjs"));
    this.login = this.logIn(this.program);
    return this.login;
  }

  private async logIn(program: DeviceProgram): Promise<DeviceProgram> {
    const { library, token, pin } = this.settings;
    try {
      await program.ask({ login: { library, token, pin } });
      return program;
    } catch (error) {
      if (isRefusal(error, "CKR_PIN_"))
        this.refusal = `the device refuses the PIN (${error.message}): correct it, and start the worker again`;
      program.end("the device refuses the login");
      throw error;
    }
  }
}

const isRefusal = (error: unknown, code: string): error is DeviceError =>
  error instanceof DeviceError && error.message.includes(code);

/** Keys of a device, and the end of its program. */
export interface DeviceKeys {
  keys: WalletKey[];
  close(): void;
}

/**
 * Opens a device, and has each key prove its address by a signature of a random digest.
 * @throws Error where the package is not installed, or the device refuses; it never contains the PIN
 */
export async function openDevice(settings: DeviceSettings): Promise<DeviceKeys> {
  if (!existsSync(join(PACKAGE, "node_modules/pkcs11js")))
    throw new Error("keys in a device need the package in packages/pkcs11: run `npm ci` there");
  const device = new Device(settings);
  try {
    const keys = await Promise.all(settings.keys.map((label) => openKey(device, label)));
    await checkKeys(keys);
    return { keys, close: () => device.close() };
  } catch (error) {
    device.close();
    throw error;
  }
}

/** Settles where every key signs a random digest now. @throws Error where one does not */
export async function checkKeys(keys: readonly WalletKey[]): Promise<void> {
  await Promise.all(keys.map((key) => key.check()));
}

async function openKey(device: Device, label: string): Promise<WalletKey> {
  const address = publicKeyToAddress(`0x${await device.readPoint(label)}`).toLowerCase() as Hex;
  const signDigest = async (digest: Hex): Promise<Signature> =>
    toSignature(address, digest, await device.sign(label, digest));
  const check = async (): Promise<void> => void (await signDigest(`0x${randomBytes(32).toString("hex")}`));
  return { address, signDigest, check };
}

/**
 * Returns a device's signature as Ethereum has it: `s` in the lower half, and the parity by which it recovers to the address.
 * @param signed r and s, hex
 * @throws Error where it is no signature by the key of the address
 */
export async function toSignature(address: Hex, digest: Hex, signed: string): Promise<Signature> {
  const r: Hex = `0x${signed.slice(0, 64)}`;
  const given = BigInt(`0x${signed.slice(64)}`);
  const s = numberToHex(given > ORDER / 2n ? ORDER - given : given, { size: 32 });
  for (const yParity of [0, 1]) {
    const recovered = await recoverAddress({ hash: digest, signature: { r, s, yParity } }).catch(() => null);
    if (recovered?.toLowerCase() === address) return { r, s, yParity };
  }
  throw new Error(`the device's signature is not by the key of ${address}`);
}
