import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { project, projectorOf } from "../support/db/projected.ts";
import { makeEnvOf, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { createPartner, type PartnerKey } from "../support/http/partner.ts";

// A kept answer is that of one key, chain, product, path and query, and of no request that waits for a block.

const SCOPES = [1, 2].flatMap((chainId) => ["spot", "Spot"].map((productType) => ({ chainId, productType })));
const WAD = 10n ** 18n;
const HEAD = 20n;
const STOCK = hex(20, 0x571);
const TX = hex(32, 0x1001);
const ORDER: Row<"stockOrder"> = {
  orderId: hex(32, 0xabc),
  txHash: TX,
  blockNumber: 3n,
  updatedBlock: 3n,
  createdAt: 1_799_000_000n,
  updatedAt: 1_799_000_000n,
  userAddress: hex(20, 0xa1),
  stockAddress: STOCK,
  side: "Buy",
  orderType: "Limit",
  status: "open",
  price: WAD,
};
const block = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });

let database: TestDatabase;
let env: TestEnv;
let onchain: Onchain;
let api: TestApi;
let keys: (PartnerKey & { keyId: string })[];
let projector: ReturnType<typeof projectorOf>;

beforeAll(async () => {
  database = await createDatabase();
  const contract = (n: number) => hex(20, n);
  const product = (productType: string, first: number) => ({
    productType,
    startBlock: 0,
    contracts: {
      stockRouter: contract(first),
      cashier: contract(first + 1),
      stock: contract(first + 2),
      oneClickRouter: contract(first + 3),
    },
  });
  const chains = [1, 2].map((chainId) => ({
    chainId,
    rpcUrls: ["http://127.0.0.1:1"],
    ephemeral: true,
    products: [product("spot", chainId * 100), product("Spot", chainId * 100 + 50)],
  }));
  env = makeEnvOf(database.url, { chains }, { RATE_LIMIT_READS: "0", LOG_LEVEL: "warn" });
  onchain = await createOnchain(env.pool);
  api = await startTestApi(env.env, { metricsMaxAgeMs: 0 });
  keys = await Promise.all([env.makeKey({ scopes: SCOPES }), env.makeKey({ scopes: SCOPES })]);
  for (const chainId of [1, 2]) {
    await onchain.setBlock(chainId, block(HEAD), block(10n));
  }
  // One hash and one id in every scope: nothing but the scope tells the answers apart.
  for (const [n, scope] of SCOPES.entries()) {
    await onchain.insert("stockToken", { ...scope, tokenAddress: STOCK, symbol: "AAPL", multiplier: WAD });
    await onchain.insert("stockOrder", { ...ORDER, ...scope, quantity: BigInt(n + 1) * WAD });
    await createClaim(env.pool, { keyId: owner().keyId, ...scope }, { txHash: TX });
  }
  projector = projectorOf(env);
  await project(projector);
});

afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

const owner = () => present(keys[0], "the owner's key");
const other = () => present(keys[1], "another key");

interface Orders {
  rows: { orderId: string; openOrder: { quantity: string } }[];
}
const ask = (key: PartnerKey, scope: object, headers = {}) =>
  createPartner(api.url, { ...key, ...scope }).get<Orders>("/orders", {}, { headers });
const quantities = async (key: PartnerKey, scope: object) =>
  (await ask(key, scope)).body.data.rows.map(({ openOrder }) => openOrder.quantity);
const served = async () => {
  const text = await (await fetch(`${api.operatorUrl}/metrics`)).text();
  return Number(/^kept_answers_total\{result="served"\} (\d+)/m.exec(text)?.[1] ?? 0);
};

it("is served to its own key, chain and product alone", async () => {
  for (const round of [1, 2]) {
    const before = await served();
    for (const [n, scope] of SCOPES.entries()) {
      expect({ scope, quantities: await quantities(owner(), scope) }).toEqual({
        scope,
        quantities: [String(n + 1)],
      });
      expect({ scope, quantities: await quantities(other(), scope) }).toEqual({ scope, quantities: [] });
    }
    expect((await served()) - before).toBe(round === 1 ? 0 : 2 * SCOPES.length);
  }
});

it("is not served to a request that waits for a block, which it was not read at", async () => {
  const [scope = {}] = SCOPES;
  await ask(owner(), scope);
  const before = await served();
  await ask(owner(), scope);
  expect(await served()).toBe(before + 1);
  const waiting = (minBlock: string) => ask(owner(), scope, { "x-min-block": minBlock });
  expect(await waiting("1.5")).toMatchObject({
    body: { errCode: "VALIDATION_FAILED", param: "x-min-block" },
  });
  await onchain.setBlock(1, block(HEAD + 1n), block(10n));
  await project(projector);
  const answer = await waiting(String(HEAD + 1n));
  expect({ status: answer.status, "x-indexed-block": answer.headers.get("x-indexed-block") }).toEqual({
    status: 200,
    "x-indexed-block": String(HEAD + 1n),
  });
  expect(await served()).toBe(before + 1);
});
