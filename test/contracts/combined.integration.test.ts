import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { concatHex, encodeDeployData, getAddress, type Hex, parseEther, parseUnits } from "viem";
import { bytecode, smartWalletAbi } from "../../packages/sandbox/src/contracts/bytecode.ts";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import { present } from "../support/assert/until.ts";
import { send } from "../support/chain/product.ts";
import { type Bench, decodeEvents, type Event, idOf, only, startBench } from "./bench.ts";
import { cashier, cashToken, DAY, LATER, router } from "./calls.ts";
import { wallet } from "./wallet-calls.ts";

// Deposit and order in one call, and several orders in one transaction (docs/contracts.md#stockrouter).

const wad = parseEther;
const usd = (amount: string): bigint => parseUnits(amount, 6);
const ONE = 10n ** 18n;

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench?.stop());

const names = (events: Event[]): string[] => events.map(({ name }) => name);

describe("a combined buy", () => {
  it("deposits, places, and links both by its own event", async () => {
    const { ann, usdc, aapl } = bench;
    const before = await bench.balance(ann.address);
    const events = await bench.user(
      ann,
      router("depositAndMarketBuy", usdc, usd("500"), aapl, wad("600"), LATER),
    );
    const linked = only(events, "DepositAndMarketBuy");
    expect(linked).toMatchObject({
      depositOpId: idOf(events, "InstantDeposit"),
      orderId: idOf(events, "MarketOrderPlaced"),
      user: ann.address,
      depositAmount: usd("500"),
      usdAmount: wad("600"),
    });
    expect(names(events).at(-1)).toBe("DepositAndMarketBuy");
    expect(await bench.balance(ann.address)).toBe(before - wad("100"));
    expect(await bench.locked(ann.address)).toBe(wad("600"));
  });

  it("does so at a limit", async () => {
    const { ann, dai, aapl } = bench;
    const before = await bench.balance(ann.address);
    const events = await bench.user(
      ann,
      router("depositAndLimitBuy", dai, wad("500"), aapl, wad("5"), wad("100"), DAY, LATER),
    );
    expect(only(events, "DepositAndLimitBuy")).toMatchObject({
      depositOpId: idOf(events, "InstantDeposit"),
      orderId: idOf(events, "LimitOrderPlaced"),
      depositAmount: wad("500"),
      quantity: wad("5"),
      price: wad("100"),
    });
    expect(await bench.balance(ann.address)).toBe(before - wad("0.5"));
  });

  it("reverts whole where the deposit would be queued", async () => {
    const { ann, usdc, aapl, deployment } = bench;
    await bench.settleCash(cashier("setCreditBuffer", wad("499.99"), wad("1000")));
    const market = router("depositAndMarketBuy", usdc, usd("500"), aapl, wad("1"), LATER);
    const limit = router("depositAndLimitBuy", usdc, usd("500"), aapl, ONE, ONE, DAY, LATER);
    const before = await bench.tokensOf(usdc, ann.address);
    expect(await bench.revertOf(ann, deployment.stockRouter, market)).toBe("DepositNotInstant");
    await expect(bench.user(ann, limit)).rejects.toThrow("DepositNotInstant");
    expect(await bench.tokensOf(usdc, ann.address)).toBe(before);
  });

  it("reverts whole where the order cannot be placed", async () => {
    const { ann, usdc, aapl } = bench;
    const before = {
      wallet: await bench.tokensOf(usdc, ann.address),
      balance: await bench.balance(ann.address),
    };
    const tooMuch = router("depositAndMarketBuy", usdc, usd("1"), aapl, before.balance + wad("2"), LATER);
    await expect(bench.user(ann, tooMuch)).rejects.toThrow("InsufficientBalanceWad");
    expect(await bench.tokensOf(usdc, ann.address)).toBe(before.wallet);
    expect(await bench.balance(ann.address)).toBe(before.balance);
  });
});

describe("a combined sell", () => {
  it("deposits stock, places, and links by its own event", async () => {
    const { ann, aapl } = bench;
    const before = await bench.stockOf(ann.address);
    const events = await bench.user(
      ann,
      router("depositStockAndMarketSell", aapl, wad("2"), -wad("3"), LATER),
    );
    expect(only(events, "DepositStockAndMarketSell")).toMatchObject({
      orderId: idOf(events, "MarketOrderPlaced"),
      user: ann.address,
      depositAmount: wad("2"),
      quantity: -wad("3"),
    });
    expect(names(events)).toEqual([
      "StockDeposited",
      "StockCredited",
      "StockDeducted",
      "MarketOrderPlaced",
      "DepositStockAndMarketSell",
    ]);
    expect(await bench.stockOf(ann.address)).toBe(before - wad("1"));
    expect(await bench.lockedStockOf(ann.address)).toBe(wad("3"));
  });

  it("does so at a limit", async () => {
    const { ann, aapl } = bench;
    const events = await bench.user(
      ann,
      router("depositStockAndLimitSell", aapl, wad("2"), -wad("2"), wad("100"), DAY, LATER),
    );
    expect(only(events, "DepositStockAndLimitSell")).toMatchObject({
      orderId: idOf(events, "LimitOrderPlaced"),
      quantity: -wad("2"),
      price: wad("100"),
    });
  });
});

describe("the wrong side", () => {
  it.each<[string, () => Hex]>([
    ["market buy", () => router("depositAndMarketBuy", bench.usdc, usd("5"), bench.aapl, -1n, LATER)],
    ["limit buy", () => router("depositAndLimitBuy", bench.usdc, usd("5"), bench.aapl, -1n, ONE, DAY, LATER)],
    ["market sell", () => router("depositStockAndMarketSell", bench.aapl, ONE, 1n, LATER)],
    ["limit sell", () => router("depositStockAndLimitSell", bench.aapl, ONE, 1n, ONE, DAY, LATER)],
  ])("in a combined %s reverts", async (_what, data) => {
    expect(await bench.revertOf(bench.ann, bench.deployment.stockRouter, data())).toBe("WrongSide");
  });
});

describe("trailing calldata", () => {
  it("of a self-submitted call changes nothing, whatever it is", async () => {
    const { ann, bob, aapl, usdc } = bench;
    const suffixes: Hex[] = [
      "0x00",
      "0x80218021802180218021802180218021",
      bob.address,
      `0x${"ff".repeat(333)}`,
    ];
    for (const suffix of suffixes) {
      const placed = await bench.user(ann, concatHex([router("placeMarketOrder", aapl, ONE, LATER), suffix]));
      expect(only(placed, "MarketOrderPlaced").user).toBe(ann.address);
      const combined = router("depositAndMarketBuy", usdc, usd("5"), aapl, wad("5"), LATER);
      const both = await bench.user(ann, concatHex([combined, suffix]));
      expect(only(both, "DepositAndMarketBuy").user).toBe(ann.address);
    }
  });
});

describe("a wallet contract", () => {
  it("places several orders in one transaction, and all or none", async () => {
    const { client, ann, usdc, aapl, deployment } = bench;
    const [created] = await sendAll(client, ann, [
      {
        name: "create the wallet",
        to: null,
        data: encodeDeployData({ abi: smartWalletAbi, bytecode: bytecode.SmartWallet, args: [ann.address] }),
        gas: 2_000_000n,
      },
    ]);
    const address = getAddress(present(created?.contractAddress, "the wallet's address"));
    await send(client, ann, usdc, cashToken("mint", address, usd("1000")));
    const batch = (calls: { target: Hex; data: Hex }[]) =>
      wallet(
        "executeBatch",
        calls.map((call) => ({ ...call, value: 0n })),
      );
    const toRouter = (data: Hex) => ({ target: deployment.stockRouter, data });
    const calls = [
      { target: usdc, data: cashToken("approve", deployment.stockRouter, usd("1000")) },
      toRouter(router("deposit", usdc, usd("500"))),
      toRouter(router("placeMarketOrder", aapl, wad("100"), LATER)),
      toRouter(router("placeLimitOrder", aapl, ONE, wad("100"), DAY, LATER)),
      toRouter(router("depositAndMarketBuy", usdc, usd("500"), aapl, wad("500"), LATER)),
    ];
    const receipt = await send(client, ann, address, batch(calls));
    const events = decodeEvents(receipt.logs);
    const orders = events.filter(({ name }) => name.endsWith("OrderPlaced"));
    expect(new Set(orders.map(({ args }) => args.orderId)).size).toBe(3);
    expect(orders.filter(({ args }) => args.user !== address)).toEqual([]);
    expect(await bench.locked(address)).toBe(wad("700.1"));

    const doomed = batch([
      toRouter(router("placeMarketOrder", aapl, ONE, LATER)),
      toRouter(router("withdraw", usdc, wad("999"))),
    ]);
    expect(await bench.revertOf(ann, address, doomed)).toBe("InsufficientBalanceWad");
  });
});
