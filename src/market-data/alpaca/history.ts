import { type Bar, type Interval, presentBar, scaleBar } from "../bars.ts";
import { addDays } from "../new-york.ts";
import type { BarQuery, CorporateAction, CorporateActionQuery } from "../provider.ts";
import { actionsOf } from "./actions.ts";
import type { AlpacaHttp } from "./http.ts";
import { barsSchema, corporateActionsSchema, readWire, type WireBar } from "./wire.ts";

const TIMEFRAMES: Record<Interval, string> = {
  "1m": "1Min",
  "3m": "3Min",
  "5m": "5Min",
  "15m": "15Min",
  "1h": "1Hour",
  "1d": "1Day",
  "1w": "1Week",
};

/** Start of Alpaca's history; without a start it answers today's bars only. */
const FIRST_BAR = "2016-01-01T00:00:00Z";
const PAGE_BARS = 10_000;
const PAGE_ACTIONS = 1_000;
/** A guard against a token that never ends. */
const MAX_PAGES = 50;
/** Alpaca selects by the day it processes an action, which for dividends is the payable date, weeks after the ex-date. */
const PROCESSING_DAYS = 120;
/** Longer than any run of days without a session. */
const RECENT_DAYS = 7;

/** Trades covered: those of one exchange (free), of all (paid), or of all 15 minutes late (free). */
export type AlpacaFeed = "iex" | "sip" | "delayed_sip";

/** Delay of `delayed_sip`, and minimum age of `sip` bars without a paid subscription, seconds. */
export const SIP_DELAY_SECONDS = 15 * 60;

export interface AlpacaSource {
  http: AlpacaHttp;
  dataUrl: string;
  feed: AlpacaFeed;
  /** Unix ms. */
  now: () => number;
}

/**
 * Reads bars of Alpaca, which adjusts them itself: only it has the prices of spun-off companies. Reads from the start
 * where there is one, else backwards from the end, and page by page until `limit` is reached.
 * @throws ApiError MARKET_DATA_UNAVAILABLE
 */
export async function readBars(source: AlpacaSource, query: BarQuery): Promise<Bar[]> {
  const backwards = query.startTime === null;
  const { feed, end } = barsReach(source, query.endTime);
  if (query.startTime !== null && query.startTime > end) return [];
  const url = new URL(`${source.dataUrl}/v2/stocks/${encodeURIComponent(query.symbol)}/bars`);
  url.searchParams.set("timeframe", TIMEFRAMES[query.interval]);
  url.searchParams.set("start", query.startTime === null ? FIRST_BAR : rfc3339(query.startTime));
  url.searchParams.set("end", rfc3339(end));
  url.searchParams.set("adjustment", query.adjustment);
  url.searchParams.set("feed", feed);
  url.searchParams.set("sort", backwards ? "desc" : "asc");
  const bars: WireBar[] = [];
  for (let page = 0; page < MAX_PAGES && bars.length < query.limit; page++) {
    url.searchParams.set("limit", String(Math.min(PAGE_BARS, query.limit - bars.length)));
    const body = await source.http.get(url);
    if (body === null) return [];
    const { bars: rows, next_page_token: token } = readWire(barsSchema, body);
    bars.push(...(rows ?? []));
    if (!token) break;
    url.searchParams.set("page_token", token);
  }
  const chosen = bars.slice(0, query.limit).map(barOf);
  return backwards ? chosen.reverse() : chosen;
}

/**
 * Returns the feed of bars and the last second to request. `delayed_sip` is a feed of snapshots alone: Alpaca refuses it for
 * bars, and answers the same account with those of `sip` that are old enough.
 */
function barsReach({ feed, now }: AlpacaSource, endTime: number): { feed: AlpacaFeed; end: number } {
  if (feed !== "delayed_sip") return { feed, end: endTime };
  return { feed: "sip", end: Math.min(endTime, Math.floor(now() / 1000) - SIP_DELAY_SECONDS) };
}

/** @throws ApiError MARKET_DATA_UNAVAILABLE */
export async function readActions(
  source: AlpacaSource,
  { symbols, from, to }: CorporateActionQuery,
): Promise<CorporateAction[]> {
  if (symbols.length === 0) return [];
  const actions = await readPages(source, {
    symbols: symbols.join(","),
    types: "forward_split,reverse_split,cash_dividend,stock_dividend,spin_off",
    start: from,
    end: addDays(to, PROCESSING_DAYS),
  });
  return actions
    .filter(({ exDate }) => exDate >= from && exDate <= to)
    .sort((a, b) => (a.exDate + a.actionId < b.exDate + b.actionId ? -1 : 1));
}

/**
 * Returns the splits of all stocks that took effect within a week up to a market date: a handful, so one request serves all.
 * @throws ApiError MARKET_DATA_UNAVAILABLE
 */
export function readRecentSplits(
  source: AlpacaSource,
  date: string,
  withinMs: number,
): Promise<CorporateAction[]> {
  const start = addDays(date, -RECENT_DAYS);
  return readPages(source, { types: "forward_split,reverse_split", start, end: date }, withinMs);
}

async function readPages(
  source: AlpacaSource,
  parameters: Record<string, string>,
  withinMs?: number,
): Promise<CorporateAction[]> {
  const url = new URL(`${source.dataUrl}/v1/corporate-actions`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.searchParams.set("limit", String(PAGE_ACTIONS));
  const actions: CorporateAction[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const body = await source.http.get(url, withinMs);
    if (body === null) break;
    const { corporate_actions: rows, next_page_token: token } = readWire(corporateActionsSchema, body);
    actions.push(...actionsOf(rows));
    if (!token) break;
    url.searchParams.set("page_token", token);
  }
  return actions;
}

function barOf({ t, o, h, l, c, v }: WireBar): Bar {
  return presentBar(scaleBar({ timestamp: t, open: o, high: h, low: l, close: c, volume: v }));
}

const rfc3339 = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");
