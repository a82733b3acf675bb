import { describe, expect, it } from "@jest/globals";
import type { OpenOrder, QueuedOperation } from "../src/settler/book.ts";
import {
  DEFAULT_POLICY,
  decideOperation,
  decideOrder,
  type Policy,
  type View,
} from "../src/settler/decide.ts";
import { needsBalance } from "../src/settler/treasury.ts";

const WAD = 10n ** 18n;
const NOW = 1_800_000_000_000;
const view: View = { price: 100n * WAD, session: "regular", dayEndedAt: 0, now: NOW };

const order = (change: Partial<OpenOrder> = {}): OpenOrder => ({
  orderId: `0x${"01".repeat(32)}`,
  stockToken: `0x${"02".repeat(20)}`,
  isLimit: true,
  isBuy: true,
  size: 2n * WAD,
  price: 101n * WAD,
  filled: 0n,
  canceling: false,
  placedAt: NOW / 1000 - 60,
  touchedAt: NOW - 60_000,
  ...change,
});

const decide = (change: Partial<OpenOrder>, seen: Partial<View> = {}, policy: Partial<Policy> = {}) =>
  decideOrder(order(change), { ...view, ...seen }, { ...DEFAULT_POLICY, ...policy });
const wait = { action: "wait" };
const market = { isLimit: false, price: 0n };

describe("market orders", () => {
  it("fill whole at the quote", () => {
    expect(decide({ ...market, isBuy: false })).toEqual({
      action: "fill",
      quantity: 2n * WAD,
      price: 100n * WAD,
    });
    expect(decide({ ...market, size: 500n * WAD })).toEqual({
      action: "fill",
      quantity: 0n,
      price: 100n * WAD,
    });
    expect(decide({ ...market, isBuy: false, size: 10_000n * WAD })).toMatchObject({
      quantity: 10_000n * WAD,
    });
  });

  it("wait for the delay, a quote, an open market, and in manual mode", () => {
    expect(decide({ ...market, touchedAt: NOW - 999 })).toEqual(wait);
    expect(decide({ ...market, touchedAt: NOW - 1_000 })).toMatchObject({ action: "fill" });
    expect(decide(market, { price: null })).toEqual(wait);
    expect(decide(market, { session: "closed" })).toEqual(wait);
    expect(decide(market, { session: "overnight" })).toMatchObject({ action: "fill" });
    expect(decide(market, {}, { mode: "manual" })).toEqual(wait);
  });

  it("outlive the day: only limit orders are DAY orders", () => {
    expect(decide(market, { dayEndedAt: NOW / 1000 })).toMatchObject({ action: "fill" });
  });
});

describe("limit orders", () => {
  it.each([
    [true, 99n, true],
    [true, 101n, true],
    [true, 102n, false],
    [false, 102n, true],
    [false, 101n, true],
    [false, 100n, false],
  ])("isBuy %s at a quote of %s against 101: fills %s", (isBuy, quote, fills) => {
    const decided = decide({ isBuy }, { price: quote * WAD });
    expect(decided).toEqual(fills ? { action: "fill", quantity: 2n * WAD, price: quote * WAD } : wait);
  });

  it("fill in three parts when they are large, the last one whatever is left", () => {
    const size = 100n * WAD;
    const third = size / 3n + 1n;
    expect(decide({ size })).toMatchObject({ quantity: third });
    expect(decide({ size, filled: third })).toMatchObject({ quantity: third });
    expect(decide({ size, filled: 2n * third })).toMatchObject({ quantity: size - 2n * third });
    expect(decide({ size: 49n * WAD })).toMatchObject({ quantity: 49n * WAD });
  });

  it("are canceled when that was asked for, expire when their day is over, and rest while nothing crosses", () => {
    expect(decide({ canceling: true })).toEqual({ action: "cancel" });
    expect(decide({ canceling: true, touchedAt: NOW })).toEqual(wait);
    expect(decide({}, { dayEndedAt: NOW / 1000 })).toEqual({ action: "expire" });
    expect(decide({ placedAt: NOW / 1000 }, { dayEndedAt: NOW / 1000 })).toMatchObject({ action: "fill" });
    expect(decide({ canceling: true }, { dayEndedAt: NOW / 1000, session: "closed" })).toEqual({
      action: "cancel",
    });
    expect(decide({ canceling: true }, {}, { mode: "manual" })).toEqual(wait);
  });
});

describe("the cash desk", () => {
  const operation: QueuedOperation = {
    operationId: `0x${"03".repeat(32)}`,
    kind: "deposit",
    token: `0x${"04".repeat(20)}`,
    amount: 1n,
    touchedAt: NOW - 2_000,
  };

  it("settles after its delay, and in manual mode never", () => {
    expect(decideOperation(operation, NOW, DEFAULT_POLICY)).toBe(true);
    expect(decideOperation(operation, NOW - 1, DEFAULT_POLICY)).toBe(false);
    expect(decideOperation(operation, NOW, { ...DEFAULT_POLICY, mode: "manual" })).toBe(false);
  });

  it("balances buffers that are nearly empty or nearly full, and none without room", () => {
    expect(needsBalance(9n, 100n)).toBe(true);
    expect(needsBalance(10n, 100n)).toBe(false);
    expect(needsBalance(90n, 100n)).toBe(false);
    expect(needsBalance(91n, 100n)).toBe(true);
    expect(needsBalance(0n, 0n)).toBe(false);
  });
});
