import { describe, expect, it } from "@jest/globals";
import { isGranted, isServed, mayUse, parseChainId } from "../../src/auth/scope.ts";
import { CHAIN_ID, deployments, PRODUCT } from "../support/http/auth.ts";

describe("parseChainId", () => {
  it.each(["1", "31337", "2147483647"])("reads %s", (text) => {
    expect(parseChainId(text)).toBe(Number(text));
  });

  it.each(["", "0", "01", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "１", "1_000", "99999999999999999"])(
    "refuses %p",
    (text) => {
      expect(parseChainId(text)).toBeNull();
    },
  );
});

describe("scope", () => {
  const scopes = [
    { chainId: CHAIN_ID, productType: PRODUCT },
    { chainId: 1, productType: "Stocks" },
  ];

  it("is granted as a pair, in exact casing", () => {
    expect(isGranted(scopes, CHAIN_ID, PRODUCT)).toBe(true);
    expect(isGranted(scopes, 1, "Stocks")).toBe(true);
    expect(isGranted(scopes, 1, PRODUCT)).toBe(false);
    expect(isGranted(scopes, CHAIN_ID, "Stocks")).toBe(false);
    expect(isGranted(scopes, CHAIN_ID, PRODUCT.toUpperCase())).toBe(false);
    expect(isGranted([], CHAIN_ID, PRODUCT)).toBe(false);
  });

  it("is served where the deployments file names it", () => {
    expect(isServed(deployments, CHAIN_ID, PRODUCT)).toBe(true);
    expect(isServed(deployments, 31338, "sandbox")).toBe(false);
    expect(isServed(deployments, 1, PRODUCT)).toBe(false);
  });
});

describe("mayUse", () => {
  it.each([
    ["READ_ONLY", "GET", true],
    ["READ_ONLY", "POST", false],
    ["READ_ONLY", "DELETE", false],
    ["READ_ONLY", "HEAD", false],
    ["READ_ONLY", "get", false],
    ["WRITABLE", "GET", true],
    ["WRITABLE", "POST", true],
    ["WRITABLE", "DELETE", true],
  ] as const)("%s %s: %p", (access, method, allowed) => {
    expect(mayUse(access, method)).toBe(allowed);
  });
});
