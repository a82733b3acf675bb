import { startApi } from "../contestants/order-detail.ts";
import type { DataSet } from "../dataset/database.ts";
import { clearNonces } from "../dataset/nonces.ts";
import { orderIdOf } from "../dataset/orders.ts";
import type { Call } from "../load/job.ts";
import { interleave, ratioOf, summarize } from "../rounds.ts";
import type { OwnSandboxScenario } from "../sandbox/scenario.ts";
import { withSurroundings } from "../surroundings.ts";
import { withBusyChains } from "./chains.ts";

const ORDERS = 10_000;
const CONNECTIONS = 8;
const POLLED_ORDERS = 100;
const EVENTS_PER_SECOND = [20, 5];

/**
 * Orders and lists of one key that are polled while orders of other keys change: on their chain, beside the same number of changes on another
 * chain, which costs the machine as much. What is kept of a key must not go with the events of others.
 */
export const busy: OwnSandboxScenario = async ({ isQuick }, report) => {
  const sizes = isQuick ? { rounds: 1, seconds: 0.5 } : { rounds: 5, seconds: 4 };
  const databaseUrl = process.env.BENCH_DATABASE_URL || undefined;
  await withSurroundings(
    { orders: isQuick ? ORDERS / 10 : ORDERS, databaseUrl },
    async ({ data, generator, product }) => {
      await withBusyChains(data, product.rpcUrl, async (chains) => {
        const api = await startApi(chains.data, { keepsAnswers: true });
        try {
          for (const perSecond of EVENTS_PER_SECOND)
            for (const [what, calls] of [
              [`${POLLED_ORDERS} orders`, orderCalls(data)],
              [`${LISTS.length} lists`, LIST_CALLS],
            ] as const) {
              const contestants = (["own", "other"] as const).map((chain) => ({
                name: NAMES[chain],
                url: api.url,
                calls,
                keys: data.keys,
                beside: () => chains.changes[chain](perSecond),
              }));
              await clearNonces(data);
              const series = await interleave(generator, contestants, { connections: CONNECTIONS, ...sizes });
              const [own, other] = series;
              if (!own || !other) return;
              report({
                scenario: "busy",
                title: `${what}, polled in turn while other keys have ${perSecond} events a second`,
                connections: CONNECTIONS,
                series: series.map(summarize),
                ratios: [{ name: `${own.name} / ${other.name}`, value: ratioOf(own, other) }],
              });
            }
        } finally {
          await api.stop();
        }
      });
    },
  );
};

const NAMES = { own: "events on their chain", other: "events on another chain" } as const;

/** Returns calls for orders of the largest key, of every age. */
function orderCalls({ keys }: DataSet): Call[] {
  const orders = keys[0]?.orders ?? 0;
  return Array.from({ length: POLLED_ORDERS }, (_, n) => {
    const orderId = orderIdOf(0, Math.floor((n * orders) / POLLED_ORDERS));
    const path = `/api/v1/orders/${orderId}`;
    return { method: "GET", path, key: 0, status: 200, includes: [`"orderId":"${orderId}"`] };
  });
}

/** Parameters are signed in the order of their names. */
const LISTS = [
  "limit=20",
  "limit=20&page=2",
  "limit=20&status=Filled",
  "limit=20&side=Sell",
  "limit=20&type=Limit",
];
const LIST_CALLS = LISTS.map(
  (query): Call => ({
    method: "GET",
    path: `/api/v1/orders?${query}`,
    key: 0,
    status: 200,
    includes: ['{"code":200,', '"orderId":"0x'],
  }),
);
