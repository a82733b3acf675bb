import { getAddress } from "viem";
import { orderDetailCalls } from "../contestants/order-detail.ts";
import { LEDGER_CASH } from "../dataset/database.ts";
import { clearNonces } from "../dataset/nonces.ts";
import type { Call } from "../load/job.ts";
import { interleave, ratioOf, summarize } from "../rounds.ts";
import type { Context, Scenario } from "./context.ts";

const CONNECTIONS = 32;

/** Measures the other reads that partners poll, relative to an order's detail. */
export const reads: Scenario = async (context, report) => {
  const { generator, rounds, seconds, data, api } = context;
  await clearNonces(data);
  const contestants = Object.entries({
    "order detail": orderDetailCalls(data),
    config: configCalls(context),
    balance: userCalls(context, "balance", `"mUsdBalance":"${LEDGER_CASH}"`),
    positions: userCalls(context, "positions", `"symbol":"${data.stockTokens[0]?.symbol}"`),
  }).map(([name, calls]) => ({ name, calls, url: api.url, keys: data.keys }));
  const series = await interleave(generator, contestants, { connections: CONNECTIONS, rounds, seconds });
  const [order, ...others] = series;
  report({
    scenario: "reads",
    title: "Reads relative to order detail",
    connections: CONNECTIONS,
    series: series.map(summarize),
    ratios: order
      ? others.map((other) => ({ name: `${other.name} / order detail`, value: ratioOf(other, order) }))
      : [],
  });
};

const OK = '{"code":200,';

const configCalls = ({ data, product }: Context): Call[] =>
  data.keys.map((_key, key) => ({
    method: "GET",
    path: "/api/v1/config",
    key,
    status: 200,
    includes: [OK, `"stockRouter":"${getAddress(product.deployment.stockRouter)}"`],
  }));

const userCalls = ({ data, product }: Context, what: string, includes: string): Call[] =>
  data.keys.flatMap((_key, key) =>
    product.users.map(({ address }) => ({
      method: "GET",
      path: `/api/v1/users/${address}/${what}`,
      key,
      status: 200,
      includes: [OK, includes],
    })),
  );
