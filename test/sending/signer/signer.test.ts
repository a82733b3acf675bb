import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "@jest/globals";
import { encryptKeystoreJsonSync, Wallet } from "ethers";
import { parseTransaction, recoverTransactionAddress } from "viem";
import { openKeystore } from "../../../src/sending/signer/keystore.ts";
import { loadSigners } from "../../../src/sending/signer/load.ts";

/** Keys from every source; the key files are made by ethers, which shares no code with ours. */
const directory = mkdtempSync(join(tmpdir(), "partner-keys-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const wallet = Wallet.createRandom();
const other = Wallet.createRandom();

it("opens a key file that another library made, and only with its password", async () => {
  const { address, privateKey } = wallet;
  // A sixteenth of the usual work factor: ethers derives keys in JavaScript.
  const text = encryptKeystoreJsonSync({ address, privateKey }, "päss word", { scrypt: { N: 2 ** 13 } });
  expect(openKeystore(text, "päss word")).toBe(wallet.privateKey);
  expect(() => openKeystore(text, "wrong")).toThrow("password is wrong");
  expect(() => openKeystore("{}", "x")).toThrow("not a version 3 key file");
  expect(() => openKeystore("nonsense", "x")).toThrow("not JSON");
});

it("adds up keys from the environment, a file and key files, and signs with them", async () => {
  const keysFile = join(directory, "keys");
  writeFileSync(keysFile, `# the second\n${other.privateKey}\n`);
  const signers = loadSigners({ keys: `${wallet.privateKey}, ${wallet.privateKey}`, keysFile });
  expect(signers.map(({ address }) => address)).toEqual(
    [wallet.address, other.address].map((address) => address.toLowerCase()),
  );
  const signed = await signers[1]?.sign({
    chainId: 7,
    nonce: 3,
    to: "0x00000000000000000000000000000000000beef1",
    data: "0x1234",
    gas: 21_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
  });
  expect(parseTransaction(signed ?? "0x")).toMatchObject({
    chainId: 7,
    nonce: 3,
    type: "eip1559",
    data: "0x1234",
  });
  expect(await recoverTransactionAddress({ serializedTransaction: signed as `0x02${string}` })).toBe(
    other.address,
  );
});

it("never tells a key that it cannot read", () => {
  const wrong = `${wallet.privateKey}00`;
  expect(() => loadSigners({ keys: wrong })).toThrow("key 1 is not a private key");
  try {
    loadSigners({ keys: wrong });
  } catch (error) {
    expect(String(error)).not.toContain(wallet.privateKey.slice(4, 20));
  }
  expect(() => loadSigners({ keysFile: join(directory, "none") })).toThrow(
    "cannot read the key file: ENOENT",
  );
});
