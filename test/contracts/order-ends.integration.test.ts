import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { parseEther } from "viem";
import { type Bench, only, startBench } from "./bench.ts";
import { router, stock } from "./calls.ts";
import { STATUS, tradingOf } from "./trading.ts";

// Ends of orders without a fill, and batches that contain closed ones (docs/contracts.md#stock).

const wad = parseEther;
const ONE = 10n ** 18n;

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench?.stop());

const { marketOrder, limitOrder, fillLimit, orderOf, holdings } = tradingOf(() => bench);

describe("cancel", () => {
  it("makes an open limit order canceling, and the settler releases all it locks", async () => {
    const before = await holdings();
    const orderId = await limitOrder(wad("2"), wad("100"));
    const events = await bench.user(bench.ann, router("cancelLimitOrder", orderId));
    expect(events).toEqual([{ name: "CancelRequested", args: { orderId } }]);
    expect((await orderOf(orderId)).status).toBe(STATUS.canceling);
    expect((await holdings()).mUsd).toBe(before.mUsd - wad("200.2"));
    const settled = await bench.settleStock(stock("settleCancels", [orderId]));
    expect(only(settled, "CancelSettled")).toEqual({
      orderId,
      filledQuantity: 0n,
      unfilledQuantity: wad("2"),
      released: wad("200.2"),
    });
    expect(await holdings()).toEqual(before);
    expect((await orderOf(orderId)).status).toBe(STATUS.canceled);
  });

  it("keeps the fills of a partly filled order", async () => {
    const before = await holdings();
    const orderId = await limitOrder(-wad("2"), wad("100"));
    await fillLimit(orderId, wad("0.5"), wad("100"));
    await bench.user(bench.ann, router("cancelLimitOrder", orderId));
    const settled = await bench.settleStock(stock("settleCancels", [orderId]));
    expect(only(settled, "CancelSettled")).toMatchObject({
      filledQuantity: wad("0.5"),
      unfilledQuantity: wad("1.5"),
      released: wad("1.5"),
    });
    expect(await holdings()).toMatchObject({ shares: before.shares - wad("0.5"), lockedShares: 0n });
  });

  it("loses against a fill that comes first", async () => {
    const orderId = await limitOrder(wad("2"), wad("100"));
    await bench.user(bench.ann, router("cancelLimitOrder", orderId));
    await fillLimit(orderId, wad("0.5"), wad("100"));
    expect((await orderOf(orderId)).status).toBe(STATUS.canceling);
    await fillLimit(orderId, wad("1.5"), wad("100"));
    expect((await orderOf(orderId)).status).toBe(STATUS.filled);
    expect(await bench.settleStock(stock("settleCancels", [orderId]))).toEqual([]);
    expect(await bench.locked(bench.ann.address)).toBe(0n);
  });

  it("is the settler's too, without a request, for splits", async () => {
    const before = await holdings();
    const orderId = await limitOrder(wad("2"), wad("100"));
    only(await bench.settleStock(stock("settleCancels", [orderId])), "CancelSettled");
    expect(await holdings()).toEqual(before);
  });
});

describe("reject and expire", () => {
  it.each([
    ["a market buy", () => marketOrder(wad("100")), wad("100")],
    ["a market sell", () => marketOrder(-wad("3")), wad("3")],
    ["a limit buy", () => limitOrder(wad("1"), wad("100")), wad("100.1")],
    ["a limit sell", () => limitOrder(-wad("1"), wad("100")), wad("1")],
  ])("release %s", async (_what, place, released) => {
    const before = await holdings();
    const rejected = await place();
    const expired = await place();
    const events = [
      ...(await bench.settleStock(stock("rejectOrders", [rejected], 7))),
      ...(await bench.settleStock(stock("expireOrders", [expired]))),
    ];
    expect(only(events, "OrderRejected")).toEqual({ orderId: rejected, reason: 7, released });
    expect(only(events, "OrderExpired")).toEqual({ orderId: expired, released });
    expect(await holdings()).toEqual(before);
    expect((await orderOf(rejected)).status).toBe(STATUS.rejected);
    expect((await orderOf(expired)).status).toBe(STATUS.expired);
  });

  it("end an order whose cancel was requested", async () => {
    const before = await holdings();
    const orderId = await limitOrder(wad("2"), wad("100"));
    await bench.user(bench.ann, router("cancelLimitOrder", orderId));
    only(await bench.settleStock(stock("expireOrders", [orderId])), "OrderExpired");
    expect(await holdings()).toEqual(before);
  });
});

describe("a batch", () => {
  it("skips closed orders, each of its kinds, and does the rest", async () => {
    const [closedMarket, openMarket] = [await marketOrder(wad("10")), await marketOrder(wad("10"))];
    const [closedLimit, openLimit] = [await limitOrder(ONE, wad("9")), await limitOrder(ONE, wad("9"))];
    await bench.settleStock(stock("rejectOrders", [closedMarket, closedLimit], 1));
    const prices = [wad("9"), wad("9")];
    const both = await bench.settleStock(stock("settleMarketOrders", [closedMarket, openMarket], prices));
    expect(only(both, "MarketOrderSettled").orderId).toBe(openMarket);
    const fills = await bench.settleStock(
      stock("settleLimitOrders", [closedLimit, openLimit], [ONE, ONE / 2n], prices),
    );
    expect(only(fills, "LimitOrderFilled").orderId).toBe(openLimit);
    const cancels = await bench.settleStock(stock("settleCancels", [closedLimit, openLimit]));
    expect(only(cancels, "CancelSettled").orderId).toBe(openLimit);
    for (const data of [
      stock("rejectOrders", [closedMarket, openMarket, openLimit], 1),
      stock("expireOrders", [closedMarket, openMarket, openLimit]),
    ]) {
      expect(await bench.settleStock(data)).toEqual([]);
    }
  });

  it("fills one order twice in one call", async () => {
    const orderId = await limitOrder(wad("2"), wad("100"));
    const price = wad("100");
    await bench.settleStock(
      stock("settleLimitOrders", [orderId, orderId, orderId], [ONE, ONE, ONE], [price, price, price]),
    );
    expect((await orderOf(orderId)).filledQuantity).toBe(wad("2"));
  });
});
