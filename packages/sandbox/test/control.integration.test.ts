import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { type Hex, parseEther, parseEventLogs, parseUnits } from "viem";
import { cashierAbi, stockAbi, stockTokenAbi } from "../../../src/contracts/abi/index.ts";
import { LATER, router } from "../../../test/contracts/calls.ts";
import { present, until } from "../../../test/support/assert/until.ts";
import { type Product, send, startProduct } from "../../../test/support/chain/product.ts";
import { contextWithoutService } from "../../../test/support/sandbox/control-context.ts";
import { createChainChanges } from "../src/chain-changes.ts";
import { controlApp } from "../src/control/server.ts";
import { loadDataset } from "../src/feed/dataset.ts";
import { createMarket, type Market } from "../src/feed/market.ts";
import { newMarketState } from "../src/feed/state.ts";
import { createDesk, type Desk } from "../src/settler/desk.ts";
import { type Running, runDesk } from "../src/settler/run.ts";

/** The settler and its scripts against a real chain, from the partner's side: orders in, states out. */
const FAST = { orderDelayMs: 50, operationDelayMs: 50 };
const dataset = loadDataset();

let product: Product;
let market: Market;
let desk: Desk;
let running: Running | null = null;
let server: Server;
let url: string;

beforeAll(async () => {
  product = await startProduct({ users: 2 });
  market = createMarket({ state: newMarketState(), save: () => {}, now: Date.now, dataset });
  desk = makeDesk();
  server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => app(request, response));
  const app = controlApp(
    contextWithoutService({
      desks: new Map([[31337, desk]]),
      market,
      allowed: { origins: ["http://localhost:5173"], hosts: [] },
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await running?.stop();
  running = null;
  desk.policy = { ...desk.policy, mode: "auto", ...FAST };
  await control("/session", { session: "regular" });
  market.pin("AAPL", null);
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await product.stop();
});

function makeDesk(): Desk {
  return createDesk({
    rpcUrl: product.rpcUrl,
    mining: product.mining,
    deployment: product.deployment,
    readyBlock: product.deployment.startBlock,
    account: product.settler,
    market,
    log: pino({ level: "silent" }),
    now: Date.now,
    policy: FAST,
  });
}

async function control(
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(
    `${url}${path}`,
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        },
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const user = () => present(product.users[0], "a user");
const stockToken = () => present(product.deployment.stockTokens[0], "a stock token").address;
const cashToken = () =>
  present(
    product.deployment.cashTokens.find(({ decimals }) => decimals === 6),
    "a cash token",
  ).address;

async function call(data: Hex) {
  return send(product.client, user(), product.deployment.stockRouter, data);
}

async function placeLimit(quantity: string, price: string): Promise<Hex> {
  const { logs } = await call(
    router("placeLimitOrder", stockToken(), parseEther(quantity), parseEther(price), 0, LATER),
  );
  return present(parseEventLogs({ abi: stockAbi, logs, eventName: "LimitOrderPlaced" })[0], "a limit order")
    .args.orderId;
}

async function placeMarket(amount: string): Promise<Hex> {
  const { logs } = await call(router("placeMarketOrder", stockToken(), parseEther(amount), LATER));
  return present(parseEventLogs({ abi: stockAbi, logs, eventName: "MarketOrderPlaced" })[0], "a market order")
    .args.orderId;
}

async function deposit(amount: string): Promise<Hex> {
  const { logs } = await call(router("deposit", cashToken(), parseUnits(amount, 6)));
  return present(
    parseEventLogs({ abi: cashierAbi, logs, eventName: "DepositRequested" })[0],
    "a queued deposit",
  ).args.opId;
}

async function withdraw(amount: string): Promise<Hex> {
  const { logs } = await call(router("withdraw", cashToken(), parseEther(amount)));
  return present(
    parseEventLogs({ abi: cashierAbi, logs, eventName: "WithdrawalRequested" })[0],
    "a queued one",
  ).args.opId;
}

const STATUSES = ["none", "open", "canceling", "filled", "canceled", "rejected", "expired"];

async function orderOf(orderId: Hex) {
  const order = await product.client.readContract({
    address: product.deployment.stock,
    abi: stockAbi,
    functionName: "getOrder",
    args: [orderId],
  });
  return { ...order, status: STATUSES[order.status] };
}

const becomes = (orderId: Hex, status: string) =>
  until(`order ${status}`, async () => {
    const order = await orderOf(orderId);
    return order.status === status ? order : undefined;
  });

async function fillsOf(orderId: Hex) {
  const logs = await product.client.getLogs({ address: product.deployment.stock, fromBlock: 0n });
  return parseEventLogs({
    abi: stockAbi,
    logs,
    eventName: ["LimitOrderFilled", "MarketOrderSettled"],
  }).filter(({ args }) => args.orderId === orderId);
}

const operationOpen = async (operationId: Hex) => {
  const operation = await product.client.readContract({
    address: product.deployment.cashier,
    abi: cashierAbi,
    functionName: "getOperation",
    args: [operationId],
  });
  return !operation.closed;
};

const balance = () =>
  product.client.readContract({
    address: product.deployment.cashier,
    abi: cashierAbi,
    functionName: "balanceWad",
    args: [user().address],
  });

describe("by itself the settler", () => {
  it("fills a market order at the quote", async () => {
    running = runDesk(desk);
    await control("/price", { symbol: "AAPL", price: "200.5" });
    const orderId = await placeMarket("100");
    await becomes(orderId, "filled");
    const [fill] = await fillsOf(orderId);
    expect(fill?.args.price).toBe(parseEther("200.5"));
  });

  it("fills a limit order when the quote crosses it, at the quote, large ones in parts", async () => {
    running = runDesk(desk);
    await control("/price", { symbol: "AAPL", price: 210 });
    const orderId = await placeLimit("60", "200");
    expect((await orderOf(orderId)).status).toBe("open");
    await control("/price", { symbol: "AAPL", price: "199.99" });
    const filled = await becomes(orderId, "filled");
    expect(filled.filledQuantity).toBe(parseEther("60"));
    const fills = await fillsOf(orderId);
    expect(fills.map(({ args }) => args.stockDelta)).toEqual([20n, 20n, 20n].map((n) => n * 10n ** 18n));
    expect(new Set(fills.map(({ args }) => args.price))).toEqual(new Set([parseEther("199.99")]));
  });

  it("grants cancels, and ends DAY orders with the session", async () => {
    running = runDesk(desk);
    await control("/price", { symbol: "AAPL", price: "210" });
    const canceled = await placeLimit("1", "100");
    await call(router("cancelLimitOrder", canceled));
    await becomes(canceled, "canceled");
    const expired = await placeLimit("1", "100");
    const { timestamp } = await product.client.getBlock();
    await until("the session's end is later than the order", async () => {
      if (Date.now() / 1000 < Number(timestamp) + 1) return undefined;
      await control("/session", { session: "closed" });
      return true;
    });
    await becomes(expired, "expired");
  });

  it("settles queued deposits and withdrawals by the Cashier's rates", async () => {
    running = runDesk(desk);
    await control("/buffers", { chainId: 31337, creditBuffer: "0" });
    const before = await balance();
    const queued = await deposit("100");
    await until("settled", async () => ((await operationOpen(queued)) ? undefined : true));
    expect(await balance()).toBe(before + parseEther("100"));
    await control("/buffers", {
      chainId: 31337,
      creditBuffer: "1000",
      token: cashToken(),
      withdrawBuffer: "0",
    });
    const payout = await withdraw("50");
    await until("paid", async () => ((await operationOpen(payout)) ? undefined : true));
    expect(await balance()).toBe(before + parseEther("50"));
    await control("/buffers", { chainId: 31337, release: true });
  });

  it("does nothing in manual mode, and goes on from the chain alone after a restart", async () => {
    await control("/mode", { mode: "manual" });
    running = runDesk(desk);
    const orderId = await placeMarket("50");
    await desk.exclusive(async (book) => expect(book.orders.has(orderId)).toBe(true));
    await desk.exclusive(async () => undefined);
    expect((await orderOf(orderId)).status).toBe("open");
    await running.stop();
    running = runDesk(makeDesk());
    await becomes(orderId, "filled");
  });

  it("fills on a chain that announces its changes, also what was not announced", async () => {
    const changes = createChainChanges();
    running = runDesk(desk, changes);
    await becomes(await placeMarket("50"), "filled");
    const announced = await placeMarket("50");
    changes.announce(["eth_sendRawTransaction"]);
    await becomes(announced, "filled");
  });

  it("fills again what a reorg took back, and only once", async () => {
    running = runDesk(desk);
    await control("/mine", { chainId: 31337, blocks: 20 });
    const orderId = await placeMarket("75");
    await becomes(orderId, "filled");
    const { body } = await control("/reorg", { chainId: 31337, depth: 1 });
    expect(body).toMatchObject({ depth: 1, transactions: 0 });
    await becomes(orderId, "filled");
    expect(await fillsOf(orderId)).toHaveLength(1);
  });
});

describe("a script", () => {
  it("fills in part at its own price, then the rest at the limit", async () => {
    await control("/mode", { mode: "manual" });
    await control("/price", { symbol: "AAPL", price: "500" });
    const orderId = await placeLimit("3", "180.5");
    const part = await control(`/orders/${orderId}/fill`, { quantity: "1.25", price: "180.25" });
    expect(part).toMatchObject({ status: 200, body: { chainId: 31337, orderId } });
    expect(await orderOf(orderId)).toMatchObject({ status: "open", filledQuantity: parseEther("1.25") });
    expect((await control(`/orders/${orderId}/fill`, {})).status).toBe(200);
    expect((await becomes(orderId, "filled")).filledQuantity).toBe(parseEther("3"));
    expect((await fillsOf(orderId)).map(({ args }) => args.price)).toEqual(
      ["180.25", "180.5"].map((p) => parseEther(p)),
    );
    expect(await control(`/orders/${orderId}/fill`, {})).toMatchObject({
      status: 409,
      body: { error: `order ${orderId} is closed` },
    });
  });

  it.each([
    ["reject", "rejected"],
    ["cancel", "canceled"],
    ["expire", "expired"],
  ])("can %s an order", async (verb, status) => {
    await control("/mode", { mode: "manual" });
    const before = await balance();
    const orderId = await placeLimit("1", "100");
    expect((await control(`/orders/${orderId}/${verb}`, {})).status).toBe(200);
    expect((await orderOf(orderId)).status).toBe(status);
    expect(await balance()).toBe(before);
  });

  it("settles an operation for less, and fails one", async () => {
    await control("/mode", { mode: "manual" });
    await control("/buffers", { chainId: 31337, creditBuffer: "0" });
    const before = await balance();
    const settled = await deposit("10");
    expect((await control(`/operations/${settled}/settle`, { amount: "9.5" })).status).toBe(200);
    expect(await balance()).toBe(before + parseEther("9.5"));
    const failed = await deposit("10");
    expect((await control(`/operations/${failed}/fail`, { reason: 7 })).status).toBe(200);
    expect(await operationOpen(failed)).toBe(false);
    expect(await balance()).toBe(before + parseEther("9.5"));
    expect((await control(`/operations/${failed}/settle`, {})).status).toBe(404);
    await control("/buffers", { chainId: 31337, creditBuffer: "1000000", release: true });
  });

  it("pauses cash tokens and closes stock tokens", async () => {
    const token = cashToken();
    expect(await control(`/tokens/${token}/pause`, { deposit: true })).toMatchObject({
      status: 200,
      body: [{ chainId: 31337, deposit: true, withdraw: false }],
    });
    await expect(deposit("5")).rejects.toThrow("DepositPaused");
    await control(`/tokens/${token}/pause`, { deposit: false });
    await control(`/tokens/${stockToken()}/tradable`, { tradable: false });
    await expect(placeMarket("5")).rejects.toThrow("InvalidStockToken");
    await control(`/tokens/${stockToken()}/tradable`, { tradable: true });
    expect((await control(`/tokens/${stockToken()}/pause`, { deposit: true })).status).toBe(404);
  });

  it("splits a stock: limit orders go, the multiplier and the price move against each other", async () => {
    await control("/mode", { mode: "manual" });
    await control("/price", { symbol: "AAPL", price: "400" });
    const orderId = await placeLimit("1", "100");
    const worth = await desk.priceOf(stockToken());
    const action = await control("/corporate-action", {
      symbol: "AAPL",
      type: "split",
      oldRate: 1,
      newRate: "4",
    });
    expect(action).toMatchObject({
      status: 200,
      body: { symbol: "AAPL", oldRate: "1", newRate: "4", cash: null },
    });
    expect((await orderOf(orderId)).status).toBe("canceled");
    expect(market.quote("AAPL")?.price).toBe("100");
    expect(await desk.priceOf(stockToken())).toBe(worth);
    expect(
      await product.client.readContract({
        address: stockToken(),
        abi: stockTokenAbi,
        functionName: "multiplier",
      }),
    ).toBe(parseEther("4"));
    const dividend = await control("/corporate-action", { symbol: "AAPL", type: "dividend", cash: "20" });
    expect(dividend.status).toBe(200);
    expect(market.quote("AAPL")?.price).toBe("80");
    expect(await desk.priceOf(stockToken())).toBe(worth);
  });

  it("keeps transactions over a reorg when asked to", async () => {
    await control("/mode", { mode: "manual" });
    await control("/mine", { chainId: 31337, blocks: 20 });
    const orderId = await placeLimit("1", "50");
    const before = await product.client.getBlock();
    expect(await control("/reorg", { chainId: 31337, depth: 3, transactions: "keep" })).toMatchObject({
      status: 200,
      body: { transactions: 1 },
    });
    expect((await product.client.getBlock({ blockNumber: before.number })).hash).not.toBe(before.hash);
    expect((await orderOf(orderId)).status).toBe("open");
    await control(`/orders/${orderId}/cancel`, {});
  });

  it("sees all open work and settings in one place", async () => {
    await control("/mode", { mode: "manual" });
    const orderId = await placeLimit("1", "50");
    const { body } = await control("/state");
    expect(body).toMatchObject({
      session: { setting: "regular", now: "regular" },
      chains: [
        { chainId: 31337, mode: "manual", orders: [{ orderId, side: "Buy", type: "Limit", price: "50" }] },
      ],
    });
    await control(`/orders/${orderId}/cancel`, {});
  });
});

describe("a chain that does not mine", () => {
  const chainId = 31337;
  const off = () => control("/mining", { chainId, on: false });
  const transactionsOf = (address: Hex) =>
    product.client.getTransactionCount({ address, blockTag: "pending" });
  const stateOfChain = async () =>
    present((await control("/state")).body.chains as Record<string, unknown>[], "chains")[0];
  afterEach(() => control("/mining", { chainId, on: true }));

  /** Sends an order without waiting for it. */
  async function submitLimit(): Promise<Hex> {
    const data = router("placeLimitOrder", stockToken(), parseEther("1"), parseEther("50"), 0, LATER);
    const { address, signTransaction } = user();
    const serializedTransaction = await signTransaction({
      to: product.deployment.stockRouter,
      data,
      gas: 3_000_000n,
      chainId,
      type: "eip1559",
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      nonce: await transactionsOf(address),
    });
    return product.client.sendRawTransaction({ serializedTransaction });
  }
  const receiptOf = (hash: Hex) => product.client.getTransactionReceipt({ hash }).catch(() => undefined);

  it("keeps a transaction waiting until it mines again, or a script mines", async () => {
    const { body } = await off();
    expect(body).toEqual({ chainId, mining: false, blockNumber: expect.any(Number) });
    expect(await stateOfChain()).toMatchObject({ chainId, mining: false, blockNumber: body.blockNumber });
    const first = await submitLimit();
    const later = Date.now() + 1_000;
    await until("some looks of the pool's watch", () => Date.now() > later || undefined);
    expect(await receiptOf(first)).toBeUndefined();
    expect((await control("/mine", { chainId, blocks: 1 })).status).toBe(200);
    expect((await receiptOf(first))?.status).toBe("success");
    const second = await submitLimit();
    expect((await control("/mining", { chainId, on: true })).body).toMatchObject({ mining: true });
    expect((await receiptOf(second))?.status).toBe("success");
    expect(await stateOfChain()).toMatchObject({ mining: true });
  });

  it("has a settler that stands still, tells scripts so, and does its work once it mines", async () => {
    await control("/mode", { mode: "manual" });
    running = runDesk(desk);
    const orderId = await placeMarket("50");
    await off();
    await control("/mode", { mode: "auto", orderDelayMs: 0 });
    const sent = await transactionsOf(product.settler.address);
    const worth = await desk.priceOf(stockToken());
    const split = { symbol: "AAPL", type: "split", oldRate: "1", newRate: "2" };
    for (const [path, body] of [
      [`/orders/${orderId}/fill`, {}],
      [`/tokens/${cashToken()}/pause`, { deposit: true }],
      [`/tokens/${stockToken()}/tradable`, { tradable: false }],
      ["/buffers", { chainId, creditBuffer: "1" }],
      ["/corporate-action", split],
    ] as const) {
      expect([path, await control(path, body)]).toMatchObject([
        path,
        {
          status: 409,
          body: { error: "mining of chain 31337 is switched off, and the settler stands still" },
        },
      ]);
    }
    // Rounds of the settler take turns with this.
    for (let round = 0; round < 3; round++) await desk.exclusive(async () => undefined);
    expect(await transactionsOf(product.settler.address)).toBe(sent);
    expect((await orderOf(orderId)).status).toBe("open");
    expect(await desk.priceOf(stockToken())).toBe(worth);
    await control("/mining", { chainId, on: true });
    await becomes(orderId, "filled");
    expect(await fillsOf(orderId)).toHaveLength(1);
  });

  it("may be switched off and on more than once", async () => {
    for (const on of [false, false, true, true]) {
      expect(await control("/mining", { chainId, on })).toMatchObject({ status: 200, body: { mining: on } });
    }
    expect((await orderOf(await placeLimit("1", "50"))).status).toBe("open");
  });
});

describe("a script's mistake", () => {
  const anId = `0x${"ab".repeat(32)}`;

  it.each([
    ["/price", { symbol: "AAPL", price: "-1" }, 400, "price: must be a non-negative decimal number"],
    ["/price", { symbol: "AAPL", price: 0 }, 400, "price: must be above 0"],
    ["/price", { symbol: "AAPL", price: "1.1234567" }, 400, "price: may have at most 6 fraction digits"],
    ["/price", { symbol: "AAPL" }, 400, "price: is required"],
    ["/price", { symbol: "NOPE", price: "1" }, 404, "there is no stock NOPE"],
    ["/mode", { mode: "fast" }, 400, "mode: must be one of auto, manual"],
    ["/mode", { mode: "auto", chain: 1 }, 400, 'Unrecognized key: "chain"'],
    ["/mode", { mode: "auto", chainId: 1 }, 404, "there is no chain 1; the chains are 31337"],
    [
      "/session",
      { session: "lunch" },
      400,
      "session: must be one of pre, regular, post, overnight, closed, calendar",
    ],
    ["/orders/0x12/fill", {}, 400, "orderId: must be a 32-byte hex value"],
    [`/orders/${anId}/fill`, {}, 404, `there is no order ${anId}`],
    [`/orders/${anId}/reject`, { reason: 256 }, 400, "reason: must be from 0 to 255"],
    [`/operations/${anId}/settle`, {}, 404, `there is no queued operation ${anId}`],
    ["/buffers", { chainId: 31337, withdrawBuffer: "1" }, 400, "token: is required with a withdraw buffer"],
    ["/mine", { chainId: 31337, blocks: 0 }, 400, "blocks: must be from 1 to 5000"],
    ["/mining", { chainId: 31337 }, 400, "on: must be true or false"],
    ["/mining", { chainId: 31337, on: "off" }, 400, "on: must be true or false"],
    ["/mining", { on: false }, 400, "chainId: is required"],
    ["/mining", { chainId: 1, on: false }, 404, "there is no chain 1; the chains are 31337"],
    ["/reorg", { chainId: 31337, depth: 31 }, 400, "depth: must be from 1 to 30"],
    ["/clock", { chainId: 31337, seconds: 0 }, 400, "seconds: must be from 1 to 604800"],
    ["/outage", { part: "node", seconds: 601 }, 400, "seconds: must be from 0 to 600"],
    [
      "/outage",
      { part: "node", seconds: 1 },
      409,
      "node is no process of this sandbox, and cannot be stopped here",
    ],
    ["/users", {}, 409, "the sandbox is starting: ask again"],
    [
      "/corporate-action",
      { symbol: "AAPL", type: "split", oldRate: "1" },
      400,
      "newRate: is required for a split",
    ],
    ["/corporate-action", { symbol: "AAPL", type: "dividend" }, 400, "cash: is required for a dividend"],
    [
      "/corporate-action",
      { symbol: "AAPL", type: "merger" },
      400,
      "type: must be one of split, dividend, spin-off",
    ],
    ["/nowhere", {}, 404, "there is no such route; GET / lists them"],
  ])("%s %j is told %i, %s", async (path, body, status, error) => {
    const answer = await control(path, body);
    expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  it("shows the contract's own refusal by name", async () => {
    await control("/mode", { mode: "manual" });
    const orderId = await placeLimit("1", "50");
    expect(await control(`/orders/${orderId}/fill`, { price: "51" })).toMatchObject({
      status: 409,
      body: { revert: "PriceBeyondLimit" },
    });
    expect(await control(`/orders/${orderId}/fill`, { quantity: "2", price: "50" })).toMatchObject({
      status: 409,
      body: { revert: "ExceedsRemainingQuantity" },
    });
    await control(`/orders/${orderId}/cancel`, {});
  });

  it("in its JSON is told as well", async () => {
    const response = await fetch(`${url}/price`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "The body is not valid JSON" });
  });
});

it("moves the chain's clock", async () => {
  const { timestamp } = await product.client.getBlock();
  const { body } = await control("/clock", { chainId: 31337, seconds: 3_600 });
  expect(Number(body.timestamp)).toBeGreaterThanOrEqual(Number(timestamp) + 3_600);
  expect((await product.client.getBlock()).timestamp).toBe(BigInt(Number(body.timestamp)));
});

it("serves no quotes in an outage of market data, and goes on with them", async () => {
  await control("/outage", { part: "market-data", seconds: 600 });
  expect(await control("/feed/quotes/AAPL")).toEqual({
    status: 503,
    body: { error: "a script has stopped the market data" },
  });
  await control("/outage", { part: "market-data", seconds: 0 });
  expect((await control("/feed/quotes/AAPL")).status).toBe(200);
});

it("lists its routes, and serves the feed's quotes", async () => {
  const { body } = await control("/");
  expect(body.routes).toContainEqual(
    expect.objectContaining({ method: "POST", path: "/price", fields: ["symbol", "price"] }),
  );
  expect((await control("/feed/quotes/aapl")).body).toMatchObject({ symbol: "AAPL", source: "sandbox" });
  expect((await control("/feed/quotes/nope")).status).toBe(404);
  const all = await fetch(`${url}/feed/quotes`);
  expect(((await all.json()) as unknown[]).length).toBeGreaterThanOrEqual(8);
});
