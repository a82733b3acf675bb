import { describe, expect, it } from "@jest/globals";
import { readAuthHeaders } from "../../src/auth/headers.ts";

const SENT = [
  ["X-API-KEY", "pk_1"],
  ["x-api-ts", "1"],
  ["x-api-nonce", "n"],
  ["x-api-chain-id", "31337"],
  ["x-api-p", "Sandbox"],
  ["X-Api-Sign", "ab"],
];
const all = SENT.flat();
const read = {
  apiKey: "pk_1",
  timestamp: "1",
  nonce: "n",
  chainId: "31337",
  product: "Sandbox",
  signature: "ab",
  forwardedFor: [],
  fault: null,
};

describe("the headers of authentication", () => {
  it("are read in any case, and no other header with them", () => {
    expect(readAuthHeaders([...all, "x-api", "1", "x-request-id", "2", "host", "3"])).toEqual(read);
  });

  it("go with every X-Forwarded-For in order, whatever it holds", () => {
    const forwarded = ["X-Forwarded-For", "10.0.0.1, 10.0.0.2", "x-forwarded-for", ""];
    const { forwardedFor, fault } = readAuthHeaders([...all, ...forwarded]);
    expect(forwardedFor).toEqual(["10.0.0.1, 10.0.0.2", ""]);
    expect(fault).toBeNull();
  });

  it.each(SENT.map(([name = ""]) => name))("are not complete without %s", (name) => {
    const others = SENT.filter(([sent]) => sent !== name).flat();
    expect(readAuthHeaders(others).fault).toBe("header missing");
    // A name that no value follows.
    expect(readAuthHeaders([...others, name])).toMatchObject({ fault: "header missing" });
  });

  it("count as repeated at the second one, and the first one stands", () => {
    const { nonce, fault } = readAuthHeaders([...all, "X-API-NONCE", "m"]);
    expect({ nonce, fault }).toEqual({ nonce: "n", fault: "header repeated" });
  });

  it.each(["", "é", "\u0000", "a\tb", "x".repeat(129)])("are malformed with the value %j", (value) => {
    const { product, fault } = readAuthHeaders([
      "x-api-p",
      value,
      ...all.filter((_, index) => index < 8),
      ...all.slice(10),
    ]);
    expect({ product, fault }).toEqual({ product: "", fault: "header malformed" });
  });

  it("may be as long as 128 characters, in all of visible ASCII", () => {
    const long = `${" ~".repeat(64)}`;
    expect(readAuthHeaders([...all.slice(0, 8), "x-api-p", long, ...all.slice(10)])).toEqual({
      ...read,
      product: long,
    });
  });

  it("keep the first of several faults", () => {
    expect(readAuthHeaders(["x-api-ts", "é", "x-api-ts", "1"]).fault).toBe("header malformed");
    expect(readAuthHeaders(["x-api-ts", "1", "x-api-ts", "é"]).fault).toBe("header repeated");
  });
});
