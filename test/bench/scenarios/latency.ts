import { orderDetailCalls } from "../contestants/order-detail.ts";
import { clearNonces } from "../dataset/nonces.ts";
import { interleave, median, summarize } from "../rounds.ts";
import type { Scenario } from "./context.ts";

const CONNECTIONS = 32;
const SHARE = 0.3;

/** Latencies of an order's detail at 30 % of the most that the api answers, requests arriving on time. */
export const latency: Scenario = async ({ generator, rounds, seconds, data, api }, report) => {
  await clearNonces(data);
  const own = { url: api.url, calls: orderDetailCalls(data), keys: data.keys };
  const options = { connections: CONNECTIONS, rounds, seconds };
  const [peak] = await interleave(generator, [{ ...own, name: "peak" }], options);
  if (!peak) return;
  const perSecond = summarize(peak).perSecond * SHARE;
  const [calm] = await interleave(generator, [{ ...own, name: "30 % of the peak" }], {
    ...options,
    perSecond,
  });
  if (!calm) return;
  report({
    scenario: "latency",
    title: "Order detail at 30 % of the peak",
    connections: CONNECTIONS,
    series: [peak, calm].map(summarize),
    ratios: [
      {
        name: "p99 / p50 at 30 % of the peak",
        value: median(calm.outcomes.map(({ p99Ms, p50Ms }) => p99Ms / p50Ms)),
      },
    ],
  });
};
