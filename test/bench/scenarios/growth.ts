import { orderDetailCalls } from "../contestants/order-detail.ts";
import { clearNonces } from "../dataset/nonces.ts";
import { interleave, ratioOf, summarize } from "../rounds.ts";
import type { Scenario } from "./context.ts";

const SMALL = 10_000;
const CONNECTIONS = 32;

/** An order's detail among all orders of the data set, against the same among 10,000 of the largest key. */
export const growth: Scenario = async (context, report) => {
  const { generator, rounds, seconds, data, api } = context;
  await context.withDataSet(SMALL, async (smallData, smallApi) => {
    const contestants = [
      { data, api },
      { data: smallData, api: smallApi },
    ].map((side) => ({
      name: `${side.data.keys[0]?.orders.toLocaleString("en")} orders`,
      url: side.api.url,
      calls: orderDetailCalls(side.data),
      keys: side.data.keys,
    }));
    await Promise.all([data, smallData].map(clearNonces));
    const series = await interleave(generator, contestants, { connections: CONNECTIONS, rounds, seconds });
    const [large, small] = series;
    if (!large || !small) return;
    report({
      scenario: "growth",
      title: "Order detail by the size of the data set",
      connections: CONNECTIONS,
      series: series.map(summarize),
      ratios: [{ name: `${large.name} / ${small.name}`, value: ratioOf(large, small) }],
    });
  });
};
