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

/** Alpaca's history begins here; without a start it would answer today's bars only. */
const FIRST_BAR = "2016-01-01T00:00:00Z";
const PAGE_BARS = 10_000;
const PAGE_ACTIONS = 1_000;
/** A guard against a token that never ends. */
const MAX_PAGES = 50;
/** Alpaca selects by the day it processes an action, which for dividends is the payable date, weeks after the ex-date. */
const PROCESSING_DAYS = 120;

export interface AlpacaSource {
  http: AlpacaHttp;
  dataUrl: string;
  feed: string;
}

/**
 * Bars of Alpaca, which adjusts them itself (it alone knows what spun-off companies are worth). Read from the start
 * where there is one, else backwards from the end, and page by page until `limit` is reached.
 * @throws ApiError MARKET_DATA_UNAVAILABLE
 */
export async function readBars(source: AlpacaSource, query: BarQuery): Promise<Bar[]> {
  const backwards = query.startTime === null;
  const url = new URL(`${source.dataUrl}/v2/stocks/${encodeURIComponent(query.symbol)}/bars`);
  url.searchParams.set("timeframe", TIMEFRAMES[query.interval]);
  url.searchParams.set("start", query.startTime === null ? FIRST_BAR : rfc3339(query.startTime));
  url.searchParams.set("end", rfc3339(query.endTime));
  url.searchParams.set("adjustment", query.adjustment);
  url.searchParams.set("feed", source.feed);
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

/** @throws ApiError MARKET_DATA_UNAVAILABLE */
export async function readActions(
  source: AlpacaSource,
  query: CorporateActionQuery,
): Promise<CorporateAction[]> {
  if (query.symbols.length === 0) return [];
  const url = new URL(`${source.dataUrl}/v1/corporate-actions`);
  url.searchParams.set("symbols", query.symbols.join(","));
  url.searchParams.set("types", "forward_split,reverse_split,cash_dividend,stock_dividend,spin_off");
  url.searchParams.set("start", query.from);
  url.searchParams.set("end", addDays(query.to, PROCESSING_DAYS));
  url.searchParams.set("limit", String(PAGE_ACTIONS));
  const actions: CorporateAction[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const body = await source.http.get(url);
    if (body === null) break;
    const { corporate_actions: rows, next_page_token: token } = readWire(corporateActionsSchema, body);
    actions.push(...actionsOf(rows));
    if (!token) break;
    url.searchParams.set("page_token", token);
  }
  return actions
    .filter(({ exDate }) => exDate >= query.from && exDate <= query.to)
    .sort((a, b) => (a.exDate + a.actionId < b.exDate + b.actionId ? -1 : 1));
}

function barOf({ t, o, h, l, c, v }: WireBar): Bar {
  return presentBar(scaleBar({ timestamp: t, open: o, high: h, low: l, close: c, volume: v }));
}

const rfc3339 = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");
