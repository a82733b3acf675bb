import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { parseInput } from "../../src/context/input/fields.ts";
import { chooseWallet } from "../../src/sending/delegation/store.ts";
import { gasLimitFor, gasLimitShape, intrinsicGas } from "../../src/sending/gas.ts";
import { inputHash, normaliseInput } from "../../src/sending/outbox/identity.ts";
import { type PolicySubject, refusingPolicy } from "../../src/sending/outbox/policy.ts";
import type { KeyPolicy } from "../../src/sending/outbox/policy-store.ts";
import { presentSend } from "../../src/sending/outbox/reply.ts";
import type { SendRow } from "../../src/sending/outbox/rows.ts";
import {
  type BroadcastResult,
  mergeResults,
  parseBroadcastAnswer,
} from "../../src/sending/sender/broadcast-result.ts";
import { DEFAULT_SENDER_CONFIG } from "../../src/sending/sender/deps.ts";
import { bumpFees, capFees, feesFor, highestFees, tipWithin } from "../../src/sending/sender/fees.ts";
import { nextAction } from "../../src/sending/sender/next-action.ts";
import { decideReceipt } from "../../src/sending/sender/receipt-decision.ts";
import type { Attempt, InFlight } from "../../src/sending/sender/store.ts";
import { present } from "../support/assert/until.ts";
import { UNSENT } from "../support/sender/unsent.ts";

/** Pure parts of sending: the rules of docs/sending.md, one line each. */
const HASH: Hex = `0x${"ab".repeat(32)}`;

const row = (more: Partial<SendRow>): SendRow => ({
  requestId: "r",
  keyId: "k",
  chainId: 1,
  productType: "P",
  operation: "orders/send",
  user: "0x01",
  wallet: "0x02",
  to: "0x03",
  data: "0x",
  gasLimit: 100_000n,
  deadline: null,
  notional: null,
  inputHash: "h",
  ...UNSENT,
  acceptedAtMs: 0,
  ...more,
});

describe("what a node's answer means", () => {
  const error = (message: string) =>
    parseBroadcastAnswer({ kind: "error", code: -32000, message, data: undefined }, HASH).kind;

  it.each([
    ["already known", "taken"],
    ["known transaction: 0xab", "taken"],
    ["transaction already imported", "taken"],
    ["Transaction with the same hash was already imported.", "taken"],
    ["AlreadyKnown", "taken"],
    ["Known transaction", "taken"],
    ["nonce too low: next nonce 6, tx nonce 5", "nonce-too-low"],
    ["OldNonce, Current nonce: 5, nonce of rejected tx: 4", "nonce-too-low"],
    ["Nonce too low", "nonce-too-low"],
    ["the tx doesn't have the correct nonce. account has nonce of: 6 tx has nonce of: 5", "nonce-too-low"],
    ["nonce too high", "nonce-gap"],
    ["NonceGap, Future nonce. Expected nonce: 4", "nonce-gap"],
    ["replacement transaction underpriced", "underpriced"],
    ["could not replace existing tx", "underpriced"],
    ["ReplacementNotAllowed", "underpriced"],
    [
      "Transaction gas price 1 is too low. There is another transaction with same nonce in the queue",
      "underpriced",
    ],
    ["transaction underpriced", "fee-too-low"],
    ["FeeTooLow, MaxFeePerGas too low.", "fee-too-low"],
    ["max fee per gas less than block base fee", "fee-too-low"],
    ["Gas price below configured minimum gas price", "fee-too-low"],
    ["insufficient funds for gas * price + value: balance 0, tx cost 5", "insufficient-funds"],
    ["Upfront cost exceeds account balance", "insufficient-funds"],
    ["InsufficientFunds, Account balance: 0, cumulative cost: 1", "insufficient-funds"],
    ["intrinsic gas too low: have 1000, want 21000", "never-minable"],
    ["Transaction requires at least 21000 gas but got 1000", "never-minable"],
    ["insufficient gas for floor data gas cost", "never-minable"],
    ["exceeds block gas limit", "never-minable"],
    ["GasLimitExceeded, Gas limit: 1, gas limit of rejected tx: 2", "never-minable"],
    ["transaction gas limit too high (cap: 16777216, tx: 30000000)", "never-minable"],
    ["oversized data: transaction size 200000, limit 131072", "never-minable"],
    ["rlp too long", "never-minable"],
    ["tx fee (1.20 ether) exceeds the configured cap (1.00 ether)", "never-minable"],
    ["tx fee (1200000 wei) exceeds the configured cap (1000000 wei)", "never-minable"],
    ["Transaction fee cap exceeded", "never-minable"],
    ["exceeds max transaction gas limit", "never-minable"],
    ["txpool is full", "later"],
    ["pending sub-pool is full", "later"],
    ["There are too many transactions in the queue", "later"],
    ["address already reserved", "later"],
    ["in-flight transaction limit reached for delegated accounts", "later"],
    ["account limit exceeded", "later"],
    ["PendingTxsOfOtherType", "later"],
    ["Your app has exceeded its compute units per second capacity", "unknown"],
    ["daily request count exceeded, request rate limited", "unknown"],
    ["request timed out", "unknown"],
    ["tx nonce is lower than account nonce", "nonce-too-low"],
    ["tx nonce is higher than account nonce", "nonce-gap"],
    ["insufficient gas price to replace existing transaction.", "underpriced"],
    ["something new", "refused"],
    ["internal error", "refused"],
  ])("%s is %s", (message, kind) => expect(error(message)).toBe(kind));

  it("is refused only where every node says so, and taken where one does", () => {
    const told = (...kinds: BroadcastResult["kind"][]) =>
      mergeResults(
        kinds.map((kind): BroadcastResult => {
          if (kind === "taken") return { kind, fresh: true };
          return kind === "never-minable" ? { kind, because: "gas" } : { kind };
        }),
      ).kind;
    expect(told("refused", "refused")).toBe("refused");
    expect(told("refused", "unknown")).toBe("unknown");
    expect(told("later", "refused")).toBe("later");
    expect(told("refused", "taken")).toBe("taken");
    expect(told("never-minable", "taken", "nonce-too-low")).toBe("taken");
    expect(told("unknown", "never-minable")).toBe("never-minable");
    const known = { kind: "taken", fresh: false } as const;
    expect(mergeResults([known, { kind: "taken", fresh: true }])).toEqual(known);
  });

  it("trusts a hash only where it is the one of the bytes", () => {
    expect(
      parseBroadcastAnswer({ kind: "result", value: HASH.toUpperCase().replace("0X", "0x") }, HASH),
    ).toEqual({
      kind: "taken",
      fresh: true,
    });
    expect(parseBroadcastAnswer({ kind: "result", value: `0x${"cd".repeat(32)}` }, HASH)).toEqual({
      kind: "unknown",
    });
    expect(parseBroadcastAnswer({ kind: "unreachable", reason: "ECONNRESET" }, HASH)).toEqual({
      kind: "unknown",
    });
  });
});

describe("fees", () => {
  const caps = (maxFeePerGasCap: bigint, maxPriorityFeeCap = maxFeePerGasCap) => ({
    maxFeePerGasCap,
    maxPriorityFeeCap,
  });

  it("rise by at least 12.5% in both parts, also from tiny values, and follow the market when it is higher", () => {
    const none = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    expect(bumpFees({ maxFeePerGas: 1000n, maxPriorityFeePerGas: 1n }, none, caps(10_000n))).toEqual({
      maxFeePerGas: 1126n,
      maxPriorityFeePerGas: 3n,
    });
    expect(
      bumpFees({ maxFeePerGas: 1000n, maxPriorityFeePerGas: 1n }, feesFor(5_000n, 7n), caps(20_000n)),
    ).toEqual({
      maxFeePerGas: 10_007n,
      maxPriorityFeePerGas: 7n,
    });
  });
  it("never pass the cap", () => {
    const highest = { maxFeePerGas: 1000n, maxPriorityFeePerGas: 1n };
    expect(bumpFees(highest, highest, caps(1_100n))).toBeNull();
    expect(bumpFees(highest, highest, caps(1_126n, 3n))).not.toBeNull();
    expect(bumpFees(highest, highest, caps(1_125n, 3n))).toBeNull();
    expect(bumpFees(highest, highest, caps(1_126n, 2n))).toBeNull();
    const tipped = { maxFeePerGas: 1000n, maxPriorityFeePerGas: 90n };
    expect(bumpFees(tipped, tipped, caps(10_000n, 100n))).toBeNull();
    expect(bumpFees(tipped, tipped, caps(10_000n, 200n))).toMatchObject({ maxPriorityFeePerGas: 103n });
    expect(capFees(feesFor(5_000n, 9_000n), 6_000n)).toEqual({
      maxFeePerGas: 6_000n,
      maxPriorityFeePerGas: 6_000n,
    });
  });
});

it("compares attempts by each of their fees", () => {
  const attempts = [
    { maxFeePerGas: 5n, maxPriorityFeePerGas: 1n },
    { maxFeePerGas: 4n, maxPriorityFeePerGas: 2n },
  ];
  expect(highestFees(attempts)).toEqual({ maxFeePerGas: 5n, maxPriorityFeePerGas: 2n });
  expect(highestFees([])).toEqual({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
});

it("takes a tip from a node only within bounds, and leaves room to replace", () => {
  const bounds = { minPriorityFee: 10n, maxPriorityFeeCap: 100n };
  expect(tipWithin(3n, bounds)).toBe(10n);
  expect(tipWithin(30n, bounds)).toBe(30n);
  expect(tipWithin(10n ** 18n, bounds)).toBe(50n);
  expect(tipWithin(30n, { minPriorityFee: 80n, maxPriorityFeeCap: 100n })).toBe(80n);
});

describe("what a request needs", () => {
  const limits = { rebroadcastMs: 100, bumpAfterMs: 1_000, takenMax: 3, refusedMax: 2 };
  const attempt = (more: Partial<Attempt> = {}): Attempt => ({
    attemptId: "1",
    kind: "call",
    gasLimit: 100_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    bytes: "0x",
    hash: HASH,
    broadcasts: 1,
    taken: 1,
    refusals: 0,
    answer: "taken",
    firstBroadcastMs: 0,
    lastBroadcastMs: 0,
    ...more,
  });
  const care = (more: Partial<InFlight>, last: Partial<Attempt>, nowMs: number, first = true) =>
    nextAction(
      { ...row({ state: "broadcast" }), nonce: 5n, attempts: [attempt(last)], ...more },
      { nowMs, first },
      limits,
    ).kind;

  it.each<[string, Partial<InFlight>, Partial<Attempt>, number, boolean, string]>([
    ["just sent", {}, {}, 50, true, "nothing"],
    ["not heard of for a while", {}, {}, 150, true, "send"],
    ["never sent", {}, { firstBroadcastMs: null, lastBroadcastMs: null }, 0, true, "send"],
    ["stuck at its fee", {}, {}, 1_500, true, "bump"],
    ["stuck behind another", {}, {}, 1_500, false, "send"],
    ["its nonce is said to be used", {}, { answer: "nonce-too-low" }, 1_500, true, "send"],
    ["outbid", {}, { answer: "underpriced" }, 10, false, "bump"],
    ["no room in the pool for long", {}, { answer: "later" }, 1_500, true, "send"],
    ["below the fee asked for", {}, { answer: "fee-too-low" }, 10, false, "bump"],
    ["never minable", {}, { answer: "never-minable" }, 10, false, "fill"],
    ["too large", {}, { answer: "oversized" }, 10, false, "fill"],
    ["past its deadline", { deadline: 0n }, {}, 1_000, true, "fill"],
    ["in the last second of its deadline", { deadline: 0n }, {}, 99, true, "nothing"],
    ["before its deadline", { deadline: 1n }, {}, 50, true, "nothing"],
    ["its filler too large", {}, { kind: "filler", answer: "oversized" }, 10, true, "hopeless"],
    ["asked to be filled before", { fillReason: "OUT_OF_GAS" }, {}, 50, true, "fill"],
    ["taken and lost too often, a moment ago", {}, { taken: 3 }, 99, true, "nothing"],
    [
      "taken and lost too often, and sent again a moment ago",
      {},
      { taken: 3, lastBroadcastMs: 150 },
      200,
      true,
      "nothing",
    ],
    ["sent again later than it was first", {}, { lastBroadcastMs: 150 }, 200, true, "nothing"],
    ["never sent, and doubted before", {}, { taken: 3, lastBroadcastMs: null }, 150, true, "send"],
    ["never sent, though sent first", {}, { lastBroadcastMs: null }, 50, true, "send"],
    [
      "never sent, though sent again",
      {},
      { firstBroadcastMs: null, lastBroadcastMs: 140 },
      150,
      true,
      "send",
    ],
    ["taken and lost too often", {}, { taken: 3 }, 150, true, "look-up"],
    ["refused too often", {}, { answer: "refused", refusals: 2, taken: 0 }, 150, true, "look-up"],
    ["refused too often, behind another", {}, { answer: "refused", refusals: 2 }, 150, false, "send"],
    ["refused for long", {}, { answer: "refused", refusals: 1, taken: 0 }, 1_500, true, "send"],
    [
      "its filler refused too often",
      {},
      { kind: "filler", answer: "refused", refusals: 9 },
      150,
      true,
      "send",
    ],
    ["its filler refused", {}, { kind: "filler", answer: "never-minable" }, 10, true, "hopeless"],
    [
      "filled already",
      { fillReason: "DEADLINE_EXPIRED", deadline: 0n },
      { kind: "filler" },
      50,
      true,
      "nothing",
    ],
    ["mined", { state: "mined" }, {}, 5_000, true, "nothing"],
  ])("%s", (_what, request, last, nowMs, first, kind) =>
    expect(care(request, last, nowMs, first)).toBe(kind),
  );

  it("is no second rise at once: neither where the first was enough, nor where it was not", () => {
    const below = attempt({ answer: "fee-too-low" });
    for (const answer of ["taken", "fee-too-low"]) {
      expect({ answer, action: care({ attempts: [below, attempt({ answer })] }, {}, 50) }).toEqual({
        answer,
        action: "nothing",
      });
    }
    expect(care({ attempts: [attempt(), below] }, {}, 50)).toBe("bump");
  });
});

describe("with the limits that are shipped", () => {
  const limits = DEFAULT_SENDER_CONFIG;
  const LOOK_MS = 500;
  type Told = (broadcast: number) => { answer: string; fresh?: boolean };

  /**
   * Returns every decision but "nothing", with its time in seconds, for the first request in the queue that gets `answers` at
   * each broadcast.
   */
  function live(told: Told, seconds: number, first = true) {
    const attempts: Attempt[] = [fresh()];
    const cares: { kind: string; atSeconds: number }[] = [];
    let broadcasts = 0;
    for (let nowMs = 0; nowMs <= seconds * 1000; nowMs += LOOK_MS) {
      const request = { ...row({ state: "broadcast" }), nonce: 5n, attempts };
      const care = nextAction(request, { nowMs, first }, limits);
      const act = care.kind === "look-up" ? care.otherwise.kind : care.kind;
      if (act === "nothing") continue;
      cares.push({ kind: care.kind, atSeconds: nowMs / 1000 });
      if (act === "bump") attempts.push(fresh());
      const newest = present(attempts.at(-1), "an attempt");
      const { answer, fresh: counts = false } = told(broadcasts++);
      newest.answer = answer;
      newest.taken += counts ? 1 : 0;
      newest.firstBroadcastMs ??= nowMs;
      newest.lastBroadcastMs = nowMs;
    }
    return { attempts, cares };
  }

  function fresh(): Attempt {
    return {
      attemptId: "1",
      kind: "call",
      gasLimit: 100_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      bytes: "0x",
      hash: HASH,
      broadcasts: 0,
      taken: 0,
      refusals: 0,
      answer: null,
      firstBroadcastMs: null,
      lastBroadcastMs: null,
    };
  }

  it("what is taken and lost again and again is doubted, raised fees or not", () => {
    const { cares } = live(() => ({ answer: "taken", fresh: true }), 120);
    const doubted = cares.find(({ kind }) => kind === "look-up");
    expect(doubted?.atSeconds).toBeLessThanOrEqual(60);
  });
  it("what the pool keeps is raised in time, and doubted only as often as it is raised", () => {
    const { attempts, cares } = live((count) => ({ answer: "taken", fresh: count % 3 === 0 }), 300);
    expect(attempts).toHaveLength(11);
    expect(cares.findIndex(({ kind }) => kind === "look-up")).toBeGreaterThan(9);
  });
  it("what was taken often, and is dropped for its fee now, is not doubted", () => {
    const told: Told = (count) => (count < 12 ? { answer: "taken", fresh: true } : { answer: "fee-too-low" });
    const { cares } = live(told, 400);
    expect(cares.slice(14).map(({ kind }) => kind)).not.toContain("look-up");
  });
  it("a full pool raises no fee", () => {
    const { attempts, cares } = live(() => ({ answer: "later" }), 120);
    expect(attempts).toHaveLength(1);
    expect(cares.map(({ atSeconds }) => atSeconds)).toEqual(
      Array.from({ length: 13 }, (_, index) => index * 10),
    );
  });
  it("a fee that stays too low is raised once, and then in time and first in line only", () => {
    expect(live(() => ({ answer: "fee-too-low" }), 45).attempts).toHaveLength(3);
    expect(live(() => ({ answer: "fee-too-low" }), 300, false).attempts).toHaveLength(2);
  });
});

describe("what the chain says", () => {
  const view = { head: 100n, accountNonce: 6n, confirmations: 3, canonicalHash: null, receipt: undefined };
  const receipt = { hash: HASH, blockNumber: 99n, blockHash: HASH, success: true, gasUsed: 1n };
  const sent = { state: "broadcast" as const, nonce: 5n, minedBlock: null, minedBlockHash: null };
  const mined = { state: "mined" as const, nonce: 5n, minedBlock: 97n, minedBlockHash: HASH };

  it.each([
    ["a nonce that is not used", sent, { ...view, accountNonce: 5n }, "nothing"],
    ["a used nonce, nobody asked", sent, view, "ask"],
    ["a receipt", sent, { ...view, receipt }, "mined"],
    ["a used nonce without a receipt", sent, { ...view, receipt: null }, "foreign"],
    ["a block that stands, deep enough", mined, { ...view, canonicalHash: HASH }, "final"],
    [
      "a block that stands, not deep enough",
      { ...mined, minedBlock: 98n },
      { ...view, canonicalHash: HASH },
      "nothing",
    ],
    ["a node that has not got that far", mined, view, "nothing"],
    ["another block in its place", mined, { ...view, canonicalHash: "0x01" as Hex }, "ask"],
    [
      "another block, and its nonce is not used",
      mined,
      { ...view, accountNonce: 5n, canonicalHash: "0x01" as Hex },
      "reorged",
    ],
    ["another block, no receipt", mined, { ...view, canonicalHash: "0x01" as Hex, receipt: null }, "reorged"],
    ["another block, mined again", mined, { ...view, canonicalHash: "0x01" as Hex, receipt }, "mined"],
  ])("%s", (_what, request, seen, kind) => expect(decideReceipt(request, seen).kind).toBe(kind));
});

it("tells callers the truth in every state", () => {
  const told = (more: Partial<SendRow>) => {
    const { status, final, errCode } = presentSend(row(more));
    return [status, final, errCode];
  };
  expect(told({ state: "accepted" })).toEqual(["accepted", false, null]);
  expect(told({ state: "signed" })).toEqual(["accepted", false, null]);
  expect(told({ state: "broadcast" })).toEqual(["submitted", false, null]);
  expect(told({ state: "broadcast", minedSuccess: true })).toEqual(["submitted", false, null]);
  expect(told({ state: "mined", minedSuccess: true })).toEqual(["confirmed", false, null]);
  expect(told({ state: "mined", minedSuccess: false, errCode: "OUT_OF_GAS" })).toEqual([
    "submitted",
    false,
    null,
  ]);
  expect(told({ state: "mined", minedSuccess: true, minedFiller: true })).toEqual(["submitted", false, null]);
  expect(told({ state: "final", outcome: "confirmed" })).toEqual(["confirmed", true, null]);
  expect(told({ state: "final", outcome: "reverted", errCode: "OUT_OF_GAS" })).toEqual([
    "failed",
    true,
    "OUT_OF_GAS",
  ]);
  expect(told({ state: "canceled", errCode: "DEADLINE_EXPIRED" })).toEqual([
    "failed",
    true,
    "DEADLINE_EXPIRED",
  ]);
});

it("covers method, path and normalised input by the idempotency key", () => {
  const hash = (args: Record<string, unknown>) => inputHash("POST", "/x", normaliseInput(args));
  expect(hash({ clientOrderId: "01" })).not.toBe(hash({ clientOrderId: "1" }));
  expect(hash({ a: "1.50", b: "0xAB" })).toBe(hash({ b: "0xab", a: "1.5", c: null }));
  expect(hash({ a: 7 })).toBe(hash({ a: "07" }));
  expect(hash({ a: "1.5" })).not.toBe(hash({ a: "15" }));
  expect(hash({ a: "x" })).not.toBe(inputHash("DELETE", "/x", normaliseInput({ a: "x" })));
});

it("spreads users over wallets, and moves few when one is added", () => {
  const wallets: Hex[] = ["0x0a", "0x0b", "0x0c"];
  const users = Array.from({ length: 300 }, (_, index): Hex => `0x${index.toString(16).padStart(40, "0")}`);
  const before = users.map((user) => chooseWallet(user, wallets));
  const usersOf = wallets.map((wallet) => ({
    wallet,
    users: before.filter((chosen) => chosen === wallet).length,
  }));
  expect({ usersOf, few: usersOf.filter(({ users }) => users <= 60) }).toEqual({ usersOf, few: [] });
  const after = users.map((user) => chooseWallet(user, [...wallets, "0x0d"]));
  const moved = after.filter((chosen, index) => chosen !== before[index]);
  expect(new Set(moved)).toEqual(new Set(["0x0d"]));
  expect(chooseWallet("0x01", [])).toBeNull();
});

it("bounds gas limits", () => {
  const data: Hex = `0x00ff${"ff".repeat(10)}`;
  expect(intrinsicGas(data)).toBe(21_000n + 10n * (1n + 11n * 4n));
  const ask = (asked: bigint | null) => gasLimitFor({ data, asked, estimate: 100_001n, cap: 1_000_000n });
  expect(ask(null)).toBe(150_002n);
  expect(ask(150_000n)).toBe(150_000n);
  expect(() => ask(149_999n)).toThrow("gasLimit must be between 150000 and 1000000");
  expect(() => ask(1_000_001n)).toThrow("gasLimit must be between");
  const capped = (cap: bigint, asked: bigint | null = null) =>
    gasLimitFor({ data, asked, estimate: 200_000n, cap });
  expect(capped(200_000n)).toBe(200_000n);
  for (const asked of [null, 150_000n]) {
    expect(() => capped(199_999n, asked)).toThrow("The call needs 200000 gas, and at most 199999 is sent");
  }
  const read = (args: Record<string, unknown>) => parseInput(gasLimitShape, args).gasLimit;
  expect(read({})).toBeUndefined();
  expect(read({ gasLimit: 200_000 })).toBe(200_000n);
  expect(() => read({ gasLimit: "2e5" })).toThrow("gasLimit must be an integer");
});

it("refuses what a policy does not allow, and names the policy", () => {
  const open: KeyPolicy = {
    dailyNotionalCap: null,
    allowedSymbols: [],
    allowedOperations: [],
    expiresAtMs: null,
    killed: false,
  };
  const order: PolicySubject = { keyId: "k", operation: "orders/send", symbol: "AAPL", notional: 60n };
  const refusing = (policy: Partial<KeyPolicy>, subject = order, spent = 0n) =>
    refusingPolicy({ ...open, ...policy }, subject, spent, 1_000);
  expect(refusing({})).toBeNull();
  expect(refusing({ killed: true })).toBe("killSwitch");
  expect(refusing({ expiresAtMs: 1_000 })).toBe("expiry");
  expect(refusing({ allowedOperations: ["cash/deposits"] })).toBe("allowedOperations");
  expect(
    refusing({ allowedOperations: ["cash/deposits"] }, { ...order, operation: "1ct/enable" }),
  ).toBeNull();
  expect(refusing({ allowedSymbols: ["MSFT"] })).toBe("allowedSymbols");
  expect(refusing({ allowedSymbols: ["aapl"] })).toBeNull();
  expect(refusing({ allowedSymbols: ["AAPL"] }, { ...order, symbol: "aapl" })).toBeNull();
  expect(refusing({ dailyNotionalCap: 100n }, order, 40n)).toBeNull();
  expect(refusing({ dailyNotionalCap: 100n }, order, 41n)).toBe("dailyNotionalCap");
  const unquoted = { ...order, unquoted: true };
  expect(refusing({ dailyNotionalCap: 100n }, unquoted)).toBe("unquoted");
  expect(refusing({ dailyNotionalCap: 100n }, { ...order, notional: null })).toBe("unquoted");
  expect(refusing({ dailyNotionalCap: 100n }, { ...unquoted, operation: "orders/cancel" })).toBeNull();
  expect(refusing({}, unquoted)).toBeNull();
});
