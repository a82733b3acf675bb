import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  type AdjustingAction,
  type Adjustment,
  adjustBars,
  adjustmentSteps,
} from "../../src/market-data/adjust.ts";
import { aggregate, presentBar, type ScaledBar, scaleBar } from "../../src/market-data/bars.ts";
import { newYorkInstant } from "../../src/market-data/new-york.ts";

const at = (iso: string) => Date.parse(iso) / 1000;

/** Returns daily bars of one price each, January 2026: 12 is a Monday. */
function days(closes: Record<string, string>, volume = "100"): ScaledBar[] {
  return Object.entries(closes).map(([day, price]) =>
    scaleBar({
      timestamp: at(`2026-01-${day}T05:00:00Z`),
      open: price,
      high: price,
      low: price,
      close: price,
      volume,
    }),
  );
}

const none = {
  cash: null,
  oldRate: null,
  newRate: null,
  previousClose: null,
  spunOffPrice: null,
  priceFactor: null,
};
const split = (exDate: string, oldRate: string, newRate: string): AdjustingAction => ({
  ...none,
  type: "split",
  effectiveAt: newYorkInstant(exDate, 0),
  oldRate,
  newRate,
});
const dividend = (exDate: string, cash: string, previousClose: string): AdjustingAction => ({
  ...none,
  type: "dividend",
  effectiveAt: newYorkInstant(exDate, 0),
  cash,
  previousClose,
});

function adjusted(
  bars: ScaledBar[],
  actions: AdjustingAction[],
  adjustment: Adjustment,
  today = "2026-01-31",
) {
  return adjustBars(bars, adjustmentSteps(actions, adjustment, newYorkInstant(today, 12 * 60))).map(
    presentBar,
  );
}
const closes = (...args: Parameters<typeof adjusted>) => adjusted(...args).map((bar) => bar.close);

describe("splits", () => {
  const bars = days({ 12: "400", 13: "404", 14: "101", 15: "102" });
  const fourForOne = [split("2026-01-14", "1", "4")];

  it("divides prices before the ex-date and multiplies volumes; the ex-date itself is already new", () => {
    const result = adjusted(bars, fourForOne, "split");
    expect(result.map((bar) => bar.close)).toEqual(["100", "101", "101", "102"]);
    expect(result.map((bar) => bar.volume)).toEqual(["400", "400", "100", "100"]);
  });

  it("rounds thirds once, half up at six decimals", () => {
    // 404 x 2 / 3 = 269.3333..., 400 x 2 / 3 = 266.6666...
    const result = adjusted(bars, [split("2026-01-14", "2", "3")], "all");
    expect(result.map((bar) => bar.close)).toEqual(["266.666667", "269.333333", "101", "102"]);
    expect(result.map((bar) => bar.volume)).toEqual(["150", "150", "100", "100"]);
  });

  it("handles reverse splits", () => {
    const result = adjusted(
      days({ 13: "0.5", 14: "5.1" }, "1000"),
      [split("2026-01-14", "10", "1")],
      "split",
    );
    expect(result.map((bar) => [bar.close, bar.volume])).toEqual([
      ["5", "100"],
      ["5.1", "1000"],
    ]);
  });

  it("multiplies through several, each from its own date", () => {
    const two = [split("2026-01-14", "1", "4"), split("2026-01-13", "1", "2")];
    expect(closes(bars, two, "split")).toEqual(["50", "101", "101", "102"]);
  });

  it("leaves raw prices and other kinds of adjustment alone", () => {
    expect(closes(bars, fourForOne, "raw")).toEqual(["400", "404", "101", "102"]);
    expect(closes(bars, fourForOne, "dividend")).toEqual(["400", "404", "101", "102"]);
    expect(closes(bars, fourForOne, "spin-off")).toEqual(["400", "404", "101", "102"]);
  });

  it("waits for the ex-date of an announced one", () => {
    expect(closes(bars.slice(0, 2), fourForOne, "all", "2026-01-13")).toEqual(["400", "404"]);
    expect(closes(bars.slice(0, 2), fourForOne, "all", "2026-01-14")).toEqual(["100", "101"]);
  });

  it("cuts at midnight in New York, also within a week of minutes", () => {
    const minute = (iso: string, price: string) =>
      scaleBar({ timestamp: at(iso), open: price, high: price, low: price, close: price, volume: "3" });
    const minutes = [
      minute("2026-01-13T20:59:00Z", "404"),
      // 23:59 and 0:00 on the wall clock.
      minute("2026-01-14T04:59:00Z", "408"),
      minute("2026-01-14T05:00:00Z", "102"),
      minute("2026-01-14T14:30:00Z", "101"),
    ];
    expect(closes(minutes, fourForOne, "split")).toEqual(["101", "102", "102", "101"]);
  });
});

describe("dividends", () => {
  const bars = days({ 12: "50", 13: "100", 14: "98", 15: "99" });

  it("scales by (close - dividend) / close and leaves volumes", () => {
    // (100 - 2) / 100 = 0.98
    const result = adjusted(bars, [dividend("2026-01-14", "2", "100")], "dividend");
    expect(result.map((bar) => bar.close)).toEqual(["49", "98", "98", "99"]);
    expect(result.map((bar) => bar.volume)).toEqual(["100", "100", "100", "100"]);
  });

  it("is a step of its own within all, beside a split", () => {
    // Split 1:2 on the 13th, then 0.98 on the 14th. The 12th: 50 / 2 x 0.98 = 24.5.
    const actions = [dividend("2026-01-14", "2", "100"), split("2026-01-13", "1", "2")];
    expect(closes(bars, actions, "all")).toEqual(["24.5", "98", "98", "99"]);
    expect(closes(bars, actions, "split")).toEqual(["25", "100", "98", "99"]);
    expect(closes(bars, actions, "dividend")).toEqual(["49", "98", "98", "99"]);
  });

  it("adds up what goes ex on one date, a split included: all from the same close", () => {
    // Regular 1 and special 4 on a close of 100, and 1:5: (100 - 5) / 100 / 5 = 0.19.
    const actions = [
      dividend("2026-01-14", "1", "100"),
      dividend("2026-01-14", "4", "100"),
      split("2026-01-14", "1", "5"),
    ];
    expect(closes(bars, actions, "all")).toEqual(["9.5", "19", "98", "99"]);
    expect(closes(bars, actions, "dividend")).toEqual(["47.5", "95", "98", "99"]);
  });

  it("is exact where floats are not: 0.1 of 0.3", () => {
    expect(closes(days({ 13: "0.3", 14: "0.2" }), [dividend("2026-01-14", "0.1", "0.3")], "all")).toEqual([
      "0.2",
      "0.2",
    ]);
  });

  it("counts stock dividends in shares", () => {
    // 5% in shares: 105 x 1 / 1.05 = 100.
    const stock = { ...dividend("2026-01-14", "0", "105"), cash: null, oldRate: "1", newRate: "1.05" };
    const [before] = adjusted(days({ 13: "105", 14: "100" }), [stock], "dividend");
    expect(before).toMatchObject({ close: "100", volume: "105" });
  });

  it("adjusts nothing for a missing close, or a dividend no price could bear", () => {
    expect(closes(bars, [{ ...dividend("2026-01-14", "2", "100"), previousClose: null }], "all")).toEqual(
      bars.map((bar) => presentBar(bar).close),
    );
    expect(closes(bars, [dividend("2026-01-14", "100", "100")], "all")).toEqual(["50", "100", "98", "99"]);
  });
});

describe("spin-offs", () => {
  it("takes off what the new shares are worth", () => {
    // One new share worth 20 for every four held: 5 of 100.
    const spinOff: AdjustingAction = {
      ...none,
      type: "spin-off",
      effectiveAt: newYorkInstant("2026-01-14", 0),
      oldRate: "4",
      newRate: "1",
      previousClose: "100",
      spunOffPrice: "20",
    };
    const bars = days({ 13: "100", 14: "95" });
    expect(adjusted(bars, [spinOff], "spin-off").map((bar) => [bar.close, bar.volume])).toEqual([
      ["95", "100"],
      ["95", "100"],
    ]);
    expect(closes(bars, [spinOff], "split")).toEqual(["100", "95"]);
    expect(closes(bars, [{ ...spinOff, spunOffPrice: null }], "all")).toEqual(["100", "95"]);
  });
});

it("takes a factor that is known, wherever in the day it took effect, over one it would derive", () => {
  const minute = (iso: string, price: string) =>
    scaleBar({ timestamp: at(iso), open: price, high: price, low: price, close: price, volume: "10" });
  const noon: AdjustingAction = {
    ...split("2026-01-14", "1", "4"),
    effectiveAt: at("2026-01-14T17:00:30Z"),
    priceFactor: { num: "1", den: "5" },
  };
  const pieces = [minute("2026-01-14T17:00:00Z", "100"), minute("2026-01-14T17:00:30Z", "20.1")];
  const steps = adjustmentSteps([noon], "split", at("2026-01-15T00:00:00Z"));
  // Both pieces of the minute become one bar; the volume goes by shares, 10 x 4 + 10.
  expect(aggregate(adjustBars(pieces, steps), "1m").map(presentBar)).toEqual([
    {
      timestamp: at("2026-01-14T17:00:00Z"),
      open: "20",
      high: "20.1",
      low: "20",
      close: "20.1",
      volume: "50",
    },
  ]);
});

it("a week around a split is made of adjusted days", () => {
  const bars = days({ 12: "400", 13: "404", 14: "101", 15: "102" });
  const steps = adjustmentSteps([split("2026-01-14", "1", "4")], "all", at("2026-01-31T00:00:00Z"));
  expect(aggregate(adjustBars(bars, steps), "1w").map(presentBar)).toEqual([
    {
      timestamp: at("2026-01-12T05:00:00Z"),
      open: "100",
      high: "102",
      low: "100",
      close: "102",
      volume: "1000",
    },
  ]);
});

it("keeps low <= open, close <= high, whatever the actions", () => {
  const action = fc.record({
    day: fc.integer({ min: 13, max: 20 }),
    cash: fc.integer({ min: 0, max: 400 }),
    oldRate: fc.integer({ min: 1, max: 30 }),
    newRate: fc.integer({ min: 1, max: 30 }),
  });
  const ohlc = fc.tuple(fc.nat(10 ** 9), fc.nat(10 ** 9), fc.nat(10 ** 9), fc.nat(10 ** 9));
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 6 }),
      fc.array(ohlc, { minLength: 1, maxLength: 8 }),
      (list, prices) => {
        const actions = list.map(({ day, cash, oldRate, newRate }) => ({
          ...dividend(`2026-01-${day}`, `${cash}.01`, "400"),
          oldRate: String(oldRate),
          newRate: String(newRate),
        }));
        const bars = prices.map(([open, close, a, b], index) => ({
          timestamp: at(`2026-01-${12 + index}T05:00:00Z`),
          open: BigInt(open),
          close: BigInt(close),
          high: BigInt(Math.max(open, close, a, b)),
          low: BigInt(Math.min(open, close, a, b)),
          volume: 1n,
        }));
        for (const bar of adjustBars(bars, adjustmentSteps(actions, "all", at("2026-12-31T00:00:00Z")))) {
          const isInOrder =
            bar.low <= bar.open && bar.low <= bar.close && bar.high >= bar.open && bar.high >= bar.close;
          expect({ bar, isInOrder }).toEqual({ bar, isInOrder: true });
        }
      },
    ),
  );
});
