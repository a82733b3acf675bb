import { createHmac, createSecretKey } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { isSignedBy, parseSignature } from "../../src/auth/signature.ts";

const SECRET = "sk_test";
const DIGITS = "0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdef0123";

describe("parseSignature", () => {
  it("reads 32 bytes of hex digits in either case", () => {
    expect(parseSignature(DIGITS)).toEqual(Buffer.from(DIGITS, "hex"));
  });
  it.each(["", DIGITS.slice(1), DIGITS.slice(2), `${DIGITS}0`, `${DIGITS}00`, `0${DIGITS}`, `0x${DIGITS}`])(
    "refuses %j",
    (text) => {
      expect(parseSignature(text)).toBeNull();
    },
  );
});

describe("isSignedBy", () => {
  const request = (sent: string, decoded: string | null, body = "") => ({
    method: "GET",
    uris: { sent, decoded },
    timestamp: "1",
    nonce: "n",
    body: Buffer.from(body),
  });
  const signatureOver = (uri: string, body = "") =>
    createHmac("sha256", SECRET).update(`GET\n${uri}\n1\nn\n${body}`).digest();
  const isSigned = (signed: ReturnType<typeof request>, signature: Buffer | null) =>
    isSignedBy(createSecretKey(Buffer.from(SECRET)), signed, signature);

  it("takes either form of the URI, and no other", () => {
    const both = request("/a%20b", "/a b");
    expect(isSigned(both, signatureOver("/a%20b"))).toBe(true);
    expect(isSigned(both, signatureOver("/a b"))).toBe(true);
    expect(isSigned(both, signatureOver("/a+b"))).toBe(false);
    expect(isSigned(both, null)).toBe(false);
    const one = request("/a", "/a");
    expect(isSigned(one, signatureOver("/a"))).toBe(true);
    expect(isSigned(one, signatureOver("/b"))).toBe(false);
    expect(isSigned(one, null)).toBe(false);
  });
  it("takes no text in place of a form that a target does not have", () => {
    const bare = request("/%ff", null);
    expect(isSigned(bare, signatureOver("/%ff"))).toBe(true);
    const taken = ["null", "undefined", ""].filter((uri) => isSigned(bare, signatureOver(uri)));
    expect(taken).toEqual([]);
  });
  it("covers the body", () => {
    expect(isSigned(request("/a", null, "b"), signatureOver("/a", "b"))).toBe(true);
    expect(isSigned(request("/a", null, "b"), signatureOver("/a"))).toBe(false);
    expect(isSigned(request("/a", null), signatureOver("/a", "b"))).toBe(false);
  });
});
