import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { buildApiSchema } from "../../../src/api/schema.ts";
import type { Caller } from "../../../src/auth/caller.ts";
import { createQuoteKeeper } from "../../../src/dashboard/overview/order-quotes.ts";
import { removeOldSamples } from "../../../src/dashboard/overview/sampler.ts";
import { CONTRACTS, hex } from "../../support/assert/sample.ts";
import { createClaim } from "../../support/db/builders/claims.ts";
import { empty } from "../../support/db/empty.ts";
import { createOnchain, type Onchain, type Row } from "../../support/db/onchain.ts";
import { project } from "../../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../../support/http/graphql.ts";

// Quotes of market orders, and the slippage of their fills, in a real PostgreSQL; market data is the test's.

const CHAIN_ID = 31337;
const CONFIRMATIONS = 6;
const WAD = 10n ** 18n;
const NOW = Math.floor(Date.now() / 1_000);
const STOCK = hex(20, 0x57);

let features: Features;
let server: GraphqlServer;
let onchain: Onchain;
let key: Caller;
/** Orders of the chain. */
let orders: Row<"stockOrder">[];
/** Answers of market data. */
let quote: { price: string; stale: boolean } | null;
/** One run of the job of a worker, which began when it was made. */
let keep: () => Promise<void>;

beforeAll(async () => {
  features = await startFeatures([
    {
      deployment: { chainId: CHAIN_ID, ...CONTRACTS },
      rpcUrls: ["http://127.0.0.1:1"],
      confirmations: CONFIRMATIONS,
    },
  ]);
  onchain = await createOnchain(features.deps.pool);
  server = await startGraphql({ schema: buildApiSchema(), deps: features.deps });
  key = await features.makeCaller();
});

afterAll(async () => {
  await server?.stop();
  await features?.close();
});

beforeEach(async () => {
  features.clock.nowMs = NOW * 1_000;
  quote = { price: "50", stale: false };
  orders = [];
  await empty(features.deps.pool, "app.order_quote");
  await publish(10n);
  keep = createKeeper();
  await keep();
});

const createKeeper = () =>
  createQuoteKeeper({ ...features.deps, marketData: { quote: async () => quote } as never });

async function publish(head: bigint): Promise<void> {
  const stockToken = {
    chainId: CHAIN_ID,
    productType: PRODUCT,
    tokenAddress: STOCK,
    symbol: "AAPL",
    multiplier: 2n * WAD,
  };
  const block = { number: head, timestamp: BigInt(NOW) };
  await onchain.replace(CHAIN_ID, { stockToken: [stockToken], stockOrder: orders }, block, block);
  await project(features.deps);
}

let count = 0;

/** Places a market order of the key in a block. */
async function place(block: bigint, side: "Buy" | "Sell", terms: Partial<Row<"stockOrder">> = {}) {
  const txHash = hex(32, 0x1000 + ++count);
  await createClaim(features.deps.pool, key, { operationType: "trade", txHash });
  const order: Row<"stockOrder"> = {
    chainId: CHAIN_ID,
    productType: PRODUCT,
    orderId: hex(32, 0xabc0 + count),
    txHash,
    blockNumber: block,
    updatedBlock: block,
    createdAt: BigInt(NOW),
    updatedAt: BigInt(NOW),
    userAddress: hex(20, 0xa11ce),
    stockAddress: STOCK,
    side,
    orderType: "Market",
    status: "open",
    ...terms,
  };
  orders.push(order);
  return order;
}

/** Fills an order in a block, at a price in hundredths of mUSD. */
function fill(order: Row<"stockOrder">, block: bigint, quantity: bigint, cents: bigint) {
  const filledNotional = (quantity * cents) / 100n;
  Object.assign(order, {
    status: "filled",
    filledQuantity: quantity,
    filledNotional,
    updatedBlock: block,
    settledAt: BigInt(NOW + 1),
  });
}

const quotes = () =>
  features.deps.prisma.orderQuote.findMany({ orderBy: { orderId: "asc" } }).then((rows) =>
    rows.map(({ orderId, symbol, price, slippageBps }) => ({
      orderId,
      symbol,
      price: price.toFixed(),
      slippage: slippageBps?.toFixed() ?? null,
    })),
  );

async function totals() {
  const query = `{ dashboard { orderTotals(from: ${NOW - 3_600}) { byKey { slippageBps } bySymbol { symbol slippageBps } byChain { slippageBps } } } }`;
  // Claims have the time of the database, which may be in the next minute: totals end with one.
  features.clock.nowMs = (NOW + 60) * 1_000;
  const { json } = await postGraphql(server.url, { query });
  features.clock.nowMs = NOW * 1_000;
  return json.data.dashboard.orderTotals;
}

it("keeps the token's quote of a market order, and the slippage once its fill is final, by volume in totals", async () => {
  const bought = await place(11n, "Buy");
  await publish(11n);
  await keep();
  const sold = await place(12n, "Sell");
  fill(sold, 12n, 3n * WAD, 9_950n);
  quote = { price: "49.75", stale: false };
  await publish(12n);
  await keep();
  const [first, second] = [String(100n * WAD), "99500000000000000000"];
  expect(await quotes()).toEqual([
    { orderId: bought.orderId, symbol: "AAPL", price: first, slippage: null },
    { orderId: sold.orderId, symbol: "AAPL", price: second, slippage: null },
  ]);
  fill(bought, 13n, WAD, 10_025n);
  await publish(13n);
  await keep();
  expect((await quotes()).map(({ slippage }) => slippage)).toEqual([null, null]);
  await publish(18n);
  await keep();
  expect((await quotes()).map(({ slippage }) => slippage)).toEqual([null, "0"]);
  await publish(19n);
  await keep();
  expect((await quotes()).map(({ slippage }) => slippage)).toEqual(["25", "0"]);
  const average = 6.29;
  expect(await totals()).toEqual({
    byKey: [{ slippageBps: average }],
    bySymbol: [{ symbol: "AAPL", slippageBps: average }],
    byChain: [{ slippageBps: average }],
  });
});

it("says of a sale below its quote that it was worse, and of one above that it was better", async () => {
  const [low, high] = [await place(11n, "Sell"), await place(11n, "Sell")];
  await publish(11n);
  await keep();
  fill(low, 12n, WAD, 9_900n);
  fill(high, 12n, WAD, 10_050n);
  await publish(30n);
  await keep();
  expect((await quotes()).map(({ slippage }) => slippage)).toEqual(["100", "-50"]);
});

it("keeps the first quote, whichever worker had it", async () => {
  await place(11n, "Buy");
  await publish(11n);
  await keep();
  quote = { price: "60", stale: false };
  await Promise.all([keep(), createKeeper()()]);
  expect((await quotes()).map(({ price }) => price)).toEqual([String(100n * WAD)]);
});

it("quotes no limit order, none that ended without a fill, none without a current quote, and none that was placed before", async () => {
  await place(11n, "Buy", { orderType: "Limit" });
  await place(11n, "Buy", { createdAt: BigInt(NOW - 60) });
  await place(11n, "Buy", { status: "rejected", settledAt: BigInt(NOW) });
  await publish(11n);
  await keep();
  await place(12n, "Buy");
  quote = { price: "50", stale: true };
  await publish(12n);
  await keep();
  quote = null;
  await keep();
  expect(await quotes()).toEqual([]);
  expect((await totals()).byKey).toEqual([{ slippageBps: null }]);
  // A worker that begins now knows no quote of what was placed before it.
  quote = { price: "50", stale: false };
  await createKeeper()();
  expect(await quotes()).toEqual([]);
});

it("removes the quote of an order that ended without a fill, and all after 32 days", async () => {
  const rejected = await place(11n, "Buy");
  await place(11n, "Buy");
  await publish(11n);
  await keep();
  Object.assign(rejected, { status: "rejected", updatedBlock: 12n, settledAt: BigInt(NOW + 1) });
  await publish(30n);
  await keep();
  expect(await quotes()).toHaveLength(1);
  features.clock.nowMs = (NOW + 31 * 86_400) * 1_000;
  await removeOldSamples(features.deps);
  expect(await quotes()).toHaveLength(1);
  features.clock.nowMs = (NOW + 33 * 86_400) * 1_000;
  await removeOldSamples(features.deps);
  expect(await quotes()).toEqual([]);
});
