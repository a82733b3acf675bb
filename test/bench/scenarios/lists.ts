import { startByHand } from "../contestants/order-detail.ts";
import { FAILED_CLAIMS, INIT_CLAIMS } from "../dataset/load.ts";
import { clearNonces } from "../dataset/nonces.ts";
import { orderOf, type SeededOrder, TRADED_TOKENS, userOf, usersOf } from "../dataset/orders.ts";
import type { Call } from "../load/job.ts";
import { signedHeaders } from "../load/sign.ts";
import { interleave, ratioOf, summarize } from "../rounds.ts";
import type { Context, Scenario } from "./context.ts";

/** Maximum that the API counts. */
const TOTAL_MAX = 10_000;
const LIMIT = 20;
const SMALL_KEY = 1_000;
const CONNECTIONS = 1;
/** Lists that the server by hand answers as well. */
const BY_HAND = ["no filter", "status=Filled", "symbol", "userAddress"];

/**
 * `GET /orders` of the largest key and of one with 1,000 orders: each documented filter alone and some pairs, a page of 20. Some are
 * also measured beside the server by hand, for the key with 1,000 orders.
 */
export const lists: Scenario = async (context, report) => {
  const { generator, rounds, seconds, data, api } = context;
  const large = ordersOf(context, 0);
  const small = ordersOf(
    context,
    data.keys.findIndex(({ orders }) => orders === SMALL_KEY),
  );
  const cases = await Promise.all([large, small].map((key) => casesOf(context, key)));
  const measure = async (name: string, title: string) => {
    await clearNonces(data);
    const contestants = [large, small].map((key, index) => ({
      name: `${key.orders.length.toLocaleString("en")} orders`,
      url: api.url,
      calls: cases[index]?.[name] ?? [],
      keys: data.keys,
      allowUnavailable: true,
    }));
    const series = await interleave(generator, contestants, { connections: CONNECTIONS, rounds, seconds });
    const [ofLarge, ofSmall] = series;
    if (!ofLarge || !ofSmall) return;
    report({
      scenario: "lists",
      title,
      connections: CONNECTIONS,
      series: series.map(summarize),
      ratios: [{ name: "p50, large / small", value: ratioOf(ofLarge, ofSmall, ({ p50Ms }) => p50Ms) }],
    });
  };
  for (const name of Object.keys(cases[0] ?? {})) await measure(name, `Orders, ${name}`);
  await measureByHand(context, cases[1] ?? {}, report);
};

async function measureByHand(
  { generator, rounds, seconds, data, api }: Context,
  cases: Record<string, Call[]>,
  report: Parameters<Scenario>[1],
): Promise<void> {
  const { contestant, server } = await startByHand(data);
  try {
    for (const name of BY_HAND) {
      await clearNonces(data);
      const calls = cases[name] ?? never();
      const contestants = [
        { ...contestant, calls },
        { name: "this", url: api.url, calls, keys: data.keys },
      ];
      const series = await interleave(generator, contestants, { connections: CONNECTIONS, rounds, seconds });
      const [byHand, own] = series;
      if (!byHand || !own) continue;
      report({
        scenario: "lists",
        title: `Orders, ${name}, beside the list by hand`,
        connections: CONNECTIONS,
        series: series.map(summarize),
        ratios: [{ name: "this / by hand", value: ratioOf(own, byHand) }],
      });
    }
  } finally {
    await server.stop();
  }
}

interface KeyOrders {
  key: number;
  /** Oldest first. */
  orders: SeededOrder[];
}

function ordersOf({ data }: Context, key: number): KeyOrders {
  const of = data.keys[key];
  if (!of) throw new Error(`no key of ${SMALL_KEY} orders`);
  const tokens = data.stockTokens.map(({ address }) => address);
  return { key, orders: Array.from({ length: of.orders }, (_, i) => orderOf(of, i, data.head, tokens)) };
}

/** Returns the calls of each case, with the expected rows. */
async function casesOf(context: Context, { key, orders }: KeyOrders): Promise<Record<string, Call[]>> {
  const { data } = context;
  const list = (query: string, condition: (order: SeededOrder) => boolean, more: Partial<Expected> = {}) =>
    listCall(key, query, { ...expect(orders, condition, more), total: more.total });
  const at = (share: number) => orders[Math.floor((orders.length - 1) * share)] ?? never();
  const secondsAt = (share: number) => Math.floor(at(share).mappedMs / 1000);
  const bySymbol = (index: number) => {
    const { symbol, address } = data.stockTokens[index] ?? never();
    return [symbol, (order: SeededOrder) => order.stockAddress === address] as const;
  };
  const statuses = ["New", "Partial filled", "Pending", "Filled", "Canceled", "Rejected", "Expired"] as const;
  const unindexed = { unindexed: FAILED_CLAIMS + INIT_CLAIMS };
  const recentS = [50, 100, 200, 400].map((count) => {
    const oldest = orders.at(-Math.min(count, orders.length)) ?? never();
    return Math.floor(oldest.mappedMs / 1000);
  });
  const [symbol, isOfSymbol] = bySymbol(1);
  const [noHit, isNoHit] = bySymbol(TRADED_TOKENS);
  const half = Math.floor(orders.length / LIMIT / 2);
  const page = Math.min(5_000, half);
  // Found by its page number, which must not take longer than a statement may.
  const pageBefore = Math.min(500, half);
  const from = [secondsAt(0.5), secondsAt(0.51)] as const;
  return {
    "no filter": [list("", () => true, unindexed)],
    ...Object.fromEntries(
      statuses.map((status) => [
        `status=${status}`,
        [list(`status=${encodeURIComponent(status)}`, (order) => order.status === status)],
      ]),
    ),
    "status=Failed": [listCall(key, "status=Failed", { orderIds: Array(FAILED_CLAIMS).fill(null) })],
    "status=Init": [listCall(key, "status=Init", { orderIds: Array(INIT_CLAIMS).fill(null) })],
    updatedAfter: recentS.map((time) =>
      list(`updatedAfter=${time}`, ({ mappedMs, updatedAt }) => Math.max(mappedMs / 1000, updatedAt) > time),
    ),
    "side=Sell": [list("side=Sell", ({ side }) => side === "Sell")],
    "type=Limit": [list("type=Limit", ({ type }) => type === "Limit")],
    symbol: [list(`symbol=${symbol}`, isOfSymbol)],
    "symbol, no hit": [list(`symbol=${noHit}`, isNoHit)],
    stockAddress: [list(`stockAddress=${data.stockTokens[1]?.address}`, isOfSymbol)],
    userAddress: [0, 1, 2, 3].map((user) => {
      const address = userOf(key, user % usersOf(orders.length));
      return list(`userAddress=${address}`, ({ userAddress }) => userAddress === address);
    }),
    txHash: [0.1, 0.5, 0.9].map((share) => {
      const { txHash } = at(share);
      return list(`txHash=${txHash}`, (order) => order.txHash === txHash);
    }),
    from: [list(`from=${secondsAt(0.99)}`, ({ mappedMs }) => mappedMs >= secondsAt(0.99) * 1000)],
    to: [list(`to=${secondsAt(0.5)}`, ({ mappedMs }) => mappedMs < (secondsAt(0.5) + 1) * 1000, unindexed)],
    "from and to": [
      list(
        `from=${from[0]}&to=${from[1]}`,
        ({ mappedMs }) => mappedMs >= from[0] * 1000 && mappedMs < (from[1] + 1) * 1000,
      ),
    ],
    ...pairsOf(context, key, list, recentS),
    "deep page": [list(`page=${page}`, () => true, { ...unindexed, offset: (page - 1) * LIMIT })],
    cursor: [
      list(`cursor=${await cursorAfter(context, key, pageBefore)}`, () => true, {
        offset: pageBefore * LIMIT,
        total: null,
      }),
    ],
  };
}

type List = (query: string, condition: (order: SeededOrder) => boolean) => Call;

/** Returns calls with two filters: each matches many orders, and both together none, few or many. */
function pairsOf(
  { data }: Context,
  key: number,
  list: List,
  recentS: readonly number[],
): Record<string, Call[]> {
  const { symbol } = data.stockTokens[TRADED_TOKENS] ?? never();
  const user = userOf(key, 0);
  return {
    "status and symbol, no hit": [list(`status=Filled&symbol=${symbol}`, () => false)],
    "status and type, no hit": [list("status=Canceled&type=Market", () => false)],
    "status and updatedAfter": recentS.map((time) =>
      list(
        `status=Filled&updatedAfter=${time}`,
        (order) => order.status === "Filled" && Math.max(order.mappedMs / 1000, order.updatedAt) > time,
      ),
    ),
    "side and type": [list("side=Sell&type=Limit", ({ side, type }) => side === "Sell" && type === "Limit")],
    "userAddress and status": [
      list(
        `userAddress=${user}&status=Filled`,
        ({ userAddress, status }) => userAddress === user && status === "Filled",
      ),
    ],
  };
}

interface Expected {
  /** Rows before the page. */
  offset: number;
  /** Rows behind all orders, which have none. */
  unindexed: number;
  total: number | null;
}

function expect(
  orders: SeededOrder[],
  condition: (order: SeededOrder) => boolean,
  { offset = 0, unindexed = 0 }: Partial<Expected>,
) {
  const hits = orders.filter(condition);
  const ids = hits.toReversed().map(({ orderId }): string | null => orderId);
  const all = [...ids, ...Array.from({ length: unindexed }, () => null)];
  return { orderIds: all.slice(offset, offset + LIMIT), count: all.length };
}

function listCall(
  key: number,
  query: string,
  {
    orderIds,
    count = orderIds.length,
    total = Math.min(count, TOTAL_MAX),
  }: { orderIds: (string | null)[]; count?: number; total?: number | null | undefined },
): Call {
  // The signature covers parameters in the order of their names.
  const parameters = [`limit=${LIMIT}`, ...query.split("&").filter(Boolean)].sort();
  const path = `/api/v1/orders?${parameters.join("&")}`;
  return { method: "GET", path, key, status: 200, includes: ['{"code":200,'], rows: { orderIds, total } };
}

/** Returns the cursor that continues after a page. */
async function cursorAfter({ api, data }: Context, key: number, page: number): Promise<string> {
  const path = `/api/v1/orders?limit=${LIMIT}&page=${page}`;
  const headers = signedHeaders({ method: "GET", path }, data.keys[key] ?? never());
  const answer = await fetch(api.url + path, { headers });
  const body = (await answer.json()) as { data: { nextCursor: string } | null };
  if (!body.data) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return encodeURIComponent(body.data.nextCursor);
}

function never(): never {
  throw new Error("the data set is smaller than its smallest size");
}
