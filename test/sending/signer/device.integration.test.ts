import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { type Hex, parseTransaction, recoverTransactionAddress } from "viem";
import { type DeviceKeys, type DeviceSettings, openDevice } from "../../../src/sending/signer/device.ts";
import { addSigners } from "../../../src/sending/signer/load.ts";
import { canary } from "../../support/assert/logs.ts";
import { present, until } from "../../support/assert/until.ts";
import { devicePrograms, type SoftHsm, startSoftHsm } from "../../support/pkcs11/softhsm.ts";
import { describeWhere } from "../../support/program/describe-where.ts";

/** docs/faults.md, rows 96 and 97: a device that fails, and one that refuses. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** CKR_DEVICE_REMOVED. */
const REMOVED = "fail 50";

describeWhere("softhsm", "keys in a device", () => {
  let hsm: SoftHsm;
  const opened: DeviceKeys[] = [];
  const open = async (more: Partial<DeviceSettings> = {}): Promise<DeviceKeys> => {
    const device = await openDevice({ ...hsm, keys: ["first", "second"], ...more });
    opened.push(device);
    return device;
  };
  const openFirst = async () => present((await open({ keys: ["first"] })).keys[0], "a key");

  const programsLeft = (count: number) =>
    until(`${count} programs of the device are left`, () => devicePrograms(process.pid).length === count);

  beforeAll(() => {
    hsm = startSoftHsm();
    Object.assign(process.env, hsm.env);
    for (const label of ["first", "second"]) hsm.createKey(label);
  }, 120_000);
  afterEach(() => {
    hsm.setFault(null);
    for (const device of opened.splice(0)) device.close();
  });
  afterAll(() => {
    for (const name of Object.keys(hsm.env)) delete process.env[name];
    hsm.stop();
  });

  it("sign transactions of their own addresses, many at once", async () => {
    const signers = addSigners([], (await open()).keys);
    expect(new Set(signers.map(({ address }) => address)).size).toBe(2);
    const to: Hex = "0x00000000000000000000000000000000000beef1";
    const fees = { gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
    const signed = await Promise.all(
      Array.from({ length: 40 }, async (_, nonce) => {
        const signer = present(signers[nonce % 2], "a signer");
        const bytes = await signer.sign({ chainId: 7, nonce, to, data: "0x1234", ...fees });
        return { address: signer.address, bytes: bytes as `0x02${string}`, nonce };
      }),
    );
    for (const { address, bytes, nonce } of signed) {
      const transaction = parseTransaction(bytes);
      const recovered = await recoverTransactionAddress({ serializedTransaction: bytes });
      expect({
        nonce: transaction.nonce ?? 0,
        data: transaction.data,
        isLow: BigInt(transaction.s ?? 0) <= ORDER / 2n,
        signer: recovered.toLowerCase(),
      }).toEqual({ nonce, data: "0x1234", isLow: true, signer: address });
    }
  });

  it("sign slowly: 24 signatures of a second each", async () => {
    const key = await openFirst();
    hsm.setFault("sleep 1000");
    const outcomes = await Promise.allSettled(Array.from({ length: 24 }, () => key.check()));
    expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
  });

  it("sign again once a driver that did not answer does", async () => {
    const key = await openFirst();
    hsm.setFault("sleep 600000");
    await expect(key.check()).rejects.toThrow("the device does not answer within 5 s");
    hsm.setFault(null);
    await key.check();
    await programsLeft(1);
  });

  it("sign again once a device that was removed is back, by a new login", async () => {
    const key = await openFirst();
    await programsLeft(1);
    const [first] = devicePrograms(process.pid);
    hsm.setFault(REMOVED);
    await expect(key.check()).rejects.toThrow("CKR_DEVICE_REMOVED");
    await expect(key.check()).rejects.toThrow("CKR_DEVICE_REMOVED");
    hsm.setFault(null);
    await key.check();
    await programsLeft(1);
    expect(devicePrograms(process.pid)).not.toContain(first);
  });

  it("sign again after their program was killed", async () => {
    const key = await openFirst();
    for (const pid of devicePrograms(process.pid)) process.kill(pid, "SIGKILL");
    await key.check().catch(() => undefined);
    await key.check();
  });

  it("are refused by a wrong PIN, which is tried once and not told", async () => {
    const wrong = canary("PIN of a device", randomBytes(16).toString("hex"));
    const refusal = await open({ pin: wrong }).catch((error: unknown) => String(error));
    expect(refusal).toContain("CKR_PIN_INCORRECT");
    expect(refusal).not.toContain(wrong);
    await programsLeft(0);
  });

  it.each([
    ["another token", { token: "none" }, "0 tokens of the driver have the label none"],
    ["another key", { keys: ["none"] }, "0 public EC keys of the token have the label none"],
    ["no driver", { library: "/none/driver.so" }, "/none/driver.so"],
  ])("are refused where the settings name %s", async (_what, more, message) => {
    await expect(open(more)).rejects.toThrow(message);
  });

  it("leave a key that is gone to its own wallet: the other signs", async () => {
    const { keys } = await open();
    const [first, second] = [present(keys[0], "the first"), present(keys[1], "the second")];
    hsm.replaceToken();
    hsm.createKey("second");
    for (const pid of devicePrograms(process.pid)) process.kill(pid, "SIGKILL");
    await first.check().catch(() => undefined);
    await expect(first.check()).rejects.toThrow("0 private EC keys of the token have the label first");
    // A key of another address under the same label.
    await expect(second.check()).rejects.toThrow(`not by the key of ${second.address}`);
  });

  it("do not start where the public key is another one's", async () => {
    hsm.replaceToken();
    for (const label of ["first", "second"]) hsm.createKey(label);
    hsm.relabelPublicKey("first", "other");
    hsm.relabelPublicKey("second", "first");
    await expect(open({ keys: ["first"] })).rejects.toThrow("the device's signature is not by the key of");
    await programsLeft(0);
  });
});
