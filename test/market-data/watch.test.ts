import { expect, it } from "@jest/globals";
import { Registry } from "prom-client";
import type { MarketData, Quote } from "../../src/market-data/provider.ts";
import { watchMarketData } from "../../src/market-data/watch.ts";
import { ApiError } from "../../src/protocol/errors.ts";

/** Returns a provider whose answers the test gives. */
function provide(answer: () => Promise<never> | Promise<unknown>) {
  const quotes = async () => (await answer()) as never;
  const inner: MarketData = {
    quotesMaxAgeMs: 1_000,
    session: async () => "regular",
    quote: quotes,
    quotes,
    bars: quotes,
    corporateActions: quotes,
  };
  const watched = watchMarketData(inner, "alpaca");
  const registry = new Registry();
  for (const metric of watched.metrics) registry.registerMetric(metric);
  return { ...watched, metrics: () => registry.metrics() };
}

const down = () => Promise.reject(new ApiError("MARKET_DATA_UNAVAILABLE"));
const fresh: Pick<Quote, "price" | "stale"> = { price: "1", stale: false };

it("tells whether the provider answered the last call for quotes", async () => {
  let answer: () => Promise<unknown> = async () => fresh;
  const { marketData, metrics } = provide(() => answer());
  expect(await metrics()).not.toMatch(/^market_data_up\{/m);
  await marketData.quote("AAPL");
  expect(await metrics()).toContain('market_data_up{provider="alpaca"} 1');
  answer = down;
  await expect(marketData.quotes(["AAPL"])).rejects.toMatchObject({ errCode: "MARKET_DATA_UNAVAILABLE" });
  expect(await metrics()).toContain('market_data_up{provider="alpaca"} 0');
  answer = async () => [];
  await marketData.corporateActions({ symbols: [], from: "2020-01-01", to: "2020-01-02" });
  const text = await metrics();
  expect(text).toContain('market_data_up{provider="alpaca"} 0');
  expect(text).toContain('market_data_calls_total{provider="alpaca",call="quotes",outcome="ok"} 1');
  expect(text).toContain('market_data_calls_total{provider="alpaca",call="quotes",outcome="unavailable"} 1');
  expect(text).toContain('market_data_calls_total{provider="alpaca",call="actions",outcome="ok"} 1');
  expect(text).toContain('market_data_call_duration_seconds_count{provider="alpaca",call="quotes"} 2');
});

it.each<[string, () => Promise<unknown>, boolean]>([
  ["answers", async () => fresh, true],
  ["does not list the stock", async () => null, true],
  ["is down", down, false],
  ["has but stale quotes", async () => ({ ...fresh, stale: true }), false],
])("its check tells where the provider %s", async (_what, answer, passes) => {
  const { check } = provide(answer);
  expect(check.name).toBe("market data (alpaca)");
  const outcome = check.run().then(
    () => true,
    () => false,
  );
  expect(await outcome).toBe(passes);
});
