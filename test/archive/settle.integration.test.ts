import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type pg from "pg";
import { settleChain } from "../../src/archive/settle.ts";
import { nextBlock } from "../../src/archive/store.ts";
import type { Caller } from "../../src/auth/caller.ts";
import type { Viewer } from "../../src/auth/viewer.ts";
import { listScopeOf } from "../../src/claims/list-scope.ts";
import { settledCountSql } from "../../src/claims/settled-page-store.ts";
import { recount } from "../../src/cli/lists/recount.ts";
import { runCommand } from "../../src/cli/run.ts";
import {
  listOperations as listDashboardOperations,
  listOrders as listDashboardOrders,
} from "../../src/dashboard/claims.ts";
import { createPrisma } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { OPERATION_KINDS } from "../../src/operations/kinds.ts";
import { readOperations } from "../../src/operations/store.ts";
import { orderRows } from "../../src/orders/list-store.ts";
import { ON_CHAIN_STATUSES, OPERATION_STATUSES, ORDER_STATUSES } from "../../src/protocol/enums.ts";
import { LONG } from "../support/assert/long.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { SEED, type SeededRandom, seededRandom } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import { ARCHIVE } from "../support/db/archive.ts";
import { createClaim, createInvalidAttributions } from "../support/db/builders/claims.ts";
import { dyingPool } from "../support/db/dying-pool.ts";
import { empty } from "../support/db/empty.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { createOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { listOrders } from "../support/http/verbs.ts";
import { wrongCounts } from "./counts.ts";
import { CHAIN_ID, createRandomChain, OURS, type RandomChain, STOCKS, USERS } from "./random-chain.ts";
import { createRandomClaims } from "./random-claims.ts";

// What lists show is the same whether they read the archive or join every claim with the index.

const PRODUCTS = [PRODUCT, "Second"];
const DAYS = LONG ? 20 : 1;
const STEPS = LONG ? 30 : 14;
/** Claims that a day must settle to show anything. */
const SETTLED_MIN = 20;
/** Lists that are compared at a time: planning their statements takes most of the time. */
const SAMPLE = 8;
/** Of a dashboard's lists, which are counted besides. */
const DASHBOARD_SAMPLE = 4;

let features: Features;
let onchain: Onchain;
/** Plans each statement once: that is most of what these lists take. */
let prisma: PrismaClient;
let callers: Caller[];
let viewers: Viewer[];

beforeAll(async () => {
  features = await startFeatures([
    {
      ...{ deployment: { chainId: CHAIN_ID, ...CONTRACTS }, products: PRODUCTS },
      ...{ rpcUrls: ["http://127.0.0.1:1"], confirmations: 1 },
    },
  ]);
  onchain = await createOnchain(features.deps.pool);
  prisma = createPrisma(`${features.databaseUrl}?options=-c%20plan_cache_mode%3Dforce_generic_plan`, {
    max: 1,
    preparedStatements: true,
  });
  callers = await Promise.all([
    features.makeCaller(),
    features.makeCaller(),
    features.makeCaller({ userAddress: USERS[0] ?? null }),
  ]);
  viewers = [...callers, { chainId: CHAIN_ID, productType: PRODUCT, keyId: null }];
  await onchain.insert(
    "stockToken",
    ...PRODUCTS.flatMap((productType) =>
      STOCKS.map((tokenAddress, n) => ({
        ...{ chainId: CHAIN_ID, productType, tokenAddress, symbol: `S${n}`, multiplier: 10n ** 18n },
      })),
    ),
  );
  // No node is asked here: none of these tokens has a symbol of its own.
  const { tokens } = present(features.deps.chains.get(CHAIN_ID), "the chain");
  jest.spyOn(tokens, "metadata").mockResolvedValue(new Map());
});

afterAll(async () => {
  await prisma?.$disconnect();
  await features?.close();
});

beforeEach(async () => {
  await empty(
    features.deps.pool,
    "app.transaction_claim",
    "app.transaction_attribution",
    "app.invalid_attribution",
    ...ARCHIVE,
  );
});

const CHAIN = { chainId: CHAIN_ID, confirmations: 1 };
const settle = () => settleChain(features.deps, CHAIN);
/** Runs the operator's command. @returns its exit code */
const rebuild = (write: (text: string) => unknown = () => undefined) =>
  runCommand(["lists", "rebuild"], {
    env: { DATABASE_URL: features.databaseUrl },
    ...{ stdout: { write }, stderr: { write } },
  });
/** Begins an archive that is complete and has settled nothing. */
const createProgressRows = (pool: pg.Pool) =>
  pool.query(
    "INSERT INTO app.settled_chain (chain_id, build_id, block_number, complete) VALUES ($1, 'first', 10, true)",
    [CHAIN_ID],
  );

/** Pairs of queries, as one each. */
const PAIRS = 12;

/** Every documented filter alone, and some together. */
function queriesOf(random: SeededRandom, chain: RandomChain) {
  const second = () => Math.floor(chain.nowMs() / 1000) - random.below(400);
  const from = second();
  const common = [
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
  const orders = [
    ...common,
    ...ORDER_STATUSES.map((status) => ({ status })),
    ...ON_CHAIN_STATUSES.map((onChainStatus) => ({ onChainStatus })),
    { side: "Sell" },
    { type: "Limit" },
    { symbol: "s1" },
    { symbol: "none" },
    { stockAddress: random.of(STOCKS) },
    { clientOrderId: `order-${random.below(9)}` },
    { status: "Filled", side: "Buy", updatedAfter: second() },
  ];
  const operations = [
    ...common,
    ...OPERATION_STATUSES.map((status) => ({ status })),
    { tokenAddress: random.of(STOCKS) },
  ];
  const some = (queries: object[]): object[] => {
    const pairs = Array.from({ length: PAIRS }, () => ({ ...random.of(queries), ...random.of(queries) }));
    return random.some([...queries, ...pairs], SAMPLE);
  };
  return { orders: some(orders), operations: some(operations), kind: random.of(OPERATION_KINDS) };
}

/** All lists, by their queries; the plain ones are also walked by their cursors. */
async function readAll(viewer: Viewer, { orders, operations, kind }: ReturnType<typeof queriesOf>) {
  const deps = { ...features.deps, prisma };
  const lists: Record<string, unknown> = {};
  const text = (query: object) => Object.fromEntries(Object.entries(query).map(([k, v]) => [k, String(v)]));
  for (const query of orders) {
    lists[`orders ${JSON.stringify(query)}`] = await listOrders(deps, viewer, { limit: "4", ...text(query) });
  }
  for (const query of operations) {
    const input = { page: 1, limit: 4, ...query };
    lists[`${kind} ${JSON.stringify(query)}`] = await readOperations(prisma, viewer, kind, input);
  }
  let cursor: string | null | undefined;
  for (let page = 0; cursor !== null && page < 4; page++) {
    const { data } = await listOrders(deps, viewer, { limit: "3", ...(cursor ? { cursor } : {}) });
    lists[`cursor ${page}`] = data.rows;
    cursor = data.nextCursor;
  }
  return lists;
}

/** The same of a dashboard, over some scopes; totals are read from each, and the plain list is walked by its cursors. */
async function readDashboard(scope: object, { orders, operations, kind }: ReturnType<typeof queriesOf>) {
  const deps = { ...features.deps, prisma };
  const lists: Record<string, unknown> = {};
  const read = async (list: typeof listDashboardOrders | typeof listDashboardOperations, query: object) => {
    const { page: _page, limit: _limit, ...filters } = { page: 1, limit: 1, ...query };
    const connection = await list(deps, { first: 4, ...scope, ...filters });
    const { totalCount, edges, ...rest } = connection;
    lists[`${list.name} ${JSON.stringify(query)}`] = { ...rest, edges, total: await totalCount() };
    return connection.pageInfo.endCursor;
  };
  for (const query of orders.slice(0, DASHBOARD_SAMPLE)) await read(listDashboardOrders, query);
  for (const query of operations.slice(0, DASHBOARD_SAMPLE)) await read(listDashboardOperations, query);
  await read(listDashboardOperations, { kind });
  let after: string | null = await read(listDashboardOrders, { first: 3 });
  for (let page = 0; after !== null && page < 2; page++)
    after = await read(listDashboardOrders, { first: 3, after });
  return lists;
}

/** Returns a reader of one partner's lists, or of a dashboard's over some scopes. */
function someReader(random: SeededRandom, chain: RandomChain): () => Promise<Record<string, unknown>> {
  const queries = queriesOf(random, chain);
  const viewer = random.of(viewers);
  if (random.chance(0.6)) return () => readAll(viewer, queries);
  const productType = random.of(PRODUCTS);
  const scopes = [{}, { chainId: CHAIN_ID }, { productType }, { chainId: CHAIN_ID, productType }];
  const keyId = random.chance(0.5) ? { keyId: random.of(callers).keyId } : {};
  const scope = { ...random.of(scopes), ...keyId };
  return () => readDashboard(scope, queries);
}

async function expectSameLists(random: SeededRandom, chain: RandomChain): Promise<void> {
  const { pool } = features.deps;
  const read = someReader(random, chain);
  const { rows } = await pool.query<{ complete: boolean }>("SELECT complete FROM app.settled_chain");
  const archived = await read();
  await pool.query("UPDATE app.settled_chain SET complete = false");
  const joined = await read();
  await pool.query("UPDATE app.settled_chain SET complete = $1", [rows[0]?.complete ?? false]);
  expect(archived).toEqual(joined);
}

it.each(Array.from({ length: DAYS }, (_, day) => SEED + day))(
  "lists are the same from the archive and from claims, on a random day (TEST_SEED=%d)",
  async (seed) => {
    const random = seededRandom(seed);
    const chain = createRandomChain(onchain, random, ...PRODUCTS);
    const elsewhere = callers.map((caller) => ({ ...caller, productType: "Second" }));
    const scopes = [...callers, ...callers, ...elsewhere];
    const claims = createRandomClaims(features.deps.pool, scopes, { random, chain });
    let settled = 0;
    await chain.mine();
    // Chance may let little become final: such a day lasts longer.
    for (let step = 0; step < STEPS || (settled <= SETTLED_MIN && step < 10 * STEPS); step++) {
      for (let n = random.below(16); n >= 0; n--) {
        const { mine, reorg } = chain;
        const { add, change, rebind } = claims;
        await random.of([mine, mine, mine, mine, reorg, add, add, add, change, () => rebind()])();
      }
      await claims.watch();
      if (random.chance(0.6)) {
        const workers = random.chance(0.3) ? [settle(), settle()] : [settle()];
        for (const { claims: count } of await Promise.all(workers)) settled += count;
      }
      await expectSameLists(random, chain);
    }
    await claims.unbind();
    expect(settled).toBeGreaterThan(SETTLED_MIN);
    expect(await wrongCounts(features.deps.pool)).toEqual([]);
  },
  180_000,
);

describe("a key with orders that are final", () => {
  const WAD = 10n ** 18n;
  const orderOf = (n: number): Row<"stockOrder"> => ({
    ...{
      chainId: CHAIN_ID,
      productType: PRODUCT,
      orderId: hex(32, 0xabc000 + n),
      txHash: hex(32, 0x1000 + n),
    },
    ...{ blockNumber: 3n, updatedBlock: 3n, createdAt: 1_799_000_000n, updatedAt: 1_799_000_100n },
    ...{ userAddress: hex(20, 0xa1), stockAddress: hex(20, 0x571), side: "Buy", orderType: "Limit" },
    ...{ status: "open", quantity: WAD, price: WAD },
  });
  const ORDERS = 12;
  const block = (number: bigint) => ({ number, timestamp: 1_799_000_200n });
  const publish = (
    change: (row: Row<"stockOrder">, n: number) => Row<"stockOrder"> = (row) => row,
    stockOperation: Row<"stockOperation">[] = [],
  ) => {
    const stockOrder = Array.from({ length: ORDERS }, (_, n) => change(orderOf(n), n));
    return onchain.replace(CHAIN_ID, { stockOrder, stockOperation }, block(20n), block(10n));
  };
  const caller = () => present(callers[0], "a caller");
  const list = (query: Record<string, string> = {}) =>
    listOrders(features.deps, caller(), { limit: "100", ...query });
  const ids = async (query?: Record<string, string>) =>
    (await list(query)).data.rows.map(({ orderId }) => orderId);
  const total = async (query: Record<string, string>) => (await list(query)).data.total;
  const settledCount = async () => {
    const { rows } = await features.deps.pool.query("SELECT count(*)::int AS settled FROM app.settled_order");
    return Number(rows[0].settled);
  };

  beforeEach(async () => {
    await features.deps.pool.query(
      `UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "first"}'`,
    );
    await publish();
    for (let n = 0; n < ORDERS; n++) {
      const createdAt = new Date(1_799_000_110_000 + n);
      await createClaim(features.deps.pool, caller(), {
        txHash: hex(32, 0x1000 + n),
        createdAt,
        updatedAt: createdAt,
      });
    }
  });

  it("has them in the archive, and nothing left in the tail", async () => {
    expect(await settle()).toMatchObject({ complete: true });
    const { rows } = await features.deps.pool.query("SELECT count(*)::int AS left FROM app.unsettled_claim");
    expect([await settledCount(), rows[0].left]).toEqual([ORDERS, 0]);
    expect(await ids()).toHaveLength(ORDERS);
  });

  it("pages through all of them by cursor while they move into the archive", async () => {
    const whole = await ids();
    const seen: unknown[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { data } = await list({ limit: "5", ...(cursor ? { cursor } : {}) });
      seen.push(...data.rows.map(({ orderId }) => orderId));
      cursor = data.nextCursor;
      await settle();
    }
    expect(seen).toEqual(whole);
    expect(await settledCount()).toBe(ORDERS);
  });

  it("shows a change of one of them at once, and takes it back with its block", async () => {
    await settle();
    await publish((row, n) =>
      n === 3 ? { ...row, status: "filled", filledQuantity: WAD, updatedBlock: 15n } : row,
    );
    expect(await ids({ status: "Filled" })).toEqual([hex(32, 0xabc003)]);
    expect(await ids({ status: "New" })).toHaveLength(ORDERS - 1);
    const queries: Record<string, string>[] = [{}, { status: "New" }, { status: "Filled" }];
    expect(await Promise.all(queries.map(total))).toEqual([ORDERS, ORDERS - 1, 1]);
    // As many settled rows as are counted at most, one of which has changed since.
    const counted = settledCountSql(
      { ...orderRows({ status: "New" }, caller().keyId), scope: listScopeOf(caller()) },
      ORDERS - 1,
    );
    expect(await prisma.$queryRaw(counted)).toEqual([{ usable: true, total: ORDERS - 1 }]);
    await settle();
    await publish();
    expect(await ids({ status: "Filled" })).toEqual([]);
    expect(await ids({ status: "New" })).toHaveLength(ORDERS);
  });

  it("loses what a key claims later with a better right, in the transaction of that claim", async () => {
    await settle();
    const other = present(callers[1], "another caller");
    await createClaim(features.deps.pool, other, { txHash: hex(32, 0x1005), source: "send" });
    expect(await ids()).not.toContain(hex(32, 0xabc005));
    expect((await listOrders(features.deps, other, {})).data.rows).toHaveLength(1);
    expect(await settledCount()).toBe(ORDERS - 1);
  });

  it("loses what has a suffix in our form while it has no verdict, and gets it with the verdict", async () => {
    const { pool } = features.deps;
    const txHash = hex(32, 0x1005);
    const at = { chainId: CHAIN_ID, productType: PRODUCT, txHash, blockNumber: 5n, transactionIndex: 0 };
    await onchain.insert("attributionSuffix", { ...at, callData: "0x", suffix: OURS, fromAddress: "0x" });
    await settle();
    expect(await ids()).toHaveLength(ORDERS);
    // By the rule before, it needs none.
    await pool.query("UPDATE app.transaction_claim SET rule_version = 2 WHERE tx_hash = $1", [txHash]);
    expect(await ids()).not.toContain(hex(32, 0xabc005));
    await settle();
    expect([await ids(), await settledCount()]).toEqual([expect.any(Array), ORDERS - 1]);
    await createInvalidAttributions(pool, CHAIN_ID, txHash);
    expect(await ids()).toHaveLength(ORDERS);
    await settle();
    expect([(await ids()).length, await settledCount()]).toEqual([ORDERS, ORDERS]);
    await pool.query("DELETE FROM onchain.attribution_suffix");
  });

  it("stays the key's when another user is bound to it, settled or not, and goes when another key's record is made anew", async () => {
    const { pool } = features.deps;
    const [other, first] = [present(callers[1], "another caller"), hex(32, 0x1000)];
    const lists = async () => [
      (await ids()).length,
      (await listOrders(features.deps, other, {})).data.rows.length,
    ];
    const bind = ({ keyId }: Caller, user: string | null) =>
      pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [keyId, user]);
    const createdAt = new Date(1_799_000_120_000);
    await createClaim(pool, other, { txHash: first, ruleVersion: 2, beforeFinal: true, createdAt });
    for (const work of [() => Promise.resolve(null), settle]) {
      await bind(caller(), hex(20, 0xbad));
      await bind(other, hex(20, 0xa1));
      await work();
      expect(await lists()).toEqual([ORDERS, 0]);
    }
    expect(await settledCount()).toBe(ORDERS);
    await pool.query(
      "UPDATE app.transaction_claim SET created_at = created_at + interval '1 millisecond' WHERE key_id = $1",
      [other.keyId],
    );
    expect(await lists()).toEqual([ORDERS - 1, 1]);
    await settle();
    expect([await lists(), await settledCount()]).toEqual([[ORDERS - 1, 1], ORDERS]);
    for (const key of [caller(), other]) await bind(key, null);
  });

  it("takes back all that one statement changes, before and after, and nothing for what changes no list", async () => {
    await settle();
    const { pool } = features.deps;
    const moved = [hex(32, 0x1001), hex(32, 0x1002)];
    const other = present(callers[1], "another caller");
    const unsettled = async () => {
      const { rows } = await pool.query("SELECT tx_hash FROM app.unsettled_claim ORDER BY tx_hash");
      return rows.map(({ tx_hash }) => tx_hash);
    };
    await pool.query("UPDATE app.transaction_claim SET updated_at = updated_at, state = 'final'");
    expect([await unsettled(), await settledCount()]).toEqual([[], ORDERS]);
    await createClaim(pool, other, { txHash: null, source: "send" });
    await createClaim(pool, other, { txHash: null, source: "send", operationType: "deposit" });
    expect([await unsettled(), await settledCount()]).toEqual([[null, null], ORDERS]);
    await pool.query(
      `UPDATE app.transaction_claim SET tx_hash = (CASE operation_type WHEN 'trade' THEN $1::text[] ELSE $2::text[] END)[1]
       WHERE tx_hash IS NULL`,
      [moved.slice(0, 1), moved.slice(1)],
    );
    expect(await unsettled()).toEqual([moved[0], moved[0], moved[1], moved[1]]);
    expect(await settledCount()).toBe(ORDERS - 2);
    expect(await ids()).not.toContain(hex(32, 0xabc001));
    expect((await listOrders(features.deps, other, {})).data.rows).toHaveLength(1);
    await settle();
    await pool.query("UPDATE app.transaction_claim SET tx_hash = NULL WHERE key_id = $1", [other.keyId]);
    // Before: the transactions are the first key's again.
    expect(await ids()).toHaveLength(ORDERS);
  });

  it("shows what a transaction did after all although its claim was settled as failed", async () => {
    const txHash = hex(32, 0x2000);
    const claimId = await createClaim(features.deps.pool, caller(), {
      ...{ txHash, operationType: "stock-withdraw" },
      updatedAt: new Date(1_799_000_110_000),
    });
    await features.deps.pool.query(
      "UPDATE app.transaction_claim SET state = 'reverted' WHERE claim_id = $1",
      [claimId],
    );
    await settle();
    const statuses = async () => {
      const input = { page: 1, limit: 5 };
      const { data } = await readOperations(prisma, caller(), "stock-withdraw", input);
      return data.rows.map(({ operation }) => operation?.status ?? "failed");
    };
    expect(await statuses()).toEqual(["failed"]);
    await publish(undefined, [
      {
        ...{ chainId: CHAIN_ID, productType: PRODUCT, txHash, opId: hex(32, 0xdef), kind: "stock-withdraw" },
        ...{ userAddress: hex(20, 0xa1), tokenAddress: hex(20, 0x571), amount: WAD, blockNumber: 15n },
      },
    ]);
    expect(await statuses()).toEqual(["completed"]);
  });

  it("asks for what is new and gets what was mapped since, although a clock was set back after that", async () => {
    const mappedAt = 1_799_000_150;
    await createClaim(features.deps.pool, caller(), {
      ...{ txHash: hex(32, 0x3000), state: "reverted" },
      ...{ createdAt: new Date(mappedAt * 1000), updatedAt: new Date((mappedAt - 40) * 1000) },
    });
    const changed = async () => (await list({ updatedAfter: String(mappedAt - 1) })).data.rows.length;
    expect(await changed()).toBe(1);
    await settle();
    expect(await changed()).toBe(1);
  });

  it("is read from another build of the index, and settled anew", async () => {
    await settle();
    await features.deps.pool.query(
      `UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "second"}'`,
    );
    await publish((row) => ({ ...row, status: "canceled" }));
    expect(await ids({ status: "Canceled" })).toHaveLength(ORDERS);
    await settle();
    expect(await ids({ status: "Canceled" })).toHaveLength(ORDERS);
    const { rows } = await features.deps.pool.query("SELECT build_id, complete FROM app.settled_chain");
    expect(rows).toEqual([{ build_id: "second", complete: true }]);
  });

  it("is settled once the index is ready, and not before", async () => {
    const { pool } = features.deps;
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 0, "build_id": "first"}'`);
    expect(await settle()).toMatchObject({ complete: true, claims: 0 });
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "first"}'`);
    await settle();
    expect(await settledCount()).toBe(ORDERS);
  });

  it("is settled without waiting for claims that somebody else holds", async () => {
    const { pool } = features.deps;
    await createProgressRows(pool);
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM app.unsettled_claim WHERE tx_hash = $1 FOR UPDATE", [
        hex(32, 0x1003),
      ]);
      expect(await settle()).toMatchObject({ complete: true, claims: ORDERS - 1 });
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
    expect(await settle()).toMatchObject({ complete: true, claims: 1 });
  });

  it("is settled without waiting for another worker that settles the chain", async () => {
    const { pool } = features.deps;
    await createProgressRows(pool);
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM app.settled_chain WHERE chain_id = $1 FOR UPDATE", [CHAIN_ID]);
      expect(await settle()).toMatchObject({ complete: true, claims: 0 });
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
  });

  it("moves on by a bounded number of changes at a time", async () => {
    await publish((row, n) => ({ ...row, updatedBlock: BigInt(4 + n) }));
    const next = (block: bigint, changesMax: number) =>
      nextBlock(features.deps.pool, { chainId: CHAIN_ID, block, safe: 10n, changesMax });
    expect([await next(3n, 2), await next(5n, 2), await next(5n, 5)]).toEqual([5n, 7n, 10n]);
    expect([await next(5n, 6), await next(8n, 3)]).toEqual([10n, 10n]);
    await publish((row, n) => ({ ...row, updatedBlock: BigInt(4 + (n % 3)) }));
    expect([await next(3n, 12), await next(3n, 13)]).toEqual([6n, 10n]);
  });

  it("is settled anew by the operator's command", async () => {
    await settle();
    await features.deps.pool.query("UPDATE app.settled_order SET status = 'Expired'");
    expect(await ids({ status: "Expired" })).toHaveLength(ORDERS);
    const output: string[] = [];
    expect(await rebuild((text) => output.push(text))).toBe(0);
    expect(output.at(-1)?.trim().split(/ {2,}/)).toEqual([String(CHAIN_ID), "being filled", "10", "0"]);
    expect(await ids({ status: "Expired" })).toEqual([]);
    await settle();
    expect(await ids({ status: "New" })).toHaveLength(ORDERS);
    expect(await settledCount()).toBe(ORDERS);
  });

  it("has its totals right again by the operator's command", async () => {
    await settle();
    const { pool } = features.deps;
    await pool.query("UPDATE app.settled_count SET row_count = row_count + 5");
    expect(await total({})).toBe(ORDERS + 5);
    expect(await rebuild()).toBe(0);
    await settle();
    expect([await total({}), await total({ status: "New" })]).toEqual([ORDERS, ORDERS]);
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted while several transactions take rows of it out of the archive, and none waits for another", async () => {
    await settle();
    const { pool } = features.deps;
    const holders = await Promise.all([pool.connect(), pool.connect()]);
    try {
      for (const [n, holder] of holders.entries()) {
        await holder.query("BEGIN");
        await holder.query("SET LOCAL lock_timeout = '1s'");
        await holder.query("SELECT app.unsettle($1::int[], $2::text[], '{}', false)", [
          [CHAIN_ID],
          [hex(32, 0x1000 + n)],
        ]);
      }
      expect(await total({})).toBe(ORDERS);
      await holders[0]?.query("COMMIT");
      await holders[1]?.query("ROLLBACK");
    } finally {
      for (const holder of holders) holder.release();
    }
    expect([await settledCount(), await total({ status: "New" })]).toEqual([ORDERS - 1, ORDERS]);
    expect(await wrongCounts(pool)).toEqual([]);
    await settle();
    const { rows } = await pool.query("SELECT count(*)::int AS unmerged FROM app.settled_count_change");
    expect(rows).toEqual([{ unmerged: 0 }]);
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted once more without waiting for a transaction that has not committed, and exactly", async () => {
    await settle();
    const { pool } = features.deps;
    await empty(pool, "app.settled_count", "app.settled_count_change");
    const writer = await pool.connect();
    try {
      await writer.query("BEGIN");
      await writer.query("DELETE FROM app.settled_order WHERE tx_hash = $1", [hex(32, 0x1000)]);
      await writer.query("UPDATE app.settled_order SET status = 'Expired' WHERE tx_hash = $1", [
        hex(32, 0x1001),
      ]);
      await pool.query("SELECT app.recount_settled()");
      expect(await total({})).toBe(ORDERS);
      await writer.query("COMMIT");
    } finally {
      writer.release();
    }
    expect([await total({}), await total({ status: "Expired" })]).toEqual([ORDERS - 1, 1]);
    await pool.query("SELECT app.recount_settled()");
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted once more by two at once, who add what is lacking once", async () => {
    await settle();
    const { pool } = features.deps;
    await empty(pool, "app.settled_count", "app.settled_count_change");
    let second: Promise<unknown> = Promise.resolve();
    await inTransaction(pool, async (tx) => {
      await tx.query("SELECT app.recount_settled()");
      second = pool.query("SELECT app.recount_settled()");
      await waitsForLock(pool, "%app.recount_settled%", second);
    });
    await second;
    expect(await total({})).toBe(ORDERS);
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted once more beside a worker that settles, without a deadlock", async () => {
    await settle();
    const { pool } = features.deps;
    const add = async (client: pg.Pool | pg.PoolClient, table: string, keyId: string): Promise<void> => {
      const kind = table === "app.settled_order" ? "" : "kind, ";
      await client.query(
        `INSERT INTO ${table} (claim_id, log_index, key_id, chain_id, product_type, created_at, updated_at, ${kind}status)
         VALUES (gen_random_uuid(), 0, $1, $2, 'other', now(), now(), ${kind && "'deposit', "}'completed')`,
        [keyId, CHAIN_ID],
      );
    };
    const [first, last] = ["0", "f"].map((digit) => digit.repeat(32)) as [string, string];
    await add(pool, "app.settled_operation", first);
    await add(pool, "app.settled_order", last);
    await empty(pool, "app.settled_count", "app.settled_count_change");
    let recounted: Promise<unknown> = Promise.resolve();
    await inTransaction(pool, async (worker) => {
      await worker.query("SELECT FROM app.settled_chain FOR UPDATE");
      await add(worker, "app.settled_order", last);
      recounted = pool.query("SELECT app.recount_settled()");
      await waitsForLock(pool, "%app.recount_settled%", recounted);
      await add(worker, "app.settled_operation", first);
    });
    await recounted;
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("has its totals right again after a worker that settles, however long it takes", async () => {
    await settle();
    const { pool } = features.deps;
    await inTransaction(pool, async (tx) => {
      await tx.query("SELECT FROM app.settled_chain FOR UPDATE");
      const rebuilt = rebuild();
      // Longer than a statement of the command may take otherwise.
      if (LONG) await Promise.race([sleep(10_500), rebuilt]);
      await waitsForLock(pool, "%app.recount_settled%", rebuilt);
      await tx.query("COMMIT");
      expect(await rebuilt).toBe(0);
    });
  }, 30_000);

  it("is not counted once more while a transaction keeps it locked for long, which the operator is told of", async () => {
    await settle();
    const { pool } = features.deps;
    const notes: string[] = [];
    const write = (text: string) => notes.push(text);
    const terminal = { env: {}, stdout: { write }, stderr: { write } };
    await inTransaction(pool, async (tx) => {
      const { rows } = await tx.query("SELECT pg_backend_pid() AS pid FROM app.settled_chain FOR UPDATE");
      const waiting = pool.query("SELECT app.recount_settled()");
      await waitsForLock(pool, "%app.recount_settled%", waiting);
      const holder = `process ${rows[0].pid} of PostgreSQL (partner-trading, in a transaction since 20`;
      await expect(recount(terminal, pool, { waitMs: 20, attempts: 2 })).rejects.toThrow(
        `the archive is locked by ${holder}`,
      );
      expect(notes).toEqual([expect.stringContaining(`waits for ${holder}`)]);
      expect(notes.join("").match(/process/g)).toHaveLength(1);
      await tx.query("COMMIT");
      await waiting;
    });
    await recount(terminal, pool, { waitMs: 20, attempts: 1 });
  });

  it.each([1, 2, 3, 4, 5, 6, 8, 10, 12])(
    "is complete although the worker dies at statement %d",
    async (statements) => {
      const whole = await list();
      await expect(
        settleChain({ ...features.deps, pool: dyingPool(features.deps.pool, statements) }, CHAIN),
      ).rejects.toThrow("died");
      expect(await list()).toEqual(whole);
      await settle();
      expect(await list()).toEqual(whole);
      expect(await settledCount()).toBe(ORDERS);
    },
  );
});
