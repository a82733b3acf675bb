import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";
import { ROOT } from "../../../src/config/root.ts";
import { toSignature } from "../../../src/sending/signer/device.ts";
import { addSigners, loadDevice } from "../../../src/sending/signer/load.ts";
import { createLocalSigner } from "../../../src/sending/signer/signer.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const PRIVATE_KEY: Hex = `0x${"3c".repeat(32)}`;

describe("a signature of a device", () => {
  const address = privateKeyToAddress(PRIVATE_KEY).toLowerCase() as Hex;
  const hash: Hex = `0x${"5a".repeat(32)}`;
  const hexOf = ({ r, s }: { r: Hex; s: Hex }) => r.slice(2) + s.slice(2);

  it("has s in the lower half, and the parity by which it recovers", async () => {
    const low = await sign({ hash, privateKey: PRIVATE_KEY });
    const high = (ORDER - BigInt(low.s)).toString(16).padStart(64, "0");
    const expected = { r: low.r, s: low.s, yParity: low.yParity };
    expect(await toSignature(address, hash, hexOf(low))).toEqual(expected);
    expect(await toSignature(address, hash, low.r.slice(2) + high)).toEqual(expected);
  });

  it("of another key, or of nothing, is refused", async () => {
    const other = await sign({ hash, privateKey: `0x${"4d".repeat(32)}` });
    await expect(toSignature(address, hash, hexOf(other))).rejects.toThrow(`not by the key of ${address}`);
    await expect(toSignature(address, hash, "0".repeat(128))).rejects.toThrow("not by the key of");
  });
});

describe("a device's settings", () => {
  it("are none, or all", async () => {
    const all = { driver: "driver.so", token: "wallets", keys: "first" };
    expect(await loadDevice({})).toBeNull();
    for (const one of [{ keys: "first" }, { token: "wallets" }])
      await expect(loadDevice(one)).rejects.toThrow("SENDER_HSM_DRIVER");
    await expect(loadDevice({ driver: "driver.so" })).rejects.toThrow("SENDER_HSM_TOKEN");
    await expect(loadDevice({ ...all, token: undefined })).rejects.toThrow("SENDER_HSM_TOKEN");
    await expect(loadDevice({ ...all, keys: " " })).rejects.toThrow("SENDER_HSM_KEYS");
    await expect(loadDevice(all)).rejects.toThrow("SENDER_HSM_PIN or SENDER_HSM_PIN_FILE");
    await expect(loadDevice({ ...all, pinFile: "/none/pin" })).rejects.toThrow(
      "cannot read the PIN's file: ENOENT",
    );
    // The package is not installed, or the driver is not there: the settings are not refused.
    const isOpened = { message: expect.not.stringContaining("SENDER_HSM_") };
    await expect(loadDevice({ ...all, pin: "1234" })).rejects.toMatchObject(isOpened);
    await expect(loadDevice({ ...all, pinFile: `${ROOT}package.json` })).rejects.toMatchObject(isOpened);
  });

  it("name no key that is in memory too", () => {
    const memory = createLocalSigner(PRIVATE_KEY);
    const { address } = memory;
    const key = {
      address,
      signDigest: () => Promise.reject(new Error("no")),
      check: () => Promise.resolve(),
    };
    expect(() => addSigners([memory], [key])).toThrow(`the key of ${address} is in the device and in memory`);
    const other = { ...key, address: `0x${"4d".repeat(20)}` as const };
    expect(addSigners([memory], [other]).map((signer) => signer.address)).toEqual([address, other.address]);
  });
});

it("the package of keys in a device has one pinned dependency, by a lock file of its own", () => {
  const lock = JSON.parse(readFileSync(`${ROOT}packages/pkcs11/package-lock.json`, "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/pkcs11js"]);
  expect(lock.packages["node_modules/pkcs11js"]).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    integrity: expect.stringMatching(/^sha512-/),
    license: "MIT",
  });
});
