import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { presentPosition } from "../../src/portfolio/positions.ts";
import { parseDecimal } from "../../src/protocol/decimal.ts";

const WAD = 10n ** 18n;
const token = { address: `0x${"ab".repeat(20)}` as const, symbol: "AAPL" };
const nothing = { available: 0n, locked: 0n, tradedQuantity: 0n, costBasis: 0n, realizedPnl: 0n };

describe("presentPosition", () => {
  it("adds up wallet, exchange and locks, and values them", () => {
    const holding = {
      ...nothing,
      available: 2n * WAD,
      locked: WAD,
      tradedQuantity: 3n * WAD,
      costBasis: 300n * WAD,
    };
    expect(presentPosition({ token, wallet: WAD, holding }, 110n * WAD)).toEqual({
      symbol: "AAPL",
      stockAddress: "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB",
      walletBalance: "1",
      exchangeBalance: "2",
      lockedBalance: "1",
      quantity: "4",
      averageEntryPrice: "100",
      costBasis: "300",
      costBasisQuantity: "3",
      marketPrice: "110",
      marketValue: "440",
      unrealizedPnl: "30",
      unrealizedPnlPercent: "10",
      realizedPnl: "0",
    });
  });

  it("knows no cost of what was not bought here", () => {
    expect(presentPosition({ token, wallet: 5n * WAD, holding: nothing }, 10n * WAD)).toMatchObject({
      quantity: "5",
      marketValue: "50",
      averageEntryPrice: null,
      costBasis: null,
      costBasisQuantity: "0",
      unrealizedPnl: null,
      unrealizedPnlPercent: null,
    });
  });

  it("keeps the cost in proportion where some of what was bought has left", () => {
    const holding = { ...nothing, available: WAD, tradedQuantity: 4n * WAD, costBasis: 400n * WAD };
    expect(presentPosition({ token, wallet: 0n, holding }, 90n * WAD)).toMatchObject({
      averageEntryPrice: "100",
      costBasis: "100",
      costBasisQuantity: "1",
      unrealizedPnl: "-10",
      unrealizedPnlPercent: "-10",
    });
  });

  it("tells gains that were realized, also negative ones", () => {
    const holding = { ...nothing, available: 1n, realizedPnl: -WAD / 2n };
    expect(presentPosition({ token, wallet: 0n, holding }, null)).toMatchObject({
      realizedPnl: "-0.5",
      marketPrice: null,
      marketValue: null,
    });
  });

  it("rounds percents towards nothing, to four digits", () => {
    const holding = { ...nothing, available: 3n * WAD, tradedQuantity: 3n * WAD, costBasis: 3n * WAD };
    expect(presentPosition({ token, wallet: 0n, holding }, (4n * WAD) / 3n).unrealizedPnlPercent).toBe(
      "33.3333",
    );
    expect(presentPosition({ token, wallet: 0n, holding }, (2n * WAD) / 3n).unrealizedPnlPercent).toBe(
      "-33.3333",
    );
  });

  it("always tells a quantity that is the sum of its parts, and a gain that is value less cost of the known part", () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    const wad = (text: string | null) => {
      const value = parseDecimal((text ?? "0").replace("-", ""), 18);
      if (typeof value !== "bigint") throw new Error(`${text} is no amount`);
      return text?.startsWith("-") ? -value : value;
    };
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        amount,
        amount,
        amount,
        (wallet, available, locked, traded, cost, price) => {
          const holding = { available, locked, tradedQuantity: traded, costBasis: cost, realizedPnl: 0n };
          const shown = presentPosition({ token, wallet, holding }, price);
          expect(wad(shown.quantity)).toBe(wallet + available + locked);
          if (shown.costBasis === null) return expect({ shown, traded }).toEqual({ shown, traded: 0n });
          const quantity = wallet + available + locked;
          const known = traded > quantity ? quantity : traded;
          const isCovered = wad(shown.costBasis) <= cost;
          expect({ shown, cost, isCovered }).toEqual({ shown, cost, isCovered: true });
          expect(wad(shown.unrealizedPnl)).toBe((known * price) / WAD - wad(shown.costBasis));
        },
      ),
    );
  });
});
