import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { maxUint256, parseEther, parseUnits } from "viem";
import {
  cashierAbi,
  cashTokenAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../../../src/contracts/abi/index.ts";
import { DAY, LATER, router } from "../../../test/contracts/calls.ts";
import { apply, at, emptyLedger, type Ledger } from "../../../test/contracts/ledger.ts";
import { present } from "../../../test/support/assert/until.ts";
import { allLogs, type Product, send, startProduct } from "../../../test/support/chain/product.ts";

// Holdings of a sandbox chain before any trade (docs/contracts.md#sandbox-set).

let products: Product[];
let product: Product;
let ledger: Ledger;
beforeAll(async () => {
  products = await Promise.all([startProduct({ chainId: 31337 }), startProduct({ chainId: 31338 })]);
  product = present(products[0], "a product");
  ledger = emptyLedger();
  apply(ledger, await allLogs(product));
});
afterAll(() => Promise.all((products ?? []).map(({ stop }) => stop())));

const cashierOf = ({ deployment }: Product) => ({ address: deployment.cashier, abi: cashierAbi }) as const;
const stockOf = ({ deployment }: Product) => ({ address: deployment.stock, abi: stockAbi }) as const;

describe("a deployment", () => {
  it("names each chain it is on, and where its events begin", async () => {
    for (const { client, deployment } of products) {
      expect(deployment.chainId).toBe(await client.getChainId());
      const { cashier, stock, stockRouter, oneClickRouter } = deployment;
      const before = await client.getLogs({
        address: [cashier, stock, stockRouter, oneClickRouter],
        fromBlock: 0n,
        toBlock: BigInt(deployment.startBlock) - 1n,
      });
      expect(before).toEqual([]);
    }
  });

  it("has contracts that know each other", async () => {
    const { client, deployment, settler } = product;
    const read = async (functionName: "cashier" | "stock" | "trustedForwarder") =>
      (
        await client.readContract({ address: deployment.stockRouter, abi: stockRouterAbi, functionName })
      ).toLowerCase();
    expect(await read("cashier")).toBe(deployment.cashier);
    expect(await read("stock")).toBe(deployment.stock);
    expect(await read("trustedForwarder")).toBe(deployment.oneClickRouter);
    for (const functionName of ["settler", "broker"] as const) {
      expect(await client.readContract({ ...cashierOf(product), functionName })).toBe(settler.address);
    }
  });

  it("has a cash token of 6 and one of 18 decimals, and eight tradable stocks under distinct symbols", async () => {
    const { client, deployment } = product;
    expect(deployment.cashTokens.map(({ decimals }) => decimals)).toEqual([6, 18]);
    expect(deployment.stockTokens.length).toBeGreaterThanOrEqual(8);
    const symbols = deployment.stockTokens.flatMap(({ symbol, stockSymbol }) => [symbol, stockSymbol]);
    expect(new Set(symbols).size).toBe(symbols.length);
    const tokens = await client.readContract({ ...stockOf(product), functionName: "getStockTokens" });
    expect(tokens.map((token) => token.toLowerCase())).toEqual(
      deployment.stockTokens.map(({ address }) => address),
    );
    for (const { address, symbol, decimals } of [...deployment.cashTokens, ...deployment.stockTokens]) {
      const token = { address, abi: cashTokenAbi } as const;
      expect(await client.readContract({ ...token, functionName: "symbol" })).toBe(symbol);
      expect(await client.readContract({ ...token, functionName: "decimals" })).toBe(decimals);
    }
  });

  it("tells its whole configuration in events", async () => {
    const { client, deployment } = product;
    const read = cashierOf(product);
    expect(ledger.creditBuffer).toBe(await client.readContract({ ...read, functionName: "creditBufferWad" }));
    expect(ledger.creditBufferCapacity).toBe(
      await client.readContract({ ...read, functionName: "creditBufferWadCapacity" }),
    );
    const supported = await client.readContract({ ...read, functionName: "getSupportedTokenList" });
    expect([...ledger.cashTokens.keys()]).toEqual(supported.map((token) => token.toLowerCase()));
    for (const { address } of deployment.cashTokens) {
      const token = present(ledger.cashTokens.get(at(address)), address);
      const values = await client.readContract({ ...read, functionName: "tokenConfig", args: [address] });
      const { withdrawBuffer: _atListing, ...config } = token.config;
      expect([...Object.values(config), token.withdrawBuffer, token.supported]).toEqual([
        ...values.filter((_value, index) => index !== 5),
        values[5],
        true,
      ]);
    }
    const [buyFeeBps, sellFeeBps, minFeeWad] = await client.readContract({
      ...stockOf(product),
      functionName: "feeConfig",
    });
    expect(ledger.feeConfig).toEqual({ buyFeeBps, sellFeeBps, minFeeWad });
    expect([...ledger.stockTokens]).toEqual(
      deployment.stockTokens.map(({ address, stockSymbol }) => [
        address,
        { symbol: stockSymbol, tradable: true },
      ]),
    );
  });

  it("lets 10,000 be deposited at once in each cash token", async () => {
    const { client, deployment } = product;
    for (const { address, decimals } of deployment.cashTokens) {
      const args = [address, parseUnits("10000", decimals)] as const;
      expect(
        await client.readContract({ ...cashierOf(product), functionName: "canInstantDeposit", args }),
      ).toBe(true);
    }
  });
});

describe("a funded user", () => {
  it("has native coin, tokens, mUSD and exchange stock, all approved", async () => {
    const { client, deployment, users } = product;
    for (const { address: user } of users) {
      expect(await client.getBalance({ address: user })).toBeGreaterThan(parseEther("1"));
      const mUsd = await client.readContract({
        ...cashierOf(product),
        functionName: "balanceWad",
        args: [user],
      });
      expect(mUsd).toBeGreaterThanOrEqual(parseEther("10000"));
      expect(ledger.available.get(at(user))).toBe(mUsd);
      for (const { address, decimals } of [...deployment.cashTokens, ...deployment.stockTokens]) {
        const token = { address, abi: stockTokenAbi } as const;
        const [wallet, allowance] = await Promise.all([
          client.readContract({ ...token, functionName: "balanceOf", args: [user] }),
          client.readContract({ ...token, functionName: "allowance", args: [user, deployment.stockRouter] }),
        ]);
        expect(wallet).toBeGreaterThanOrEqual(parseUnits("1000", decimals));
        expect(allowance).toBe(maxUint256);
      }
      for (const { address } of deployment.stockTokens) {
        expect(ledger.stock.get(at(user, address))).toBeGreaterThanOrEqual(parseEther("1"));
      }
    }
  });

  it("trades for little gas", async () => {
    const { client, deployment, users } = product;
    const user = present(users[0], "a user");
    const usdc = present(deployment.cashTokens[0], "a cash token").address;
    const aapl = present(deployment.stockTokens[0], "a stock token").address;
    const most: [bigint, `0x${string}`][] = [
      [130_000n, router("deposit", usdc, 5_000_000n)],
      [130_000n, router("withdraw", usdc, parseEther("5"))],
      [100_000n, router("depositStock", aapl, parseEther("1"))],
      [100_000n, router("withdrawStock", aapl, parseEther("1"))],
      [250_000n, router("placeMarketOrder", aapl, parseEther("5"), LATER)],
      [250_000n, router("placeLimitOrder", aapl, -parseEther("1"), parseEther("5"), DAY, LATER)],
      [
        350_000n,
        router("depositAndLimitBuy", usdc, 5_000_000n, aapl, parseEther("1"), parseEther("5"), DAY, LATER),
      ],
    ];
    for (const [limit, data] of most) {
      const { gasUsed } = await send(client, user, deployment.stockRouter, data);
      expect(gasUsed).toBeLessThan(limit);
    }
  });
});
