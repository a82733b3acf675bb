import { formatWad } from "../../../../../../src/protocol/decimal.ts";
import type { Order } from "../../../index.ts";
import { unitsOf } from "../amount.ts";
import type { HttpExchange } from "../proxy.ts";
import { type Bench, describe, resultFinding, type Scenario } from "../scenario.ts";

/** Different amounts, so that a row read twice is not taken for another one. */
const QUANTITIES = ["0.100000000000000001", "0.200000000000000002", "0.300000000000000004"];
const NEW_QUANTITY = "0.400000000000000008";
const LIMIT = 2;

export const pagedList: Scenario = {
  title: "A list is read by pages, and a row arrives meanwhile",
  rules: ["all-pages"],
  async run(bench) {
    const orders: Order[] = [];
    for (const quantity of QUANTITIES) orders.push(await fillOrder(bench, quantity));
    const query = { status: "Filled", from: orders[0]?.mapping.createdAt ?? 0, limit: LIMIT } as const;
    const before = await readAll(bench, query);
    let arrival: Promise<unknown> | null = null;
    bench.proxy.setFaults((exchange) => {
      if (!isPage(exchange) || bench.exchanges().filter(isPage).length < 2) return null;
      arrival ??= fillOrder(bench, NEW_QUANTITY);
      const arrived = arrival;
      return { kind: "hold", until: async () => void (await arrived) };
    });
    const outcome = await bench.start("list", { query }).ended;
    const pages = bench.exchanges().filter(isPage);
    if (pages.length === 0) return {};
    const truths = [before, await readAll(bench, query)];
    const isRight = (result: Readonly<Record<string, unknown>>) =>
      truths.some(({ count, sum }) => result.count === count && unitsOf(result.filledQuantity) === sum);
    const shown = truths.map(({ count, sum }) => `${count} rows, ${formatWad(sum)} filled`);
    return {
      "all-pages": resultFinding(
        outcome,
        isRight,
        `the service: ${shown.join("; with the new row ")}`,
        ...pages.map(describe),
      ),
    };
  },
};

const isPage = ({ method, uri }: HttpExchange) => method === "GET" && /^\/api\/v1\/orders(\?|$)/.test(uri);

async function fillOrder({ market }: Bench, quantity: string): Promise<Order> {
  const { orderId } = await market.place(quantity);
  await market.fill(orderId);
  return market.waitFor(orderId, "Filled");
}

async function readAll({ trading }: Bench, query: { status: "Filled"; from: number; limit: number }) {
  let [count, sum] = [0, 0n];
  for await (const { historyOrder } of trading.orders.list(query)) {
    count += 1;
    sum += unitsOf(historyOrder?.filledQuantity) ?? 0n;
  }
  return { count, sum };
}
