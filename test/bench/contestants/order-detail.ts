import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../../src/config/root.ts";
import { PRODUCT } from "../../support/http/features.ts";
import { builtScript } from "../../support/program/built.ts";
import { type DataSet, TABLES_SCHEMA } from "../dataset/database.ts";
import { orderIdOf } from "../dataset/orders.ts";
import { pickOrders } from "../dataset/sizes.ts";
import type { Call } from "../load/job.ts";
import { benchScript } from "../programs.ts";
import type { Contestant } from "./contestant.ts";
import { isPostgraphileInstalled, POSTGRAPHILE } from "./install.ts";
import { type ServerProcess, startServer } from "./process.ts";

/** The contestants of one answer, an order by its id: each serves the same 200 orders from the same tables. */
export interface Running {
  contestants: Contestant[];
  /** Names of contestants that are not installed, and why. */
  absent: string[];
  stop(): Promise<void>;
}

interface Picked {
  key: number;
  orderId: string;
}

/** Picks the orders of the requests, spread over all keys. */
export const pickedOrders = ({ keys }: DataSet): Picked[] =>
  pickOrders(keys.map(({ orders }) => orders)).map(({ key, i }) => ({ key, orderId: orderIdOf(key, i) }));

/**
 * Starts the api from the build, as production runs it, with no worker and no indexer beside it.
 * @param keepsAnswers false: every answer is read, because a second request for it would only measure the memory
 */
export function startApi({ env }: DataSet, { keepsAnswers = false } = {}): Promise<ServerProcess> {
  return startServer({
    name: keepsAnswers ? "api-kept" : "api",
    args: [builtScript("src/bin/api.ts")],
    env: { ...env, LOG_LEVEL: "warn", ...UNLIMITED, ...(keepsAnswers ? {} : { KEPT_ANSWERS_MB: "0" }) },
    path: "/livez",
  });
}

/** Rate limits are counted, and out of reach. */
const UNLIMITED = {
  RATE_LIMIT_READS: "1000000",
  RATE_LIMIT_WRITES: "1000000",
  RATE_LIMIT_IN_FLIGHT: "1000000",
};

/** Returns the calls of the api itself. */
export const orderDetailCalls = (data: DataSet): Call[] =>
  pickedOrders(data).map(({ key, orderId }) => ({
    method: "GET",
    path: `/api/v1/orders/${orderId}`,
    key,
    status: 200,
    includes: ['{"code":200,', `"orderId":"${orderId}"`, '"uuid":"'],
  }));

/** A contestant with a server of its own. */
export interface Started {
  contestant: Contestant;
  server: ServerProcess;
}

export async function startFloor(data: DataSet): Promise<Started> {
  const server = await startServer({
    name: "floor",
    args: [benchScript("test/bench/contestants/floor-server.ts")],
    env: { DATABASE_URL: data.urls.admin },
    path: "/",
  });
  return { server, contestant: { name: "floor", url: server.url, calls: floorCalls(data), keys: [] } };
}

/** @param withOwnStatements true: with the statements of the api, as a bound of what it can reach */
export async function startByHand(data: DataSet, { withOwnStatements = false } = {}): Promise<Started> {
  const server = await startServer({
    name: withOwnStatements ? "bound" : "by-hand",
    args: [benchScript(`test/bench/contestants/by-hand/${withOwnStatements ? "bound" : "server"}.ts`)],
    env: { DATABASE_URL: data.urls.admin, API_KEYS: JSON.stringify(secretsOf(data)) },
    path: "/",
  });
  const name = withOwnStatements ? "by hand, statements of this" : "by hand";
  return { server, contestant: { name, url: server.url, calls: byHandCalls(data), keys: data.keys } };
}

/** Starts them all. Each but the api connects as the superuser, so that settings of the api's role are its own. */
export async function startOrderDetail(data: DataSet, api: ServerProcess): Promise<Running> {
  const started: ServerProcess[] = [];
  const keep = async (starting: Promise<ServerProcess>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  const start = (command: Parameters<typeof startServer>[0]) => keep(startServer(command));
  const keepStarted = async (starting: Promise<Started>) => {
    const { contestant, server } = await starting;
    started.push(server);
    return contestant;
  };
  const stop = async () => void (await Promise.all(started.map((server) => server.stop())));
  try {
    const [kept, floor, byHand, bound, ponder, postgraphile] = await Promise.all([
      keep(startApi(data, { keepsAnswers: true })),
      keepStarted(startFloor(data)),
      keepStarted(startByHand(data)),
      keepStarted(startByHand(data, { withOwnStatements: true })),
      start(ponderCommand(data)),
      isPostgraphileInstalled() ? start(postgraphileCommand(data)) : null,
    ]);
    const unsigned = { keys: [] };
    return {
      contestants: [
        { name: "no database (404)", url: floor.url, calls: [NOT_FOUND], ...unsigned },
        floor,
        byHand,
        bound,
        ...(postgraphile
          ? [{ name: "PostGraphile", url: postgraphile.url, calls: postgraphileCalls(data), ...unsigned }]
          : []),
        { name: "Ponder GraphQL", url: ponder.url, calls: ponderCalls(data), ...unsigned },
        { name: "this", url: api.url, calls: orderDetailCalls(data), keys: data.keys },
        { name: "this, kept", url: kept.url, calls: orderDetailCalls(data), keys: data.keys },
      ],
      absent: postgraphile ? [] : ["PostGraphile (it could not be installed)"],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const secretsOf = ({ keys }: DataSet) =>
  Object.fromEntries(keys.map(({ apiKey, apiSecret }) => [apiKey, apiSecret]));

/** Shows what the load generator carries. */
const NOT_FOUND: Call = { method: "GET", path: "/none", status: 404, includes: ['"code":404'] };

const floorCalls = (data: DataSet): Call[] =>
  pickedOrders(data).map(({ orderId }) => ({
    method: "GET",
    path: `/orders/${orderId}?chainId=${data.keys[0]?.chainId}&productType=${PRODUCT}`,
    status: 200,
    includes: [`"orderId":"${orderId}"`],
  }));

const byHandCalls = (data: DataSet): Call[] =>
  pickedOrders(data).map(({ key, orderId }) => ({
    method: "GET",
    path: `/api/v1/orders/${orderId}`,
    key,
    status: 200,
    includes: ['{"code":200,', orderId],
  }));

const graphqlCall = (query: string, variables: object, includes: string[]): Call => ({
  method: "POST",
  path: "/graphql",
  body: JSON.stringify({ query, variables }),
  status: 200,
  includes,
});

const ORDER_FIELDS = `orderId txHash userAddress stockAddress side orderType notional quantity price status
  filledQuantity filledNotional fee settleTxHash settledAt updatedAt`;
const FILL_FIELDS = "quantity price fee txHash timestamp";

function ponderCommand({ env, urls }: DataSet): Parameters<typeof startServer>[0] {
  const ponder = join(ROOT, "node_modules/ponder/dist/esm/bin/ponder.js");
  const root = join(ROOT, "test/bench/contestants/ponder");
  return {
    name: "ponder",
    args: [ponder, "serve", "--root", root, "--schema", TABLES_SCHEMA, "--log-level", "warn"],
    env: { ...env, DATABASE_URL: urls.admin, PONDER_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    // Ponder writes the schema that it serves into the working directory.
    cwd: mkdtempSync(join(tmpdir(), "bench-ponder-")),
    path: "/health",
  };
}

// Ponder takes the integers of a primary key as Float, and those of a condition as Int.
const PONDER_QUERY = `query ($keyChainId: Float!, $chainId: Int!, $productType: String!, $orderId: String!) {
  stockOrder(chainId: $keyChainId, productType: $productType, orderId: $orderId) { ${ORDER_FIELDS} }
  orderFills(where: { chainId: $chainId, productType: $productType, orderId: $orderId }, orderBy: "ordinal") {
    items { ${FILL_FIELDS} }
  }
}`;

const variablesOf = ({ keys }: DataSet, orderId: string) => ({
  chainId: keys[0]?.chainId,
  productType: PRODUCT,
  orderId,
});

const ponderCalls = (data: DataSet): Call[] =>
  pickedOrders(data).map(({ orderId }) =>
    graphqlCall(PONDER_QUERY, { ...variablesOf(data, orderId), keyChainId: data.keys[0]?.chainId }, [
      `"orderId":"${orderId}"`,
      '"orderFills":{"items":[',
    ]),
  );

const postgraphileCommand = ({ urls }: DataSet): Parameters<typeof startServer>[0] => ({
  name: "postgraphile",
  args: [join(POSTGRAPHILE, "serve.mjs")],
  env: {
    DATABASE_URL: urls.admin,
    SCHEMA: TABLES_SCHEMA,
    GRAPHILE_ENV: "production",
    NODE_ENV: "production",
  },
  path: "/graphql",
});

const POSTGRAPHILE_QUERY = `query ($chainId: Int!, $productType: String!, $orderId: String!) {
  stockOrderByChainIdAndProductTypeAndOrderId(
    chainId: $chainId, productType: $productType, orderId: $orderId) { ${ORDER_FIELDS} }
  allOrderFills(condition: { chainId: $chainId, productType: $productType, orderId: $orderId }) {
    nodes { ${FILL_FIELDS} }
  }
}`;

const postgraphileCalls = (data: DataSet): Call[] =>
  pickedOrders(data).map(({ orderId }) =>
    graphqlCall(POSTGRAPHILE_QUERY, variablesOf(data, orderId), [
      `"orderId":"${orderId}"`,
      '"allOrderFills":{"nodes":[',
    ]),
  );
