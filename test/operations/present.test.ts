import { describe, expect, it } from "@jest/globals";
import type { Claim } from "../../src/claims/mapping.ts";
import { operationStatusOf, presentOperation } from "../../src/operations/present.ts";
import type { OperationRow } from "../../src/operations/store.ts";

const TOKEN = `0x${"70".repeat(20)}` as const;
const TX = `0x${"11".repeat(32)}` as const;
const WAD = 10n ** 18n;

const claim: Claim = {
  claimId: "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  chainId: 1,
  productType: "Sandbox",
  operationType: "deposit",
  txHash: TX,
  source: "recorded",
  state: "pending",
  claimUser: null,
  clientOrderId: null,
  createdMs: 1_800_000_000_999,
  updatedMs: 1_800_000_000_999,
};

const row: OperationRow = {
  opId: `0x${"0f".repeat(32)}`,
  kind: "deposit",
  ordinal: 0,
  userAddress: `0x${"a1".repeat(20)}`,
  tokenAddress: TOKEN,
  orderId: null,
  status: "completed",
  isInstant: true,
  tokenAmount: 100_000_000n,
  wadAmount: 99n * WAD,
  rejectReason: null,
  createdAt: 1,
  settleTxHash: TX,
  settledAt: 2,
  decimals: 6,
  usdRate: 1_000_000n,
};
const symbols = new Map([[TOKEN, { symbol: "USDC" }]]);
type Kind = Parameters<typeof presentOperation>[0];
const present = (kind: Kind, change: Partial<OperationRow> = {}) =>
  presentOperation(kind, { claim, operation: { ...row, ...change } }, symbols);

describe("amounts", () => {
  it.each<[string, Kind, Partial<OperationRow>, object]>([
    ["a deposit credits mUSD", "deposit", {}, { amount: "100", creditAmount: "99", feeAmount: "1" }],
    [
      "a deposit at a rate of its own",
      "deposit",
      { usdRate: 1_100_000n, wadAmount: 109n * WAD },
      { amount: "100", creditAmount: "109", feeAmount: "1" },
    ],
    [
      "a deposit of a token with 18 decimals",
      "deposit",
      { decimals: 18, tokenAmount: WAD, wadAmount: WAD },
      { amount: "1", creditAmount: "1", feeAmount: "0" },
    ],
    [
      "a queued deposit",
      "deposit",
      { status: "processing", isInstant: false, wadAmount: null, usdRate: null },
      { amount: "100", creditAmount: null, feeAmount: null, isInstant: false },
    ],
    [
      "a deposit that the desk settled for more than the token was worth",
      "deposit",
      { isInstant: false, usdRate: 900_000n },
      { creditAmount: "99", feeAmount: "0" },
    ],
    [
      "a withdrawal pays tokens for mUSD",
      "withdraw",
      { wadAmount: 101n * WAD },
      { amount: "101", creditAmount: "100", feeAmount: "1" },
    ],
    [
      "a withdrawal of a token whose rate no event told",
      "withdraw",
      { usdRate: null },
      { amount: "99", creditAmount: "100", feeAmount: null },
    ],
    [
      "a queued withdrawal",
      "withdraw",
      { status: "processing", tokenAmount: null, isInstant: false, usdRate: null },
      { amount: "99", creditAmount: null, feeAmount: null },
    ],
    [
      "stock moves as it is",
      "stock-deposit",
      { decimals: null, usdRate: null, wadAmount: null, tokenAmount: 5n * WAD, isInstant: null },
      { amount: "5", creditAmount: "5", feeAmount: "0", isInstant: null },
    ],
  ])("%s", (_what, kind, change, expected) => {
    const shown = present(kind, change);
    expect(shown.depositOperation ?? shown.withdrawalOperation).toMatchObject({
      ...expected,
      tokenSymbol: "USDC",
    });
  });
});

describe("kinds", () => {
  it.each<[Kind, boolean]>([
    ["deposit", true],
    ["withdraw", false],
    ["stock-deposit", true],
    ["stock-withdraw", false],
  ])("%s stands in its own field", (kind, isDeposit) => {
    const shown = present(kind);
    expect(shown.depositOperation === null).toBe(!isDeposit);
    expect(shown.withdrawalOperation === null).toBe(isDeposit);
  });

  it("tells the transaction at the top, indexed or not, and null while none was sent", () => {
    expect(present("deposit").txHash).toBe(TX);
    const unindexed = (txHash: Claim["txHash"]) =>
      presentOperation("deposit", { claim: { ...claim, txHash }, operation: null }, symbols).txHash;
    expect({ sent: unindexed(TX), unsent: unindexed(null) }).toEqual({ sent: TX, unsent: null });
  });
});

describe("statuses", () => {
  it.each<[OperationRow["status"] | null, Claim["state"], string]>([
    [null, "pending", "pending"],
    [null, "final", "pending"],
    [null, "reverted", "failed"],
    ["processing", "pending", "processing"],
    ["completed", "pending", "completed"],
    ["failed", "final", "failed"],
    ["completed", "reverted", "completed"],
  ])("%s on the chain, %s by its claim: %s", (chain, state, status) => {
    expect(operationStatusOf(chain, state)).toBe(status);
  });

  it("tell why an operation failed", () => {
    expect(present("deposit", { status: "failed", rejectReason: 7 }).depositOperation).toMatchObject({
      status: "failed",
      failReason: "Rejected by the cash desk, reason 7",
    });
    expect(present("deposit", { status: "failed" }).depositOperation?.failReason).toBe(
      "Rejected by the cash desk",
    );
    expect(present("deposit").depositOperation?.failReason).toBeNull();
  });
});

it("numbers the mapping of every operation but a transaction's first", () => {
  expect(present("deposit").mapping).toMatchObject({ mappingId: claim.claimId, createdAt: 1_800_000_000 });
  expect(present("deposit", { ordinal: 2 }).mapping.mappingId).toBe(`${claim.claimId}.2`);
});
