import { Counter, Gauge, Histogram, type Metric } from "prom-client";
import { ApiError } from "../protocol/errors.ts";
import { startSpan } from "../telemetry/tracing.ts";
import type { MarketData } from "./provider.ts";

export interface WatchedMarketData {
  /** The same market data; each call is counted. */
  marketData: MarketData;
  /** For the registry of the program that serves /metrics. */
  metrics: readonly Metric[];
  /** Requests a quote. @throws where none comes, or a stale one */
  check: { name: string; run: () => Promise<void> };
}

/** A stock that trades on every market day. A provider that does not know it has still answered. */
const PROBE = "SPY";

/** Counts the answers of a market data provider, and reports whether it answers quotes. */
export function watchMarketData(inner: MarketData, provider: string): WatchedMarketData {
  const up = new Gauge({
    name: "market_data_up",
    help: "Whether the provider answered the last call for quotes: 1 or 0; absent until there was one",
    labelNames: ["provider"],
    registers: [],
  });
  const calls = new Counter({
    name: "market_data_calls_total",
    help: "Calls to market data by provider, what was asked for, and whether it was available",
    labelNames: ["provider", "call", "outcome"],
    registers: [],
  });
  const seconds = new Histogram({
    name: "market_data_call_duration_seconds",
    help: "Time that calls to market data took, those answered from memory included, by provider and what was asked for",
    labelNames: ["provider", "call"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [],
  });

  async function watch<T>(call: "quotes" | "bars" | "actions", answer: Promise<T>): Promise<T> {
    const tell = (available: boolean) => {
      calls.inc({ provider, call, outcome: available ? "ok" : "unavailable" });
      if (call === "quotes") up.set({ provider }, available ? 1 : 0);
    };
    const stop = seconds.startTimer({ provider, call });
    const span = startSpan(`market data ${call}`, { kind: "client", attributes: { provider } });
    let failure: string | undefined;
    try {
      const value = await answer;
      tell(true);
      return value;
    } catch (error) {
      failure = error instanceof ApiError ? error.errCode : "Error";
      if (failure === "MARKET_DATA_UNAVAILABLE") tell(false);
      throw error;
    } finally {
      stop();
      span?.end(failure);
    }
  }

  const marketData: MarketData = {
    quotesMaxAgeMs: inner.quotesMaxAgeMs,
    session: () => inner.session(),
    quote: (symbol, isListed) => watch("quotes", inner.quote(symbol, isListed)),
    quotes: (symbols) => watch("quotes", inner.quotes(symbols)),
    bars: (query) => watch("bars", inner.bars(query)),
    corporateActions: (query) => watch("actions", inner.corporateActions(query)),
  };
  const run = async () => {
    const quote = await marketData.quote(PROBE);
    if (quote?.stale) throw new Error(`the quote of ${PROBE} is stale`);
  };
  return { marketData, metrics: [up, calls, seconds], check: { name: `market data (${provider})`, run } };
}
