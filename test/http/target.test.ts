import { describe, expect, it } from "@jest/globals";
import { parseTarget, uriOf } from "../../src/http/target.ts";

it("a target is signed as it was sent, without the prefix", () => {
  const uris = ["/api/v1/orders", "/api/v1/orders?", "/api/v1/orders?b=%2F&a=1?"];
  expect(uris.map((uri) => uriOf(parseTarget(uri, "")))).toEqual(uris);
  expect(uriOf(parseTarget("/trading/api/v1/orders?a=1", "/trading"))).toBe("/api/v1/orders?a=1");
});

describe("parseTarget", () => {
  it("splits path and query, and keeps the query as it was sent", () => {
    expect(parseTarget("/api/v1/orders?b=%2F&a=1?", "")).toEqual({
      path: "/api/v1/orders",
      query: "b=%2F&a=1?",
    });
    expect(parseTarget("/api/v1/orders", "")).toEqual({ path: "/api/v1/orders", query: null });
    expect(parseTarget("/api/v1/orders?", "")).toEqual({ path: "/api/v1/orders", query: "" });
  });

  it("takes the path prefix off once, and only where it is a whole segment", () => {
    expect(parseTarget("/trading/api/v1/config", "/trading").path).toBe("/api/v1/config");
    expect(parseTarget("/trading/trading/api/v1/config", "/trading").path).toBe("/trading/api/v1/config");
    expect(parseTarget("/tradings/api/v1/config", "/trading").path).toBe("/tradings/api/v1/config");
  });

  it.each([
    ["absolute form", "http://host/api/v1/config"],
    ["authority form", "host:443"],
    ["asterisk form", "*"],
    ["a fragment", "/api/v1/config#x"],
    ["a fragment in the query", "/api/v1/config?a=1#x"],
    ["a backslash", "/api/v1\\config"],
    ["a blank", "/api/v1/ config"],
    ["a byte above ASCII", "/api/v1/config\u00e9"],
    ["a control byte", "/api/v1/config\u0000"],
    ["an encoded slash", "/api/v1/prices%2FAAPL"],
    ["an encoded zero", "/api/v1/prices/AAPL%00"],
    ["any encoding in the path", "/api/v1/%63onfig"],
    ["a dot segment", "/api/v1/./config"],
    ["two dots", "/api/v1/orders/../config"],
    ["two dots at the end", "/api/v1/orders/.."],
    ["a dot at the end", "/api/v1/orders/."],
    ["an empty segment", "/api/v1//config"],
    ["an empty first segment", "//api/v1/config"],
    ["nothing", ""],
  ])("refuses %s", (_name, raw) => {
    expect(() => parseTarget(raw, "")).toThrow(expect.objectContaining({ errCode: "VALIDATION_FAILED" }));
  });

  it("lets dots stand inside a segment", () => {
    expect(parseTarget("/api/v1/prices/BRK.B", "").path).toBe("/api/v1/prices/BRK.B");
    expect(parseTarget("/api/v1/prices/...", "").path).toBe("/api/v1/prices/...");
  });
});
