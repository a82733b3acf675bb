import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { Contract, Interface, JsonRpcProvider, parseUnits } from "ethers";
import { getAddress, type Hex, type LocalAccount, parseEther, parseEventLogs } from "viem";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { listSymbols } from "../../src/market/symbols.ts";
import { getConfig } from "../../src/portfolio/config.ts";
import { cashier, LATER, router, stock, stockToken } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { present } from "../support/assert/until.ts";
import { indexedUpTo, startIndexer, type TestIndexer } from "../support/chain/indexer.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { type Product, send, startProduct } from "../support/chain/product.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../support/http/features.ts";
import { getBalance, getPrice, listPositions } from "../support/http/verbs.ts";

// Market and portfolio over a real chain and the real indexer: what they tell is what the contracts say at that block.

let product: Product;
let proxy: NodeProxy;
let features: Features;
let indexer: TestIndexer;
let provider: JsonRpcProvider;
let ann: LocalAccount;
let aapl: Hex;
let msft: Hex;
let usdc: Hex;
const scope = { chainId: 31337, productType: PRODUCT };

beforeAll(async () => {
  product = await startProduct();
  proxy = await startNodeProxy(product.rpcUrl);
  features = await startFeatures([{ deployment: product.deployment, rpcUrls: [proxy.url] }]);
  indexer = startIndexer(features.databaseUrl, [
    { deployment: product.deployment, rpcUrls: [product.rpcUrl] },
  ]);
  provider = new JsonRpcProvider(product.rpcUrl, 31337, { staticNetwork: true });
  ann = present(product.users[0], "a user");
  [aapl, msft] = [tokenOf("AAPL"), tokenOf("MSFT")];
  usdc = present(product.deployment.cashTokens[0], "a cash token").address;
  await caughtUp();
});

afterAll(async () => {
  provider?.destroy();
  await indexer?.stop();
  await features?.close();
  await proxy?.stop();
  await product?.stop();
});

beforeEach(() => {
  proxy.interfere = () => "pass";
  proxy.methods.length = 0;
  features.market.down = false;
  features.market.prices = new Map(
    product.deployment.stockTokens.map(({ stockSymbol }) => [stockSymbol, "200"]),
  );
});

const tokenOf = (symbol: string) =>
  present(
    product.deployment.stockTokens.find(({ stockSymbol }) => stockSymbol === symbol),
    symbol,
  ).address;
const caughtUp = async () =>
  indexedUpTo(features.deps.pool, indexer, 31337, await product.client.getBlockNumber());
const toRouter = (data: Hex) => send(product.client, ann, product.deployment.stockRouter, data);
const settle = (data: Hex) => send(product.client, product.settler, product.deployment.stock, data);
const balance = async (args: Record<string, unknown> = {}) =>
  getBalance(features.deps, scope, { userId: ann.address, ...args });

const erc20 = new Interface([
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address,address) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
]);
const ledger = new Interface([
  "function balanceWad(address) view returns (uint256)",
  "function lockedWad(address) view returns (uint256)",
  "function stockBalance(address,address) view returns (uint256)",
  "function lockedStock(address,address) view returns (uint256)",
]);

/** Holds every amount of a balance against the contracts, read by another library at the block that it names. */
async function expectAgreement(
  { data }: Awaited<ReturnType<typeof balance>>,
  spender?: string,
): Promise<void> {
  const at = { blockTag: Number(data.blockNumber) };
  const { deployment } = product;
  const read = (address: string, abi: Interface, name: string, ...args: string[]) =>
    new Contract(address, abi, provider).getFunction(name)(...args, at);
  expect(parseUnits(data.mUsdBalance, 18)).toBe(
    await read(deployment.cashier, ledger, "balanceWad", ann.address),
  );
  expect(parseUnits(data.mUsdLocked, 18)).toBe(
    await read(deployment.cashier, ledger, "lockedWad", ann.address),
  );
  expect(data.tokenBalances).toHaveLength(deployment.cashTokens.length + deployment.stockTokens.length);
  for (const token of data.tokenBalances) {
    const { address, decimals } = token;
    expect(parseUnits(token.walletBalance, decimals)).toBe(
      await read(address, erc20, "balanceOf", ann.address),
    );
    if (spender) {
      expect(parseUnits(token.walletAllowance ?? "", decimals)).toBe(
        await read(address, erc20, "allowance", ann.address, spender),
      );
    } else {
      expect(token).toMatchObject({ address: token.address, walletAllowance: null });
    }
    if (!token.isStock) {
      expect({
        exchangeBalance: token.exchangeBalance,
        exchangeLocked: token.exchangeLocked,
        stockSymbol: token.stockSymbol,
      }).toEqual({ exchangeBalance: null, exchangeLocked: null, stockSymbol: null });
      continue;
    }
    expect(parseUnits(token.exchangeBalance ?? "", 18)).toBe(
      await read(deployment.stock, ledger, "stockBalance", ann.address, address),
    );
    expect(parseUnits(token.exchangeLocked ?? "", 18)).toBe(
      await read(deployment.stock, ledger, "lockedStock", ann.address, address),
    );
  }
}

describe("the balance", () => {
  it("agrees with the contracts while orders come and go", async () => {
    await expectAgreement(await balance());
    const { logs } = await toRouter(router("placeMarketOrder", aapl, parseEther("1000"), LATER));
    await toRouter(router("placeLimitOrder", msft, -parseEther("2.5"), parseEther("300"), 0, LATER));
    await caughtUp();
    const open = await balance();
    expect(open.data.mUsdLocked).toBe("1000");
    await expectAgreement(open);
    const [placed] = parseEventLogs({ abi: stockAbi, logs, eventName: "MarketOrderPlaced" });
    await settle(
      stock("settleMarketOrders", [present(placed, "the order").args.orderId], [parseEther("187.65")]),
    );
    await toRouter(router("withdrawStock", aapl, parseEther("0.123456789")));
    await toRouter(router("deposit", usdc, 12_345_678n));
    await caughtUp();
    const settled = await balance({ spenderAddress: product.deployment.stockRouter });
    expect(settled.data.mUsdLocked).toBe("0");
    await expectAgreement(settled, product.deployment.stockRouter);
  }, 60_000);

  it("shows the block, names and prices of it all", async () => {
    const { block, data } = await balance();
    const head = await product.client.getBlock();
    expect(block).toEqual({ number: head.number, timestamp: head.timestamp });
    expect(data).toMatchObject({
      ...scope,
      address: ann.address,
      blockNumber: head.number,
      blockTimestamp: head.timestamp,
      walletBlockNumber: null,
    });
    const [cash] = product.deployment.cashTokens;
    expect(data.tokenBalances.find(({ symbol }) => symbol === cash?.symbol)).toMatchObject({
      address: getAddress(usdc),
      symbol: cash?.symbol,
      name: cash?.name,
      decimals: 6,
      price: "1",
    });
    expect(data.tokenBalances.find(({ stockSymbol }) => stockSymbol === "AAPL")).toMatchObject({
      address: getAddress(aapl),
      isStock: true,
      decimals: 18,
      price: "200",
    });
  });

  it("takes any case of the user and blanks around it, and asks the node once per block", async () => {
    const { data } = await balance();
    proxy.methods.length = 0;
    expect((await balance({ userId: ` ${ann.address.toLowerCase()} ` })).data).toEqual(data);
    expect((await balance({ userId: ann.address.toUpperCase().replace("0X", "0x") })).data).toEqual(data);
    expect(proxy.methods).toEqual([]);
  });

  it("of somebody whom nobody knows is nothing", async () => {
    const { data } = await balance({ userId: `0x${"77".repeat(20)}` });
    expect(data).toMatchObject({ mUsdBalance: "0", mUsdLocked: "0" });
    expect(data.tokenBalances.filter(({ walletBalance }) => walletBalance !== "0")).toEqual([]);
  });

  it("is told without prices while market data is down", async () => {
    features.market.down = true;
    const { data } = await balance();
    expect(data.tokenBalances.filter(({ isStock, price }) => isStock && price !== null)).toEqual([]);
    expect(data.mUsdBalance).not.toBe("0");
  });

  it("says of which block the wallet is where the node has lost the indexed one", async () => {
    await product.client.request({ method: "anvil_mine" as never, params: ["0x1"] as never });
    await caughtUp();
    proxy.interfere = (_method, params) =>
      params[1] === "latest" ? "pass" : { code: -32000, message: "header not found" };
    const { data } = await balance();
    const head = await product.client.getBlockNumber();
    expect(data.walletBlockNumber === null ? data.blockNumber : data.walletBlockNumber).toBe(head);
    await expectAgreement({ block: { number: head, timestamp: 0n }, data });
  });

  it("fails as the cause says", async () => {
    await expectRefusal(balance({ userId: "me" }), "VALIDATION_FAILED", "userId");
    await expectRefusal(balance({ spenderAddress: "0x1" }), "VALIDATION_FAILED", "spenderAddress");
    await product.client.request({ method: "anvil_mine" as never, params: ["0x1"] as never });
    await caughtUp();
    proxy.interfere = () => "cut";
    await expectRefusal(balance(), "RPC_UNAVAILABLE");
  });
});

describe("positions", () => {
  const positions = async (user: string = ann.address) =>
    (await listPositions(features.deps, scope, { userId: user })).data;

  it("tell what is held, what it cost and what it is worth", async () => {
    const user = present(product.users[1], "another user");
    const place = await send(
      product.client,
      user,
      product.deployment.stockRouter,
      router("placeMarketOrder", aapl, parseEther("1001"), LATER),
    );
    const [placed] = parseEventLogs({ abi: stockAbi, logs: place.logs, eventName: "MarketOrderPlaced" });
    await settle(
      stock("settleMarketOrders", [present(placed, "the order").args.orderId], [parseEther("100")]),
    );
    await caughtUp();
    const held = await balance({ userId: user.address });
    const position = present(
      (await positions(user.address)).find(({ symbol }) => symbol === "AAPL"),
      "the position",
    );
    const token = present(
      held.data.tokenBalances.find(({ stockSymbol }) => stockSymbol === "AAPL"),
      "the token",
    );
    expect(position).toMatchObject({
      stockAddress: getAddress(aapl),
      walletBalance: token.walletBalance,
      exchangeBalance: token.exchangeBalance,
      lockedBalance: token.exchangeLocked,
      marketPrice: "200",
      realizedPnl: "0",
    });
    // 1001 mUSD, 10 bps of it as fee: 9.99999 tokens at 100.
    expect(position.costBasis).toBe("1001");
    expect(Number(position.averageEntryPrice)).toBeCloseTo(100.1, 3);
    expect(Number(position.unrealizedPnl)).toBeCloseTo(9.99999 * 200 - 1001, 6);
    expect(parseUnits(position.quantity, 18)).toBe(
      parseUnits(position.walletBalance, 18) + parseUnits(position.exchangeBalance, 18),
    );
  });

  it("are worth the multiplier's part of the quote", async () => {
    const before = present(
      (await positions()).find(({ symbol }) => symbol === "MSFT"),
      "the position",
    );
    const set = (multiplier: string) =>
      send(product.client, product.settler, msft, stockToken("setMultiplier", parseEther(multiplier)));
    await set("0.5");
    await caughtUp();
    const after = present(
      (await positions()).find(({ symbol }) => symbol === "MSFT"),
      "the position",
    );
    expect(after).toMatchObject({ marketPrice: "100", quantity: before.quantity });
    const symbols = (await listSymbols(features.deps, scope, {})).data;
    expect(symbols.find(({ symbol }) => symbol === "MSFT")).toMatchObject({
      price: "100",
      change24H: "-0.25",
      change24HPercent: "-0.25",
    });
    const quote = jest.spyOn(features.deps.marketData, "quote");
    const shown = async (bid: string | null, ask: string | null) => {
      const plain = present(await features.market.quote("MSFT"), "the quote");
      quote.mockResolvedValueOnce({ ...plain, price: "200.000000000000000001", bid, ask });
      return (await getPrice(features.deps, scope, { symbol: "MSFT" })).data;
    };
    expect(await shown("200.000000000000000001", "200.000000000000000001")).toMatchObject({
      basicInfo: { price: "200.000000000000000001", bid: "200.000000000000000001" },
      onChain: {
        multiplier: "0.5",
        price: "100.000000000000000001",
        bid: "100",
        ask: "100.000000000000000001",
      },
    });
    expect((await shown(null, null)).onChain).toMatchObject({ bid: null, ask: null });
    quote.mockRestore();
    await set("1");
    await caughtUp();
  });

  it("leave out what is not held", async () => {
    expect(await positions(`0x${"77".repeat(20)}`)).toEqual([]);
  });

  it("fail as the cause says", async () => {
    await expectRefusal(positions("me"), "VALIDATION_FAILED", "userId");
  });

  it("have no prices while market data is down, and all the rest", async () => {
    const before = await positions();
    expect(before.map(({ stale }) => stale)).toEqual(before.map(() => false));
    features.market.down = true;
    const unpriced = {
      marketPrice: null,
      marketValue: null,
      unrealizedPnl: null,
      unrealizedPnlPercent: null,
    };
    expect(await positions()).toEqual(before.map((held) => ({ ...held, ...unpriced, stale: true })));
  });
});

describe("the configuration", () => {
  const cashOf = ({ cashierTokenConfig }: Awaited<ReturnType<typeof getConfig>>["data"], token: Hex) =>
    cashierTokenConfig.find(({ tokenAddress }) => lower(tokenAddress) === token);

  it("tells contracts, fees, buffers and limits of this scope", async () => {
    const { data } = await getConfig(features.deps, scope);
    const { deployment } = product;
    const stockRouter = getAddress(deployment.stockRouter);
    expect(data).toMatchObject({
      ...scope,
      contracts: {
        stockRouter,
        cashier: getAddress(deployment.cashier),
        stock: getAddress(deployment.stock),
        oneClickRouter: getAddress(deployment.oneClickRouter),
        cashSpender: stockRouter,
        stockSpender: stockRouter,
      },
      exchangeFeeConfig: { ...scope, buyFeeBps: 10, sellFeeBps: 10, minFee: "0.01" },
    });
    expect(data.cashierTokenConfig.map(({ symbol, decimals }) => `${symbol} ${decimals}`).sort()).toEqual(
      deployment.cashTokens.map(({ symbol, decimals }) => `${symbol} ${decimals}`).sort(),
    );
    expect(cashOf(data, usdc)).toMatchObject({
      tokenAddress: getAddress(usdc),
      usdRate: "1",
      depositPaused: false,
      depositFeeBps: 0,
    });
  });

  it("follows the Cashier", async () => {
    const admin = (data: Hex) => send(product.client, product.deployer, product.deployment.cashier, data);
    await admin(cashier("setCreditBuffer", parseEther("1234.5"), parseEther("2000")));
    await admin(cashier("setTokenPaused", usdc, false, true));
    await admin(cashier("setTokenFees", usdc, 0, 25));
    await caughtUp();
    const { data, block } = await getConfig(features.deps, scope);
    expect(block.number).toBe(await product.client.getBlockNumber());
    expect(data.cashierBuffer).toEqual({ creditBuffer: "1234.5", creditBufferCapacity: "2000" });
    expect(cashOf(data, usdc)).toMatchObject({
      withdrawPaused: true,
      withdrawFeeBps: 25,
      maxInstantDeposit: "1234.5",
      maxInstantWithdrawal: "0",
    });
    const dai = present(product.deployment.cashTokens[1], "a cash token").address;
    expect(cashOf(data, dai)).toMatchObject({
      maxInstantDeposit: "1234.5",
      maxInstantWithdrawal: "765.5",
    });
  });
});

describe("symbols and prices", () => {
  it("list every token with its quote", async () => {
    const { data } = await listSymbols(features.deps, scope, {});
    expect(data.map(({ contractAddress }) => lower(contractAddress)).sort()).toEqual(
      product.deployment.stockTokens.map(({ address }) => address).sort(),
    );
    expect(data.find(({ symbol }) => symbol === "AAPL")).toEqual({
      symbol: "AAPL",
      name: "AAPL Inc.",
      contractAddress: getAddress(aapl),
      contractSymbol: "AAPLx",
      contractName: expect.any(String),
      decimals: 18,
      tradable: true,
      fractionable: true,
      overnightTradable: false,
      price: "200",
      change24H: "-0.5",
      change24HPercent: "-0.25",
      volume24H: "1000",
      logoUrl: null,
      pdfUrl: null,
      lastUpdateTimestamp: 1_800_000_000,
      minNotional: "1",
      quantityStep: "0.000000000000000001",
      priceStep: "0.000000000000000001",
    });
  });

  it("list a token without a quote, and one that takes no orders", async () => {
    features.market.prices.delete("MSFT");
    await send(product.client, product.deployer, product.deployment.stock, stock("setTradable", msft, false));
    await caughtUp();
    const listed = async (input: Parameters<typeof listSymbols>[2]) =>
      (await listSymbols(features.deps, scope, input)).data;
    const row = (await listed({ tradable: "all" })).find(({ symbol }) => symbol === "MSFT");
    expect(row).toMatchObject({ tradable: false, price: null, change24H: null, lastUpdateTimestamp: null });
    const tradable = await listed({});
    expect(tradable).toHaveLength(product.deployment.stockTokens.length - 1);
    expect(tradable.map(({ symbol, tradable }) => [symbol, tradable])).not.toContainEqual(["MSFT", false]);
    expect(tradable.filter((row) => !row.tradable)).toEqual([]);
  });

  it.each<[string, () => string]>([
    ["stock symbol", () => "aapl"],
    ["token symbol", () => "aaplX"],
    ["token address", () => aapl.toUpperCase()],
    ["checksummed token address", () => getAddress(aapl)],
  ])("find a token by %s", async (_what, name) => {
    const { data } = await getPrice(features.deps, scope, { symbol: name() });
    const supply = await new Contract(aapl, erc20, provider).getFunction("totalSupply")();
    expect(data.basicInfo).toMatchObject({ symbol: "AAPL", price: "200", session: "regular" });
    expect(data.onChain).toMatchObject({
      ...scope,
      contractAddress: getAddress(aapl),
      contractSymbol: "AAPLx",
      decimals: 18,
      multiplier: "1",
      tradable: true,
      price: "200",
      bid: null,
      ask: null,
    });
    expect(parseUnits(data.onChain?.totalSupply ?? "", 18)).toBe(supply);
  });

  it("tell the quote of a stock that has no token here", async () => {
    features.market.prices.set("NFLX", "1000.5");
    expect((await getPrice(features.deps, scope, { symbol: "nflx" })).data).toMatchObject({
      basicInfo: { symbol: "NFLX", price: "1000.5" },
      onChain: null,
    });
  });

  it("fail as the cause says", async () => {
    const price = (symbol: unknown) => getPrice(features.deps, scope, { symbol });
    await expectRefusal(price("NONE"), "SYMBOL_NOT_FOUND", "symbol");
    await expectRefusal(price(`0x${"99".repeat(20)}`), "SYMBOL_NOT_FOUND", "symbol");
    await expectRefusal(price("a".repeat(300)), "VALIDATION_FAILED", "symbol");
    features.market.down = true;
    await expectRefusal(price("AAPL"), "MARKET_DATA_UNAVAILABLE");
    await expectRefusal(listSymbols(features.deps, scope, {}), "MARKET_DATA_UNAVAILABLE");
  });
});
