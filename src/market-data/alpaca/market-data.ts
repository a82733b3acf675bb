import DataLoader from "dataloader";
import { barStart } from "../bars.ts";
import { sessionAt } from "../calendar.ts";
import { newYorkTime } from "../new-york.ts";
import type { BarQuery, CorporateAction, MarketData, Quote } from "../provider.ts";
import { type Cached, createCache } from "./cache.ts";
import {
  type AlpacaFeed,
  type AlpacaSource,
  readActions,
  readBars,
  readRecentSplits,
  SIP_DELAY_SECONDS,
} from "./history.ts";
import { type AlpacaConnection, type AlpacaWorld, createAlpacaHttp, withBudget } from "./http.ts";
import { quoteOf } from "./quote.ts";
import { assetSchema, readWire, snapshotsSchema, type WireSnapshot } from "./wire.ts";

export interface AlpacaConfig extends AlpacaConnection {
  /** Market data API, for example https://data.alpaca.markets. */
  dataUrl: string;
  /** Trading API of the same account; it alone has the names of companies. */
  tradingUrl: string;
  feed: AlpacaFeed;
  /** In regular hours, a quote that is older than this and its feed's delay is stale, seconds. */
  staleAfterSeconds: number;
  /** Requests per minute for what callers choose freely: bars, corporate actions, quotes of stocks that are not listed. */
  chosenPerMinute: number;
}

const SECOND = 1_000;
const QUOTES_MAX_AGE = SECOND;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Symbols per snapshot request: keeps the URL below what proxies take. */
const SNAPSHOT_SYMBOLS = 100;
/** A symbol that Alpaca finds malformed makes it refuse the whole batch. */
const SYMBOL = /^[A-Z][A-Z0-9.]{0,9}$/;
/** Longest time that a quote waits for its name and recent splits, ms. */
const DECORATION_MS = SECOND;
/** Interval of requests while Alpaca fails. */
const COOL_DOWN = 2 * SECOND;

/** Creates the market data of Alpaca's REST API (market data v2, corporate actions v1). */
export function createAlpacaMarketData(config: AlpacaConfig, world: AlpacaWorld): MarketData {
  const source: AlpacaSource = {
    http: createAlpacaHttp(config, world),
    dataUrl: config.dataUrl.replace(/\/$/, ""),
    feed: config.feed,
    now: world.now,
  };
  const delaySeconds = config.feed === "delayed_sip" ? SIP_DELAY_SECONDS : 0;
  const chosen: AlpacaSource = { ...source, http: withBudget(source.http, config.chosenPerMinute) };
  const snapshots = createSnapshots(source, world);
  const unlistedSnapshots = createSnapshots(chosen, world);
  const splits = createSplits(source, world);
  // The trading API has a limit of its own: a pause there does not pause market data.
  const trading = createAlpacaHttp(config, world);
  const names = createNames(trading, config.tradingUrl.replace(/\/$/, ""), world);

  async function quote(symbol: string, isListed = true): Promise<Quote | null> {
    if (!SYMBOL.test(symbol)) return null;
    const snapshot = await (isListed ? snapshots : unlistedSnapshots)(symbol);
    if (snapshot.value === null) return null;
    const now = Math.floor(world.now() / SECOND);
    const [name, recentSplits] = await Promise.all([names(symbol), splits(newYorkTime(now).date)]);
    return quoteOf(snapshot.value, {
      symbol,
      name,
      now,
      splits: recentSplits,
      fromStaleCache: snapshot.stale,
      staleAfterSeconds: delaySeconds + config.staleAfterSeconds,
    });
  }

  async function quotes(symbols: readonly string[]): Promise<ReadonlyMap<string, Quote>> {
    const found = await Promise.all([...new Set(symbols)].map((symbol) => quote(symbol)));
    return new Map(found.filter((entry) => entry !== null).map((entry) => [entry.symbol, entry]));
  }

  return {
    quotesMaxAgeMs: QUOTES_MAX_AGE,
    session: async () => sessionAt(Math.floor(world.now() / SECOND)),
    quote,
    quotes,
    bars: createBars(chosen, world),
    corporateActions: createActions(chosen, world),
  };
}

function createSnapshots(source: AlpacaSource, world: AlpacaWorld) {
  const cache = createCache<WireSnapshot | null>({
    freshMs: QUOTES_MAX_AGE,
    staleMs: 15 * MINUTE,
    coolDownMs: COOL_DOWN,
    maxEntries: 5_000,
    now: world.now,
  });
  async function loadMany(symbols: readonly string[]): Promise<Map<string, WireSnapshot | null>> {
    const url = new URL(`${source.dataUrl}/v2/stocks/snapshots`);
    url.searchParams.set("symbols", symbols.join(","));
    url.searchParams.set("feed", source.feed);
    const body = await source.http.get(url);
    if (body !== null) return new Map(Object.entries(readWire(snapshotsSchema, body)));
    if (symbols.length === 1) return new Map();
    // Alpaca refuses all of them because of one.
    const alone = await Promise.all(symbols.map((symbol) => loadMany([symbol])));
    return new Map(alone.flatMap((found) => [...found]));
  }
  // Collects the requests of one iteration of the event loop: a page of symbols costs one request.
  const loader = new DataLoader<string, WireSnapshot | null>(
    async (symbols) => {
      const found = await loadMany(symbols);
      return symbols.map((symbol) => found.get(symbol) ?? null);
    },
    { cache: false, maxBatchSize: SNAPSHOT_SYMBOLS, batchScheduleFn: (run) => void setImmediate(run) },
  );
  return (symbol: string): Promise<Cached<WireSnapshot | null>> =>
    cache.get(symbol, () => loader.load(symbol));
}

/** Creates a reader of names. They are optional: without them the symbol is shown, and prices are answered nevertheless. */
function createNames(http: AlpacaSource["http"], tradingUrl: string, world: AlpacaWorld) {
  const cache = createCache<string>({
    freshMs: 24 * HOUR,
    staleMs: 30 * 24 * HOUR,
    coolDownMs: 10 * MINUTE,
    maxEntries: 20_000,
    now: world.now,
  });
  return async (symbol: string): Promise<string> => {
    try {
      const { value } = await cache.get(symbol, async () => {
        const url = new URL(`${tradingUrl}/v2/assets/${encodeURIComponent(symbol)}`);
        const body = await http.get(url, DECORATION_MS);
        return body === null ? symbol : readWire(assetSchema, body).name;
      });
      return value;
    } catch {
      return symbol;
    }
  };
}

/**
 * Creates a read of recent splits, by market date. Without them quotes are still answered; only a change over a split would be
 * wrong.
 */
function createSplits(source: AlpacaSource, world: AlpacaWorld) {
  const cache = createCache<CorporateAction[]>({
    freshMs: 10 * MINUTE,
    staleMs: 24 * HOUR,
    coolDownMs: MINUTE,
    maxEntries: 4,
    now: world.now,
  });
  return async (date: string): Promise<readonly CorporateAction[]> => {
    try {
      return (await cache.get(date, () => readRecentSplits(source, date, DECORATION_MS))).value;
    } catch {
      return [];
    }
  };
}

function createBars(source: AlpacaSource, world: AlpacaWorld): MarketData["bars"] {
  const cache = createCache<Awaited<ReturnType<typeof readBars>>>({
    freshMs: 10 * SECOND,
    staleMs: 0,
    coolDownMs: COOL_DOWN,
    maxEntries: 500,
    now: world.now,
  });
  return async (query: BarQuery) => {
    // Ends within one bar mean the same bars, so "up to now" is one key for as long as the bar grows.
    const key = JSON.stringify({ ...query, endTime: barStart(query.endTime, query.interval) });
    return (await cache.get(key, () => readBars(source, query))).value;
  };
}

function createActions(source: AlpacaSource, world: AlpacaWorld): MarketData["corporateActions"] {
  const cache = createCache<Awaited<ReturnType<typeof readActions>>>({
    freshMs: 10 * MINUTE,
    staleMs: 24 * HOUR,
    coolDownMs: COOL_DOWN,
    maxEntries: 500,
    now: world.now,
  });
  return async (query) => (await cache.get(JSON.stringify(query), () => readActions(source, query))).value;
}
