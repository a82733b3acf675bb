import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Hex, type LocalAccount, parseEther, parseUnits } from "viem";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import type { Caller } from "../../src/auth/caller.ts";
import { cashierAbi, stockAbi } from "../../src/contracts/abi/index.ts";
import { splitSuffix } from "../../src/contracts/attribution-suffix.ts";
import { cashToken, stock, stockToken } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { present } from "../support/assert/until.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { account, type Product, send, snapshot, startProduct } from "../support/chain/product.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { seedTerms } from "../support/db/seed.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../support/http/features.ts";
import { getPrice, orderCalldata } from "../support/http/verbs.ts";

// POST /orders/calldata against a real chain: what it builds is taken, what it says is missing is missing, and its
// fixes fix it.

let product: Product;
let proxy: NodeProxy;
let features: Features;
let onchain: Onchain;
let caller: Caller;
let ann: LocalAccount;
let aapl: Hex;
let goBack: () => Promise<void>;
/** A wallet with tokens, but without any approval or ledger balance. */
const newcomer = account(9);

beforeAll(async () => {
  product = await startProduct({ users: 1 });
  proxy = await startNodeProxy(product.rpcUrl);
  features = await startFeatures([{ deployment: product.deployment, rpcUrls: [proxy.url] }]);
  onchain = await createOnchain(features.deps.pool);
  await seedTerms(onchain, product);
  caller = await features.makeCaller();
  ann = present(product.users[0], "a user");
  aapl = present(product.deployment.stockTokens[0], "a stock").address;
  const [usdc, dai] = product.deployment.cashTokens;
  const mint = (to: Hex, data: Hex) => ({ name: "mint", to, data, gas: 500_000n });
  await sendAll(product.client, product.deployer, [
    { name: "coins", to: newcomer.address, value: parseEther("1"), gas: 21_000n },
    mint(present(usdc, "USDC").address, cashToken("mint", newcomer.address, parseUnits("5", 6))),
    mint(present(dai, "DAI").address, cashToken("mint", newcomer.address, parseEther("1000"))),
    mint(aapl, stockToken("mint", newcomer.address, parseEther("3"))),
  ]);
});

afterAll(async () => {
  await features?.close();
  await proxy?.stop();
  await product?.stop();
});

beforeEach(async () => {
  await goBack?.();
  goBack = await snapshot(product.client);
  proxy.interfere = () => "pass";
  features.market.prices = new Map([["AAPL", "200"]]);
  features.market.down = false;
});

const LATER = 4_102_444_800;
const scope = { chainId: 31337, productType: PRODUCT };
type Args = Record<string, unknown>;
const market = (args: Args = {}) => ({ stockAddress: aapl, type: "Market", deadline: LATER, ...args });
const limit = (args: Args = {}) =>
  market({ type: "Limit", quantity: "2", price: "100", timeInForce: "DAY", ...args });
const build = async (args: Args) => (await orderCalldata(features.deps, caller, args)).data;

interface Call {
  toAddress: string;
  callData: string;
}
const submit = (from: LocalAccount, call: Call) =>
  send(product.client, from, lower(call.toAddress), lower(call.callData));
const lockedWad = (user: Hex) =>
  product.client.readContract({
    address: product.deployment.cashier,
    abi: cashierAbi,
    functionName: "lockedWad",
    args: [user],
  });
const lockedStock = (user: Hex) =>
  product.client.readContract({
    address: product.deployment.stock,
    abi: stockAbi,
    functionName: "lockedStock",
    args: [user, aapl],
  });

describe("calldata", () => {
  it("is for the router, and tells in words what it encodes", async () => {
    const { block, data } = await orderCalldata(
      features.deps,
      caller,
      market({ side: "Buy", notional: "100.5" }),
    );
    expect(block.number).toBeGreaterThan(0n);
    expect(data).toEqual({
      toAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      value: "0",
      callData: expect.stringMatching(/^0x[0-9a-f]+$/),
      method: "placeMarketOrder",
      args: { stockToken: expect.any(String), amount: "100500000000000000000", deadline: `${LATER}` },
      ...scope,
      preflight: null,
    });
    expect(lower(data.toAddress)).toBe(product.deployment.stockRouter);
  });

  it("by symbol, in any case, is the same as by address", async () => {
    // Every reply has a suffix of its own.
    const bare = async (args: Args) => {
      const { callData, ...rest } = await build({ ...market({ side: "Buy", notional: "10" }), ...args });
      return { ...rest, callData: splitSuffix(callData)?.callData };
    };
    const byAddress = await bare({});
    expect(byAddress.callData).toMatch(/^0x[0-9a-f]{200}$/);
    expect(await bare({ stockAddress: null, symbol: "aApL" })).toEqual(byAddress);
    expect(await bare({ symbol: "AAPL" })).toEqual(byAddress);
  });

  it("names the stock as /prices does: by stock symbol, token symbol or token address, in any case", async () => {
    const tokenOf = async (named: Args) =>
      (await build(market({ side: "Buy", notional: "10", ...named }))).args.stockToken;
    const expected = await tokenOf({});
    for (const symbol of ["aapl", "AAPLx", "aaplX", aapl, aapl.toUpperCase(), expected]) {
      expect({ symbol, token: await tokenOf({ stockAddress: null, symbol }) }).toEqual({
        symbol,
        token: expected,
      });
      expect({ symbol, token: await tokenOf({ stockAddress: aapl.toUpperCase(), symbol }) }).toEqual({
        symbol,
        token: expected,
      });
      const { data } = await getPrice(features.deps, scope, { symbol });
      expect({ symbol, contractAddress: data.onChain?.contractAddress }).toEqual({
        symbol,
        contractAddress: expected,
      });
    }
    const msft = present(product.deployment.stockTokens[1], "another stock");
    for (const symbol of ["AAPLx", aapl, "AAPL", "NONE"])
      await expectRefusal(
        build(market({ side: "Buy", notional: "10", stockAddress: msft.address, symbol })),
        "TOKEN_NOT_SUPPORTED",
        "stockAddress",
      );
    await expectRefusal(
      build(market({ side: "Buy", notional: "10", stockAddress: null, symbol: "NONEx" })),
      "TOKEN_NOT_SUPPORTED",
      "symbol",
    );
  });

  it("asks the node for a token's own symbol alone, and says where it cannot", async () => {
    const fresh = await startFeatures([{ deployment: product.deployment, rpcUrls: ["http://127.0.0.1:1"] }]);
    try {
      await seedTerms(await createOnchain(fresh.deps.pool), product);
      const asker = await fresh.makeCaller();
      const named = (symbol: string) =>
        orderCalldata(fresh.deps, asker, market({ side: "Buy", notional: "10", stockAddress: null, symbol }));
      expect((await named("aapl")).data.method).toBe("placeMarketOrder");
      await expectRefusal(named("AAPLx"), "RPC_UNAVAILABLE");
    } finally {
      await fresh.close();
    }
  });

  it.each<[string, Args, string]>([
    ["a market buy", { side: "Buy", notional: "100" }, "100"],
    ["a market sell", { side: "Sell", quantity: "1.5" }, "1.5"],
    [
      "a limit buy, with the highest fee",
      { side: "Buy", type: "Limit", quantity: "3", price: "33.333333333333333333", timeInForce: "DAY" },
      "",
    ],
    [
      "a limit buy of little, with the smallest fee",
      { side: "Buy", type: "Limit", quantity: "0.01", price: "100", timeInForce: "DAY" },
      "1.01",
    ],
    ["a limit sell", { side: "Sell", type: "Limit", quantity: "2", price: "1000", timeInForce: "DAY" }, "2"],
  ])(
    "of %s is taken by the chain, which locks exactly what was said to be needed",
    async (_what, args, amount) => {
      const user = lower(ann.address);
      const call = await build(market({ ...args, userAddress: ann.address }));
      expect(call.preflight).toMatchObject({
        ok: true,
        revert: null,
        gasEstimate: expect.stringMatching(/^\d+$/),
      });
      const [check] = call.preflight?.checks ?? [];
      expect(call.preflight?.checks).toHaveLength(1);
      expect(check).toMatchObject({
        ok: true,
        check: args.side === "Buy" ? "mUsdBalance" : "exchangeBalance",
        fix: null,
      });
      if (amount) expect(check?.required).toBe(amount);
      await submit(ann, call);
      const locked = args.side === "Buy" ? await lockedWad(user) : await lockedStock(user);
      expect(parseEther(check?.required ?? "")).toBe(locked);
    },
  );
});

describe("preflight of a wallet that lacks something", () => {
  it("offers a deposit of a token that is there, after the allowance that it needs, and both fix it", async () => {
    const order = market({ side: "Buy", notional: "100", userAddress: newcomer.address });
    const first = await build(order);
    expect(first.preflight).toMatchObject({ ok: false, gasEstimate: null, revert: "InsufficientBalanceWad" });
    // The first cash token would do, had the wallet more than 5 of it.
    expect(first.preflight?.checks).toMatchObject([
      {
        check: "walletAllowance",
        ok: false,
        required: "100",
        actual: "0",
        fix: { toAddress: expect.any(String) },
      },
      { check: "mUsdBalance", ok: false, required: "100", actual: "0", fix: { value: "0" } },
    ]);
    for (const { fix } of first.preflight?.checks ?? []) await submit(newcomer, present(fix, "a fix"));
    const second = await build(order);
    expect(second.preflight).toMatchObject({
      ok: true,
      checks: [{ check: "mUsdBalance", ok: true, actual: "100" }],
    });
    await submit(newcomer, second);
  });

  it("offers to move stock from the wallet, after the allowance that it needs, and both fix it", async () => {
    const order = limit({ side: "Sell", userAddress: newcomer.address });
    const first = await build(order);
    expect(first.preflight).toMatchObject({ ok: false, revert: "InsufficientStockBalance" });
    expect(first.preflight?.checks).toMatchObject([
      { check: "walletAllowance", required: "2", actual: "0" },
      { check: "exchangeBalance", required: "2", actual: "0" },
    ]);
    for (const { fix } of first.preflight?.checks ?? []) await submit(newcomer, present(fix, "a fix"));
    expect((await build(order)).preflight?.ok).toBe(true);
  });

  it("offers nothing where the wallet has not enough either, and still gives the calldata", async () => {
    const buy = await build(market({ side: "Buy", notional: "100000", userAddress: newcomer.address }));
    expect(buy.preflight?.checks).toEqual([
      { check: "mUsdBalance", ok: false, required: "100000", actual: "0", fix: null },
    ]);
    const sell = await build(limit({ side: "Sell", quantity: "3.5", userAddress: newcomer.address }));
    expect(sell.preflight?.checks).toEqual([
      { check: "exchangeBalance", ok: false, required: "3.5", actual: "0", fix: null },
    ]);
    expect(sell.callData).toMatch(/^0x[0-9a-f]+$/);
  });

  it("tells the revert of what no check foresees", async () => {
    await send(product.client, product.deployer, product.deployment.stock, stock("setTradable", aapl, false));
    const call = await build(market({ side: "Buy", notional: "10", userAddress: ann.address }));
    expect(call.preflight).toMatchObject({
      ok: false,
      revert: "InvalidStockToken",
      gasEstimate: null,
      checks: [{ ok: true }],
    });
  });

  it("works for a wallet that has no coins to pay gas with", async () => {
    const poor = account(11);
    const call = await build(market({ side: "Buy", notional: "10", userAddress: poor.address }));
    expect(call.preflight).toMatchObject({ ok: false, revert: "InsufficientBalanceWad" });
    await product.client.request({
      method: "anvil_setBalance" as never,
      params: [ann.address, "0x0"] as never,
    });
    const penniless = await build(market({ side: "Buy", notional: "10", userAddress: ann.address }));
    expect(penniless.preflight).toMatchObject({ ok: true, revert: null });
  });

  it("is RPC_UNAVAILABLE while no node answers; without a wallet none is asked", async () => {
    proxy.interfere = () => "cut";
    await expectRefusal(
      build(market({ side: "Buy", notional: "10", userAddress: ann.address })),
      "RPC_UNAVAILABLE",
    );
    expect((await build(market({ side: "Buy", notional: "10" }))).preflight).toBeNull();
  });
});

describe("what is refused", () => {
  const none = `0x${"99".repeat(20)}`;
  it.each<[string, Args, string, string]>([
    [
      "a token that is not listed",
      { side: "Buy", notional: "10", stockAddress: none },
      "TOKEN_NOT_SUPPORTED",
      "stockAddress",
    ],
    [
      "a symbol that is not listed",
      { side: "Buy", notional: "10", stockAddress: null, symbol: "NONE" },
      "TOKEN_NOT_SUPPORTED",
      "symbol",
    ],
    [
      "address and symbol of two tokens",
      { side: "Buy", notional: "10", symbol: "MSFT" },
      "TOKEN_NOT_SUPPORTED",
      "stockAddress",
    ],
    [
      "a market buy below the minimum",
      { side: "Buy", notional: "0.999999999999999999" },
      "BELOW_MINIMUM",
      "notional",
    ],
    [
      "a market sell worth less than the minimum",
      { side: "Sell", quantity: "0.004999999999999999" },
      "BELOW_MINIMUM",
      "quantity",
    ],
    [
      "a limit order worth less than the minimum",
      { side: "Buy", type: "Limit", timeInForce: "DAY", quantity: "0.01", price: "99.9" },
      "BELOW_MINIMUM",
      "quantity",
    ],
    [
      "a deadline before the token",
      { side: "Buy", notional: "10", stockAddress: none, deadline: 1 },
      "DEADLINE_EXPIRED",
      "deadline",
    ],
    [
      "a token before the minimum",
      { side: "Buy", notional: "0.1", stockAddress: none },
      "TOKEN_NOT_SUPPORTED",
      "stockAddress",
    ],
  ])("%s", async (_what, args, errCode, param) => {
    await expectRefusal(build(market(args)), errCode, param);
  });

  it("a token that takes no orders", async () => {
    await onchain.update("stockToken", { tokenAddress: aapl }, { tradable: false });
    try {
      await expectRefusal(build(market({ side: "Buy", notional: "10" })), "TOKEN_PAUSED", "stockAddress");
    } finally {
      await onchain.update("stockToken", { tokenAddress: aapl }, { tradable: true });
    }
  });

  it("takes the smallest orders that there are", async () => {
    for (const args of [
      { side: "Buy", notional: "1" },
      { side: "Sell", quantity: "0.005" },
      { side: "Sell", type: "Limit", timeInForce: "DAY", quantity: "0.01", price: "100" },
    ]) {
      expect((await build(market(args))).value).toBe("0");
    }
  });

  it("values a market sell at the token's worth, multiplier included", async () => {
    await onchain.update("stockToken", { tokenAddress: aapl }, { multiplier: parseEther("0.5") });
    try {
      await expectRefusal(build(market({ side: "Sell", quantity: "0.005" })), "BELOW_MINIMUM", "quantity");
      expect((await build(market({ side: "Sell", quantity: "0.01" }))).value).toBe("0");
    } finally {
      await onchain.update("stockToken", { tokenAddress: aapl }, { multiplier: parseEther("1") });
    }
  });

  it("lets a market sell pass where nobody knows a price", async () => {
    const sell = market({ side: "Sell", quantity: "0.000001" });
    features.market.down = true;
    expect((await build(sell)).value).toBe("0");
    features.market.down = false;
    features.market.prices.clear();
    expect((await build(sell)).value).toBe("0");
  });
});
