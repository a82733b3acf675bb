import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { parseEther, parseUnits } from "viem";
import { cashierAbi } from "../../src/contracts/abi/index.ts";
import { type Bench, idOf, only, startBench } from "./bench.ts";
import { cashier, router } from "./calls.ts";

// Deposits and withdrawals, instant and queued (docs/contracts.md#cashier).

const usd = (amount: string): bigint => parseUnits(amount, 6);
const wad = parseEther;

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench?.stop());

const creditBuffer = () => read("creditBufferWad");
const read = (functionName: "creditBufferWad" | "creditBufferWadCapacity") =>
  bench.client.readContract({ address: bench.deployment.cashier, abi: cashierAbi, functionName });
const config = async (token: `0x${string}`) => {
  const [
    minAmount,
    decimals,
    depositPaused,
    withdrawPaused,
    usdRate,
    withdrawBuffer,
    capacity,
    depositFee,
    withdrawFee,
  ] = await bench.client.readContract({
    address: bench.deployment.cashier,
    abi: cashierAbi,
    functionName: "tokenConfig",
    args: [token],
  });
  return {
    minAmount,
    decimals,
    depositPaused,
    withdrawPaused,
    usdRate,
    withdrawBuffer,
    capacity,
    depositFee,
    withdrawFee,
  };
};
const pending = async (token: `0x${string}`) =>
  bench.client.readContract({
    address: bench.deployment.cashier,
    abi: cashierAbi,
    functionName: "pending",
    args: [bench.ann.address, token],
  });

describe("an instant deposit", () => {
  it("credits 10,000 at once and moves both buffers", async () => {
    const { ann, usdc, deployment } = bench;
    const before = { balance: await bench.balance(ann.address), credit: await creditBuffer() };
    const buffer = (await config(usdc)).withdrawBuffer;
    const events = await bench.user(ann, router("deposit", usdc, usd("10000")));
    expect(only(events, "InstantDeposit")).toMatchObject({
      user: ann.address,
      amount: usd("10000"),
      creditWad: wad("10000"),
    });
    expect(only(events, "BalanceCredited")).toEqual({ user: ann.address, amountWad: wad("10000") });
    expect(events.map(({ name }) => name)).not.toContain("DepositRequested");
    expect(await bench.balance(ann.address)).toBe(before.balance + wad("10000"));
    expect(await creditBuffer()).toBe(before.credit - wad("10000"));
    expect((await config(usdc)).withdrawBuffer).toBe(buffer + usd("10000"));
    expect(only(events, "CreditBufferWadUpdated")).toEqual({ creditBufferWad: await creditBuffer() });
    expect(only(events, "WithdrawBufferUpdated").withdrawBuffer).toBe(buffer + usd("10000"));
    expect(await bench.tokensOf(usdc, deployment.cashier)).toBe(buffer + usd("10000"));
  });

  it("takes a token of 18 decimals to the last wad", async () => {
    const { ann, dai } = bench;
    const before = await bench.balance(ann.address);
    await bench.user(ann, router("deposit", dai, wad("1.000000000000000001")));
    expect(await bench.balance(ann.address)).toBe(before + wad("1.000000000000000001"));
  });

  it("charges the fee, rounded up, to the broker's good, at the token's rate", async () => {
    const { ann, usdc, settler, deployment } = bench;
    await bench.settleCash(cashier("setTokenFees", usdc, 7, 0));
    await bench.settleCash(cashier("setTokenLimits", usdc, 1_000_000, 998_700));
    const worth = (usd("12.345678") * 10n ** 12n * 998_700n) / 1_000_000n;
    const fee = (worth * 7n + 9_999n) / 10_000n;
    const before = await bench.balance(settler.address);
    const quote = await bench.client.readContract({
      address: deployment.cashier,
      abi: cashierAbi,
      functionName: "tokenToBalanceWadInstant",
      args: [usdc, usd("12.345678")],
    });
    const events = await bench.user(ann, router("deposit", usdc, usd("12.345678")));
    expect(only(events, "InstantDeposit").creditWad).toBe(worth - fee);
    expect(quote).toBe(worth - fee);
    expect((await bench.balance(settler.address)) - before).toBe(fee);
  });
});

describe("a deposit that the buffers do not cover", () => {
  it.each([
    ["the credit buffer is too small", () => cashier("setCreditBuffer", wad("9.99"), wad("100"))],
    [
      "the withdraw buffer has no room",
      () => cashier("setWithdrawBuffer", bench.usdc, usd("91"), usd("100")),
    ],
  ])("is queued where %s", async (_why, setBuffer) => {
    const { ann, usdc } = bench;
    await bench.settleCash(setBuffer());
    const before = await bench.balance(ann.address);
    expect(await canInstant(usd("10"))).toBe(false);
    const events = await bench.user(ann, router("deposit", usdc, usd("10")));
    expect(only(events, "DepositRequested")).toMatchObject({ user: ann.address, amount: usd("10") });
    expect(events.map(({ name }) => name)).toEqual(["DepositRequested"]);
    expect(await bench.balance(ann.address)).toBe(before);
    expect(await pending(usdc)).toEqual([usd("10"), 0n]);
  });

  it("is instant up to the last unit of the buffers", async () => {
    const { ann, usdc } = bench;
    await bench.settleCash(cashier("setCreditBuffer", wad("10"), wad("100")));
    await bench.settleCash(cashier("setWithdrawBuffer", usdc, usd("90"), usd("100")));
    expect(await canInstant(usd("10"))).toBe(true);
    expect(await canInstant(usd("10.000001"))).toBe(false);
    only(await bench.user(ann, router("deposit", usdc, usd("10"))), "InstantDeposit");
    only(await bench.user(ann, router("deposit", usdc, usd("1"))), "DepositRequested");
  });

  it("is credited when the settler settles it, once", async () => {
    const { ann, usdc, settler } = bench;
    const opId = await queuedDeposit("10");
    const before = { ann: await bench.balance(ann.address), broker: await bench.balance(settler.address) };
    const settle = cashier("batchSettleDeposit", [opId, opId], [wad("9.9"), wad("9.9")]);
    const events = await bench.settleCash(settle);
    expect(only(events, "DepositSettled")).toMatchObject({ opId, amount: usd("10"), creditWad: wad("9.9") });
    expect(await bench.settleCash(settle)).toEqual([]);
    expect(await bench.balance(ann.address)).toBe(before.ann + wad("9.9"));
    expect(await bench.balance(settler.address)).toBe(before.broker + wad("0.1"));
    expect({ pending: await pending(usdc) }).toEqual({ pending: [0n, 0n] });
  });

  it("gives the tokens back when the settler rejects it, and never both", async () => {
    const { ann, usdc } = bench;
    const before = await bench.tokensOf(usdc, ann.address);
    const opId = await queuedDeposit("10");
    const events = await bench.settleCash(cashier("batchRejectDeposit", [opId], 3));
    expect(events).toEqual([
      { name: "DepositRejected", args: expect.objectContaining({ opId, amount: usd("10"), reason: 3 }) },
    ]);
    expect(await bench.tokensOf(usdc, ann.address)).toBe(before);
    expect(await bench.settleCash(cashier("batchSettleDeposit", [opId], [wad("10")]))).toEqual([]);
    expect({ pending: await pending(usdc) }).toEqual({ pending: [0n, 0n] });
  });

  it("cannot be paid out to others: its tokens are not the Cashier's yet", async () => {
    const { bob, usdc, settler, deployment } = bench;
    const opId = await queuedDeposit("100");
    await bench.settleCash(cashier("setCreditBuffer", 0n, wad("1000000000")));
    // The broker takes all free USDC, then bob requests the queued tokens.
    const free = (await bench.tokensOf(usdc, deployment.cashier)) - usd("100");
    await bench.settleCash(cashier("setWithdrawBuffer", usdc, free + usd("100"), parseUnits("1", 30)));
    await bench.user(settler, router("withdraw", usdc, free * 10n ** 12n));
    const events = await bench.user(bob, router("withdraw", usdc, wad("5")));
    const withdrawal = idOf(events, "WithdrawalRequested");
    const settle = cashier("batchSettleWithdraw", [withdrawal], [usd("5")]);
    expect(await bench.revertOf(settler, deployment.cashier, settle)).toBe("InsufficientBuffer");
    only(await bench.settleCash(cashier("batchRejectDeposit", [opId], 1)), "DepositRejected");
  });
});

describe("an instant withdrawal", () => {
  it("deducts, pays and moves both buffers the other way", async () => {
    const { ann, usdc } = bench;
    const before = {
      balance: await bench.balance(ann.address),
      wallet: await bench.tokensOf(usdc, ann.address),
      credit: await creditBuffer(),
      buffer: (await config(usdc)).withdrawBuffer,
    };
    const events = await bench.user(ann, router("withdraw", usdc, wad("123.456789")));
    expect(only(events, "InstantWithdrawal")).toMatchObject({
      user: ann.address,
      amountWad: wad("123.456789"),
      amount: usd("123.456789"),
    });
    expect(only(events, "BalanceDeducted")).toEqual({ user: ann.address, amountWad: wad("123.456789") });
    expect(await bench.balance(ann.address)).toBe(before.balance - wad("123.456789"));
    expect(await bench.tokensOf(usdc, ann.address)).toBe(before.wallet + usd("123.456789"));
    expect(await creditBuffer()).toBe(before.credit + wad("123.456789"));
    expect((await config(usdc)).withdrawBuffer).toBe(before.buffer - usd("123.456789"));
  });

  it("rounds the payout down and leaves the rest to the broker as fee", async () => {
    const { ann, usdc, settler } = bench;
    await bench.settleCash(cashier("setTokenFees", usdc, 0, 13));
    await bench.settleCash(cashier("setTokenLimits", usdc, 1_000_000, 1_003_000));
    const before = await bench.balance(settler.address);
    const asked = wad("77.000001");
    const fee = (asked * 13n + 9_999n) / 10_000n;
    const payout = ((asked - fee) * 1_000_000n) / (10n ** 12n * 1_003_000n);
    const worth = payout * 10n ** 12n * 1_003_000n;
    const events = await bench.user(ann, router("withdraw", usdc, asked));
    expect(only(events, "InstantWithdrawal").amount).toBe(payout);
    expect((await bench.balance(settler.address)) - before).toBe(asked - (worth + 999_999n) / 1_000_000n);
  });

  it("refuses what the token's units cannot represent", async () => {
    const { ann, usdc, dai, deployment } = bench;
    const withdraw = (token: `0x${string}`, amount: string) =>
      bench.revertOf(ann, deployment.stockRouter, router("withdraw", token, wad(amount)));
    expect(await withdraw(usdc, "1.0000001")).toBe("AmountNotRepresentable");
    expect(await withdraw(usdc, "1.000001")).toBe("none");
    expect(await withdraw(dai, "1.000000000000000001")).toBe("none");
  });
});

describe("a withdrawal that the buffers do not cover", () => {
  it.each([
    [
      "the withdraw buffer is too small",
      () => cashier("setWithdrawBuffer", bench.usdc, usd("9.99"), usd("100")),
    ],
    ["the credit buffer has no room", () => cashier("setCreditBuffer", wad("91"), wad("100"))],
  ])("is queued where %s, its mUSD deducted at once", async (_why, setBuffer) => {
    const { ann, usdc } = bench;
    await bench.settleCash(setBuffer());
    const before = {
      balance: await bench.balance(ann.address),
      wallet: await bench.tokensOf(usdc, ann.address),
    };
    const events = await bench.user(ann, router("withdraw", usdc, wad("10")));
    expect(events.map(({ name }) => name)).toEqual(["BalanceDeducted", "WithdrawalRequested"]);
    expect(only(events, "WithdrawalRequested")).toMatchObject({ user: ann.address, amountWad: wad("10") });
    expect(await bench.balance(ann.address)).toBe(before.balance - wad("10"));
    expect(await bench.tokensOf(usdc, ann.address)).toBe(before.wallet);
    expect(await pending(usdc)).toEqual([0n, wad("10")]);
  });

  it("is paid when the settler settles it, once; what is not paid is the fee", async () => {
    const { ann, usdc, settler } = bench;
    const opId = await queuedWithdrawal("10");
    const before = {
      wallet: await bench.tokensOf(usdc, ann.address),
      broker: await bench.balance(settler.address),
    };
    const settle = cashier("batchSettleWithdraw", [opId, opId], [usd("9.5"), usd("9.5")]);
    const events = await bench.settleCash(settle);
    expect(only(events, "WithdrawalSettled")).toMatchObject({
      opId,
      amountWad: wad("10"),
      amount: usd("9.5"),
    });
    expect(await bench.settleCash(settle)).toEqual([]);
    expect(await bench.tokensOf(usdc, ann.address)).toBe(before.wallet + usd("9.5"));
    expect(await bench.balance(settler.address)).toBe(before.broker + wad("0.5"));
    expect({ pending: await pending(usdc) }).toEqual({ pending: [0n, 0n] });
  });

  it("gives the mUSD back when the settler rejects it, and never both", async () => {
    const { ann } = bench;
    const before = await bench.balance(ann.address);
    const opId = await queuedWithdrawal("10");
    const events = await bench.settleCash(cashier("batchRejectWithdraw", [opId], 9));
    expect(only(events, "WithdrawalRejected")).toMatchObject({ opId, amount: wad("10"), reason: 9 });
    expect(await bench.balance(ann.address)).toBe(before);
    expect(await bench.settleCash(cashier("batchSettleWithdraw", [opId], [usd("10")]))).toEqual([]);
  });
});

describe("set-up", () => {
  it("pauses one direction of one token", async () => {
    const { ann, usdc, dai, deployment } = bench;
    await bench.settleCash(cashier("setTokenPaused", usdc, true, false));
    await bench.settleCash(cashier("setTokenPaused", dai, false, true));
    const tried = (data: `0x${string}`) => bench.revertOf(ann, deployment.stockRouter, data);
    expect(await tried(router("deposit", usdc, usd("10")))).toBe("DepositPaused");
    expect(await tried(router("withdraw", usdc, wad("10")))).toBe("none");
    expect(await tried(router("deposit", dai, wad("10")))).toBe("none");
    expect(await tried(router("withdraw", dai, wad("10")))).toBe("WithdrawPaused");
    expect(await canInstant(usd("10"))).toBe(false);
  });

  it("says every change of a token's configuration in events", async () => {
    const { usdc } = bench;
    const [paused] = await bench.settleCash(cashier("setTokenPaused", usdc, true, true));
    expect(paused).toEqual({
      name: "TokenConfigUpdated",
      args: {
        token: expect.any(String),
        config: expect.objectContaining({ depositPaused: true, withdrawPaused: true }),
      },
    });
    const buffers = await bench.settleCash(cashier("setWithdrawBuffer", usdc, 5n, 6n));
    expect(only(buffers, "TokenConfigUpdated").config).toMatchObject({
      withdrawBuffer: 5n,
      withdrawBufferCapacity: 6n,
    });
    expect(only(buffers, "WithdrawBufferUpdated").withdrawBuffer).toBe(5n);
    const credit = await bench.settleCash(cashier("setCreditBuffer", 5n, 6n));
    expect(only(credit, "CreditBufferWadUpdated")).toEqual({ creditBufferWad: 5n });
    expect(only(credit, "CreditBufferCapacityWadUpdated")).toEqual({ creditBufferCapacityWad: 6n });
  });

  it("delists a token, and still settles what it had queued", async () => {
    const { ann, usdc, dai, deployment } = bench;
    const opId = await queuedDeposit("10");
    expect(
      only(await bench.settleCash(cashier("unsupportToken", usdc)), "TokenSupportUpdated").supported,
    ).toBe(false);
    const tokens = await bench.client.readContract({
      address: deployment.cashier,
      abi: cashierAbi,
      functionName: "getSupportedTokenList",
    });
    expect(tokens.map((token) => token.toLowerCase())).toEqual([dai]);
    const deposit = router("deposit", usdc, usd("10"));
    expect(await bench.revertOf(ann, deployment.stockRouter, deposit)).toBe("TokenNotSupported");
    only(await bench.settleCash(cashier("batchSettleDeposit", [opId], [wad("10")])), "DepositSettled");
  });
});

async function canInstant(amount: bigint): Promise<boolean> {
  const { client, deployment, usdc } = bench;
  return client.readContract({
    address: deployment.cashier,
    abi: cashierAbi,
    functionName: "canInstantDeposit",
    args: [usdc, amount],
  });
}

async function queuedDeposit(amount: string): Promise<`0x${string}`> {
  await bench.settleCash(cashier("setCreditBuffer", 0n, wad("1000")));
  return idOf(await bench.user(bench.ann, router("deposit", bench.usdc, usd(amount))), "DepositRequested");
}

async function queuedWithdrawal(amount: string): Promise<`0x${string}`> {
  await bench.settleCash(cashier("setWithdrawBuffer", bench.usdc, 0n, usd("1000")));
  return idOf(
    await bench.user(bench.ann, router("withdraw", bench.usdc, wad(amount))),
    "WithdrawalRequested",
  );
}
