import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Abi, type Hex, type LocalAccount, parseEther } from "viem";
import { cashierAbi, stockAbi, stockTokenAbi } from "../../src/contracts/abi/index.ts";
import { type Bench, startBench } from "./bench.ts";
import { cashier, stock, stockToken } from "./calls.ts";

// Callers of each function: users go through StockRouter, the settler settles, settler and admin configure.

const NO_ID: Hex = `0x${"00".repeat(31)}01`;
const NOBODY: Hex = "0x1111111111111111111111111111111111111111";
const FREE = { buyFeeBps: 0, sellFeeBps: 0, minFeeWad: 0n };

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());

describe("access", () => {
  const address = NOBODY;
  const config = {
    minAmount: 0,
    decimals: 18,
    depositPaused: false,
    withdrawPaused: false,
    usdRate: 1_000_000,
    withdrawBuffer: 0n,
    withdrawBufferCapacity: parseEther("1"),
    depositFeeBps: 0,
    withdrawFeeBps: 0,
  };
  const forSettler: [to: "cashier" | "stock", Hex][] = [
    ["cashier", cashier("batchSettleDeposit", [], [])],
    ["cashier", cashier("batchRejectDeposit", [], 0)],
    ["cashier", cashier("batchSettleWithdraw", [], [])],
    ["cashier", cashier("batchRejectWithdraw", [], 0)],
    ["stock", stock("settleMarketOrders", [], [])],
    ["stock", stock("settleLimitOrders", [], [], [])],
    ["stock", stock("settleCancels", [])],
    ["stock", stock("rejectOrders", [], 0)],
    ["stock", stock("expireOrders", [])],
  ];
  const forOperators: [to: "cashier" | "stock", Hex][] = [
    ["cashier", cashier("supportToken", address, config)],
    ["cashier", cashier("unsupportToken", address)],
    ["cashier", cashier("setTokenPaused", address, true, true)],
    ["cashier", cashier("setTokenFees", address, 0, 0)],
    ["cashier", cashier("setTokenLimits", address, 0, 0)],
    ["cashier", cashier("setWithdrawBuffer", address, 0n, 0n)],
    ["cashier", cashier("setCreditBuffer", 0n, 0n)],
    ["stock", stock("listStockToken", address, "", true)],
    ["stock", stock("setTradable", address, true)],
    ["stock", stock("setFeeConfig", FREE)],
  ];
  const forContracts: [to: "cashier" | "stock", Hex][] = [
    ["cashier", cashier("deposit", address, address, 0n)],
    ["cashier", cashier("withdraw", address, address, 0n)],
    ["cashier", cashier("lock", address, 0n)],
    ["cashier", cashier("unlock", address, 0n, 0n)],
    ["cashier", cashier("payFromBroker", address, 0n)],
    ["stock", stock("deposit", address, address, 0n)],
    ["stock", stock("withdraw", address, address, 0n)],
    ["stock", stock("placeMarketOrder", address, address, 0n, 0)],
    ["stock", stock("placeLimitOrder", address, address, 0n, 0n, 0, 0)],
    ["stock", stock("cancelLimitOrder", address, NO_ID)],
  ];

  it("covers every function that changes anything", () => {
    const count = (abi: Abi): number =>
      abi.filter((entry) => entry.type === "function" && entry.stateMutability === "nonpayable").length;
    expect([...forSettler, ...forOperators, ...forContracts]).toHaveLength(
      count(cashierAbi) + count(stockAbi),
    );
  });

  it("to settling is the settler's alone", async () => {
    for (const [to, data] of forSettler) {
      for (const from of [bench.ann, bench.deployer]) {
        expect(await bench.revertOf(from, bench.deployment[to], data)).toBe("Unauthorized");
      }
      expect(await bench.revertOf(bench.settler, bench.deployment[to], data)).toBe("none");
    }
  });

  it("to the configuration is the settler's and the admin's", async () => {
    for (const [to, data] of forOperators) {
      expect(await bench.revertOf(bench.ann, bench.deployment[to], data)).toBe("Unauthorized");
      for (const from of [bench.settler, bench.deployer]) {
        expect(await bench.revertOf(from, bench.deployment[to], data)).not.toBe("Unauthorized");
      }
    }
  });

  it("to the ledgers is the contracts' alone", async () => {
    for (const [to, data] of forContracts) {
      for (const from of [bench.ann, bench.settler, bench.deployer]) {
        expect(await bench.revertOf(from, bench.deployment[to], data)).toBe("Unauthorized");
      }
    }
  });

  it("to a stock token's supply and multiplier is not the public's", async () => {
    const tried = (data: Hex, from: LocalAccount) => bench.revertOf(from, bench.aapl, data);
    expect(await tried(stockToken("mint", address, 1n), bench.ann)).toBe("Unauthorized");
    expect(await tried(stockToken("setMultiplier", 1n), bench.ann)).toBe("Unauthorized");
    expect(await tried(stockToken("burn", 1n), bench.ann)).toBe("Unauthorized");
    expect(await tried(stockToken("burn", 1n), bench.settler)).toBe("Unauthorized");
    expect(await tried(stockToken("mint", address, 1n), bench.deployer)).toBe("none");
    const changing = stockTokenAbi.flatMap((entry) =>
      entry.type === "function" && entry.stateMutability === "nonpayable" ? [entry.name] : [],
    );
    expect(changing.sort()).toEqual(["approve", "burn", "mint", "setMultiplier", "transfer", "transferFrom"]);
  });
});
