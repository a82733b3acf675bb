import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Hex, parseEther } from "viem";
import { stockTokenAbi } from "../../src/contracts/abi/index.ts";
import { send } from "../support/chain/product.ts";
import { type Bench, idOf, only, startBench } from "./bench.ts";
import { DAY, LATER, router, stock, stockToken } from "./calls.ts";
import { STATUS, tradingOf } from "./trading.ts";

// Orders from placing to their fills, and their locks (docs/contracts.md#stock). Fees here: 10 bps, at least 0.01.

const wad = parseEther;
const ONE = 10n ** 18n;
const up = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
const feeOf = (notional: bigint): bigint => {
  const share = up(notional * 10n, 10_000n);
  if (share > wad("0.01")) return share;
  return wad("0.01");
};

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench?.stop());

const { marketOrder, limitOrder, fillLimit, fillMarket, orderOf, holdings } = tradingOf(() => bench);

describe("a market buy", () => {
  it("locks its notional and receives floor((notional - fee) / price), the rest goes back", async () => {
    const before = await holdings();
    const notional = wad("1000");
    const orderId = await marketOrder(notional);
    expect(await holdings()).toEqual({ ...before, mUsd: before.mUsd - notional, locked: notional });

    const price = wad("187.31");
    const events = await fillMarket(orderId, price);
    const fee = feeOf(notional);
    const quantity = ((notional - fee) * ONE) / price;
    const cost = up(quantity * price, ONE);
    expect(await holdings()).toEqual({
      ...before,
      mUsd: before.mUsd - cost - fee,
      shares: before.shares + quantity,
      broker: before.broker + cost + fee,
      custody: before.custody + quantity,
    });
    const settled = only(events, "MarketOrderSettled");
    expect(settled).toMatchObject({ orderId, stockDelta: quantity, price, user: bench.ann.address });
    expect(BigInt(`${settled.mintFee}`) + BigInt(`${settled.protocolFee}`)).toBe(fee);
    expect((await orderOf(orderId)).status).toBe(STATUS.filled);
  });

  it("pays the least fee where the share is smaller", async () => {
    const { ann } = bench;
    const before = await bench.balance(ann.address);
    const orderId = await marketOrder(wad("1"));
    await fillMarket(orderId, wad("0.99"));
    expect(await bench.balance(ann.address)).toBe(before - wad("1"));
    expect((await orderOf(orderId)).feeChargedWad).toBe(wad("0.01"));
    expect((await orderOf(orderId)).filledQuantity).toBe(wad("1"));
  });
});

describe("a market sell", () => {
  it("locks its stock and pays floor(quantity x price) less the fee", async () => {
    const before = await holdings();
    const quantity = wad("2.000000000000000001");
    const orderId = await marketOrder(-quantity);
    expect(await holdings()).toEqual({
      ...before,
      shares: before.shares - quantity,
      lockedShares: quantity,
    });
    const price = wad("187.31");
    const events = await fillMarket(orderId, price);
    const proceeds = (quantity * price) / ONE;
    const fee = feeOf(proceeds);
    expect(await holdings()).toEqual({
      ...before,
      shares: before.shares - quantity,
      mUsd: before.mUsd + proceeds - fee,
      broker: before.broker - proceeds + fee,
      custody: before.custody - quantity,
    });
    expect(only(events, "MarketOrderSettled")).toMatchObject({
      stockDelta: -quantity,
      mintFee: 0n,
      protocolFee: fee,
    });
    expect(events.map(({ name }) => name)).not.toContain("StockDeducted");
  });

  it("never costs more than it brings", async () => {
    const { ann } = bench;
    const before = await bench.balance(ann.address);
    const events = await fillMarket(await marketOrder(-wad("0.001")), wad("2"));
    expect(only(events, "MarketOrderSettled").protocolFee).toBe(wad("0.002"));
    expect(events.map(({ name }) => name)).toEqual(["MarketOrderSettled"]);
    expect(await bench.balance(ann.address)).toBe(before);
  });
});

describe("a limit buy", () => {
  const quantity = wad("3.3");
  const price = wad("100.01");
  const notional = up(quantity * price, ONE);

  it("locks quantity x price and the fee of that", async () => {
    const before = await holdings();
    const events = await bench.user(
      bench.ann,
      router("placeLimitOrder", bench.aapl, quantity, price, DAY, LATER),
    );
    const lockedAmount = notional + feeOf(notional);
    expect(only(events, "LimitOrderPlaced")).toMatchObject({ quantity, price, tif: DAY, lockedAmount });
    expect(only(events, "BalanceDeducted").amountWad).toBe(lockedAmount);
    expect(await holdings()).toEqual({ ...before, mUsd: before.mUsd - lockedAmount, locked: lockedAmount });
  });

  it("in parts spends from the lock, releases nothing before the last, and all of the rest then", async () => {
    const before = await holdings();
    const orderId = await limitOrder(quantity, price);
    const locked = notional + feeOf(notional);

    const first = { quantity: wad("1.1"), price: wad("99.5") };
    const firstCost = up(first.quantity * first.price, ONE);
    const events = await fillLimit(orderId, first.quantity, first.price);
    const firstSpent = firstCost + feeOf(firstCost);
    expect(only(events, "LimitOrderFilled")).toMatchObject({
      stockDelta: first.quantity,
      remaining: quantity - first.quantity,
    });
    expect(await holdings()).toEqual({
      ...before,
      mUsd: before.mUsd - locked,
      locked: locked - firstSpent,
      shares: before.shares + first.quantity,
      broker: before.broker + firstSpent,
      custody: before.custody + first.quantity,
    });
    expect((await orderOf(orderId)).status).toBe(STATUS.open);

    const rest = quantity - first.quantity;
    const restCost = up(rest * price, ONE);
    await fillLimit(orderId, rest, price);
    const spent = firstCost + restCost + feeOf(firstCost + restCost);
    expect(await holdings()).toEqual({
      ...before,
      mUsd: before.mUsd - spent,
      shares: before.shares + quantity,
      broker: before.broker + spent,
      custody: before.custody + quantity,
    });
    expect(await orderOf(orderId)).toMatchObject({
      status: STATUS.filled,
      lockedAmount: 0n,
      filledNotionalWad: firstCost + restCost,
      feeChargedWad: feeOf(firstCost + restCost),
    });
  });

  it("charges the least fee once, not with every part", async () => {
    const before = await bench.balance(bench.ann.address);
    const orderId = await limitOrder(wad("3"), wad("1"));
    for (let part = 0; part < 3; part++) await fillLimit(orderId, wad("1"), wad("1"));
    expect(await bench.balance(bench.ann.address)).toBe(before - wad("3.01"));
  });

  it("never costs more than its lock, however finely it is filled", async () => {
    // 10 base units at a tenth: each costs 1 rounded up, but all together 1 was locked (and the least fee).
    await bench.settleStock(stock("setFeeConfig", { buyFeeBps: 0, sellFeeBps: 0, minFeeWad: 0n }));
    const before = await holdings();
    const orderId = await limitOrder(10n, wad("0.1"));
    await fillLimit(orderId, 1n, wad("0.1"));
    const again = stock("settleLimitOrders", [orderId], [1n], [wad("0.1")]);
    expect(await bench.revertOf(bench.settler, bench.deployment.stock, again)).toBe("ExceedsLockedAmount");
    await fillLimit(orderId, 9n, wad("0.1"));
    expect(await holdings()).toEqual({
      ...before,
      mUsd: before.mUsd - 1n,
      broker: before.broker + 1n,
      shares: before.shares + 10n,
      custody: before.custody + 10n,
    });
  });
});

describe("a limit sell", () => {
  it("in parts pays each part, its fee by difference and at most the proceeds", async () => {
    const before = await holdings();
    const orderId = await limitOrder(-wad("2"), wad("100"));
    // 0.00005 x 100 brings 0.005, less than the least fee of 0.01: all of it is fee.
    await fillLimit(orderId, wad("0.00005"), wad("100"));
    expect(await holdings()).toMatchObject({ mUsd: before.mUsd, lockedShares: wad("1.99995") });
    // The next part pays the rest of its own cumulative fee.
    await fillLimit(orderId, wad("0.5"), wad("101"));
    const notional = wad("0.005") + wad("50.5");
    expect(await bench.balance(bench.ann.address)).toBe(before.mUsd + notional - feeOf(notional));
    await fillLimit(orderId, wad("1.49995"), wad("100"));
    const all = notional + wad("149.995");
    expect(await holdings()).toEqual({
      ...before,
      mUsd: before.mUsd + all - feeOf(all),
      broker: before.broker - all + feeOf(all),
      shares: before.shares - wad("2"),
      custody: before.custody - wad("2"),
    });
    expect((await orderOf(orderId)).status).toBe(STATUS.filled);
  });
});

describe("prices beyond the limit", () => {
  it.each([
    ["a buy above", 1n, "100.000000000000000001"],
    ["a sell below", -1n, "99.999999999999999999"],
  ])("%s its limit is not filled", async (_what, sign, price) => {
    const orderId = await limitOrder(sign * ONE, wad("100"));
    const fill = stock("settleLimitOrders", [orderId], [ONE], [wad(price)]);
    expect(await bench.revertOf(bench.settler, bench.deployment.stock, fill)).toBe("PriceBeyondLimit");
  });
});

describe("terms", () => {
  it("are those of the day of placing", async () => {
    const before = await bench.balance(bench.ann.address);
    const orderId = await limitOrder(wad("1"), wad("100"));
    const change = { buyFeeBps: 500, sellFeeBps: 500, minFeeWad: wad("5") };
    const events = await bench.settleStock(stock("setFeeConfig", change));
    expect(only(events, "FeeConfigUpdated")).toEqual(change);
    await fillLimit(orderId, wad("1"), wad("100"));
    expect(await bench.balance(bench.ann.address)).toBe(before - wad("100.1"));
  });

  it("bound the inclusion by the deadline, to the second", async () => {
    const { client, ann, aapl } = bench;
    const now = Number((await client.getBlock()).timestamp);
    const next = (timestamp: number) =>
      client.transport.request({ method: "evm_setNextBlockTimestamp", params: [timestamp] });
    await next(now + 100);
    await bench.user(ann, router("placeMarketOrder", aapl, ONE, now + 100));
    await next(now + 201);
    await expect(bench.user(ann, router("placeMarketOrder", aapl, ONE, now + 200))).rejects.toThrow(
      "DeadlineExpired",
    );
    // An accepted order stays open past its deadline: the session's end closes it, not the clock.
    const limit = router("placeLimitOrder", aapl, ONE, ONE, DAY, now + 300);
    const orderId = idOf(await bench.user(ann, limit), "LimitOrderPlaced");
    await next(now + 400);
    only(await fillLimit(orderId, ONE, ONE), "LimitOrderFilled");
  });

  it("accept DAY only", async () => {
    const { ann, aapl, deployment } = bench;
    for (const tif of [1, 2, 3, 4, 5, 6, 7, 8, 255]) {
      const data = router("placeLimitOrder", aapl, ONE, ONE, tif, LATER);
      expect(await bench.revertOf(ann, deployment.stockRouter, data)).toBe("TimeInForceNotSupported");
    }
  });

  it("need a tradable token; deposits and withdrawals do not", async () => {
    const { ann, aapl, deployment } = bench;
    const events = await bench.settleStock(stock("setTradable", aapl, false));
    expect(only(events, "StockTokenTradable").tradable).toBe(false);
    const tried = (data: Hex) => bench.revertOf(ann, deployment.stockRouter, data);
    expect(await tried(router("placeMarketOrder", aapl, ONE, LATER))).toBe("InvalidStockToken");
    expect(await tried(router("depositStock", aapl, ONE))).toBe("none");
    expect(await tried(router("withdrawStock", aapl, ONE))).toBe("none");
  });
});

describe("ids", () => {
  it("are unique to each order, over chains and contracts too, and known before", async () => {
    const first = await marketOrder(wad("1"));
    await bench.reset();
    expect(await marketOrder(wad("1"))).toBe(first);
    const seen = new Set([first]);
    for (let count = 0; count < 5; count++) seen.add(await limitOrder(ONE, ONE));
    const deposits = await bench.user(bench.ann, router("deposit", bench.usdc, 1_000_000n));
    seen.add(idOf(deposits, "InstantDeposit"));
    expect(seen.size).toBe(7);
  });
});

describe("stock movements", () => {
  it("move tokens between wallet and exchange", async () => {
    const { ann, aapl } = bench;
    const before = await holdings();
    const wallet = await bench.tokensOf(aapl, ann.address);
    const deposited = await bench.user(ann, router("depositStock", aapl, 7n));
    expect(deposited.map(({ name }) => name)).toEqual(["StockDeposited", "StockCredited"]);
    expect(await holdings()).toMatchObject({ shares: before.shares + 7n, custody: before.custody + 7n });
    const withdrawn = await bench.user(ann, router("withdrawStock", aapl, 9n));
    expect(withdrawn.map(({ name }) => name)).toEqual(["StockWithdrawn", "StockDeducted"]);
    expect(await holdings()).toMatchObject({ shares: before.shares - 2n, custody: before.custody - 2n });
    expect(await bench.tokensOf(aapl, ann.address)).toBe(wallet + 2n);
  });

  it("cannot take what an order locks", async () => {
    const { ann, aapl, deployment } = bench;
    const all = await bench.stockOf(ann.address);
    await marketOrder(-all);
    const withdraw = router("withdrawStock", aapl, 1n);
    expect(await bench.revertOf(ann, deployment.stockRouter, withdraw)).toBe("InsufficientStockBalance");
  });

  it("ignore the multiplier: a split changes no balance", async () => {
    const { ann, aapl, settler, client } = bench;
    const before = await holdings();
    const multiplier = () =>
      client.readContract({ address: aapl, abi: stockTokenAbi, functionName: "multiplier" });
    expect(await multiplier()).toBe(ONE);
    await send(client, settler, aapl, stockToken("setMultiplier", 4n * ONE));
    expect(await multiplier()).toBe(4n * ONE);
    expect(await holdings()).toEqual(before);
    await bench.user(ann, router("withdrawStock", aapl, ONE));
    expect(await bench.stockOf(ann.address)).toBe(before.shares - ONE);
  });
});
