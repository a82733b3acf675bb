import { afterAll, describe, expect, it } from "@jest/globals";
import { present, until } from "../support/assert/until.ts";
import type {
  Clock,
  CorporateAction,
  ListedPrice,
  Price,
  PriceBar,
  Quote,
  TradingDay,
} from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { type EventStream, openStream } from "../support/http/event-stream.ts";
import { createPartner, type PartnerKey } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

const state = readSandboxState();
const partnerOf = (key: PartnerKey) => createPartner(state.baseUrl, key);
const reader = partnerOf(
  present(
    state.keys.find(({ access }) => access === "READ_ONLY"),
    "a READ_ONLY key",
  ),
);
const chain = present(
  state.chains.find(({ chainId }) => chainId === reader.key.chainId),
  "the key's chain",
);
/** No other test trades it: splits here disturb nobody. */
const STOCK = "NVDA";
const DAY = 86_400;
const nowSeconds = () => Math.floor(Date.now() / 1000);

const history = (name: string, query: Record<string, string | number> = {}) =>
  reader.must(reader.get<PriceBar[]>(`/prices/${name}/history`, query));
const actions = (query: Record<string, string | number> = {}, partner = reader) =>
  partner.must(partner.get<CorporateAction[]>("/corporate-action", query));

const { post: script } = createControl(state.controlUrl);

describe("GET /prices/{symbol}/history", () => {
  it("answers a hundred daily bars without a parameter, oldest first, the last of them as the quote is", async () => {
    const { body, headers } = await reader.get<PriceBar[]>("/prices/AAPL/history");
    expect(body).toMatchObject({ code: 200, errMsg: "" });
    expect(Number(headers.get("x-indexed-block"))).toBeGreaterThan(0);
    const bars = body.data;
    expect(bars).toHaveLength(100);
    for (const [index, bar] of bars.entries()) {
      expect({ index, keys: Object.keys(bar) }).toEqual({
        index,
        keys: ["timestamp", "open", "high", "low", "close", "volume"],
      });
      for (const amount of [bar.open, bar.high, bar.low, bar.close])
        expect(amount).toMatch(/^\d+(\.\d*[1-9])?$/);
      expect(bar.volume).toMatch(/^\d+$/);
      const [open, close] = [Number(bar.open), Number(bar.close)];
      const isInOrder = Number(bar.low) <= Math.min(open, close) && Number(bar.high) >= Math.max(open, close);
      const before = bars[index - 1]?.timestamp ?? 0;
      const isLater = bar.timestamp > before;
      expect({ bar, isInOrder, before, isLater }).toEqual({ bar, isInOrder: true, before, isLater: true });
    }
    const quote = await reader.must(reader.get<Quote>("/underlying/AAPL/price"));
    const last = present(bars.at(-1), "a bar");
    expect(Number(quote.price)).toBeGreaterThanOrEqual(Number(last.low) * 0.98);
    expect(Number(quote.price)).toBeLessThanOrEqual(Number(last.high) * 1.02);
  });

  it("takes the stock's symbol, the token's symbol and the token's address in any case", async () => {
    const token = present(
      chain.stockTokens.find(({ symbol }) => symbol.startsWith("MSFT")),
      "Microsoft's token",
    );
    const query = { endTime: nowSeconds() - 30 * DAY, limit: 3 };
    const expected = await history("MSFT", query);
    expect(expected).toHaveLength(3);
    for (const name of ["msft", token.symbol.toLowerCase(), token.address.toLowerCase()]) {
      expect({ name, bars: await history(name, query) }).toEqual({ name, bars: expected });
    }
  });

  it.each([
    ["1m", 60],
    ["3m", 180],
    ["5m", 300],
    ["15m", 900],
    ["1h", 3_600],
  ] as const)("cuts %s bars at multiples of %d s", async (interval, seconds) => {
    const bars = await history("IBM", { interval, limit: 30 });
    expect(bars).toHaveLength(30);
    expect(bars.filter(({ timestamp }) => timestamp % seconds !== 0)).toEqual([]);
  });

  it("agrees with itself: minutes make quarters, days make weeks", async () => {
    // A Wednesday in the past: 2026-01-14, 10:00 to 11:00 in New York.
    const hour = { startTime: 1_768_402_800, endTime: 1_768_402_800 + 3_599, limit: 5_000 };
    const minutes = await history("GOOG", { ...hour, interval: "1m" });
    const quarters = await history("GOOG", { ...hour, interval: "15m" });
    expect(minutes).toHaveLength(60);
    expect(quarters).toHaveLength(4);
    for (const [index, quarter] of quarters.entries()) {
      const part = minutes.slice(index * 15, index * 15 + 15);
      expect({ index, quarter }).toMatchObject({
        index,
        quarter: { open: part[0]?.open, close: part[14]?.close },
      });
      expect({ index, high: Number(quarter.high) }).toEqual({
        index,
        high: Math.max(...part.map(({ high }) => Number(high))),
      });
      expect({ index, volume: Number(quarter.volume) }).toEqual({
        index,
        volume: part.reduce((sum, { volume }) => sum + Number(volume), 0),
      });
    }
    const [week] = await history("GOOG", { interval: "1w", startTime: 1_768_194_000, limit: 1 });
    const days = await history("GOOG", { interval: "1d", startTime: 1_768_194_000, limit: 5 });
    expect(week).toMatchObject({ timestamp: days[0]?.timestamp, open: days[0]?.open, close: days[4]?.close });
  });

  it("counts from startTime where there is one, and keeps to the range", async () => {
    const startTime = nowSeconds() - 60 * DAY;
    const endTime = nowSeconds() - 30 * DAY;
    const all = await history("AMZN", { startTime, endTime });
    expect(all.length).toBeGreaterThan(15);
    expect(all.filter(({ timestamp }) => timestamp < startTime || timestamp > endTime)).toEqual([]);
    expect(await history("AMZN", { startTime, endTime, limit: 2 })).toEqual(all.slice(0, 2));
    expect(await history("AMZN", { endTime, limit: 2 })).toEqual(all.slice(-2));
    expect(await history("AMZN", { startTime: nowSeconds() + DAY })).toEqual([]);
  });

  it("prices of before NVIDIA's split of June 2024 depend on the adjustment", async () => {
    const query = { endTime: 1_717_992_000 - 1, limit: 1 };
    const close = async (adjustment: string) =>
      Number((await history("NVDA", { ...query, adjustment })).at(0)?.close);
    const raw = await close("raw");
    const split = await close("split");
    expect(raw / split).toBeCloseTo(10, 6);
    expect(await close("all")).toBeLessThan(split);
    expect(await close("spin-off")).toBe(raw);
  });

  it.each([
    ["interval", { interval: "2m" }],
    ["adjustment", { adjustment: "total" }],
    ["startTime", { startTime: "last-week" }],
    ["startTime", { startTime: 1_768_402_800_000 }],
    ["endTime", { endTime: -1 }],
    ["startTime", { startTime: 1_768_402_801, endTime: 1_768_402_800 }],
    ["limit", { limit: "many" }],
    ["limit", { limit: "2.5" }],
    ["until", { until: 1_768_402_800 }],
  ])("refuses %s in %j by its name", async (param, query) => {
    const { status, body } = await reader.get("/prices/AAPL/history", query);
    expect({ status, code: body.code, errCode: body.errCode, param: body.param }).toEqual({
      status: 400,
      code: 10_000,
      errCode: "VALIDATION_FAILED",
      param,
    });
  });

  it("shows at most 5000 bars", async () => {
    expect(await history("META", { limit: 6_000 })).toHaveLength(5_000);
  });
});

describe("GET /underlying/{symbol}/price", () => {
  it("is the quote of /prices, marked as the sandbox's own", async () => {
    const quote = await reader.must(reader.get<Quote>("/underlying/ibm/price"));
    const { basicInfo } = await reader.must(reader.get<Price>("/prices/IBM"));
    expect(quote).toMatchObject({ symbol: "IBM", name: basicInfo.name, source: "sandbox", stale: false });
    expect(Object.keys(quote)).toEqual(Object.keys(basicInfo));
  });
});

describe("a stock that nobody knows", () => {
  it.each(["/prices/NOPE/history", "/underlying/NOPE/price"])("%s: SYMBOL_NOT_FOUND", async (path) => {
    const { status, body } = await reader.get(path);
    expect({ status, code: body.code, errCode: body.errCode, param: body.param }).toEqual({
      status: 400,
      code: 10_001,
      errCode: "SYMBOL_NOT_FOUND",
      param: "symbol",
    });
  });

  it("has no corporate actions, which is no error", async () => {
    expect(await actions({ symbol: "NOPE" })).toEqual([]);
  });
});

describe("GET /corporate-action", () => {
  it("lists those of every listed stock by ex-date, with where they are", async () => {
    const all = await actions();
    expect(all.length).toBeGreaterThan(10);
    const dates = all.map(({ exDate }) => exDate);
    expect(dates).toEqual([...dates].sort());
    expect(Object.keys(present(all[0], "an action"))).toEqual([
      "actionId",
      "symbol",
      "type",
      "subType",
      "declarationDate",
      "exDate",
      "recordDate",
      "payableDate",
      "cash",
      "oldRate",
      "newRate",
      "status",
      "multiplierBefore",
      "multiplierAfter",
    ]);
    const today = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" }).format(new Date());
    for (const { exDate, status } of all) expect(status === "PENDING").toBe(exDate > today);
  });

  it("selects by stock, type and days", async () => {
    const splits = await actions({ symbol: "aaplx", type: "split", from: "2000-01-01", to: "2020-12-31" });
    expect(splits.map(({ exDate, oldRate, newRate }) => [exDate, oldRate, newRate])).toEqual([
      ["2000-06-21", "1", "2"],
      ["2005-02-28", "1", "2"],
      ["2014-06-09", "1", "7"],
      ["2020-08-31", "1", "4"],
    ]);
    // Other tests of this sandbox may have a dividend paid today.
    expect(await actions({ symbol: "TSLA", type: "dividend", to: "2025-12-31" })).toEqual([]);
  });

  it.each([
    ["type", { type: "merger" }],
    ["from", { from: "2026-02-30" }],
    ["to", { to: "soon" }],
    ["from", { from: "2026-02-02", to: "2026-02-01" }],
    ["ticker", { ticker: "AAPL" }],
  ])("refuses %s in %j by its name", async (param, query) => {
    const { status, body } = await reader.get("/corporate-action", query);
    expect({ status, errCode: body.errCode, param: body.param }).toEqual({
      status: 400,
      errCode: "VALIDATION_FAILED",
      param,
    });
  });
});

describe("GET /clock", () => {
  afterAll(() => script("/session", { session: "regular" }));

  it("has the session that quotes have, and the next regular hours", async () => {
    const before = nowSeconds();
    const clock = await reader.must(reader.get<Clock>("/clock"));
    expect(clock).toMatchObject({ isOpen: true, session: "regular" });
    expect(clock.timestamp).toBeGreaterThanOrEqual(before);
    expect(clock.nextOpenAt).toBeGreaterThan(clock.timestamp);
    expect(clock.nextCloseAt).toBeGreaterThan(clock.timestamp);
    await script("/session", { session: "post" });
    const later = await until("the session of the script", async () => {
      const found = await reader.must(reader.get<Clock>("/clock"));
      return found.session === "post" ? found : undefined;
    });
    expect(later).toMatchObject({ isOpen: false });
    expect(await reader.must(reader.get<Quote>("/underlying/AAPL/price"))).toMatchObject({ session: "post" });
  });
});

describe("GET /calendar", () => {
  it("lists the trading days of Thanksgiving's week with their sessions", async () => {
    const query = { from: "2026-11-25", to: "2026-11-29" };
    expect(await reader.must(reader.get<TradingDay[]>("/calendar", query))).toEqual([
      {
        date: "2026-11-25",
        overnightOpenAt: 1_795_568_400,
        preOpenAt: 1_795_597_200,
        openAt: 1_795_617_000,
        closeAt: 1_795_640_400,
        postCloseAt: 1_795_654_800,
        isEarlyClose: false,
      },
      {
        date: "2026-11-27",
        overnightOpenAt: 1_795_741_200,
        preOpenAt: 1_795_770_000,
        openAt: 1_795_789_800,
        closeAt: 1_795_802_400,
        postCloseAt: 1_795_816_800,
        isEarlyClose: true,
      },
    ]);
  });

  it("lists a month from today without a parameter, and nothing of a weekend", async () => {
    const days = await reader.must(reader.get<TradingDay[]>("/calendar"));
    expect(days.length).toBeGreaterThan(15);
    expect(await reader.must(reader.get("/calendar", { from: "2026-11-21", to: "2026-11-22" }))).toEqual([]);
  });

  it.each([
    ["from", { from: "1999-12-31" }],
    ["to", { from: "2026-01-01", to: "2027-01-03" }],
    ["from", { from: "2026-03-02", to: "2026-03-01" }],
    ["day", { day: "2026-03-02" }],
  ])("refuses %s in %j by its name", async (param, query) => {
    const { status, body } = await reader.get("/calendar", query);
    expect({ status, errCode: body.errCode, param: body.param }).toEqual({
      status: 400,
      errCode: "VALIDATION_FAILED",
      param,
    });
  });
});

describe("GET /prices and its stream", () => {
  const PATH = "/api/v1/prices/stream";
  const pricesOf = (stream: EventStream): ListedPrice[] =>
    stream.events().flatMap(({ event, data }) => (event === "price" ? [JSON.parse(data ?? "")] : []));
  const last = (stream: EventStream, symbol: string) =>
    pricesOf(stream).findLast((price) => price.symbol === symbol);

  afterAll(async () => {
    await script("/price", { symbol: "IBM", price: null });
    await script("/outage", { part: "market-data", seconds: 0 });
  });

  it("names a stock that is not listed", async () => {
    for (const path of ["/prices", "/prices/stream"]) {
      const { body } = await reader.get(path, { symbols: "IBM,NOPE" });
      expect({ path, ...body }).toMatchObject({
        path,
        code: 10_001,
        errCode: "SYMBOL_NOT_FOUND",
        param: "symbols",
        errMsg: "Nothing is listed as NOPE",
      });
    }
  });

  it("follow what scripts do to the market, and say while its data is away that it is stale", async () => {
    const token = present(
      chain.stockTokens.find(({ symbol }) => symbol.startsWith("IBM")),
      "IBM's token",
    );
    const listed = await reader.must(reader.get<ListedPrice[]>("/prices", { symbols: "ibm,aapl" }));
    expect(listed.map(({ symbol }) => symbol)).toEqual(["IBM", "AAPL"]);
    const symbols = `${token.symbol.toLowerCase()},AAPL`;
    const stream = await openStream(state.baseUrl, reader.key, { path: PATH, query: { symbols } });
    await until("both prices", () => pricesOf(stream).length >= 2);
    expect(new Set(pricesOf(stream).map(({ symbol }) => symbol))).toEqual(new Set(["IBM", "AAPL"]));
    await script("/price", { symbol: "IBM", price: "123.5" });
    await until("the price of the script", () => last(stream, "IBM")?.basicInfo?.price === "123.5");
    await script("/outage", { part: "market-data", seconds: 600 });
    await until("a stale price", () => last(stream, "IBM")?.basicInfo?.stale === true);
    expect(last(stream, "IBM")?.basicInfo?.price).toBe("123.5");
    await script("/outage", { part: "market-data", seconds: 0 });
    await until("a fresh price", () => last(stream, "IBM")?.basicInfo?.stale === false);
    stream.cut();
  });
});

describe("a split taken on the chain", () => {
  afterAll(async () => {
    await script("/corporate-action", { symbol: STOCK, type: "split", oldRate: "4", newRate: "1" });
  });

  it("quarters the price, is told with the multiplier it changed, and leaves history comparable", async () => {
    const before = await reader.must(reader.get<Quote>(`/underlying/${STOCK}/price`));
    const query = { endTime: nowSeconds() - 10 * DAY, limit: 5, adjustment: "split" };
    const closesBefore = (await history(STOCK, query)).map(({ close }) => Number(close));
    await script("/corporate-action", { symbol: STOCK, type: "split", oldRate: "1", newRate: "4" });

    const known = await until("the split with its multipliers", async () => {
      const found = (await actions({ symbol: STOCK, type: "split" })).at(-1);
      return found?.multiplierAfter ? found : undefined;
    });
    expect(known).toMatchObject({ subType: "forward-split", oldRate: "1", newRate: "4", status: "COMPLETE" });
    expect(Number(known.multiplierAfter)).toBe(Number(known.multiplierBefore) * 4);

    const after = await until("the quote after the split", async () => {
      const quote = await reader.must(reader.get<Quote>(`/underlying/${STOCK}/price`));
      return Number(quote.price) < Number(before.price) / 2 ? quote : undefined;
    });
    expect(Number(after.price) / Number(before.price)).toBeCloseTo(0.25, 1);
    const closesAfter = (await history(STOCK, query)).map(({ close }) => Number(close));
    for (const [index, close] of closesAfter.entries()) {
      expect(close).toBeCloseTo(Number(closesBefore[index]) / 4, 4);
    }
  });

  it("is told on the other chain with that chain's own multiplier", async () => {
    const other = state.keys.find(({ chainId }) => chainId !== reader.key.chainId);
    const partner = partnerOf(present(other, "a key of the other chain"));
    const found = await until("the split on the other chain", async () => {
      const split = (await actions({ symbol: STOCK, type: "split" }, partner)).at(-1);
      return split?.multiplierAfter ? split : undefined;
    });
    expect(Number(found.multiplierAfter)).toBe(Number(found.multiplierBefore) * 4);
  });
});
