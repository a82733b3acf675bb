import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { openKeystore } from "../../../src/sending/signer/keystore.ts";
import { PBKDF2, SCRYPT, sealKey } from "../../support/sender/key-file.ts";

const KEY: Hex = `0x${"5e".repeat(32)}`;
const PASSWORD = "secret";

type Params = typeof SCRYPT | typeof PBKDF2;
const sealed = (params: Params = PBKDF2) => sealKey(KEY, PASSWORD, params);
const open = (file: unknown) => openKeystore(JSON.stringify(file), PASSWORD);

/** Returns a valid key file with one changed field of `crypto`. */
const withCrypto = (more: Record<string, unknown>) => {
  const file = sealed();
  return { ...file, crypto: { ...file.crypto, ...more } };
};
/** Returns a valid key file with one changed parameter of the derivation. */
const withParams = (params: Params, more: Record<string, unknown>) => {
  const file = sealed(params);
  return { ...file, crypto: { ...file.crypto, kdfparams: { ...file.crypto.kdfparams, ...more } } };
};

describe("a key file", () => {
  it("opens as the test vector of the format says", () => {
    const vector = {
      crypto: {
        cipher: "aes-128-ctr",
        cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
        ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
        kdf: "pbkdf2",
        kdfparams: {
          c: 262_144,
          dklen: 32,
          prf: "hmac-sha256",
          salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
        },
        mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
      },
      id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
      version: 3,
    };
    expect(openKeystore(JSON.stringify(vector), "testpassword")).toBe(
      "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d",
    );
  });

  it.each<[string, Params]>([
    ["the least work of PBKDF2", PBKDF2],
    ["more rounds and the longest output of PBKDF2", { ...PBKDF2, c: 2, dklen: 64 }],
    ["the least work of scrypt", SCRYPT],
    ["all lanes and the longest output of scrypt", { ...SCRYPT, p: 16, dklen: 64 }],
    ["wide blocks of scrypt", { ...SCRYPT, r: 64 }],
  ])("opens with %s", (_what, params) => {
    expect(open(sealed(params))).toBe(KEY);
  });

  it.each([
    ["no round of PBKDF2", withParams(PBKDF2, { c: 0 })],
    ["too many rounds of PBKDF2", withParams(PBKDF2, { c: 10_000_001 })],
    ["another hash of PBKDF2", withParams(PBKDF2, { prf: "hmac-sha512" })],
    ["too short an output of PBKDF2", withParams(PBKDF2, { dklen: 31 })],
    ["too long an output of PBKDF2", withParams(PBKDF2, { dklen: 65 })],
    ["too little memory of scrypt", withParams(SCRYPT, { n: 1 })],
    ["too much memory of scrypt", withParams(SCRYPT, { n: 2 ** 21 })],
    ["no block of scrypt", withParams(SCRYPT, { r: 0 })],
    ["too wide a block of scrypt", withParams(SCRYPT, { r: 65 })],
    ["no lane of scrypt", withParams(SCRYPT, { p: 0 })],
    ["too many lanes of scrypt", withParams(SCRYPT, { p: 17 })],
    ["too short an output of scrypt", withParams(SCRYPT, { dklen: 31 })],
    ["too long an output of scrypt", withParams(SCRYPT, { dklen: 65 })],
    ["another derivation", withCrypto({ kdf: "argon2" })],
    ["another cipher", withCrypto({ cipher: "aes-256-ctr" })],
    ["half a byte", withCrypto({ ciphertext: `${sealed().crypto.ciphertext}0` })],
    ["a digit that is not hexadecimal in front", withCrypto({ mac: `zz${sealed().crypto.mac}` })],
    ["a digit that is not hexadecimal behind", withCrypto({ mac: `${sealed().crypto.mac}zz` })],
    ["too short a counter", withCrypto({ cipherparams: { iv: "00".repeat(15) } })],
    ["another version", { ...sealed(), version: 4 }],
  ])("is refused with %s", (_what, file) => {
    expect(() => open(file)).toThrow("not a version 3 key file: ");
  });

  it.each([
    ["null", "null"],
    ["5", "number"],
    ['"text"', "string"],
    ["[]", "array"],
  ])("that is %s is refused, naming what it is", (text, received) => {
    expect(() => openKeystore(text, PASSWORD)).toThrow(
      `not a version 3 key file: ✖ Invalid input: expected object, received ${received}`,
    );
  });

  it("may write its hex with 0x", () => {
    const { ciphertext, mac } = sealed().crypto;
    expect(open(withCrypto({ ciphertext: `0x${ciphertext}`, mac: `0x${mac.toUpperCase()}` }))).toBe(KEY);
  });

  it("is refused where its MAC is another, or of another length", () => {
    const { mac } = sealed().crypto;
    for (const other of [mac.replace(/^./, (digit) => (digit === "0" ? "1" : "0")), mac.slice(2), ""]) {
      expect(() => open(withCrypto({ mac: other }))).toThrow("password is wrong, or the file was changed");
    }
  });

  it("is refused where it holds more or less than a key", () => {
    for (const bytes of [0, 31, 33]) {
      const held = sealKey(`0x${"5e".repeat(bytes)}`, PASSWORD);
      expect(() => open(held)).toThrow("holds what is not a private key");
    }
  });
});
