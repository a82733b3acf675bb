import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import { listOrders as listDashboardOrders } from "../../src/dashboard/claims.ts";
import { readOperations } from "../../src/operations/list-store.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { project } from "../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { listOrders } from "../support/http/verbs.ts";

// Two filters together read what both let through, also where each of them alone lets much through.

const CHAIN_ID = 31337;
const FIRST_S = 1_799_000_000;
const ROWS = 6_000;
const STEP_S = 10;
const STOCKS = [hex(20, 0x570), hex(20, 0x571)] as const;
const USERS = [hex(20, 0xa0), hex(20, 0xa1)] as const;

/** A row for each step; of five in six rows one column differs from the last of them, in turns. Every hundredth changes late, one after months. */
const rows = Array.from({ length: ROWS }, (_, i) => ({
  status: i % 6 === 0 ? "Canceled" : "Filled",
  side: i % 6 === 1 ? "Sell" : "Buy",
  type: i % 6 === 2 ? "Limit" : "Market",
  stockAddress: STOCKS[i % 6 === 3 ? 1 : 0],
  symbol: i % 6 === 3 ? "S1" : "S0",
  userAddress: USERS[i % 6 === 4 ? 1 : 0],
  createdAt: FIRST_S + i * STEP_S,
  updatedAt: FIRST_S + i * STEP_S + (i === 50 ? 9_000_000 : i % 100 === 0 ? 7_000 : 4),
}));
type Row = (typeof rows)[number];

const ROWS_OF = `jsonb_to_recordset($4) AS r (status text, side text, type text, "stockAddress" text, "userAddress" text,
  "createdAt" float8, "updatedAt" float8, "txHash" text, "claimId" uuid)`;
const COMMON_COLUMNS = `claim_id, ordinal, log_index, key_id, chain_id, product_type, tx_hash, source, created_at, updated_at, data,
  data_shape, type, user_address`;
const COMMON_VALUES = `"claimId", 0, 3, $1::uuid, $2::int, $3::text, "txHash", 'recorded', to_timestamp("createdAt"),
  to_timestamp("updatedAt"), '{}', 1, 'order.filled', "userAddress"`;
const SEEDS = [
  `INSERT INTO app.key_order (${COMMON_COLUMNS}, order_id, status, on_chain_status, side, order_type, stock_address)
   SELECT ${COMMON_VALUES}, "txHash", status, 'history', side, type, "stockAddress" FROM ${ROWS_OF}`,
  `INSERT INTO app.key_operation (${COMMON_COLUMNS}, kind, operation_id, status, token_address)
   SELECT ${COMMON_VALUES}, 'deposit', "txHash", CASE status WHEN 'Filled' THEN 'completed' ELSE 'failed' END, "stockAddress"
   FROM ${ROWS_OF}`,
];

let features: Features;
let caller: Caller;

beforeAll(async () => {
  features = await startFeatures([
    {
      deployment: { chainId: CHAIN_ID, ...CONTRACTS },
      products: [PRODUCT],
      rpcUrls: ["http://127.0.0.1:1"],
      confirmations: 1,
    },
  ]);
  const { pool } = features.deps;
  const onchain = await createOnchain(pool);
  const symbols = STOCKS.map((tokenAddress, n) => ({
    tokenAddress,
    symbol: `S${n}`,
    multiplier: 10n ** 18n,
  }));
  const scope = { chainId: CHAIN_ID, productType: PRODUCT };
  await onchain.insert("stockToken", ...symbols.map((token) => ({ ...scope, ...token })));
  await onchain.setBlock(CHAIN_ID, { number: 20n, timestamp: BigInt(FIRST_S) });
  caller = await features.makeCaller();
  // So that a dashboard knows the scope.
  await createClaim(pool, caller, { txHash: hex(32, ROWS), state: "dropped" });
  await project(features.deps);
  const identified = rows.map((row, i) => ({ ...row, txHash: hex(32, i), claimId: randomUUID() }));
  for (const statement of SEEDS)
    await pool.query(statement, [caller.keyId, CHAIN_ID, PRODUCT, JSON.stringify(identified)]);
  await pool.query("VACUUM ANALYZE");
});
afterAll(() => features?.close());

const time = (row: number) => FIRST_S + row * STEP_S;
type Filter = [query: Record<string, string | number>, lets: (row: Row) => boolean];
const equal = (name: keyof Row, value: string): Filter => [{ [name]: value }, (row) => row[name] === value];
const from = (s: number): Filter => [{ from: s }, ({ createdAt }) => createdAt >= s];
const to = (s: number): Filter => [{ to: s }, ({ createdAt }) => createdAt <= s];
const updatedAfter = (s: number): Filter => [{ updatedAfter: s }, ({ updatedAt }) => updatedAt > s];

const TIMES = [from(time(5_900)), to(time(100)), updatedAfter(time(5_900)), updatedAfter(time(5_000))];
const COMMON = [equal("userAddress", USERS[1]), ...TIMES];
const pairsOf = (filters: Filter[]): [Filter, Filter][] =>
  filters.flatMap((one, index) =>
    filters
      .slice(index + 1)
      .flatMap((other): [Filter, Filter][] =>
        Object.keys(one[0])[0] === Object.keys(other[0])[0] ? [] : [[one, other]],
      ),
  );

/** Rows that are read beside those that are counted: the page, those of other shapes, and what was open at a time. */
const MORE = 400;

async function expectTotal(
  [[query, lets], [other, alsoLets]]: [Filter, Filter],
  list: (deps: Features["deps"], query: object) => Promise<{ data: { total: number | null } }>,
): Promise<void> {
  const expected = rows.filter((row) => lets(row) && alsoLets(row)).length;
  const recorded = recordStatements(features.deps);
  const { data } = await list(recorded.deps, { ...query, ...other });
  const mostRows = await mostRowsRead(features.deps.pool, recorded.statements);
  const filters = { ...query, ...other };
  const isFew = mostRows < expected + MORE;
  expect({ filters, total: data.total, mostRows, isFew }).toEqual({
    filters,
    total: expected,
    mostRows,
    isFew: true,
  });
}

it.each(
  pairsOf([
    equal("status", "Canceled"),
    equal("side", "Sell"),
    equal("type", "Limit"),
    equal("symbol", "S1"),
    equal("stockAddress", STOCKS[1]),
    ...COMMON,
  ]).map(([one, other]) => ({
    name: JSON.stringify({ ...one[0], ...other[0] }),
    pair: [one, other] as [Filter, Filter],
  })),
)("orders with $name", async ({ pair }) => {
  await expectTotal(pair, (deps, query) => {
    const text = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return listOrders(deps, caller, { limit: "5", ...text });
  });
});

it.each<[name: string, query: Record<string, string>, total: number]>([
  ["all orders", {}, ROWS],
  ["a status", { status: "Filled" }, (ROWS * 5) / 6],
  ["all that ended", { onChainStatus: "history" }, ROWS],
  ["what ended in a status", { onChainStatus: "history", status: "Canceled" }, ROWS / 6],
  ["what is placed", { onChainStatus: "placing" }, 0],
  ["a side and a type", { side: "Buy", type: "Market" }, (ROWS * 4) / 6],
])("the total of %s is read, not counted", async (_name, query, total) => {
  const recorded = recordStatements(features.deps);
  const { data } = await listOrders(recorded.deps, caller, { limit: "5", ...query });
  expect({ total: data.total, totalExact: data.totalExact }).toEqual({ total, totalExact: true });
  expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(MORE);
});

it("the total of all operations of a kind is read, not counted", async () => {
  const recorded = recordStatements(features.deps);
  const { data } = await readOperations(recorded.deps, caller, "deposit", { page: 1, limit: 5 });
  expect(data.total).toBe(ROWS);
  expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(MORE);
});

it.each<[name: string, ofKey: boolean]>([
  ["all keys", false],
  ["a key", true],
])(
  "what few orders of %s have is found without their history, in either order of a dashboard",
  async (_name, ofKey) => {
    const recorded = recordStatements(features.deps);
    const keyId = ofKey ? { keyId: caller.keyId } : {};
    for (const orderBy of ["createdAt", "updatedAt"])
      for (const direction of ["asc", "desc"]) {
        for (const few of [{ status: "New" }, { onChainStatus: "open" }, { onChainStatus: "canceling" }]) {
          const orders = await listDashboardOrders(recorded.deps, {
            first: 5,
            orderBy,
            direction,
            ...few,
            ...keyId,
          });
          const { edges } = orders;
          const order = { orderBy, direction };
          expect({ ...order, edges, total: await orders.totalCount() }).toEqual({
            ...order,
            edges: [],
            total: 0,
          });
        }
      }
    expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(MORE);
  },
);

const failed: Filter = [{ status: "failed" }, ({ status }) => status === "Canceled"];
const token: Filter = [{ tokenAddress: STOCKS[1] }, ({ stockAddress }) => stockAddress === STOCKS[1]];

it.each(
  pairsOf([failed, token, ...COMMON]).map(([one, other]) => ({
    name: JSON.stringify({ ...one[0], ...other[0] }),
    pair: [one, other] as [Filter, Filter],
  })),
)("operations with $name", async ({ pair }) => {
  await expectTotal(pair, (deps, query) =>
    readOperations(deps, caller, "deposit", { page: 1, limit: 5, ...query }),
  );
});
