import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { z } from "zod";
import type { Anvil } from "../../packages/sandbox/src/anvil.ts";
import { connect } from "../../packages/sandbox/src/transact.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { project, projectorOf } from "../support/db/projected.ts";
import type { OperationList, OrderList } from "../support/http/answers.ts";
import {
  CHAIN_ID,
  makeEnv,
  OTHER_PRODUCT,
  PRODUCT,
  startTestApi,
  type TestApi,
  type TestEnv,
} from "../support/http/api.ts";
import { postGraphql } from "../support/http/graphql.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import type { Foreign } from "../support/http/scope-cases.ts";
import { expectNothingForeign, SCOPE_ROUTES } from "../support/http/scope-matrix.ts";

// Two products of one chain, whose names differ in case alone: objects of one are not visible in the other.
const hex = (bytes: number, value: number): Hex => `0x${value.toString(16).padStart(bytes * 2, "0")}`;
const USER = hex(20, 0xa11ce);
const TOKENS = { stock: hex(20, 0x57), cash: hex(20, 0xca5) };
const made = (value: number) => ({ operationId: hex(32, 0xabc000 + value), txHash: hex(32, 0x1000 + value) });
const foreign: Foreign = {
  orderId: made(1).operationId,
  orderTx: made(1).txHash,
  operations: {
    "cash/deposits": made(2),
    "cash/withdrawals": made(3),
    "stock/deposits": made(4),
    "stock/withdrawals": made(5),
  },
  user: USER,
  tokens: TOKENS,
  webhookId: "0e8f1f52-5a0c-4d0a-8f6a-6f1d1a2b3c4d",
  tokensListed: false,
};

/** Market data of no stock at all. */
const feed = createServer((request, response) => {
  response.statusCode = request.url?.startsWith("/feed/quotes/") ? 404 : 200;
  response.setHeader("content-type", "application/json");
  response.end("[]");
});

let anvil: Anvil;
let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
let onchain: Onchain;
let asker: Partner;
let owner: Partner;
let both: { keyId: string; of: (productType: string) => Partner };

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createDatabase()]);
  await new Promise<void>((resolve) => void feed.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(feed.address());
  env = makeEnv(database.url, anvil.rpcUrl, { MARKET_DATA_URL: `http://127.0.0.1:${port}` });
  api = await startTestApi(env.env);
  onchain = await createOnchain(env.pool);
  const { number, timestamp } = await connect(anvil.rpcUrl, CHAIN_ID).getBlock();
  await onchain.setBlock(CHAIN_ID, { number, timestamp });
  const key = await env.makeKey({ scopes: [{ chainId: CHAIN_ID, productType: OTHER_PRODUCT }] });
  owner = createPartner(api.url, key);
  asker = createPartner(api.url, await env.makeKey());
  for (const productType of [PRODUCT, OTHER_PRODUCT]) await seedTerms(productType);
  await seedForeign(key.keyId);
  await seedBoth();
  await project(projectorOf(env));
});

afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  feed.close();
  await Promise.all([database?.drop(), anvil?.stop()]);
});

async function seedTerms(productType: string): Promise<void> {
  const scope = { chainId: CHAIN_ID, productType };
  await onchain.insert("cashierState", scope);
  await onchain.insert("feeConfig", scope);
}

/** Inserts an object of each kind in the other product, mapped to its key. */
async function seedForeign(keyId: string): Promise<void> {
  const scope = { chainId: CHAIN_ID, productType: OTHER_PRODUCT };
  await onchain.insert("stockToken", {
    ...scope,
    tokenAddress: TOKENS.stock,
    symbol: "AAPL",
    tradable: true,
  });
  await onchain.insert("cashToken", { ...scope, tokenAddress: TOKENS.cash, supported: true, decimals: 6 });
  await onchain.insert("cashBalance", { ...scope, userAddress: USER, available: 5n });
  await seedOperations(keyId, 0);
  await env.pool.query(
    `INSERT INTO app.webhook (webhook_id, key_id, chain_id, product_type, url, types, cursor)
     VALUES ($1, $2, $3, $4, 'https://partner.example/', '', 0)`,
    [foreign.webhookId, keyId, CHAIN_ID, OTHER_PRODUCT],
  );
}

/** Inserts a resting order and an operation of each kind in the other product, mapped to a key. */
async function seedOperations(keyId: string, offset: number): Promise<void> {
  const scope = { chainId: CHAIN_ID, productType: OTHER_PRODUCT };
  const row = { ...scope, userAddress: USER, logIndex: 1 };
  const { operationId: orderId, txHash } = made(1 + offset);
  const order = { orderId, txHash, stockAddress: TOKENS.stock };
  await onchain.insert("stockOrder", { ...row, ...order, side: "Buy", orderType: "Limit", status: "open" });
  const kinds = [
    ["trade", 1],
    ["deposit", 2],
    ["withdraw", 3],
    ["stock-deposit", 4],
    ["stock-withdraw", 5],
  ] as const;
  for (const [kind, number] of kinds) {
    const { operationId: opId, txHash } = made(number + offset);
    const operation = { ...row, opId, txHash };
    if (kind === "deposit" || kind === "withdraw") {
      const tokenAddress = TOKENS.cash;
      await onchain.insert("cashOperation", { ...operation, tokenAddress, kind, status: "completed" });
    } else if (kind !== "trade") {
      await onchain.insert("stockOperation", { ...operation, tokenAddress: TOKENS.stock, kind });
    }
    await createClaim(env.pool, { keyId, ...scope }, { operationType: kind, txHash });
  }
}

/** Creates a key of both products, with an object of each kind in the other one. */
async function seedBoth(): Promise<void> {
  const scopes = [PRODUCT, OTHER_PRODUCT].map((productType) => ({ chainId: CHAIN_ID, productType }));
  const key = await env.makeKey({ scopes });
  both = { keyId: key.keyId, of: (productType) => createPartner(api.url, { ...key, productType }) };
  await seedOperations(key.keyId, 10);
}

it("the other product's own key sees its order", async () => {
  const { body } = await owner.get(`/orders/${foreign.orderId}`);
  expect(body).toMatchObject({ code: 200, data: { orderId: foreign.orderId, status: "New" } });
});

it.each(SCOPE_ROUTES)("another product's tokens, orders and transactions are not there: %s", (route) =>
  expectNothingForeign(asker, route, foreign, "another product"),
);

it("a balance is that of the asked product", async () => {
  const { body } = await asker.get(`/users/${USER}/balance`);
  expect(body).toMatchObject({
    code: 200,
    data: { productType: PRODUCT, mUsdBalance: "0", tokenBalances: [] },
  });
});

const LISTS = ["/orders", "/cash/deposits", "/cash/withdrawals", "/stock/deposits", "/stock/withdrawals"];

describe("a key of both products", () => {
  it.each(LISTS)("sees nothing of the other product in %s", async (path) => {
    const list = both.of(PRODUCT).get<OrderList | OperationList>(path);
    expect(await asker.must(list)).toMatchObject({ total: 0, rows: [] });
  });

  it.each(["orders", "operations"])(
    "has them in the other product, as dashboards see it, and none in the one: %s",
    async (field) => {
      const counts = [PRODUCT, OTHER_PRODUCT].map(async (productType) => {
        const query = `query ($productType: Text, $keyId: Text) {
        dashboard { ${field}(first: 25, productType: $productType, keyId: $keyId) { edges { cursor } } }
      }`;
        const { json } = await postGraphql(api.operatorUrl, {
          query,
          variables: { productType, keyId: both.keyId },
        });
        expect({ field, productType, errors: json.errors }).toEqual({ field, productType });
        const data = json.data as { dashboard: Record<string, { edges: object[] }> };
        return data.dashboard[field]?.edges.length;
      });
      expect(await Promise.all(counts)).toEqual([0, field === "orders" ? 1 : 4]);
    },
  );
});
