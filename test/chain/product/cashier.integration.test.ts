import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Hex } from "viem";
import { sendAll } from "../../../packages/sandbox/src/transact.ts";
import {
  type CashTerms,
  type CreditBuffer,
  depositFor,
  forecastDeposit,
  maxInstantDeposit,
  maxInstantWithdrawal,
  minimumOf,
  payoutOf,
} from "../../../src/chain/product/cashier.ts";
import { cashierAbi } from "../../../src/contracts/abi/index.ts";
import { cashier } from "../../contracts/calls.ts";
import { type Product, startProduct } from "../../support/chain/product.ts";

// The arithmetic that forecasts are made with, held against the contract that will do it.

let product: Product;

beforeAll(async () => {
  product = await startProduct({ users: 1 });
});

afterAll(() => product?.stop());

interface Settings {
  usdRate: number;
  depositFeeBps: number;
  withdrawFeeBps: number;
  minAmount: number;
  buffer: bigint;
  room: bigint;
  credit: bigint;
}

const settings: fc.Arbitrary<Settings> = fc.record({
  usdRate: fc.integer({ min: 1, max: 3_000_000 }),
  depositFeeBps: fc.integer({ min: 0, max: 10_000 }),
  withdrawFeeBps: fc.integer({ min: 0, max: 10_000 }),
  minAmount: fc.integer({ min: 0, max: 5_000_000 }),
  buffer: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  room: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  credit: fc.bigInt({ min: 0n, max: 10n ** 24n }),
});

async function configure(token: Hex, given: Settings): Promise<void> {
  const { usdRate, depositFeeBps, withdrawFeeBps, minAmount, buffer, room, credit } = given;
  const changes = [
    cashier("setTokenLimits", token, minAmount, usdRate),
    cashier("setTokenFees", token, depositFeeBps, withdrawFeeBps),
    cashier("setWithdrawBuffer", token, buffer, buffer + room),
    cashier("setCreditBuffer", credit, credit + 10n ** 24n),
  ];
  const to = product.deployment.cashier;
  const steps = changes.map((data) => ({ name: "configure", to, data, gas: 300_000n }));
  await sendAll(product.client, product.deployer, steps);
}

async function read(token: Hex): Promise<{ terms: CashTerms; buffer: CreditBuffer }> {
  const contract = { address: product.deployment.cashier, abi: cashierAbi } as const;
  const { client } = product;
  const config = await client.readContract({ ...contract, functionName: "tokenConfig", args: [token] });
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
  ] = config;
  return {
    terms: {
      decimals,
      depositPaused,
      withdrawPaused,
      minAmount: BigInt(minAmount),
      usdRate: BigInt(usdRate),
      withdrawBuffer,
      withdrawBufferCapacity: capacity,
      depositFeeBps: depositFee,
      withdrawFeeBps: withdrawFee,
    },
    buffer: {
      creditBuffer: await client.readContract({ ...contract, functionName: "creditBufferWad" }),
      creditBufferCapacity: await client.readContract({
        ...contract,
        functionName: "creditBufferWadCapacity",
      }),
    },
  };
}

async function expectAgreement(
  token: Hex,
  terms: CashTerms,
  buffer: CreditBuffer,
  amount: bigint,
): Promise<void> {
  const contract = { address: product.deployment.cashier, abi: cashierAbi } as const;
  const args = [token, amount] as const;
  const { client } = product;
  const [credited, can, paid] = await Promise.all([
    client.readContract({ ...contract, functionName: "tokenToBalanceWadInstant", args }),
    client.readContract({ ...contract, functionName: "canInstantDeposit", args }),
    client.readContract({ ...contract, functionName: "balanceWadToTokenInstant", args }),
  ]);
  const { isInstant, credit, fee } = forecastDeposit(terms, buffer, amount);
  expect(credit).toBe(credited);
  expect(credit + fee).toBe((amount * 10n ** BigInt(18 - terms.decimals) * terms.usdRate) / 1_000_000n);
  expect(isInstant && credit > 0n && amount >= minimumOf(terms)).toBe(can);
  expect(payoutOf(terms, amount)).toBe(paid);
}

describe.each([0, 1])("cash token %i", (index) => {
  it("is forecast as the Cashier does it, and the limits are its limits", async () => {
    const token = product.deployment.cashTokens[index];
    if (!token) throw new Error("no such token");
    const someAmounts = fc.array(fc.bigInt({ min: 1n, max: 2n * 10n ** 12n }), {
      minLength: 3,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(settings, someAmounts, async (given, some) => {
        await configure(token.address, given);
        const { terms, buffer } = await read(token.address);
        const largest = maxInstantDeposit(terms, buffer);
        const amounts = [...some, largest, largest + 1n].filter((value) => value > 0n);
        await Promise.all(amounts.map((amount) => expectAgreement(token.address, terms, buffer, amount)));
        const beyond = forecastDeposit(terms, buffer, largest + 1n);
        if (largest + 1n >= minimumOf(terms))
          expect({ token: token.address, largest, beyond }).toMatchObject({ beyond: { isInstant: false } });
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});

describe("limits", () => {
  const terms: CashTerms = {
    decimals: 6,
    minAmount: 1_000_000n,
    usdRate: 1_000_000n,
    depositPaused: false,
    withdrawPaused: false,
    withdrawBuffer: 500n * 10n ** 6n,
    withdrawBufferCapacity: 800n * 10n ** 6n,
    depositFeeBps: 0,
    withdrawFeeBps: 0,
  };
  const WAD = 10n ** 18n;
  const buffer = { creditBuffer: 200n * WAD, creditBufferCapacity: 350n * WAD };

  it("end at the tighter of the two buffers", () => {
    expect(maxInstantDeposit(terms, buffer)).toBe(200n * 10n ** 6n);
    expect(maxInstantDeposit(terms, { ...buffer, creditBuffer: 900n * WAD })).toBe(300n * 10n ** 6n);
    expect(maxInstantWithdrawal(terms, buffer)).toBe(150n * WAD);
    expect(maxInstantWithdrawal(terms, { ...buffer, creditBufferCapacity: 9000n * WAD })).toBe(500n * WAD);
  });

  it("are nothing while the token is paused, or where they are below the minimum", () => {
    expect(maxInstantDeposit({ ...terms, depositPaused: true }, buffer)).toBe(0n);
    expect(maxInstantWithdrawal({ ...terms, withdrawPaused: true }, buffer)).toBe(0n);
    expect(maxInstantDeposit(terms, { ...buffer, creditBuffer: WAD - 1n })).toBe(0n);
    expect(maxInstantWithdrawal({ ...terms, withdrawBuffer: 999_999n }, buffer)).toBe(0n);
  });

  it("find the smallest deposit that credits enough", () => {
    const withFee = { ...terms, depositFeeBps: 30 };
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 24n }), (credit) => {
        const amount = depositFor(withFee, credit);
        if (amount === null) throw new Error("no deposit is enough");
        const enough = forecastDeposit(withFee, buffer, amount).credit;
        const less = forecastDeposit(withFee, buffer, amount - 1n).credit;
        const isLeast = amount <= minimumOf(withFee) || less < credit;
        expect({ credit, amount, enough, isEnough: enough >= credit, less, isLeast }).toEqual({
          credit,
          amount,
          enough,
          isEnough: true,
          less,
          isLeast: true,
        });
      }),
    );
  });
});
