import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { inputHash, normaliseInput } from "../../../src/sending/outbox/identity.ts";

describe("an input in one form", () => {
  it.each<[unknown, unknown]>([
    ["0xAB", "0xab"],
    ["0xABg", "0xABg"],
    ["x0xAB", "x0xAB"],
    ["1", "1"],
    ["1.0", "1"],
    ["1.50", "1.5"],
    ["007", "7"],
    ["0.5", "0.5"],
    [".50", "0.5"],
    [".0", "0"],
    [".", "."],
    ["5.", "5."],
    ["0XAB", "0xab"],
    ["1005", "1005"],
    ["x1.50", "x1.50"],
    ["007x", "007x"],
    ["-1.50", "-1.50"],
    ["AAPL.0", "AAPL.0"],
    [1.5, "1.5"],
    [5n, 5n],
    [true, true],
    [null, null],
    [["007"], ["007"]],
  ])("is of %p %p", (sent, one) => expect(normaliseInput({ a: sent })).toEqual({ a: one }));

  it("keeps the caller's own name as it was sent", () => {
    expect(normaliseInput({ clientOrderId: "007" })).toEqual({ clientOrderId: "007" });
  });
});

describe("the hash of an input", () => {
  const hash = (input: Record<string, unknown>) => inputHash("POST", "/x", input);

  it("stays what is stored, so that a repeat is one after an update too", () => {
    const text = '["POST","/x",{"a":"1","b":["2",null],"c":"3"}]';
    expect(hash({ c: 3n, b: ["2", null], a: "1", d: null, e: undefined })).toBe(
      createHash("sha256").update(text).digest("hex"),
    );
  });

  it("tells a list from an object with its places as names", () => {
    expect(hash({ a: ["x"] })).not.toBe(hash({ a: { 0: "x" } }));
  });
});
