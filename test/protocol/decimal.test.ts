import { describe, expect, it } from "@jest/globals";
import { formatUnits } from "ethers";
import fc from "fast-check";
import {
  divideUp,
  formatDecimal,
  formatWad,
  multiplyWad,
  multiplyWadUp,
  parseDecimal,
  WAD,
} from "../../src/protocol/decimal.ts";

const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const decimals = fc.integer({ min: 0, max: 30 });

describe("parseDecimal", () => {
  it.each<[string, number, bigint | string]>([
    ["180.5", 18, 180_500_000_000_000_000_000n],
    ["0", 6, 0n],
    ["0.000001", 6, 1n],
    ["1.0", 0, "too-many-decimals"],
    ["1.0000000", 6, "too-many-decimals"],
    ["0.0000001", 6, "too-many-decimals"],
    [".5", 18, 500_000_000_000_000_000n],
    [".000001", 6, 1n],
    [".0000001", 6, "too-many-decimals"],
    [".0", 6, 0n],
    ["1.10", 18, 1_100_000_000_000_000_000n],
    ["1e-7", 7, "malformed"],
    ["1.5E+3", 6, "malformed"],
    ["1.25e2", 0, "malformed"],
    ["1e0", 18, "malformed"],
    [".5e1", 18, "malformed"],
    [".", 18, "malformed"],
    ["..5", 18, "malformed"],
    ["-.5", 18, "malformed"],
    ["", 18, "malformed"],
    [" 1", 18, "malformed"],
    ["1 ", 18, "malformed"],
    ["-1", 18, "malformed"],
    ["+1", 18, "malformed"],
    ["5.", 18, "malformed"],
    ["007", 18, "malformed"],
    ["1,000", 18, "malformed"],
    ["1_000", 18, "malformed"],
    ["0x10", 18, "malformed"],
    ["NaN", 18, "malformed"],
    ["Infinity", 18, "malformed"],
    ["１", 18, "malformed"],
    ["1\n", 18, "malformed"],
    ["9".repeat(201), 18, "malformed"],
  ])("%j at %i decimals is %s", (text, scale, expected) => {
    expect(parseDecimal(text, scale)).toBe(expected);
  });

  it("reads back what formatDecimal wrote, exactly", () => {
    fc.assert(
      fc.property(amounts, decimals, (value, scale) => {
        expect(parseDecimal(formatDecimal(value, scale), scale)).toBe(value);
      }),
    );
  });

  it("counts written fraction digits, whatever their value", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.stringMatching(/^\d{1,20}$/),
        decimals,
        (whole, fraction, scale) => {
          const parsed = parseDecimal(`${whole}.${fraction}`, scale);
          if (fraction.length > scale) expect(parsed).toBe("too-many-decimals");
          else expect(parsed).toBe(BigInt(whole + fraction.padEnd(scale, "0")));
        },
      ),
    );
  });

  it("reads a leading point as one behind a 0", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,20}$/), decimals, (fraction, scale) => {
        expect(parseDecimal(`.${fraction}`, scale)).toBe(parseDecimal(`0.${fraction}`, scale));
      }),
    );
  });
});

describe("formatDecimal", () => {
  it.each<[bigint, number, string]>([
    [0n, 18, "0"],
    [1n, 18, "0.000000000000000001"],
    [180_500_000_000_000_000_000n, 18, "180.5"],
    [-1_500_000n, 6, "-1.5"],
    [-1n, 6, "-0.000001"],
    [100n, 0, "100"],
    [10n ** 24n, 18, "1000000"],
  ])("%s at %i decimals is %s", (value, scale, expected) => {
    expect(formatDecimal(value, scale)).toBe(expected);
  });

  it("agrees with an independent library, but for its trailing .0", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n }),
        fc.integer({ min: 1, max: 30 }),
        (value, scale) => {
          expect(formatDecimal(value, scale)).toBe(formatUnits(value, scale).replace(/\.0$/, ""));
        },
      ),
    );
  });
});

describe("wad arithmetic", () => {
  it("rounds as its name says", () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const down = multiplyWad(a, b);
        const up = multiplyWadUp(a, b);
        const isBelow = down * WAD <= a * b && (down + 1n) * WAD > a * b;
        expect({ a, b, down, isBelow }).toEqual({ a, b, down, isBelow: true });
        expect(up - down).toBe((a * b) % WAD === 0n ? 0n : 1n);
      }),
    );
    expect(divideUp(7n, 7n)).toBe(1n);
    expect(divideUp(8n, 7n)).toBe(2n);
    expect(formatWad(multiplyWad(15n * 10n ** 17n, 2n * WAD))).toBe("3");
  });
});
