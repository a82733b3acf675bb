import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { type Address, parseEther } from "viem";
import { type Deployment, deploy } from "../../packages/sandbox/src/deploy.ts";
import { router, stock, stockToken } from "../contracts/calls.ts";
import { present } from "../support/assert/until.ts";
import { indexedUpTo, startIndexer, type TestIndexer } from "../support/chain/indexer.ts";
import { type Product, send, startProduct } from "../support/chain/product.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

// Two products on one chain that list the same stock token: each event belongs to one of them, a split to both.

let product: Product;
let second: Deployment;
let token: Address;
/** Split before its second listing, and never afterwards. */
let splitBefore: Address;
let database: TestDatabase;
let pool: pg.Pool;
let indexer: TestIndexer;

beforeAll(async () => {
  [product, database] = await Promise.all([startProduct(), createDatabase({ empty: true })]);
  pool = createTestPool(database.url, { max: 2 });
  const { client, deployer, settler, deployment, users } = product;
  second = await deploy(client, { deployer, settler });
  token = present(deployment.stockTokens[0], "a stock token").address;
  const user = present(users[0], "a user");

  // Split before the second product lists it, and again afterwards.
  await send(client, settler, token, stockToken("setMultiplier", parseEther("2")));
  await send(client, settler, second.stock, stock("listStockToken", token, "TWICE", true));
  await send(client, settler, token, stockToken("setMultiplier", parseEther("4")));
  splitBefore = present(deployment.stockTokens[1], "another stock token").address;
  await send(client, settler, splitBefore, stockToken("setMultiplier", parseEther("3")));
  await send(client, settler, second.stock, stock("listStockToken", splitBefore, "THRICE", true));
  await send(client, user, token, stockToken("approve", second.stockRouter, parseEther("5")));
  await send(client, user, second.stockRouter, router("depositStock", token, parseEther("5")));

  indexer = startIndexer(database.url, [
    { deployment, others: { Second: second }, rpcUrls: [product.rpcUrl] },
  ]);
  await indexedUpTo(pool, indexer, 31337, await client.getBlockNumber({ cacheTime: 0 }));
});

afterAll(async () => {
  await indexer?.stop();
  await pool?.end();
  await Promise.all([product?.stop(), database?.drop()]);
});

const rows = async (columns: string, table: string, of = token) =>
  (
    await pool.query(
      `SELECT product_type, ${columns} FROM onchain.${table} WHERE $1 IN (token_address) ORDER BY 1, 2, 3`,
      [of],
    )
  ).rows;

describe("a stock token in two products", () => {
  it("is listed in both, under each one's symbol, with the multiplier it has reached", async () => {
    const multiplier = parseEther("4").toString();
    expect(await rows("symbol, multiplier", "stock_token")).toEqual([
      { product_type: "Sandbox", symbol: "AAPL", multiplier },
      { product_type: "Second", symbol: "TWICE", multiplier },
    ]);
  });

  it("has the multiplier of a split before its second listing in both, also where none follows", async () => {
    const multiplier = parseEther("3").toString();
    expect(await rows("symbol, multiplier", "stock_token", splitBefore)).toEqual([
      { product_type: "Sandbox", symbol: expect.any(String), multiplier },
      { product_type: "Second", symbol: "THRICE", multiplier },
    ]);
    expect(await rows("old_multiplier, new_multiplier", "multiplier_change", splitBefore)).toEqual([
      { product_type: "Sandbox", old_multiplier: parseEther("1").toString(), new_multiplier: multiplier },
    ]);
  });

  it("has its splits in both, from the day of each one's listing", async () => {
    const split = (product_type: string, from: string, to: string) => ({
      product_type,
      old_multiplier: parseEther(from).toString(),
      new_multiplier: parseEther(to).toString(),
    });
    expect(await rows("old_multiplier, new_multiplier", "multiplier_change")).toEqual([
      split("Sandbox", "1", "2"),
      split("Sandbox", "2", "4"),
      split("Second", "2", "4"),
    ]);
  });

  it("is held in each of them apart", async () => {
    const user = present(product.users[0], "a user").address.toLowerCase();
    const { rows: balances } = await pool.query(
      `SELECT product_type, available FROM onchain.stock_balance
       WHERE user_address = $1 AND stock_address = $2 ORDER BY 1`,
      [user, token],
    );
    expect(balances).toEqual([
      { product_type: "Sandbox", available: parseEther("100").toString() },
      { product_type: "Second", available: parseEther("5").toString() },
    ]);
  });

  it("does not mix the products' own settings", async () => {
    const { rows: tokens } = await pool.query(
      "SELECT product_type, count(*)::int AS count FROM onchain.cash_token GROUP BY 1 ORDER BY 1",
    );
    expect(tokens).toEqual([
      { product_type: "Sandbox", count: 2 },
      { product_type: "Second", count: 2 },
    ]);
    const listed = await rows("kind, user_address", "stock_operation");
    expect(listed.filter(({ product_type }) => product_type === "Second")).toHaveLength(1);
  });
});
