import { z } from "zod";
import { SESSIONS } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import type { MarketData, Quote } from "./provider.ts";
import { barsPath, feedActionsSchema, feedBarsSchema, historyOf } from "./sandbox-history.ts";

const amount = z.string().regex(/^-?\d+(\.\d+)?$/, "must be a decimal string");
const maybe = amount.nullable();

const quoteSchema = z.object({
  symbol: z.string(),
  name: z.string(),
  price: amount,
  bid: maybe,
  ask: maybe,
  bidSize: maybe,
  askSize: maybe,
  open: maybe,
  high: maybe,
  low: maybe,
  previousClose: maybe,
  volume: maybe,
  change24H: maybe,
  change24HPercent: maybe,
  session: z.enum(SESSIONS),
  timestamp: z.int(),
  stale: z.boolean(),
  source: z.string(),
});

export interface SandboxMarketOptions {
  /** URL of the sandbox's feed: MARKET_DATA_URL. */
  baseUrl: string;
  now: () => number;
  /** Time for which an answer is reused, milliseconds. */
  maxAgeMs?: number;
  /** Time limit of an answer, milliseconds. */
  timeoutMs?: number;
}

/**
 * Creates the market data of the sandbox's feed, over HTTP. Concurrent requests share one call. The feed has raw prices
 * only: adjusting and merging them is done here, as for any source that does not.
 */
export function createSandboxMarketData(options: SandboxMarketOptions): MarketData {
  const { baseUrl, now, maxAgeMs = 250, timeoutMs = 2_000 } = options;
  const answers = new Map<string, { at: number; answer: Promise<unknown> }>();

  function ask(path: string, patienceMs = timeoutMs): Promise<unknown> {
    const known = answers.get(path);
    if (known && now() - known.at < maxAgeMs) return known.answer;
    for (const [old, { at }] of answers) {
      if (now() - at >= maxAgeMs) answers.delete(old);
    }
    const answer = getJson(`${baseUrl.replace(/\/$/, "")}${path}`, patienceMs);
    answers.set(path, { at: now(), answer });
    return answer;
  }

  const allQuotes = async (): Promise<Quote[]> => parse(z.array(quoteSchema), await ask("/feed/quotes"));

  return {
    quotesMaxAgeMs: maxAgeMs,
    async session() {
      // Scripts set the session, so that it need not be the calendar's. All quotes have the same.
      const [quote] = await allQuotes();
      return quote?.session ?? "closed";
    },
    async quote(symbol) {
      const found = await ask(`/feed/quotes/${encodeURIComponent(symbol)}`);
      return found === null ? null : parse(quoteSchema, found);
    },
    async quotes(symbols) {
      const wanted = new Set(symbols);
      const all = wanted.size === 0 ? [] : await allQuotes();
      return new Map(all.filter(({ symbol }) => wanted.has(symbol)).map((quote) => [quote.symbol, quote]));
    },
    async bars(query) {
      const [raw, actions] = await Promise.all([ask(barsPath(query), 5 * timeoutMs), ask("/feed/actions")]);
      const bars = raw === null ? [] : parse(feedBarsSchema, raw);
      return historyOf(bars, parse(feedActionsSchema, actions), query, Math.floor(now() / 1000));
    },
    async corporateActions({ symbols, from, to }) {
      const actions = parse(feedActionsSchema, await ask("/feed/actions"));
      return actions.filter(
        ({ symbol, exDate }) => symbols.includes(symbol) && exDate >= from && exDate <= to,
      );
    },
  };
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError("MARKET_DATA_UNAVAILABLE", { cause: parsed.error });
}

/** Returns the body of a GET, null where the answer is 404. */
async function getJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the market feed answered ${response.status}`);
    return await response.json();
  } catch (cause) {
    throw new ApiError("MARKET_DATA_UNAVAILABLE", { cause });
  }
}
