import type { Contestant } from "../contestants/contestant.ts";
import { startOrderDetail } from "../contestants/order-detail.ts";
import { clearNonces } from "../dataset/nonces.ts";
import type { Ratio } from "../report/result.ts";
import { interleave, ratioOf, type Series, summarize } from "../rounds.ts";
import type { Context, Scenario } from "./context.ts";

const CONNECTIONS = [1, 8, 32, 128];
const WARM_UP_SECONDS = 3;

/** `GET /orders/{orderId}`: 200 orders of 20 keys, against everything else that answers the same. */
export const detail: Scenario = async (context, report) => {
  const { generator, rounds, seconds, data, api } = context;
  const { contestants, absent, stop } = await startOrderDetail(data, api);
  for (const name of absent) context.reportAbsent(name);
  try {
    await warmUp(context, contestants);
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

/** Runs the largest number of connections first, so that measured requests run compiled code. */
async function warmUp({ generator, isQuick, data }: Context, contestants: Contestant[]): Promise<void> {
  await clearNonces(data);
  const connections = Math.max(...CONNECTIONS);
  await interleave(generator, contestants, {
    connections,
    rounds: 1,
    seconds: isQuick ? 0.2 : WARM_UP_SECONDS,
  });
}

/** Returns the ratios of the api to all others, without and with cached answers. */
function ratiosOf(series: Series[]): Ratio[] {
  const isOwn = ({ name }: Series) => name === "this" || name === "this, kept";
  const others = series.filter((other) => !isOwn(other) && other.name !== "no database (404)");
  return series
    .filter(isOwn)
    .flatMap((own) =>
      others.map((other) => ({ name: `${own.name} / ${other.name}`, value: ratioOf(own, other) })),
    );
}
