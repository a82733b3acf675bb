import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  aggregate,
  type Bar,
  barStart,
  INTERVALS,
  presentBar,
  type ScaledBar,
  scaleBar,
} from "../../src/market-data/bars.ts";

const at = (iso: string) => Date.parse(iso) / 1000;

function bar(iso: string, prices: string, volume: string): ScaledBar {
  const [open = "", high = "", low = "", close = ""] = prices.split(" ");
  return scaleBar({ timestamp: at(iso), open, high, low, close, volume });
}

const merged = (bars: ScaledBar[], interval: (typeof INTERVALS)[number]): Bar[] =>
  aggregate(bars, interval).map(presentBar);

describe("where bars begin", () => {
  it.each([
    ["1m", "2026-01-14T14:37:59Z", "2026-01-14T14:37:00Z"],
    ["3m", "2026-01-14T14:38:10Z", "2026-01-14T14:36:00Z"],
    ["5m", "2026-01-14T14:39:59Z", "2026-01-14T14:35:00Z"],
    ["15m", "2026-01-14T14:44:59Z", "2026-01-14T14:30:00Z"],
    ["1h", "2026-01-14T14:44:59Z", "2026-01-14T14:00:00Z"],
    ["1d", "2026-01-14T14:44:59Z", "2026-01-14T05:00:00Z"],
    ["1d", "2026-07-15T03:59:59Z", "2026-07-14T04:00:00Z"],
    // Wednesday's week begins on Monday the 12th, Sunday's on Monday the 5th.
    ["1w", "2026-01-14T14:44:59Z", "2026-01-12T05:00:00Z"],
    ["1w", "2026-01-12T04:59:59Z", "2026-01-05T05:00:00Z"],
    // The clock changes on Sunday 8 March: the week's Monday was in winter time.
    ["1w", "2026-03-08T20:00:00Z", "2026-03-02T05:00:00Z"],
    ["1w", "2026-03-09T13:30:00Z", "2026-03-09T04:00:00Z"],
  ] as const)("%s of %s: %s", (interval, iso, expected) => {
    expect(barStart(at(iso), interval)).toBe(at(expected));
  });
});

describe("merging bars", () => {
  const minutes = [
    bar("2026-01-14T14:30:00Z", "100 101 99.5 100.5", "10"),
    bar("2026-01-14T14:31:00Z", "100.5 103.25 100 102", "20"),
    bar("2026-01-14T14:32:00Z", "102 102 98.75 99", "30"),
    bar("2026-01-14T14:33:00Z", "99 99.5 99 99.25", "5"),
    // Nothing traded at 14:34 to 14:59.
    bar("2026-01-14T15:00:00Z", "99.3 99.4 99.2 99.35", "1"),
  ];

  it("takes the first open, the extremes, the last close and the sum", () => {
    expect(merged(minutes, "3m")).toEqual([
      {
        timestamp: at("2026-01-14T14:30:00Z"),
        open: "100",
        high: "103.25",
        low: "98.75",
        close: "99",
        volume: "60",
      },
      {
        timestamp: at("2026-01-14T14:33:00Z"),
        open: "99",
        high: "99.5",
        low: "99",
        close: "99.25",
        volume: "5",
      },
      {
        timestamp: at("2026-01-14T15:00:00Z"),
        open: "99.3",
        high: "99.4",
        low: "99.2",
        close: "99.35",
        volume: "1",
      },
    ]);
    expect(merged(minutes, "1h").map(({ timestamp, close, volume }) => [timestamp, close, volume])).toEqual([
      [at("2026-01-14T14:00:00Z"), "99.25", "65"],
      [at("2026-01-14T15:00:00Z"), "99.35", "1"],
    ]);
    expect(merged(minutes, "1d")).toEqual([
      {
        timestamp: at("2026-01-14T05:00:00Z"),
        open: "100",
        high: "103.25",
        low: "98.75",
        close: "99.35",
        volume: "66",
      },
    ]);
  });

  it("makes weeks of days, a holiday's gap and a change of the clock included", () => {
    const days = [
      bar("2026-03-05T05:00:00Z", "10 11 9 10", "100"),
      bar("2026-03-06T05:00:00Z", "10 12 10 11", "100"),
      bar("2026-03-09T04:00:00Z", "11 11 8 9", "100"),
      bar("2026-03-13T04:00:00Z", "9 9.5 9 9.5", "100"),
    ];
    expect(merged(days, "1w")).toEqual([
      { timestamp: at("2026-03-02T05:00:00Z"), open: "10", high: "12", low: "9", close: "11", volume: "200" },
      {
        timestamp: at("2026-03-09T04:00:00Z"),
        open: "11",
        high: "11",
        low: "8",
        close: "9.5",
        volume: "200",
      },
    ]);
  });

  it("gives the same whichever way it goes: minutes to a day, or over minutes, quarters and hours", () => {
    const minute = fc.record({
      at: fc.integer({ min: 0, max: 389 }),
      a: fc.nat(5000),
      b: fc.nat(5000),
      v: fc.nat(900),
    });
    fc.assert(
      fc.property(fc.uniqueArray(minute, { selector: (entry) => entry.at, minLength: 1 }), (entries) => {
        const bars = entries
          .sort((x, y) => x.at - y.at)
          .map(({ at: offset, a, b, v }) => ({
            timestamp: at("2026-01-14T14:30:00Z") + offset * 60,
            open: BigInt(a),
            high: BigInt(Math.max(a, b)),
            low: BigInt(Math.min(a, b)),
            close: BigInt(b),
            volume: BigInt(v),
          }));
        const stepwise = aggregate(aggregate(aggregate(bars, "15m"), "1h"), "1d");
        expect(aggregate(bars, "1d")).toEqual(stepwise);
        expect(stepwise).toHaveLength(1);
        expect(aggregate(aggregate(bars, "5m"), "15m")).toEqual(aggregate(bars, "15m"));
      }),
    );
  });

  it("leaves its input alone", () => {
    const copy = structuredClone(minutes);
    aggregate(minutes, "1d");
    expect(minutes).toEqual(copy);
  });

  it("names every interval of the API", () => {
    expect(INTERVALS).toEqual(["1m", "3m", "5m", "15m", "1h", "1d", "1w"]);
  });
});
