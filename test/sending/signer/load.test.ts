import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { loadSigners } from "../../../src/sending/signer/load.ts";
import { sealKey } from "../../support/sender/key-file.ts";

const directory = mkdtempSync(join(tmpdir(), "partner-signers-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIRST: Hex = `0x${"1a".repeat(32)}`;
const SECOND: Hex = `0x${"2b".repeat(32)}`;
const addressesOf = (...keys: Hex[]) => keys.map((key) => privateKeyToAddress(key).toLowerCase());
const loaded = (sources: Parameters<typeof loadSigners>[0]) =>
  loadSigners(sources).map(({ address }) => address);

function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}
const sealed = (name: string, key: Hex, password: string) =>
  write(name, JSON.stringify(sealKey(key, password)));

describe("the sending wallets", () => {
  it("are none without a source", () => {
    expect(loadSigners({})).toEqual([]);
  });

  it("come from every encrypted key file", () => {
    const keystoreFiles = [sealed("first", FIRST, "pw"), sealed("second", SECOND, "pw")].join(", ");
    expect(loaded({ keystoreFiles, keystorePassword: "pw" })).toEqual(addressesOf(FIRST, SECOND));
  });

  it.each([
    ["as it is", "of a file", "of a file"],
    ["without the newline at its end", "of a file\n", "of a file"],
    ["without a newline of Windows at its end", "of a file\r\n", "of a file"],
    ["with a newline in its middle", "of\na file\n", "of\na file"],
  ])("open with the password of a file, %s, before any other password", (_what, text, password) => {
    const keystoreFiles = sealed("sealed", FIRST, password);
    const keystorePasswordFile = write("password", text);
    expect(loaded({ keystoreFiles, keystorePasswordFile, keystorePassword: "another" })).toEqual(
      addressesOf(FIRST),
    );
  });

  it("are refused without a password, or where a file is missing", () => {
    const keystoreFiles = sealed("locked", FIRST, "pw");
    expect(() => loaded({ keystoreFiles })).toThrow("encrypted key files need a password");
    const missing = join(directory, "none");
    expect(() => loaded({ keystoreFiles, keystorePasswordFile: missing })).toThrow(
      "cannot read the password file: ENOENT",
    );
    expect(() => loaded({ keystoreFiles: missing, keystorePassword: "pw" })).toThrow(
      "cannot read an encrypted key file: ENOENT",
    );
  });

  it("are refused by the number of the line that is no key", () => {
    const keysFile = write("keys", `${FIRST}\n\n1${SECOND}\n`);
    expect(() => loaded({ keysFile })).toThrow("line 2 of the key file is not a private key");
  });
});
