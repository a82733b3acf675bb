import { afterAll, beforeAll, beforeEach, expect, it, jest } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import type { Viewer } from "../../src/auth/viewer.ts";
import {
  listOperations as listDashboardOperations,
  listOrders as listDashboardOrders,
} from "../../src/dashboard/claims.ts";
import { createPrisma } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { operationOfRow } from "../../src/operations/present.ts";
import { orderOfRow } from "../../src/orders/shown.ts";
import { ON_CHAIN_STATUSES, OPERATION_STATUSES, ORDER_STATUSES } from "../../src/protocol/enums.ts";
import { OPERATION_KINDS, type OperationKind } from "../../src/protocol/operations.ts";
import { LONG } from "../support/assert/long.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { SEED, type SeededRandom, seededRandom } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { PROJECTED, project } from "../support/db/projected.ts";
import { CHAIN_ID, createRandomChain, type RandomChain, STOCKS, USERS } from "../support/db/random-chain.ts";
import { createRandomClaims } from "../support/db/random-claims.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { listOperations, listOrders } from "../support/http/verbs.ts";

// Lists are the rows of keys that their filters let through, by plain code: pages, totals, cursors, partners' and a dashboard's.

const PRODUCTS = [PRODUCT, "Second"];
const DAYS = LONG ? 20 : 1;
const STEPS = LONG ? 30 : 14;
const SAMPLE = 8;

let features: Features;
let onchain: Onchain;
let prisma: PrismaClient;
let callers: Caller[];
let viewers: Viewer[];

beforeAll(async () => {
  features = await startFeatures([
    {
      deployment: { chainId: CHAIN_ID, ...CONTRACTS },
      products: PRODUCTS,
      rpcUrls: ["http://127.0.0.1:1"],
      confirmations: 1,
    },
  ]);
  onchain = await createOnchain(features.deps.pool);
  // Statements are named and plans are cached, like in production.
  prisma = createPrisma(`${features.databaseUrl}?options=-c%20plan_cache_mode%3Dforce_generic_plan`, {
    max: 1,
    preparedStatements: true,
  });
  callers = await Promise.all([features.makeCaller(), features.makeCaller(), features.makeCaller()]);
  viewers = [...callers, { chainId: CHAIN_ID, productType: PRODUCT, keyId: null }];
  await onchain.insert(
    "stockToken",
    ...PRODUCTS.flatMap((productType) =>
      STOCKS.map((tokenAddress, n) => ({
        chainId: CHAIN_ID,
        productType,
        tokenAddress,
        symbol: `S${n}`,
        multiplier: 10n ** 18n,
      })),
    ),
  );
  const { tokens } = present(features.deps.chains.get(CHAIN_ID), "the chain");
  jest.spyOn(tokens, "metadata").mockResolvedValue(new Map());
});
afterAll(async () => {
  await prisma?.$disconnect();
  await features?.close();
});
beforeEach(() =>
  empty(
    features.deps.pool,
    "app.transaction_claim",
    "app.transaction_attribution",
    "app.invalid_attribution",
    ...PROJECTED,
  ),
);

interface Row {
  claimId: string;
  keyId: string;
  chainId: number;
  productType: string;
  kind: string;
  logIndex: number;
  createdAt: Date;
  updatedAt: Date;
  status: string;
  onChainStatus?: string;
  side?: string;
  type?: string;
  stockAddress?: string | null;
  tokenAddress?: string | null;
  userAddress: string | null;
  txHash: string | null;
  clientOrderId?: string | null;
  presented: unknown;
}

/** Returns all rows, as the tables have them. */
async function readRows(): Promise<Row[]> {
  const [orders, operations] = await Promise.all([
    prisma.keyOrder.findMany(),
    prisma.keyOperation.findMany(),
  ]);
  return [
    ...orders.map((row) => ({
      ...row,
      type: row.orderType,
      kind: "trade",
      presented: plain(orderOfRow(row)),
    })),
    ...operations.map((row) => ({
      ...row,
      presented: plain(operationOfRow(row.kind as OperationKind, row)),
    })),
  ];
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

type Query = Record<string, string | number | undefined>;
const SAME = [
  "status",
  "onChainStatus",
  "side",
  "type",
  "stockAddress",
  "tokenAddress",
  "userAddress",
] as const;

/** Returns true where a query lets a row through. @param found the claims of sends by the hashes of their attempts: none here */
function passes(row: Row, query: Query): boolean {
  const ms = (seconds: string | number | undefined) => Number(seconds) * 1000;
  return (
    SAME.every((name) => query[name] === undefined || row[name] === query[name]) &&
    (query.txHash === undefined || row.txHash === query.txHash) &&
    (query.clientOrderId === undefined || row.clientOrderId === query.clientOrderId) &&
    (query.symbol === undefined || row.stockAddress === STOCKS[["s0", "s1"].indexOf(String(query.symbol))]) &&
    (query.from === undefined || row.createdAt.getTime() >= ms(query.from)) &&
    (query.to === undefined || row.createdAt.getTime() < ms(Number(query.to) + 1)) &&
    (query.updatedAfter === undefined || row.updatedAt.getTime() > ms(query.updatedAfter))
  );
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const newestFirst = (a: Row, b: Row): number =>
  b.createdAt.getTime() - a.createdAt.getTime() ||
  compareTexts(b.claimId, a.claimId) ||
  b.logIndex - a.logIndex;

/** Returns queries with every documented filter alone, and with pairs of them. */
function queriesOf(random: SeededRandom, chain: RandomChain) {
  const second = () => Math.floor(chain.nowMs() / 1000) - random.below(400);
  const from = second();
  const common: Query[] = [
    {},
    { userAddress: random.of(USERS) },
    { txHash: chain.transactions.length > 0 ? random.of(chain.transactions) : hex(32, 1) },
    { from },
    { to: second() },
    { from, to: from + random.below(200) },
    { updatedAfter: second() },
    { updatedAfter: second() - 1000 },
    { page: 2 },
    { page: 3, limit: 3 },
  ];
  const orders: Query[] = [
    ...common,
    ...ORDER_STATUSES.map((status) => ({ status })),
    ...ON_CHAIN_STATUSES.map((onChainStatus) => ({ onChainStatus })),
    { side: "Sell" },
    { type: "Limit" },
    { symbol: "s1" },
    { symbol: "none" },
    { stockAddress: random.of(STOCKS) },
    { clientOrderId: `order-${random.below(9)}` },
  ];
  const operations: Query[] = [
    ...common,
    ...OPERATION_STATUSES.map((status) => ({ status })),
    { tokenAddress: random.of(STOCKS) },
  ];
  const some = (queries: Query[]): Query[] => {
    const pairs = Array.from({ length: 12 }, () => ({ ...random.of(queries), ...random.of(queries) }));
    return random.some([...queries, ...pairs], SAMPLE);
  };
  return { orders: some(orders), operations: some(operations), kind: random.of(OPERATION_KINDS) };
}

const texts = (query: Query) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/** Compares a partner's lists, or those of a dashboard in one scope, with the rows; the plain one is walked by its cursors. */
async function expectLists(
  viewer: Viewer,
  rows: Row[],
  queries: ReturnType<typeof queriesOf>,
): Promise<void> {
  const deps = { ...features.deps, prisma };
  const seen = rows
    .filter(
      ({ keyId, chainId, productType }) =>
        keyId === (viewer.keyId ?? keyId) && chainId === viewer.chainId && productType === viewer.productType,
    )
    .sort(newestFirst);
  const { rows: heads } = await features.deps.pool.query(
    "SELECT s.version FROM app.key_state($1, $2, $3) s",
    [viewer.chainId, viewer.keyId, viewer.productType],
  );
  const expectPage = (
    { data, version }: Awaited<ReturnType<typeof listOrders | typeof listOperations>>,
    kind: string,
    query: Query,
  ) => {
    const passing = seen.filter((row) => row.kind === kind && passes(row, query));
    const [page, limit] = [Number(query.page ?? 1), Number(query.limit ?? 4)];
    const shown = passing.slice((page - 1) * limit, page * limit).map(({ presented }) => presented);
    expect({ kind, query, rows: plain(data.rows) }).toEqual({ kind, query, rows: shown });
    expect({ kind, query, total: data.total }).toEqual({ kind, query, total: passing.length });
    expect(data.nextCursor !== null).toBe(passing.length > page * limit);
    const isOfMore = query.txHash !== undefined || query.symbol !== undefined;
    expect(version).toBe(viewer.keyId === null || isOfMore ? null : heads[0]?.version);
  };
  for (const query of queries.orders)
    expectPage(await listOrders(deps, viewer, { limit: "4", ...texts(query) }), "trade", query);
  for (const query of queries.operations) {
    const { kind } = queries;
    expectPage(await listOperations(deps, viewer, kind, { limit: "4", ...texts(query) }), kind, query);
  }
  const walked: unknown[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const { data } = await listOrders(deps, viewer, { limit: "5", ...(cursor ? { cursor } : {}) });
    walked.push(...data.rows);
    cursor = data.nextCursor;
  }
  expect(plain(walked)).toEqual(
    seen.filter(({ kind }) => kind === "trade").map(({ presented }) => presented),
  );
}

/** Compares lists of a dashboard in all orders with the rows, over some scopes. */
async function expectDashboard(
  scope: Query,
  rows: Row[],
  queries: ReturnType<typeof queriesOf>,
): Promise<void> {
  const deps = { ...features.deps, prisma };
  const { chainId, productType, keyId } = scope;
  const seen = rows.filter(
    (row) =>
      row.chainId === (chainId ?? row.chainId) &&
      row.productType === (productType ?? row.productType) &&
      row.keyId === (keyId ?? row.keyId),
  );
  const orderBys = ["createdAt", "updatedAt"] as const;
  const directions = ["desc", "asc"] as const;
  const [orderBy, direction] = [orderBys, directions].map((all) => all[queries.orders.length % 2]);
  for (const [list, asked] of [
    [listDashboardOrders, queries.orders],
    [listDashboardOperations, [...queries.operations, { kind: queries.kind }]],
  ] as const)
    for (const { page: _page, limit: _limit, ...query } of asked as Query[]) {
      const { edges, totalCount, pageInfo } = await list(deps, {
        first: 4,
        orderBy,
        direction,
        ...scope,
        ...query,
      });
      const passing = seen
        .filter(({ kind }) => (kind === "trade") === (list === listDashboardOrders))
        .filter((row) => (query.kind === undefined || row.kind === query.kind) && passes(row, query))
        .sort((a, b) =>
          orderBy === "updatedAt"
            ? b.updatedAt.getTime() - a.updatedAt.getTime() || newestFirst(a, b)
            : newestFirst(a, b),
        );
      if (direction === "asc") passing.reverse();
      const shown = edges.map(({ node }) => plain("order" in node ? node.order : node.operation));
      expect({ query, shown }).toEqual({
        query,
        shown: passing.slice(0, 4).map(({ presented }) => presented),
      });
      expect({ query, total: await totalCount() }).toEqual({ query, total: passing.length });
      expect(pageInfo.hasNextPage).toBe(passing.length > 4);
    }
}

/** Expects the counts that triggers maintain to equal those of the indexed rows. */
async function expectCounts(): Promise<void> {
  const { rows } = await features.deps.pool.query(`
    SELECT key_id, chain_id, product_type, kind, status, side, order_type, sum(n)::int AS too_many FROM (
      SELECT key_id, chain_id, product_type, kind, status, side, order_type, row_count AS n FROM app.key_count
      UNION ALL SELECT key_id, chain_id, product_type, 'order', status, side, order_type, -1 FROM app.key_order
        WHERE order_id IS NOT NULL
      UNION ALL SELECT key_id, chain_id, product_type, kind, status, '', '', -1 FROM app.key_operation
        WHERE operation_id IS NOT NULL) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(n) <> 0`);
  expect(rows).toEqual([]);
}

it.each(Array.from({ length: DAYS }, (_, day) => SEED + day))(
  "lists are the rows that their filters let through, on a random day (TEST_SEED=%d)",
  async (seed) => {
    const random = seededRandom(seed);
    const chain = createRandomChain(onchain, random, ...PRODUCTS);
    const elsewhere = callers.map((caller) => ({ ...caller, productType: "Second" }));
    const scopes = [...callers, ...callers, ...elsewhere];
    const claims = createRandomClaims(features.deps.pool, scopes, { random, chain });
    await chain.mine();
    for (let step = 0; step < STEPS; step++) {
      for (let n = random.below(16); n >= 0; n--) {
        const { mine, reorg } = chain;
        const { add, change } = claims;
        await random.of([mine, mine, mine, mine, reorg, add, add, add, change])();
      }
      await claims.watch();
      if (step === 0 || random.chance(0.8)) await project(features.deps);
      const rows = await readRows();
      const queries = queriesOf(random, chain);
      await expectLists(random.of(viewers), rows, queries);
      const productType = random.of(PRODUCTS);
      const scope = random.of([
        {},
        { chainId: CHAIN_ID },
        { productType },
        { chainId: CHAIN_ID, productType },
      ]);
      const key = random.chance(0.5) ? { keyId: random.of(callers).keyId } : {};
      const some = {
        ...queries,
        orders: random.some(queries.orders, 3 + random.below(2)),
        operations: random.some(queries.operations, 2),
      };
      await expectDashboard({ ...scope, ...key }, rows, some);
      await expectCounts();
    }
  },
  180_000,
);
