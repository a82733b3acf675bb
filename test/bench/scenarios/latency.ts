import type { Contestant } from "../contestants/contestant.ts";
import { orderDetailCalls, startByHand, startFloor } from "../contestants/order-detail.ts";
import { clearNonces } from "../dataset/nonces.ts";
import type { Outcome } from "../load/job.ts";
import { interleave, median, type Series, summarize } from "../rounds.ts";
import type { Context, Scenario } from "./context.ts";

const CONNECTIONS = 32;
const SHARE = 0.3;

/**
 * Latencies of an order's detail at 30 % of the most that the api answers, requests arriving on time. The server by hand and the
 * floor, each at 30 % of its own peak, show what of that is the machine and PostgreSQL.
 */
export const latency: Scenario = async (context, report) => {
  const { data, api } = context;
  const others = await Promise.all([startByHand(data), startFloor(data)]);
  try {
    const own = { name: "this", url: api.url, calls: orderDetailCalls(data), keys: data.keys };
    const series: Series[] = [];
    for (const contestant of [own, ...others.map((other) => other.contestant)])
      series.push(...(await peakAndShare(context, contestant)));
    report({
      scenario: "latency",
      title: "Order detail at 30 % of the peak",
      connections: CONNECTIONS,
      series: series.map(summarize),
      ratios: series.filter(isShare).map(({ name, outcomes }) => ({
        name: `p99 / p50, ${name}`,
        value: median(outcomes.map(tail)),
      })),
    });
  } finally {
    await Promise.all(others.map(({ server }) => server.stop()));
  }
};

const tail = ({ p99Ms, p50Ms }: Outcome): number => p99Ms / p50Ms;
const isShare = ({ name }: Series): boolean => name.includes("%");

async function peakAndShare(context: Context, contestant: Contestant): Promise<Series[]> {
  const { generator, rounds, seconds, data } = context;
  const { name } = contestant;
  const options = { connections: CONNECTIONS, rounds, seconds };
  await clearNonces(data);
  const [peak] = await interleave(generator, [{ ...contestant, name: `${name}, peak` }], options);
  if (!peak) return [];
  const perSecond = summarize(peak).perSecond * SHARE;
  const calm = { ...contestant, name: `${name}, 30 % of its peak` };
  return [peak, ...(await interleave(generator, [calm], { ...options, perSecond }))];
}
