import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { buildApiSchema } from "../../src/api/schema.ts";
import type { Caller } from "../../src/auth/caller.ts";
import { listOperations, listOrders } from "../../src/dashboard/claims.ts";
import { readOrderSeries } from "../../src/dashboard/overview/orders.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createSends, createWallet } from "../support/db/builders/sends.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { project } from "../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../support/http/graphql.ts";

// Lists of the dashboard in every order that an index serves, page by page, in a real PostgreSQL.

const CHAIN_ID = 31337;
/** Has many rows. */
const LARGE_CHAIN = 31338;
const USER = hex(20, 0xa11ce);
const STOCK = hex(20, 0x57);
const WALLET = hex(20, 0x5e4d);
const FIRST_S = 1_799_000_000;
const WAD = 10n ** 18n;
const ROWS = 7;
const SAFE = 10;

let features: Features;
let onchain: Onchain;
let server: GraphqlServer;
let key: Caller;

/** Changes come in another order than claims; two rows have one time of mapping, and two others one of change. */
const mappedAt = (index: number) => FIRST_S + Math.floor(index / 2);
const changedAt = (index: number) => FIRST_S + 100 + Math.floor(((index * 3) % ROWS) / 2);

beforeAll(async () => {
  features = await startFeatures(
    [CHAIN_ID, LARGE_CHAIN].map((chainId) => ({
      deployment: { chainId, ...CONTRACTS },
      rpcUrls: ["http://127.0.0.1:1"],
      confirmations: 1,
    })),
  );
  const { pool } = features.deps;
  onchain = await createOnchain(pool);
  server = await startGraphql({ schema: buildApiSchema(), deps: features.deps });
  key = await features.makeCaller();
  await createWallet(pool, WALLET, { chainIds: [CHAIN_ID] });
  await onchain.setBlock(
    CHAIN_ID,
    { number: 20n, timestamp: BigInt(FIRST_S) },
    { number: 10n, timestamp: 1n },
  );
  for (let index = 0; index < ROWS; index++) await seed(index);
  await project(features.deps, [CHAIN_ID]);
});

afterAll(async () => {
  await server?.stop();
  await features?.close();
});

/** Inserts an order and a deposit. Those of the highest indexes are not final. */
async function seed(index: number): Promise<void> {
  const createdAt = new Date(mappedAt(index) * 1_000);
  const block = BigInt(index < ROWS - 2 ? SAFE - 1 : SAFE + 1);
  const scope = { chainId: CHAIN_ID, productType: PRODUCT, userAddress: USER };
  const times = { updatedAt: BigInt(changedAt(index)), blockNumber: block, updatedBlock: block };
  for (const [operationType, offset] of [
    ["trade", 0x1000],
    ["deposit", 0x2000],
  ] as const) {
    const txHash = hex(32, offset + index);
    await createClaim(features.deps.pool, key, { operationType, txHash, createdAt, updatedAt: createdAt });
    const common = { ...scope, ...times, txHash, logIndex: 1 };
    if (operationType === "trade") {
      const order = {
        orderId: hex(32, 0xabc00 + index),
        stockAddress: STOCK,
        quantity: WAD,
        price: WAD,
      } as const;
      await onchain.insert("stockOrder", {
        ...common,
        ...order,
        side: "Buy",
        orderType: "Limit",
        status: "open",
      });
    } else {
      const operation = { opId: hex(32, 0xdef00 + index), tokenAddress: STOCK, wadAmount: WAD } as const;
      await onchain.insert("cashOperation", {
        ...common,
        ...operation,
        kind: "deposit",
        status: "completed",
      });
    }
  }
  await createSends(features.deps.pool, key, { userAddress: USER, wallet: WALLET, acceptedAt: createdAt });
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any query
async function post(fields: string): Promise<any> {
  return (await postGraphql(server.url, { query: `{ dashboard { ${fields} } }` })).json;
}

const NODES = {
  orders: "order { orderId }",
  operations: "operation { operationId }",
  sendRequests: "requestId",
  keys: "keyId",
};
type List = keyof typeof NODES;

/** Returns the rows of a list, in pages of three. */
async function pages(list: List, args: string): Promise<string[]> {
  const rows: string[] = [];
  let after = "";
  for (let page = 0; page < ROWS; page++) {
    const fields = `${list}(first: 3, ${args}${after}) { edges { node { ${NODES[list]} } } pageInfo { hasNextPage endCursor } }`;
    const json = await post(fields);
    if (json.errors) throw new Error(JSON.stringify(json.errors));
    const { edges, pageInfo } = json.data.dashboard[list];
    rows.push(
      ...edges.map(({ node }: { node: unknown }) =>
        String(/"([0-9a-fx-]{20,})"/.exec(JSON.stringify(node))?.[1]),
      ),
    );
    if (!pageInfo.hasNextPage) return rows;
    after = `, after: "${pageInfo.endCursor}"`;
  }
  throw new Error("the list has no end");
}

const idsOf = { orders: 0xabc00, operations: 0xdef00 };
const timesOf = { createdAt: mappedAt, updatedAt: changedAt };

/** Holds a list against the times of its rows: which of two at one time comes first is decided by their claims. */
function expectSorted(list: keyof typeof idsOf, rows: string[], by: keyof typeof timesOf): void {
  const indexes = rows.map((id) => Number(BigInt(id)) - idsOf[list]);
  const keyOf = (index: number) => [timesOf[by](index), mappedAt(index)];
  expect(indexes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, index) => index));
  const sorted = indexes.toSorted((a, b) => {
    const [x = [], y = []] = [keyOf(a), keyOf(b)];
    return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0);
  });
  expect(indexes.map(keyOf)).toEqual(sorted.map(keyOf));
}

describe("lists of every key", () => {
  const cases = (["orders", "operations"] as const).flatMap((list) =>
    (["createdAt", "updatedAt"] as const).map((by) => ({ list, by })),
  );
  it.each(cases)("$list come by $by in both directions, each once", async ({ list, by }) => {
    const rows = await pages(list, `orderBy: "${by}", direction: "asc"`);
    expectSorted(list, rows, by);
    const reverse = await pages(list, `orderBy: "${by}", direction: "desc"`);
    expect(reverse.toReversed()).toEqual(rows);
  });

  it("what changed after a time is the same in every order", async () => {
    const after = `updatedAfter: ${changedAt(0)}`;
    const newest = await pages("orders", after);
    expect(newest.length).toBeLessThan(ROWS);
    expect((await pages("orders", `${after}, direction: "asc"`)).toReversed()).toEqual(newest);
    const changes = await pages("orders", `${after}, orderBy: "updatedAt"`);
    expect(changes.toSorted()).toEqual(newest.toSorted());
  });
});

describe("among thousands of rows", () => {
  beforeAll(async () => {
    const { pool } = features.deps;
    await onchain.setBlock(LARGE_CHAIN, { number: 20n, timestamp: BigInt(FIRST_S) });
    const { keyId } = await features.makeCaller({ chainId: LARGE_CHAIN });
    await project(features.deps, [LARGE_CHAIN]);
    // Triggers write the rows of the claims: there is nothing to index of them.
    await pool.query(LARGE, [keyId, LARGE_CHAIN, PRODUCT]);
    for (const table of ["key_order", "key_operation"])
      await pool.query(
        `UPDATE app.${table} SET updated_at = to_timestamp(2 * ${FIRST_S}::float8 - extract(epoch FROM created_at)::float8 + 10000)
         WHERE chain_id = $1`,
        [LARGE_CHAIN],
      );
    await pool.query("ANALYZE");
  });

  it.each([
    ["createdAt", "asc"],
    ["updatedAt", "asc"],
    ["updatedAt", "desc"],
  ])("a page by %s %s reads what it shows, by an index", async (orderBy, direction) => {
    const recorded = recordStatements(features.deps);
    const args = { chainId: String(LARGE_CHAIN), first: "3", orderBy, direction };
    const lists = [await listOrders(recorded.deps, args), await listOperations(recorded.deps, args)];
    expect({ edgesPerList: lists.map(({ edges }) => edges.length) }).toEqual({ edgesPerList: [3, 3] });
    expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(500);
  });

  it("a series reads the rows that it counts, once", async () => {
    features.clock.nowMs = (FIRST_S + 10_000) * 1_000;
    const recorded = recordStatements(features.deps);
    const { points } = await readOrderSeries(recorded.deps, {
      chainId: String(LARGE_CHAIN),
      from: String(FIRST_S + 8_000),
    });
    features.clock.nowMs = null;
    // Steps of a minute: the first one may begin before the span.
    expect(Math.abs(points.reduce((sum, { count }) => sum + count, 0) - 1_000)).toBeLessThan(60);
    expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(1_500);
  });
});

/** A claim a second, to an order and to a deposit in turns, all failed; they change in the opposite order. */
const LARGE = `
  INSERT INTO app.transaction_claim (key_id, chain_id, product_type, operation_type, tx_hash, source, state, created_at)
  SELECT $1::uuid, $2::int, $3::text, (ARRAY['trade', 'deposit'])[1 + i % 2]::app.operation_type, '0x' || lpad(to_hex(i), 64, '0'),
    'recorded', 'reverted', to_timestamp(${FIRST_S} + i)
  FROM generate_series(1, 10000) i`;

it.each(["sendRequests", "keys"] as const)("%s come in both directions", async (list) => {
  if (list === "keys") for (let index = 0; index < 4; index++) await features.makeCaller();
  const newest = await pages(list, 'orderBy: "createdAt", direction: "desc"');
  expect(newest).toEqual(await pages(list, ""));
  expect((await pages(list, 'direction: "asc"')).toReversed()).toEqual(newest);
});

describe("what is wrong is named", () => {
  it.each([
    ['orders(orderBy: "price") { totalCount }', "orderBy"],
    ['operations(orderBy: "created_at") { totalCount }', "orderBy"],
    ['sendRequests(orderBy: "updatedAt") { totalCount }', "orderBy"],
    ['keys(orderBy: "updatedAt") { totalCount }', "orderBy"],
    ['orders(direction: "down") { totalCount }', "direction"],
  ])("%s", async (field, param) => {
    expect((await post(field)).errors[0].extensions).toMatchObject({ errCode: "VALIDATION_FAILED", param });
  });

  const ORDERS = ["", 'direction: "asc"', 'orderBy: "updatedAt"', 'orderBy: "updatedAt", direction: "asc"'];
  const foreign = [
    ...ORDERS.map((own, index) => ({
      list: "orders",
      own,
      other: ORDERS[(index + 1) % ORDERS.length] ?? "",
    })),
    { list: "operations", own: 'direction: "asc"', other: "" },
    { list: "sendRequests", own: "", other: 'direction: "asc"' },
    { list: "keys", own: 'direction: "asc"', other: "" },
  ];
  it.each(foreign)("a cursor of $list ($own) is none of ($other)", async ({ list, own, other }) => {
    const first = await post(`${list}(first: 1, ${own}) { pageInfo { endCursor } }`);
    const cursor = first.data.dashboard[list].pageInfo.endCursor;
    const { errors } = await post(`${list}(${other}, after: "${cursor}") { edges { cursor } }`);
    expect(errors[0].extensions).toMatchObject({ errCode: "VALIDATION_FAILED", param: "after" });
  });
});
