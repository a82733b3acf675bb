import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type pg from "pg";
import type { Hex } from "viem";
import { cashTokensOf, stockTokensOf } from "../../src/chain/product/tokens.ts";
import { prismaOn } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { readAtIndexedBlock, type Snapshot } from "../../src/db/index-snapshot.ts";
import { readOrderContext } from "../../src/orders/context-store.ts";
import { readHoldings } from "../../src/portfolio/store.ts";
import { hex } from "../support/assert/sample.ts";
import { createOnchain, type Onchain, type Tabled } from "../support/db/onchain.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

// Answers that take several statements of Prisma are of the one block that they name.

let database: TestDatabase;
let pool: pg.Pool;
let prisma: PrismaClient;
let onchain: Onchain;

const scope = { chainId: 31337, productType: "spot" };
const token = { ...scope, tokenAddress: hex(20, 1), symbol: "A_PL", multiplier: 10n ** 18n };
const behind = { errCode: "INDEXER_BEHIND" };

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 4, preparedStatements: true });
  prisma = prismaOn(pool, { connectTimeoutMs: 60_000 });
});

afterAll(async () => {
  await prisma?.$disconnect();
  await pool?.end();
  await database?.drop();
});

beforeEach(async () => {
  await pool.query(
    "DROP SCHEMA IF EXISTS onchain CASCADE; DROP SCHEMA IF EXISTS next_onchain, previous_onchain CASCADE",
  );
  onchain = await createOnchain(pool);
  await commit(5n, {});
});

/** Commits rows and block as the indexer does: one token of each of the given multipliers, and nothing else. */
const commit = (number: bigint, tables: Tabled) =>
  onchain.replace(scope.chainId, tables, { number, timestamp: number }, { number: 1n, timestamp: 1n });

const symbols = async (index: Snapshot) => (await stockTokensOf(index, scope)).map(({ symbol }) => symbol);

it("all statements of a read are of the block that it names, whatever the indexer commits in between", async () => {
  await commit(5n, { stockToken: [token] });
  const read = await readAtIndexedBlock(prisma, scope.chainId, async (index) => {
    const before = await symbols(index);
    await commit(6n, { stockToken: [token, { ...token, tokenAddress: hex(20, 2), symbol: "NEW" }] });
    return [before, await symbols(index)];
  });
  expect(read).toEqual({
    block: { number: 5n, timestamp: 5n },
    data: [["A_PL"], ["A_PL"]],
  });
  const next = await readAtIndexedBlock(prisma, scope.chainId, symbols);
  expect(next).toMatchObject({ block: { number: 6n }, data: ["A_PL", "NEW"] });
});

it("a reorg that ends where it began is not seen by half", async () => {
  await commit(5n, { stockToken: [token] });
  const { data } = await readAtIndexedBlock(prisma, scope.chainId, async (index) => {
    const before = await symbols(index);
    await commit(6n, { stockToken: [{ ...token, symbol: "ORPHAN" }] });
    const between = await symbols(index);
    await commit(5n, { stockToken: [token] });
    return [before, between];
  });
  expect(data).toEqual([["A_PL"], ["A_PL"]]);
});

it("what is read while the views move to another build is read again, of that build alone", async () => {
  const cash = { ...scope, tokenAddress: hex(20, 3), supported: true, decimals: 6 };
  await commit(5n, { stockToken: [token], cashToken: [cash] });
  await pool.query(`CREATE SCHEMA next_onchain;
    CREATE TABLE next_onchain._ponder_checkpoint AS TABLE onchain._ponder_checkpoint;
    CREATE TABLE next_onchain._ponder_meta AS TABLE onchain._ponder_meta;
    CREATE TABLE next_onchain.stock_token AS TABLE onchain.stock_token;
    CREATE TABLE next_onchain.cash_token AS TABLE onchain.cash_token;
    UPDATE next_onchain.stock_token SET symbol = 'NEXT';
    UPDATE next_onchain.cash_token SET decimals = 18;
    UPDATE next_onchain._ponder_meta SET value = value || '{"build_id": "next"}'`);
  const reads: unknown[] = [];
  const { data } = await readAtIndexedBlock(prisma, scope.chainId, async (index) => {
    const [symbol] = await symbols(index);
    if (reads.length === 0) {
      await pool.query(`BEGIN; ALTER SCHEMA onchain RENAME TO previous_onchain;
        ALTER SCHEMA next_onchain RENAME TO onchain; COMMIT`);
    }
    const [token] = await cashTokensOf(index, scope);
    reads.push([symbol, token?.decimals]);
    return reads.at(-1);
  });
  // PostgreSQL finds the new views in the middle of a transaction: neither build has the first of these.
  expect(reads).toEqual([
    ["A_PL", 18],
    ["NEXT", 18],
  ]);
  expect(data).toEqual(["NEXT", 18]);
});

it("an index that is not ready, or not there, is behind", async () => {
  const read = () => readAtIndexedBlock(prisma, scope.chainId, symbols);
  await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 0}'`);
  await expect(read()).rejects.toMatchObject(behind);
  await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
  await expect(readAtIndexedBlock(prisma, 1, symbols)).rejects.toMatchObject(behind);
  await pool.query("DROP TABLE onchain.stock_token");
  await expect(read()).rejects.toMatchObject(behind);
  await pool.query("DROP SCHEMA onchain CASCADE");
  await expect(read()).rejects.toMatchObject(behind);
});

it("the token of an order is found by its symbol in any case, or by its address, and by both only where both are its own", async () => {
  const other = { ...token, tokenAddress: hex(20, 2), symbol: "AXPL", listedAt: 1n };
  await commit(5n, { stockToken: [other, token] });
  const find = async (stockAddress: Hex | undefined, symbol: string | undefined) =>
    (await readOrderContext(prisma, scope, { stockAddress, symbol })).data.token?.symbol;
  expect(await find(undefined, "a_pl")).toBe("A_PL");
  expect(await find(undefined, "aXpl")).toBe("AXPL");
  expect(await find(undefined, "%")).toBeUndefined();
  expect(await find(undefined, token.tokenAddress.toUpperCase().replace("X", "x"))).toBe("A_PL");
  expect(await find(token.tokenAddress, undefined)).toBe("A_PL");
  expect(await find(token.tokenAddress, "a_pl")).toBe("A_PL");
  expect(await find(token.tokenAddress, "axpl")).toBeUndefined();
});

it("amounts of 78 digits lose none", async () => {
  const most = 10n ** 78n - 1n;
  await commit(5n, {
    cashBalance: [{ ...scope, userAddress: hex(20, 7), available: most, locked: 10n ** 21n }],
  });
  const { data } = await readHoldings(prisma, scope, hex(20, 7));
  expect(data.cash).toMatchObject({ available: most, locked: 10n ** 21n });
});

it("users who are asked for together share one transaction, and each gets their own ledger", async () => {
  const users = Array.from({ length: 70 }, (_, n) => hex(20, 100 + n));
  await commit(5n, {
    stockToken: [token],
    cashBalance: users
      .slice(1)
      .map((userAddress, n) => ({ ...scope, userAddress, available: BigInt(n + 1) })),
    stockBalance: users.map((userAddress, n) => ({
      ...scope,
      userAddress,
      stockAddress: token.tokenAddress,
      locked: BigInt(n),
    })),
  });
  const read = await Promise.all(users.map((user) => readHoldings(prisma, scope, user)));
  expect(read.map(({ data }) => [data.cash.available, data.holdings.map(({ locked }) => locked)])).toEqual(
    users.map((_, n) => [BigInt(n), [BigInt(n)]]),
  );
  expect(new Set(read.map(({ data }) => data.stockTokens)).size).toBe(2);
  for (let count = 1; count <= 20; count++)
    await Promise.all(users.slice(0, count).map((user) => readHoldings(prisma, scope, user)));
  const { rows } = await pool.query<{ text: string }>(
    "SELECT DISTINCT statement AS text FROM pg_prepared_statements WHERE statement LIKE '%cash_balance%'",
  );
  expect(rows.length).toBeLessThanOrEqual(7);
});
