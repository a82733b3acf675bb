import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { tokenPrice } from "../../../src/chain/product/token-price.ts";
import { formatWad, WAD } from "../../../src/protocol/decimal.ts";
import { expectRefusal } from "../../support/assert/errors.ts";

describe("tokenPrice", () => {
  it.each([
    ["180.5", WAD, 180_500_000_000_000_000_000n, 180_500_000_000_000_000_000n, 180_500_000_000_000_000_000n],
    ["0.000000000000000003", WAD / 2n, 1n, 2n, 2n],
    ["0.000000000000000001", WAD / 3n, 0n, 0n, 1n],
    ["0.000000000000000002", (WAD * 4n) / 10n, 0n, 1n, 1n],
    ["0", WAD, 0n, 0n, 0n],
  ] as const)(
    "of %s times %d wad, rounded down, to the nearest and up",
    (price, multiplier, down, near, up) => {
      expect(tokenPrice(price, multiplier, "down")).toBe(down);
      expect(tokenPrice(price, multiplier)).toBe(near);
      expect(tokenPrice(price, multiplier, "up")).toBe(up);
    },
  );

  it("never lies outside its own bid and ask, and is off by half a step at most", () => {
    const wads = fc.bigInt(0n, 10n ** 27n);
    fc.assert(
      fc.property(wads, wads, (price, multiplier) => {
        const [down, near, up] = (["down", "nearest", "up"] as const).map((rounding) =>
          tokenPrice(formatWad(price), multiplier, rounding),
        ) as [bigint, bigint, bigint];
        const exact = price * multiplier;
        const off = near * WAD - exact;
        expect({
          exact,
          down,
          near,
          up,
          areAround: down * WAD <= exact && exact <= up * WAD && up - down <= 1n,
          isNearest: 2n * (off < 0n ? -off : off) <= WAD,
        }).toEqual({ exact, down, near, up, areAround: true, isNearest: true });
      }),
    );
  });

  it("refuses a quote that is no price", async () => {
    await expectRefusal(
      Promise.resolve().then(() => tokenPrice("-1", WAD)),
      "MARKET_DATA_UNAVAILABLE",
    );
  });
});
