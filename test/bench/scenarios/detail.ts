import { startOrderDetail } from "../contestants/order-detail.ts";
import { clearNonces } from "../dataset/nonces.ts";
import type { Ratio } from "../report/result.ts";
import { interleave, ratioOf, type Series, summarize } from "../rounds.ts";
import type { Scenario } from "./context.ts";

const CONNECTIONS = [1, 8, 32, 128];

/** `GET /orders/{orderId}`: 200 orders of 20 keys, against everything else that answers the same. */
export const detail: Scenario = async (context, report) => {
  const { generator, rounds, seconds, data, api } = context;
  const { contestants, absent, stop } = await startOrderDetail(data, api);
  for (const name of absent) context.reportAbsent(name);
  try {
    for (const connections of CONNECTIONS) {
      await clearNonces(data);
      const series = await interleave(generator, contestants, { connections, rounds, seconds });
      report({
        scenario: "detail",
        title: "Order detail",
        connections,
        series: series.map(summarize),
        ratios: ratiosOf(series),
      });
    }
  } finally {
    await stop();
  }
};

function ratiosOf(series: Series[]): Ratio[] {
  const own = series.find(({ name }) => name === "this");
  if (!own) return [];
  return series
    .filter((other) => other !== own && other.name !== "no database (404)")
    .map((other) => ({ name: `this / ${other.name}`, value: ratioOf(own, other) }));
}
