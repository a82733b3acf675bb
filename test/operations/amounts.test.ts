import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import type { Terms } from "../../src/context/terms.ts";
import { readAmount } from "../../src/operations/amounts.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import type { OperationKind } from "../../src/protocol/operations.ts";

// Amounts of operations, by the terms of their product.

const CASH: Hex = `0x${"ca".repeat(20)}`;
const STOCK: Hex = `0x${"57".repeat(20)}`;
const WAD = 10n ** 18n;

/** A token of 6 decimals that is worth 1.25 mUSD, with a fee of 1 % either way, from 10 tokens on. */
const TOKEN = {
  address: CASH,
  decimals: 6,
  minAmount: 10_000_000n,
  usdRate: 1_250_000n,
  depositPaused: false,
  withdrawPaused: false,
  withdrawBuffer: 0n,
  withdrawBufferCapacity: 1_000_000_000_000n,
  depositFeeBps: 100,
  withdrawFeeBps: 100,
};
const termsWith = (token: Partial<typeof TOKEN> = {}) =>
  ({
    cashTokens: [{ ...TOKEN, ...token }],
    stockTokens: [{ address: STOCK, symbol: "AAPL" }],
    buffer: { creditBuffer: 1_000n * WAD, creditBufferCapacity: 10_000n * WAD },
  }) as unknown as Terms;

const read = (kind: OperationKind, tokenAmount: string, token: Partial<typeof TOKEN> = {}) =>
  readAmount(kind, termsWith(token), { tokenAddress: kind.startsWith("stock") ? STOCK : CASH, tokenAmount });

function refusalOf(...args: Parameters<typeof read>): unknown {
  try {
    read(...args);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.errCode, error.param, error.message];
  }
}
const TOO_SMALL = (what: string, minimum: string) => [
  "BELOW_MINIMUM",
  "tokenAmount",
  `The smallest ${what} is ${minimum}`,
];
const TOO_LARGE = ["VALIDATION_FAILED", "tokenAmount", "tokenAmount is too large"];
const TOO_LONG = ["TOO_MANY_DECIMALS", "tokenAmount", "tokenAmount may have at most 6 fraction digits"];
const PAUSED = (what: string) => ["TOKEN_PAUSED", "tokenAddress", `The token takes no ${what} now`];

describe("a deposit of cash", () => {
  it("is named in the token, and forecast in mUSD, with a fee that counts for the cap", () => {
    expect(read("deposit", "100")).toEqual({
      amount: 100_000_000n,
      decimals: 6,
      forecast: { isInstant: true, credit: (12_375n * WAD) / 100n, fee: (125n * WAD) / 100n, decimals: 18 },
      notional: (125n * WAD) / 100n,
      symbol: null,
    });
  });

  it("is refused below the minimum, while the token takes none, and with digits that the token lacks", () => {
    expect(refusalOf("deposit", "10")).toBeNull();
    expect(refusalOf("deposit", "9.999999")).toEqual(TOO_SMALL("deposit", "10"));
    expect(refusalOf("deposit", "100", { depositPaused: true })).toEqual(PAUSED("deposits"));
    expect(refusalOf("deposit", "100", { withdrawPaused: true })).toBeNull();
    expect(refusalOf("deposit", "100.0000001")).toEqual(TOO_LONG);
  });

  it("is at most what the router takes", () => {
    expect(refusalOf("deposit", "79228162514264337593543.950335")).toBeNull();
    expect(refusalOf("deposit", "79228162514264337593543.950336")).toEqual(TOO_LARGE);
  });
});

describe("a withdrawal of cash", () => {
  it("is named in mUSD, and forecast in the token, with a fee that counts for the cap in mUSD", () => {
    expect(read("withdraw", "100", { withdrawBuffer: 79_200_000n })).toEqual({
      amount: 100n * WAD,
      decimals: 18,
      forecast: { isInstant: true, credit: 79_200_000n, fee: 800_000n, decimals: 6 },
      notional: WAD,
      symbol: null,
    });
    expect(read("withdraw", "100").forecast).toMatchObject({ isInstant: false });
  });

  it("is refused below the minimum, while the token takes none, and with digits that the token lacks", () => {
    expect(refusalOf("withdraw", "12.5")).toBeNull();
    expect(refusalOf("withdraw", "12.499999")).toEqual(TOO_SMALL("withdrawal", "12.5"));
    expect(refusalOf("withdraw", "100", { withdrawPaused: true })).toEqual(PAUSED("withdrawals"));
    expect(refusalOf("withdraw", "100", { depositPaused: true })).toBeNull();
    expect(refusalOf("withdraw", "100.0000001")).toEqual(TOO_LONG);
  });

  it("is at most what the router takes", () => {
    expect(refusalOf("withdraw", "79228162514.264337")).toBeNull();
    expect(refusalOf("withdraw", "79228162514.264338")).toEqual(TOO_LARGE);
  });
});

describe.each(["stock-deposit", "stock-withdraw"] as const)("a movement of stock (%s)", (kind) => {
  it("has its token's symbol, no forecast and no fee", () => {
    expect(read(kind, "1.5")).toEqual({
      amount: (15n * WAD) / 10n,
      decimals: 18,
      forecast: null,
      notional: null,
      symbol: "AAPL",
    });
  });

  it("is at most what the router takes", () => {
    const most = "115792089237316195423570985008687907853269984665640564039457.584007913129639935";
    expect(read(kind, most).amount).toBe(2n ** 256n - 1n);
    expect(refusalOf(kind, most.replace(/5$/, "6"))).toEqual(TOO_LARGE);
  });
});

it("a token of the other kind is not supported", () => {
  const input = { tokenAmount: "100" };
  for (const [kind, tokenAddress] of [
    ["deposit", STOCK],
    ["withdraw", STOCK],
    ["stock-deposit", CASH],
  ] as const) {
    expect(() => readAmount(kind, termsWith(), { ...input, tokenAddress })).toThrow(
      expect.objectContaining({ errCode: "TOKEN_NOT_SUPPORTED", param: "tokenAddress" }),
    );
  }
});
