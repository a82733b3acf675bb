import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { type AlpacaConfig, createAlpacaMarketData } from "../../src/market-data/alpaca/market-data.ts";
import type { BarQuery, MarketData } from "../../src/market-data/provider.ts";
import { type AlpacaServer, fixture, startAlpacaServer } from "./alpaca-server.ts";

const at = (iso: string) => Date.parse(iso) / 1000;
const SECRET = "the-secret-that-no-log-may-hold";

let server: AlpacaServer;
let clock: { ms: number };
let slept: number[];
let logged: string[];

beforeEach(async () => {
  server = await startAlpacaServer();
  clock = { ms: at("2026-01-14T20:00:00Z") * 1000 };
  slept = [];
  logged = [];
  server.always("/v2/stocks/snapshots", fixture("snapshots"));
  server.always("/v2/assets/AAPL", fixture("asset"));
});

afterEach(async () => {
  await server.stop();
});

/** Returns a provider whose clock only moves when it sleeps or when a test moves it. */
function provider(overrides: Partial<AlpacaConfig> = {}): MarketData {
  const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
  const config: AlpacaConfig = {
    keyId: "PKTEST",
    secretKey: SECRET,
    dataUrl: server.url,
    tradingUrl: server.url,
    feed: "iex",
    staleAfterSeconds: 60,
    chosenPerMinute: 1_000,
    attemptTimeoutMs: 2_000,
    callTimeoutMs: 5_000,
    ...overrides,
  };
  return createAlpacaMarketData(config, {
    log,
    now: () => clock.ms,
    random: () => 0.5,
    sleep: async (ms) => {
      slept.push(ms);
      clock.ms += ms;
    },
  });
}

const snapshotCalls = () => server.requests.filter((url) => url.pathname === "/v2/stocks/snapshots");
const unavailable = { name: "ApiError", errCode: "MARKET_DATA_UNAVAILABLE" };

describe("quotes", () => {
  it("reads a snapshot in the middle of a session", async () => {
    expect(await provider().quote("AAPL")).toEqual({
      symbol: "AAPL",
      name: "Apple Inc. Common Stock",
      price: "233.28",
      bid: "233.27",
      ask: "233.3",
      bidSize: "300",
      askSize: "200",
      open: "234.035",
      high: "236.12",
      low: "232.472",
      previousClose: "234.4",
      volume: "39832185",
      // 233.28 - 234.4 = -1.12; -1.12 / 234.4 = -0.47781...%
      change24H: "-1.12",
      change24HPercent: "-0.4778",
      session: "regular",
      timestamp: at("2026-01-14T19:59:59Z"),
      stale: false,
      source: "alpaca",
    });
    expect(server.headers[0]).toMatchObject({ "apca-api-key-id": "PKTEST", "apca-api-secret-key": SECRET });
    expect(snapshotCalls()[0]?.search).toBe("?symbols=AAPL&feed=iex");
  });

  it("before the day's first daily bar, takes the last one as the previous close; 0 is no ask", async () => {
    clock.ms = at("2026-01-14T12:02:00Z") * 1000;
    expect(await provider().quote("IBM")).toMatchObject({
      name: "IBM",
      price: "218.5",
      bid: "218.4",
      ask: null,
      askSize: null,
      open: null,
      high: null,
      low: null,
      volume: null,
      previousClose: "217.75",
      change24H: "0.75",
      session: "pre",
      stale: false,
    });
  });

  it("keeps every digit of a number that a float would lose", async () => {
    const trade = '{"t":"2026-01-14T19:59:58Z","p":90071992547.409931}';
    const day = '{"t":"2026-01-14T05:00:00Z","o":1e-05,"h":2,"l":0.00001,"c":1,"v":9007199254740993}';
    server.next("/v2/stocks/snapshots", { body: `{"AAPL":{"latestTrade":${trade},"dailyBar":${day}}}` });
    expect(await provider().quote("AAPL")).toMatchObject({
      price: "90071992547.409931",
      open: "0.00001",
      volume: "9007199254740993",
    });
  });

  it("knows no quote of what Alpaca does not know, never traded or could not exist", async () => {
    const market = provider();
    server.next("/v2/stocks/snapshots", { body: '{"NEWB":{"latestQuote":null}}' });
    expect(await market.quote("NEWB")).toBeNull();
    expect(await market.quote("ZZZZ")).toBeNull();
    expect(await market.quote("NOPE")).toBeNull();
    const asked = server.requests.length;
    expect(await market.quote("../v2/account")).toBeNull();
    expect(server.requests).toHaveLength(asked);
  });

  it("asks for many symbols at once, and alone where one makes Alpaca refuse them all", async () => {
    const market = provider();
    expect([...(await market.quotes(["AAPL", "IBM", "NOPE", "AAPL"])).keys()]).toEqual(["AAPL", "IBM"]);
    expect(snapshotCalls().map((url) => url.searchParams.get("symbols"))).toEqual(["AAPL,IBM,NOPE"]);
    clock.ms += 1_000;
    server.next("/v2/stocks/snapshots", { status: 400, body: '{"message":"invalid symbol: ODD.."}' });
    expect([...(await market.quotes(["AAPL", "ODD.."])).keys()]).toEqual(["AAPL"]);
    expect(snapshotCalls()).toHaveLength(4);
  });

  it("compares with a close from before a split in today's shares", async () => {
    const split =
      '{"id":"s","symbol":"AAPL","new_rate":4,"old_rate":1,"ex_date":"2026-01-14","process_date":"2026-01-14"}';
    const other = split.replace("AAPL", "IBM");
    server.always("/v1/corporate-actions", {
      body: `{"corporate_actions":{"forward_splits":[${other},${split}]},"next_page_token":null}`,
    });
    // 234.4 / 4 = 58.6; 233.28 - 58.6 = 174.68.
    expect(await provider().quote("AAPL")).toMatchObject({ previousClose: "58.6", change24H: "174.68" });
    const asked = server.requests.find((url) => url.pathname === "/v1/corporate-actions");
    expect(Object.fromEntries(asked?.searchParams ?? [])).toEqual({
      types: "forward_split,reverse_split",
      start: "2026-01-07",
      end: "2026-01-14",
      limit: "1000",
    });
    // Before its own split IBM's last daily bar is already of the day before: still older than the split.
    clock.ms = at("2026-01-14T12:02:00Z") * 1000;
    expect(await provider().quote("IBM")).toMatchObject({ previousClose: "54.4375" });
  });

  it("marks a quote stale that is old in regular hours, and not when nobody trades", async () => {
    clock.ms = at("2026-01-14T20:01:01Z") * 1000;
    expect(await provider().quote("AAPL")).toMatchObject({ session: "regular", stale: true });
    clock.ms = at("2026-01-15T04:00:00Z") * 1000;
    expect(await provider().quote("AAPL")).toMatchObject({ session: "overnight", stale: false });
  });
});

describe("cache", () => {
  it("asks once for concurrent calls and for the next second", async () => {
    const market = provider();
    await Promise.all(Array.from({ length: 50 }, () => market.quote("AAPL")));
    clock.ms += 999;
    await market.quote("AAPL");
    expect(snapshotCalls()).toHaveLength(1);
    clock.ms += 1;
    await market.quote("AAPL");
    expect(snapshotCalls()).toHaveLength(2);
    // The company's name was requested once.
    expect(server.requests.filter((url) => url.pathname === "/v2/assets/AAPL")).toHaveLength(1);
  });

  it("stands in for Alpaca while it fails, marked stale, and asks again only now and then", async () => {
    const market = provider();
    await market.quote("AAPL");
    clock.ms += 5_000;
    server.always("/v2/stocks/snapshots", { status: 500 });
    expect(await market.quote("AAPL")).toMatchObject({ price: "233.28", stale: true });
    const asked = snapshotCalls().length;
    expect(asked).toBeGreaterThan(1);
    expect(await market.quote("AAPL")).toMatchObject({ stale: true });
    expect(snapshotCalls()).toHaveLength(asked);
    clock.ms += 16 * 60_000;
    await expect(market.quote("AAPL")).rejects.toMatchObject(unavailable);
    server.always("/v2/stocks/snapshots", fixture("snapshots"));
    clock.ms += 2_000;
    expect(await market.quote("AAPL")).toMatchObject({ price: "233.28" });
  });

  it("answers without a name when only the names are missing", async () => {
    server.always("/v2/assets/AAPL", { status: 403, body: '{"message":"forbidden."}' });
    expect(await provider().quote("AAPL")).toMatchObject({ name: "AAPL", price: "233.28" });
  });
});

describe("failures", () => {
  it("tries again after 500s and a broken answer, backing off with jitter", async () => {
    server.next("/v2/stocks/snapshots", { status: 500 }, { status: 503 }, { body: "<html>" });
    expect(await provider().quote("AAPL")).toMatchObject({ price: "233.28", stale: false });
    // Half of 100, 400 and 1600 ms.
    expect({ pausesMs: slept }).toEqual({ pausesMs: [50, 200, 800] });
  });

  it("gives up after four attempts", async () => {
    server.always("/v2/stocks/snapshots", { status: 502 });
    await expect(provider().quote("AAPL")).rejects.toMatchObject(unavailable);
    expect(snapshotCalls()).toHaveLength(4);
  });

  it.each([401, 403, 422])("does not repeat what Alpaca refuses: %d", async (status) => {
    server.always("/v2/stocks/snapshots", { status, body: '{"message":"no"}' });
    await expect(provider().quote("AAPL")).rejects.toMatchObject(unavailable);
    expect(snapshotCalls()).toHaveLength(1);
  });

  it("stops waiting for an answer that does not come", async () => {
    server.next("/v2/stocks/snapshots", { hang: true });
    expect(await provider({ attemptTimeoutMs: 1_000 }).quote("AAPL")).toMatchObject({ price: "233.28" });
    expect(snapshotCalls()).toHaveLength(2);
  });

  it("never sends credentials on to where a redirect points", async () => {
    server.always("/v2/stocks/snapshots", { status: 302, headers: { location: `${server.url}/elsewhere` } });
    await expect(provider().quote("AAPL")).rejects.toMatchObject(unavailable);
    expect(server.requests.filter((url) => url.pathname !== "/v2/stocks/snapshots")).toEqual([]);
  });

  it("refuses an answer of another shape rather than guess", async () => {
    server.always("/v2/stocks/snapshots", { body: '{"AAPL":{"latestTrade":{"t":"2026-01-14T19:59:58Z"}}}' });
    await expect(provider().quote("AAPL")).rejects.toMatchObject(unavailable);
    server.always("/v2/stocks/AAPL/bars", { body: '{"bars":[{"t":"soon","o":1,"h":1,"l":1,"c":1,"v":1}]}' });
    await expect(provider().bars(query({}))).rejects.toMatchObject(unavailable);
  });

  it("is quiet about the secret, in logs and errors", async () => {
    server.always("/v2/stocks/snapshots", { status: 500 });
    const failure: unknown = await provider()
      .quote("AAPL")
      .catch((error: unknown) => error);
    expect(logged.join("")).toContain("market data request failed");
    expect(logged.join("") + String(failure) + JSON.stringify(failure)).not.toContain(SECRET);
  });
});

describe("the rate limit", () => {
  it("waits as long as Retry-After says, no longer and no shorter", async () => {
    server.next("/v2/stocks/snapshots", { status: 429, headers: { "retry-after": "2" } });
    expect(await provider().quote("AAPL")).toMatchObject({ price: "233.28" });
    expect({ pausesMs: slept }).toEqual({ pausesMs: [2_000] });
  });

  it("reads X-RateLimit-Reset by Alpaca's own clock", async () => {
    const headers = {
      date: "Wed, 14 Jan 2026 20:00:30 GMT",
      "x-ratelimit-reset": String(at("2026-01-14T20:00:33Z")),
    };
    server.next("/v2/stocks/snapshots", { status: 429, headers });
    await provider().quote("AAPL");
    expect({ pausesMs: slept }).toEqual({ pausesMs: [3_000] });
  });

  it("sends nothing of any kind while the pause outlasts a call", async () => {
    const market = provider();
    server.next("/v2/stocks/snapshots", { status: 429, headers: { "retry-after": "30" } });
    server.always("/v2/stocks/AAPL/bars", fixture("bars-none"));
    await expect(market.quote("AAPL")).rejects.toMatchObject(unavailable);
    await expect(market.bars(query({}))).rejects.toMatchObject(unavailable);
    expect(server.requests).toHaveLength(1);
    clock.ms += 30_000;
    expect(await market.quote("AAPL")).toMatchObject({ price: "233.28" });
  });
});

function query(overrides: Partial<BarQuery>): BarQuery {
  return {
    symbol: "AAPL",
    interval: "1d",
    adjustment: "all",
    startTime: null,
    endTime: at("2026-01-14T20:00:00Z"),
    limit: 100,
    ...overrides,
  };
}

describe("what callers choose freely", () => {
  it("spends a budget of its own, and leaves the quotes of listed stocks theirs", async () => {
    server.always("/v2/stocks/AAPL/bars", fixture("bars-none"));
    const market = provider({ chosenPerMinute: 2 });
    await market.bars(query({ limit: 1 }));
    expect(await market.quote("ZZZZ", false)).toBeNull();
    const refused = { errCode: "RATE_LIMITED", retryAfterSeconds: expect.any(Number) };
    await expect(market.bars(query({ limit: 2 }))).rejects.toMatchObject(refused);
    await expect(market.quote("YYYY", false)).rejects.toMatchObject(refused);
    await expect(market.quote("AAPL", false)).rejects.toMatchObject(refused);
    const days = { symbols: ["AAPL"], from: "2026-01-01", to: "2026-01-31" };
    await expect(market.corporateActions(days)).rejects.toMatchObject(refused);
    expect(await market.quote("AAPL")).toMatchObject({ price: "233.28", stale: false });
    expect(await market.bars(query({ limit: 1 }))).toEqual([]);
  });
});

describe("bars", () => {
  it("reads forward from a start, page after page", async () => {
    server.next("/v2/stocks/AAPL/bars", fixture("bars-page-1"), fixture("bars-page-2"));
    const bars = await provider().bars(
      query({ startTime: at("2026-01-12T00:00:00Z"), adjustment: "spin-off" }),
    );
    expect(bars.map(({ timestamp, close }) => [timestamp, close])).toEqual([
      [at("2026-01-12T05:00:00Z"), "234.4"],
      [at("2026-01-13T05:00:00Z"), "233.28"],
      [at("2026-01-14T05:00:00Z"), "237.87"],
    ]);
    expect(bars[2]).toEqual({
      timestamp: at("2026-01-14T05:00:00Z"),
      open: "234.635",
      high: "238.96",
      low: "234.43",
      close: "237.87",
      volume: "39831969",
    });
    const [first, second] = server.requests.map((url) => Object.fromEntries(url.searchParams));
    expect(first).toEqual({
      timeframe: "1Day",
      start: "2026-01-12T00:00:00Z",
      end: "2026-01-14T20:00:00Z",
      adjustment: "spin-off",
      feed: "iex",
      sort: "asc",
      limit: "100",
    });
    expect(second).toEqual({
      ...first,
      limit: "98",
      page_token: "QUFQTHxEfDIwMjYtMDEtMTNUMDU6MDA6MDAuMDAwMDAwMDAwWg==",
    });
  });

  it("reads backwards without a start, and stops at the limit", async () => {
    server.next("/v2/stocks/AAPL/bars", fixture("bars-descending"));
    const bars = await provider().bars(query({ limit: 2 }));
    expect(bars.map(({ close }) => close)).toEqual(["233.28", "237.87"]);
    expect(server.requests).toHaveLength(1);
    expect(Object.fromEntries(server.requests[0]?.searchParams ?? [])).toMatchObject({
      sort: "desc",
      limit: "2",
    });
  });

  it.each([
    ["1m", "1Min"],
    ["3m", "3Min"],
    ["5m", "5Min"],
    ["15m", "15Min"],
    ["1h", "1Hour"],
    ["1d", "1Day"],
    ["1w", "1Week"],
  ] as const)("asks for %s as %s; no bars are no failure", async (interval, timeframe) => {
    server.always("/v2/stocks/AAPL/bars", fixture("bars-none"));
    expect(await provider().bars(query({ interval }))).toEqual([]);
    expect(server.requests[0]?.searchParams.get("timeframe")).toBe(timeframe);
  });

  it("asks once for the same bars, however the end moves within one", async () => {
    server.always("/v2/stocks/AAPL/bars", fixture("bars-none"));
    const market = provider();
    await Promise.all([market.bars(query({})), market.bars(query({ endTime: at("2026-01-14T20:00:07Z") }))]);
    expect(server.requests).toHaveLength(1);
    await market.bars(query({ limit: 99 }));
    expect(server.requests).toHaveLength(2);
  });
});

describe("the delayed feed", () => {
  const delayed = () => provider({ feed: "delayed_sip" });

  it("is of snapshots alone: bars are those of all exchanges up to 15 minutes ago", async () => {
    server.always("/v2/stocks/AAPL/bars", fixture("bars-descending"));
    expect(await delayed().bars(query({ limit: 2 }))).toHaveLength(2);
    expect(Object.fromEntries(server.requests[0]?.searchParams ?? [])).toMatchObject({
      feed: "sip",
      end: "2026-01-14T19:45:00Z",
    });
    await delayed().bars(query({ endTime: at("2026-01-14T19:44:59Z") }));
    expect(server.requests[1]?.searchParams.get("end")).toBe("2026-01-14T19:44:59Z");
    expect(await delayed().quote("AAPL")).toMatchObject({ price: "233.28" });
    expect(snapshotCalls()[0]?.searchParams.get("feed")).toBe("delayed_sip");
  });

  it("has no bars yet of the last 15 minutes, and asks for none", async () => {
    expect(await delayed().bars(query({ startTime: at("2026-01-14T19:45:01Z") }))).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });

  it("makes a quote stale by what it is late beyond those 15 minutes", async () => {
    clock.ms = at("2026-01-14T20:15:59Z") * 1000;
    expect(await delayed().quote("AAPL")).toMatchObject({ stale: false });
    clock.ms += 2_000;
    expect(await delayed().quote("AAPL")).toMatchObject({ stale: true });
    clock.ms = at("2026-01-14T20:15:59Z") * 1000;
    expect(await provider({ feed: "sip" }).quote("AAPL")).toMatchObject({ stale: true });
  });

  it("asks for corporate actions without a feed", async () => {
    server.always("/v1/corporate-actions", fixture("corporate-actions-page-2"));
    await delayed().corporateActions({ symbols: ["NVDA"], from: "2026-01-01", to: "2026-12-31" });
    expect({ hasFeed: server.requests.map((url) => url.searchParams.has("feed")) }).toEqual({
      hasFeed: [false],
    });
  });
});

describe("corporate actions", () => {
  beforeEach(() => {
    server.next(
      "/v1/corporate-actions",
      fixture("corporate-actions-page-1"),
      fixture("corporate-actions-page-2"),
    );
  });

  it("puts every kind into our words, by ex-date", async () => {
    const symbols = ["AAPL", "GE", "MSBC", "NVDA"];
    const actions = await provider().corporateActions({ symbols, from: "2026-01-01", to: "2026-12-31" });
    const shape = actions.map((action) => [
      action.exDate,
      action.symbol,
      action.type,
      action.subType,
      action.cash,
      action.oldRate,
      action.newRate,
    ]);
    expect(shape).toEqual([
      ["2026-04-02", "GE", "spin-off", "spin-off", null, "4", "1"],
      ["2026-05-19", "MSBC", "dividend", "stock", null, "1", "1.05"],
      ["2026-06-10", "NVDA", "split", "forward-split", null, "1", "10"],
      ["2026-08-02", "GE", "split", "reverse-split", null, "8", "1"],
      ["2026-08-12", "AAPL", "dividend", "cash", "0.25", null, null],
      ["2026-12-11", "AAPL", "dividend", "special-cash", "1.5", null, null],
    ]);
    expect(actions[3]).toMatchObject({ declarationDate: null, recordDate: null, payableDate: null });
    expect(Object.fromEntries(server.requests[0]?.searchParams ?? [])).toMatchObject({
      symbols: "AAPL,GE,MSBC,NVDA",
      start: "2026-01-01",
      // Alpaca files a dividend under its payable date.
      end: "2027-04-30",
    });
  });

  it("keeps to the ex-dates asked for, and asks nothing for no symbols", async () => {
    const market = provider();
    const range = { from: "2026-06-10", to: "2026-08-11" };
    const actions = await market.corporateActions({ symbols: ["NVDA", "GE", "AAPL"], ...range });
    expect(actions.map(({ exDate }) => exDate)).toEqual(["2026-06-10", "2026-08-02"]);
    const asked = server.requests.length;
    expect(await market.corporateActions({ symbols: [], ...range })).toEqual([]);
    expect(server.requests).toHaveLength(asked);
  });
});
