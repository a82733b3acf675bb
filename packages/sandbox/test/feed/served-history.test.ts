import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { newYorkInstant } from "../../../../src/market-data/new-york.ts";
import type { BarQuery, MarketData } from "../../../../src/market-data/provider.ts";
import { createSandboxMarketData } from "../../../../src/market-data/sandbox-provider.ts";
import { contextWithoutService } from "../../../../test/support/sandbox/control-context.ts";
import { type ControlServer, startControl } from "../../src/control/server.ts";
import { createMarket, type Market } from "../../src/feed/market.ts";
import { newMarketState } from "../../src/feed/state.ts";

const at = (iso: string) => Date.parse(iso) / 1000;
const NOON = at("2026-11-18T17:00:07Z");

const clock = { ms: NOON * 1000 };
const now = () => clock.ms;
let server: ControlServer;
let market: Market;
let provider: MarketData;

beforeAll(async () => {
  market = createMarket({ state: newMarketState(), save: () => {}, now });
  server = await startControl(0, "127.0.0.1", contextWithoutService({ desks: new Map(), market, now }));
  provider = createSandboxMarketData({ baseUrl: server.url, now });
});

afterAll(async () => {
  await server.close();
});

function query(overrides: Partial<BarQuery>): BarQuery {
  return {
    symbol: "NVDA",
    interval: "1d",
    adjustment: "all",
    startTime: null,
    endTime: NOON,
    limit: 10,
    ...overrides,
  };
}

const days = (from: string, to: string) => ({
  startTime: newYorkInstant(from, 0),
  endTime: newYorkInstant(to, 0),
});

describe("the sandbox's bars through the provider", () => {
  it("makes prices comparable over NVIDIA's split of 2024-06-10, ten for one", async () => {
    const around = days("2024-06-06", "2024-06-07");
    const raw = await provider.bars(query({ ...around, adjustment: "raw" }));
    const split = await provider.bars(query({ ...around, adjustment: "split" }));
    expect(raw.map(({ timestamp }) => timestamp)).toEqual(split.map(({ timestamp }) => timestamp));
    expect(raw).toHaveLength(2);
    for (const [index, bar] of split.entries()) {
      expect(Number(raw[index]?.close)).toBeCloseTo(Number(bar.close) * 10, 6);
      expect(Number(bar.volume)).toBe(Number(raw[index]?.volume) * 10);
    }
    // After it nothing is left to adjust for splits.
    const after = days("2024-06-10", "2024-07-01");
    expect(await provider.bars(query({ ...after, adjustment: "split" }))).toEqual(
      await provider.bars(query({ ...after, adjustment: "raw" })),
    );
  });

  it("takes a dividend off the prices before its ex-date, by (close - cash) / close", async () => {
    const symbol = "AAPL";
    const around = days("2026-11-10", "2026-11-13");
    const raw = await provider.bars(query({ ...around, symbol, adjustment: "raw" }));
    const adjusted = await provider.bars(query({ ...around, symbol, adjustment: "dividend" }));
    expect(raw).toHaveLength(4);
    // 11 November is the last close before the ex-date of 0.26.
    const close = Number(raw[1]?.close);
    expect(Number(adjusted[1]?.close)).toBeCloseTo(close - 0.26, 6);
    expect(Number(adjusted[0]?.close)).toBeCloseTo((Number(raw[0]?.close) * (close - 0.26)) / close, 5);
    expect(adjusted.slice(2)).toEqual(raw.slice(2));
    expect(adjusted.map(({ volume }) => volume)).toEqual(raw.map(({ volume }) => volume));
  });

  it("takes a spin-off off: IBM lost a fifth of 26.38 on 2021-11-04", async () => {
    const around = { ...days("2021-11-02", "2021-11-04"), symbol: "IBM" };
    const raw = await provider.bars(query({ ...around, adjustment: "raw" }));
    const adjusted = await provider.bars(query({ ...around, adjustment: "spin-off" }));
    expect(Number(raw[1]?.close) - Number(adjusted[1]?.close)).toBeCloseTo(5.276, 6);
    expect(adjusted[2]).toEqual(raw[2]);
  });

  it("makes weeks of adjusted days, the running one included", async () => {
    const weeks = await provider.bars(query({ interval: "1w", limit: 3 }));
    expect(weeks.map(({ timestamp }) => new Date(timestamp * 1000).toISOString())).toEqual([
      "2026-11-02T05:00:00.000Z",
      "2026-11-09T05:00:00.000Z",
      "2026-11-16T05:00:00.000Z",
    ]);
    const week = await provider.bars(query(days("2026-11-09", "2026-11-13")));
    expect(weeks[1]).toMatchObject({ open: week[0]?.open, close: week[4]?.close });
    const volume = week.reduce((sum, bar) => sum + BigInt(bar.volume), 0n);
    expect(weeks[1]?.volume).toBe(`${volume}`);
    const forwards = await provider.bars(
      query({ interval: "1w", startTime: at("2026-11-04T00:00:00Z"), limit: 1 }),
    );
    expect(forwards).toEqual([weeks[1]]);
  });

  it("knows nothing of unknown stocks, and asks the feed for at most what was wanted", async () => {
    expect(await provider.bars(query({ symbol: "NOPE" }))).toEqual([]);
    expect(await provider.bars(query({ interval: "1m", limit: 5_000 }))).toHaveLength(5_000);
  });

  it("keeps a history comparable over a split that a script applies in the middle of a minute", async () => {
    const symbol = "TSLA";
    clock.ms += 60_000;
    const before = await provider.bars(query({ symbol, interval: "1h", limit: 48, endTime: NOON - 3_600 }));
    const appliedAt = Math.floor(clock.ms / 1000);
    market.apply({
      actionId: "00000000-0000-4000-8000-000000000001",
      symbol,
      type: "split",
      oldRate: "1",
      newRate: "5",
      cash: null,
      appliedAt,
      priceNumerator: "1",
      priceDenominator: "5",
      multipliers: [],
    });
    clock.ms += 30_000;
    const after = await provider.bars(query({ symbol, interval: "1h", limit: 48, endTime: NOON - 3_600 }));
    expect(after.map(({ timestamp }) => timestamp)).toEqual(before.map(({ timestamp }) => timestamp));
    for (const [index, bar] of after.entries()) {
      expect(Number(bar.close)).toBeCloseTo(Number(before[index]?.close) / 5, 6);
    }
    const endTime = Math.floor(clock.ms / 1000);
    const [minute] = await provider.bars(query({ symbol, interval: "1m", limit: 1, endTime }));
    expect(minute?.close).toBe((await provider.quote(symbol))?.price);
    // Comparable: no bar of the day spans more than the day's small range.
    const [today] = await provider.bars(query({ symbol, limit: 1, endTime }));
    expect(Number(today?.high) / Number(today?.low)).toBeLessThan(1.2);
    const [printed] = await provider.bars(query({ symbol, limit: 1, endTime, adjustment: "raw" }));
    expect(Number(printed?.high) / Number(printed?.low)).toBeGreaterThan(4);
    const actions = await provider.corporateActions({
      symbols: [symbol],
      from: "2026-11-18",
      to: "2026-11-18",
    });
    expect(actions).toMatchObject([{ type: "split", subType: "forward-split", oldRate: "1", newRate: "5" }]);
  });
});

describe("the sandbox's session", () => {
  it("is regular until told otherwise, and follows the exchange in calendar mode", async () => {
    expect(market.session()).toBe("regular");
    market.setSession("calendar");
    const told = [
      "2026-11-18T17:00:00Z",
      "2026-11-18T21:30:00Z",
      "2026-11-26T17:00:00Z",
      "2026-11-27T18:00:00Z",
    ];
    const sessions = told.map((iso) => {
      clock.ms = at(iso) * 1000;
      return market.session();
    });
    expect(sessions).toEqual(["regular", "post", "closed", "post"]);
    // Earlier DAY orders are over at 13:00 on the day after Thanksgiving.
    expect(market.dayEndedAt()).toBe(at("2026-11-27T18:00:00Z"));
    expect((await provider.quote("AAPL"))?.session).toBe("post");
  });
});
