import { describe, expect, it } from "@jest/globals";
import { parseUnits } from "viem";
import { loadDataset } from "../src/feed/dataset.ts";
import { momentOf, tradingDay } from "../src/feed/days.ts";
import { createMarket, lastRegularEnd } from "../src/feed/market.ts";
import { priceAt } from "../src/feed/path.ts";
import { dailySeries, rowOn } from "../src/feed/series.ts";
import { type CorporateAction, type MarketState, newMarketState } from "../src/feed/state.ts";

const dataset = loadDataset();
const WEDNESDAY = Date.UTC(2026, 10, 18, 15, 0, 0) / 1000;
const aapl = dailySeries(dataset, "AAPL", 0n);

function market(state: MarketState = newMarketState(), time = { seconds: WEDNESDAY }) {
  const saved: MarketState[] = [];
  const feed = createMarket({
    state,
    save: (next) => saved.push(next),
    now: () => time.seconds * 1000,
    dataset,
  });
  return { feed, saved, time };
}

const split = (symbol: string, numerator: bigint, denominator: bigint): CorporateAction => ({
  actionId: "0b8f4a1e-6b1c-4a8e-9a55-3d6a3f4f8f10",
  symbol,
  type: "split",
  oldRate: `${numerator}`,
  newRate: `${denominator}`,
  cash: null,
  appliedAt: WEDNESDAY,
  priceNumerator: `${numerator}`,
  priceDenominator: `${denominator}`,
  multipliers: [],
});

describe("the data set", () => {
  it("has the index's days and the companies' months", () => {
    expect(dataset.index).toHaveLength(5105);
    expect(dataset.index[0]).toMatchObject({ date: "2000-01-03", open: 1_469_250_000n });
    expect(dataset.monthlyCloses.get("AAPL")?.get("2010-03")).toBe(223_020_000n);
  });

  it("scales the index so that every month ends at the company's own close", () => {
    const closes = dataset.monthlyCloses.get("AAPL") ?? new Map<string, bigint>();
    for (const [month, close] of closes) {
      const last = aapl.filter(({ date }) => date.startsWith(month)).at(-1);
      // The ratio is cut to 12 digits.
      expect(Number((last?.close ?? 0n) - close)).toBeLessThanOrEqual(0);
      expect(Number((last?.close ?? 0n) - close)).toBeGreaterThan(-10);
    }
  });

  it("ends at the given close where it knows none of the company", () => {
    const last = dailySeries(dataset, "TSLA", 250_000_000n).at(-1)?.close ?? 0n;
    expect(Number(last)).toBeCloseTo(250_000_000, -2);
  });
});

describe("the calendar", () => {
  const at = (text: string) => Date.parse(text) / 1000;

  it("counts the exchange's trading days in New York, and gives days off to the day before", () => {
    const wednesday = { ...momentOf(at("2026-11-25T05:00:00Z")).day };
    expect(wednesday).toMatchObject({ date: "2026-11-25", start: at("2026-11-25T05:00:00Z") });
    expect(momentOf(at("2026-11-25T06:00:00Z"))).toEqual({ day: wednesday, elapsed: 3_600 });
    // Thanksgiving is over when it begins; Friday is the next day, and holds until Sunday night.
    expect(momentOf(at("2026-11-26T12:00:00Z"))).toEqual({ day: wednesday, elapsed: 86_400 });
    const friday = tradingDay(wednesday.number + 1);
    expect(friday.date).toBe("2026-11-27");
    expect(momentOf(at("2026-11-30T04:59:59Z"))).toEqual({ day: friday, elapsed: 86_400 });
    expect(momentOf(at("2026-11-30T05:00:00Z")).day.number).toBe(friday.number + 1);
  });

  it("has the data set's rows on the data set's days", () => {
    for (const row of [0, 1, 1_000, 5_104]) {
      expect(tradingDay(row).date).toBe(dataset.index[row]?.date);
    }
    expect(momentOf(at("1999-06-01T00:00:00Z"))).toEqual({ day: tradingDay(0), elapsed: 0 });
  });

  it("runs back and forth over the data, so that every day has prices and none jumps", () => {
    const rows = aapl.slice(0, 4);
    const days = [0, 1, 2, 3, 4, 5, 6, 7].map((weekday) => rowOn(rows, weekday));
    expect(days.map(({ date }) => date)).toEqual([0, 1, 2, 3, 2, 1, 0, 1].map((row) => rows[row]?.date));
    expect(days[4]).toMatchObject({ open: rows[2]?.close, close: rows[2]?.open });
  });
});

describe("the live price", () => {
  it("is a function of symbol and time, in whole cents, within the day's real range", () => {
    for (let time = WEDNESDAY; time < WEDNESDAY + 86_400; time += 1_801) {
      const price = priceAt("AAPL", aapl, time);
      const { high, low } = rowOn(aapl, momentOf(time).day.number);
      expect(priceAt("AAPL", aapl, time)).toBe(price);
      expect(price % 10_000n).toBe(0n);
      expect(Number(price)).toBeGreaterThanOrEqual(Number(low) - 5_000);
      expect(Number(price)).toBeLessThanOrEqual(Number(high) + 5_000);
    }
  });

  it("moves slowly: less than half a percent in a minute", () => {
    for (let time = WEDNESDAY; time < WEDNESDAY + 3_600; time += 60) {
      const [a, b] = [priceAt("AAPL", aapl, time), priceAt("AAPL", aapl, time + 60)];
      expect(Math.abs(Number(b - a)) / Number(a)).toBeLessThan(0.005);
    }
  });
});

describe("quotes", () => {
  it("are decimal strings that fit together", () => {
    const quote = market().feed.quote("AAPL");
    if (!quote) throw new Error("no quote");
    for (const field of ["price", "bid", "ask", "open", "high", "low", "previousClose"] as const) {
      expect(quote[field]).toMatch(/^\d+(\.\d{1,2})?$/);
    }
    expect(Number(quote.bid)).toBeLessThan(Number(quote.price));
    expect(Number(quote.ask)).toBeGreaterThan(Number(quote.price));
    expect(Number(quote.high)).toBeGreaterThanOrEqual(Number(quote.low));
    expect(quote).toMatchObject({
      source: "sandbox",
      session: "regular",
      timestamp: WEDNESDAY,
      stale: false,
    });
  });

  it("tell the change since the previous close, at any time of the day", () => {
    for (const hours of [0, 3, 9, 20]) {
      const { feed } = market(newMarketState(), { seconds: WEDNESDAY + hours * 3_600 });
      for (const quote of feed.quotes()) {
        const [price, close] = [quote.price, quote.previousClose ?? ""].map((text) => parseUnits(text, 6));
        if (price === undefined || close === undefined) throw new Error("no price");
        expect(parseUnits(quote.change24H ?? "", 6)).toBe(price - close);
        expect(parseUnits(quote.change24HPercent ?? "", 2)).toBe(((price - close) * 10_000n) / close);
      }
    }
  });

  it("know the listed stocks and no others", () => {
    const { feed } = market();
    expect(feed.quotes().map(({ symbol }) => symbol)).toEqual([...feed.symbols]);
    expect(feed.symbols.length).toBeGreaterThanOrEqual(8);
    expect(feed.quote("NOPE")).toBeUndefined();
    expect(feed.price("NOPE")).toBeUndefined();
  });

  it("stay where they are pinned until they are released, and the pin is saved", () => {
    const { feed, saved, time } = market();
    const before = feed.quote("AAPL")?.price;
    expect(feed.pin("AAPL", 180_500_000n)).toBe(true);
    time.seconds += 7_200;
    expect(feed.quote("AAPL")?.price).toBe("180.5");
    expect(feed.price("AAPL")).toBe(180_500_000n);
    expect(saved.at(-1)?.pins).toEqual({ AAPL: "180500000" });
    time.seconds -= 7_200;
    feed.pin("AAPL", null);
    expect(feed.quote("AAPL")?.price).toBe(before);
    expect(saved.at(-1)?.pins).toEqual({});
    expect(feed.pin("NOPE", 1n)).toBe(false);
  });

  it("are adjusted for corporate actions, over a restart too, and pins with them", () => {
    const { feed, saved } = market();
    const before = feed.price("AAPL") ?? 0n;
    feed.pin("MSFT", 100_000_000n);
    feed.apply(split("AAPL", 1n, 4n));
    feed.apply(split("MSFT", 1n, 2n));
    expect(Math.abs(Number((feed.price("AAPL") ?? 0n) * 4n - before))).toBeLessThanOrEqual(20_000);
    expect(feed.quote("MSFT")?.price).toBe("50");
    const restarted = market(saved.at(-1)).feed;
    expect(restarted.quotes()).toEqual(feed.quotes());
  });
});

describe("sessions", () => {
  const at = (text: string) => Date.parse(text) / 1000;

  it("knows when the last regular session ended, over nights, weekends and holidays", () => {
    expect(lastRegularEnd(at("2026-11-18T20:59:59Z"))).toBe(at("2026-11-17T21:00:00Z"));
    expect(lastRegularEnd(at("2026-11-18T21:00:00Z"))).toBe(at("2026-11-18T21:00:00Z"));
    expect(lastRegularEnd(at("2026-11-22T12:00:00Z"))).toBe(at("2026-11-20T21:00:00Z"));
    expect(lastRegularEnd(at("2026-07-06T12:00:00Z"))).toBe(at("2026-07-02T20:00:00Z"));
  });

  it("are regular unless a script says otherwise; leaving regular ends the day", () => {
    const { feed, time } = market();
    expect(feed.session()).toBe("regular");
    expect(feed.dayEndedAt()).toBe(0);
    time.seconds += 10;
    feed.setSession("post");
    expect(feed.session()).toBe("post");
    expect(feed.dayEndedAt()).toBe(WEDNESDAY + 10);
    time.seconds += 10;
    feed.setSession("closed");
    expect(feed.dayEndedAt()).toBe(WEDNESDAY + 10);
    feed.setSession("calendar");
    expect(feed.session()).toBe("regular");
  });
});
