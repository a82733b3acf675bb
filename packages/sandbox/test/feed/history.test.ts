import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { aggregate, type Bar, presentBar, scaleBar } from "../../../../src/market-data/bars.ts";
import { isTradingDay } from "../../../../src/market-data/calendar.ts";
import { newYorkInstant, newYorkTime } from "../../../../src/market-data/new-york.ts";
import { LONG } from "../../../../test/support/assert/long.ts";
import { loadDataset } from "../../src/feed/dataset.ts";
import { createMarket, type Market } from "../../src/feed/market.ts";
import { type CorporateAction, newMarketState } from "../../src/feed/state.ts";

const at = (iso: string) => Date.parse(iso) / 1000;
const NOON = at("2026-11-18T17:00:07Z");
const dataset = loadDataset();

function marketAt(clock: { seconds: number }): Market {
  return createMarket({ state: newMarketState(), save: () => {}, now: () => clock.seconds * 1000, dataset });
}

function bars(market: Market, symbol: string, interval: "1m" | "1h" | "1d", from: number, to: number): Bar[] {
  return market.bars(symbol, { interval, startTime: from, endTime: to, limit: 5_000 }) ?? [];
}

const merged = (pieces: Bar[], interval: "1h" | "1d") =>
  aggregate(pieces.map(scaleBar), interval).map(presentBar);

describe("the sandbox's history", () => {
  const clock = { seconds: NOON };
  const market = marketAt(clock);
  const symbol = fc.constantFrom(...market.symbols);

  it("has the data set's days on their real dates: META is the index, scaled", () => {
    const days = bars(market, "META", "1d", 0, at("2020-04-17T23:00:00Z"));
    expect(days.map(({ timestamp }) => newYorkTime(timestamp))).toEqual(
      dataset.index.slice(0, 5_000).map(({ date }) => ({ date, minute: 0 })),
    );
    const last = bars(market, "META", "1d", at("2020-04-17T00:00:00Z"), at("2020-04-17T23:00:00Z"));
    // 2874.560059 is scaled to 560, so 2879.219971 becomes 560.9078: cents.
    expect(last).toMatchObject([{ close: "560", high: "560.91" }]);
  });

  it("never trades on days on which the exchange is shut", () => {
    const hours = bars(market, "AAPL", "1h", at("2025-11-20T05:00:00Z"), at("2026-01-05T05:00:00Z") - 1);
    const dates = new Set(hours.map(({ timestamp }) => newYorkTime(timestamp).date));
    expect([...dates].filter((date) => !isTradingDay(date))).toEqual([]);
    const around = ["2025-11-26", "2025-11-27", "2025-11-28"].filter((date) => dates.has(date));
    expect(around).toEqual(["2025-11-26", "2025-11-28"]);
    expect(hours).toHaveLength(dates.size * 24);
  });

  it("minutes and hours add up to exactly the day, whatever the stock and the day", () => {
    fc.assert(
      fc.property(symbol, fc.integer({ min: 0, max: 9_000 }), (name, offset) => {
        const date = newYorkTime(at("2000-01-04T12:00:00Z") + offset * 86_400).date;
        const begin = newYorkInstant(date, 0);
        // A day has 23 to 25 hours: 26 hours after its start it is the next one.
        const end = newYorkInstant(newYorkTime(begin + 26 * 3_600).date, 0) - 1;
        const [day, ...more] = bars(market, name, "1d", begin, begin);
        expect(more).toEqual([]);
        expect(merged(bars(market, name, "1m", begin, end), "1d")).toEqual(day ? [day] : []);
        expect(merged(bars(market, name, "1h", begin, end), "1d")).toEqual(day ? [day] : []);
        expect(day !== undefined).toBe(isTradingDay(date));
      }),
      // 2004-04-04, whose clocks went forward.
      { numRuns: LONG ? 8 : 3, examples: [["AAPL", 1_552]] },
    );
  });

  it("ends where the quote is: same price, high, low and volume", () => {
    const moving = { seconds: NOON };
    const live = marketAt(moving);
    for (const step of [0, 1, 19, 40, 3_600, 3_607]) {
      moving.seconds = NOON + step;
      const quote = live.quote("AAPL");
      const [today] = bars(live, "AAPL", "1d", at("2026-11-18T05:00:00Z"), moving.seconds);
      expect({ step, quote }).toMatchObject({
        step,
        quote: { price: today?.close, open: today?.open, volume: today?.volume },
      });
      const isAround = Number(quote?.high) >= Number(today?.high) && Number(quote?.low) <= Number(today?.low);
      expect({ step, quote, today, isAround }).toEqual({ step, quote, today, isAround: true });
      const minute = bars(live, "AAPL", "1m", moving.seconds - 60, moving.seconds).at(-1);
      expect({ step, close: minute?.close }).toEqual({ step, close: quote?.price });
    }
  });

  it("is the same for everybody who asks, at any later time", () => {
    const [from, to] = [at("2026-11-17T15:00:00Z"), at("2026-11-17T16:00:00Z")];
    const later = marketAt({ seconds: NOON + 40 * 86_400 });
    expect(bars(later, "MSFT", "1m", from, to)).toEqual(bars(market, "MSFT", "1m", from, to));
  });

  it("counts from the start where there is one, else back from the end", () => {
    const from = at("2026-11-17T15:00:00Z");
    const request = { interval: "1m", endTime: NOON, limit: 3 } as const;
    const begins = (startTime: number | null) =>
      market.bars("IBM", { ...request, startTime })?.map(({ timestamp }) => timestamp);
    expect(begins(from)).toEqual([from, from + 60, from + 120]);
    expect(begins(null)).toEqual([NOON - 127, NOON - 67, NOON - 7]);
    expect(market.bars("NOPE", { ...request, startTime: null })).toBeUndefined();
  });

  it("shows what was printed before a split: NVDIA, ten for one on 2024-06-10", () => {
    const days = bars(market, "NVDA", "1d", at("2024-06-06T00:00:00Z"), at("2024-06-11T00:00:00Z"));
    const ratios = days.map(({ open, timestamp }) => [newYorkTime(timestamp).date, Number(open) > 400]);
    expect(ratios).toEqual([
      ["2024-06-06", true],
      ["2024-06-07", true],
      ["2024-06-10", false],
    ]);
  });

  it("announces dividends without knowing the future", () => {
    const actions = market.actions();
    const announced = actions.filter(({ exDate }) => exDate > "2026-11-18");
    expect(announced.map(({ symbol: name, exDate }) => `${name} ${exDate}`)).toEqual([
      "MSFT 2026-11-19",
      "NVDA 2026-12-10",
      "META 2026-12-17",
    ]);
    expect(announced.filter(({ previousClose }) => previousClose !== null)).toEqual([]);
    // The exchange is shut on Thursday 2025-06-19.
    expect(actions.map(({ actionId }) => actionId)).toContain("META-dividend-2025-06-18");
    expect(new Set(actions.map(({ actionId }) => actionId)).size).toBe(actions.length);
  });
});

describe("a split that a script applies at noon", () => {
  const split: CorporateAction = {
    actionId: "00000000-0000-4000-8000-000000000001",
    symbol: "AAPL",
    type: "split",
    oldRate: "1",
    newRate: "4",
    cash: null,
    appliedAt: NOON,
    priceNumerator: "1",
    priceDenominator: "4",
    multipliers: [],
  };

  it("cuts the bar in which it took effect, and only there", () => {
    const clock = { seconds: NOON };
    const market = marketAt(clock);
    const before = Number(market.quote("AAPL")?.price);
    market.apply(split);
    expect(Number(market.quote("AAPL")?.price)).toBeCloseTo(before / 4, 1);
    clock.seconds = NOON + 120;
    const minutes = bars(market, "AAPL", "1m", NOON - 67, clock.seconds);
    expect({ secondsAfterNoon: minutes.map(({ timestamp }) => timestamp - NOON) }).toEqual({
      secondsAfterNoon: [-67, -7, 0, 53, 113],
    });
    const [day, rest] = bars(market, "AAPL", "1d", at("2026-11-18T05:00:00Z"), clock.seconds);
    expect(Number(day?.close)).toBe(before);
    expect(rest).toMatchObject({ timestamp: NOON, close: market.quote("AAPL")?.price });
    expect(bars(market, "MSFT", "1d", at("2026-11-18T05:00:00Z"), clock.seconds)).toHaveLength(1);
  });
});
