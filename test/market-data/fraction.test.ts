import { describe, expect, it } from "@jest/globals";
import { divide, fraction, round, toScaled } from "../../src/market-data/fraction.ts";

describe("exact decimals", () => {
  it.each([
    ["180.5", 6, 180_500_000n],
    ["0.0000005", 6, 1n],
    ["0.00000049999", 6, 0n],
    ["-1.0000005", 6, -1_000_001n],
    ["1.9e-05", 6, 19n],
    ["1E+3", 2, 100_000n],
    ["9007199254740993.1", 1, 90_071_992_547_409_931n],
  ])("%s with %d digits is %s", (text, decimals, expected) => {
    expect(toScaled(text, decimals)).toBe(expected);
  });

  it.each(["", "NaN", "1.", ".5", "1e9999", "0x10", "1,5", " 1"])("refuses %j", (text) => {
    expect(() => fraction(text)).toThrow(SyntaxError);
  });

  it("reduces, keeps the sign above the line and refuses to divide by zero", () => {
    expect(divide(fraction("1"), fraction("-4"))).toEqual({ num: -1n, den: 4n });
    expect(round({ num: -5n, den: 2n })).toBe(-3n);
    expect(() => divide(fraction("1"), fraction("0"))).toThrow(RangeError);
  });
});
