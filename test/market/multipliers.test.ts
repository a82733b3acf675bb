import { describe, expect, it } from "@jest/globals";
import { type MultiplierChange, withMultipliers } from "../../src/market/multipliers.ts";
import type { CorporateAction } from "../../src/market-data/provider.ts";

const WAD = 10n ** 18n;
const TODAY = "2026-11-20";

function action(overrides: Partial<CorporateAction>): CorporateAction {
  return {
    actionId: "an-action",
    symbol: "AAPL",
    type: "dividend",
    subType: "cash",
    declarationDate: null,
    exDate: "2026-11-12",
    recordDate: null,
    payableDate: null,
    cash: "0.26",
    oldRate: null,
    newRate: null,
    ...overrides,
  };
}

const split = (exDate: string, oldRate: string, newRate: string) =>
  action({ type: "split", subType: "forward-split", exDate, cash: null, oldRate, newRate });

function change(
  iso: string,
  oldMultiplier: bigint,
  newMultiplier: bigint,
  symbol = "AAPL",
): MultiplierChange {
  return { symbol, timestamp: Date.parse(iso) / 1000, oldMultiplier, newMultiplier };
}

const told = (actions: CorporateAction[], changes: MultiplierChange[] = []) =>
  withMultipliers(actions, changes, TODAY).map(({ status, multiplierBefore, multiplierAfter }) => [
    status,
    multiplierBefore,
    multiplierAfter,
  ]);

describe("how far an action is", () => {
  it.each([
    ["2026-11-21", null, "PENDING"],
    ["2026-11-20", null, "IN_PROGRESS"],
    ["2026-11-19", null, "COMPLETE"],
    ["2026-11-12", "2026-12-03", "IN_PROGRESS"],
    ["2026-11-12", "2026-11-20", "IN_PROGRESS"],
    ["2026-11-12", "2026-11-19", "COMPLETE"],
    // A split is often paid out before its ex-date.
    ["2026-11-20", "2026-11-18", "IN_PROGRESS"],
    ["2026-11-21", "2026-11-18", "PENDING"],
  ])("ex on %s, paid on %s: %s", (exDate, payableDate, status) => {
    expect(told([action({ exDate, payableDate })])).toEqual([[status, null, null]]);
  });

  it("is complete as soon as the token followed", () => {
    const changes = [change("2026-11-20T15:00:00Z", WAD, 4n * WAD)];
    expect(told([split("2026-11-20", "1", "4")], changes)).toEqual([["COMPLETE", "1", "4"]]);
  });
});

describe("which action a change belongs to", () => {
  it("finds a split by its exact ratio, not the dividend of the same week", () => {
    const actions = [
      action({ exDate: "2026-11-19", payableDate: "2026-12-10" }),
      split("2026-11-19", "1", "4"),
    ];
    const both = [
      change("2026-11-19T15:00:00Z", WAD, 4n * WAD),
      change("2026-11-19T16:00:00Z", 4n * WAD, 4_020_000_000_000_000_000n),
    ];
    expect(told(actions, both)).toEqual([
      ["COMPLETE", "4", "4.02"],
      ["COMPLETE", "1", "4"],
    ]);
  });

  it("knows a ratio that the chain had to round, and a reverse split", () => {
    const third = [change("2026-11-19T15:00:00Z", WAD, WAD / 3n)];
    expect(told([split("2026-11-19", "3", "1")], third)).toEqual([["COMPLETE", "1", "0.333333333333333333"]]);
    const half = [change("2026-11-19T15:00:00Z", WAD, WAD / 2n)];
    expect(told([split("2026-11-19", "3", "1")], half)).toEqual([["COMPLETE", null, null]]);
    // A dividend never lowers a multiplier.
    expect(told([action({})], half)).toEqual([["COMPLETE", null, null]]);
  });

  it("gives two equal splits of a day their changes in order", () => {
    const actions = [split("2026-11-19", "1", "2"), split("2026-11-19", "1", "2")];
    const changes = [
      change("2026-11-19T15:00:00Z", WAD, 2n * WAD),
      change("2026-11-19T15:05:00Z", 2n * WAD, 4n * WAD),
    ];
    expect(told(actions, changes)).toEqual([
      ["COMPLETE", "1", "2"],
      ["COMPLETE", "2", "4"],
    ]);
  });

  it("gives equal splits of neighbouring days each the change of its own day", () => {
    const actions = [split("2026-11-18", "1", "2"), split("2026-11-19", "1", "2")];
    const first = change("2026-11-18T15:00:00Z", WAD, 2n * WAD);
    const second = change("2026-11-19T15:00:00Z", 2n * WAD, 4n * WAD);
    expect(told(actions, [first])[0]).toEqual(["COMPLETE", "1", "2"]);
    expect(told(actions, [second])[1]).toEqual(["COMPLETE", "2", "4"]);
    expect(told(actions, [first, second]).map((row) => row[2])).toEqual(["2", "4"]);
    // A chain whose clock is ahead: the evening before.
    expect(told([split("2026-11-19", "1", "2")], [first])).toEqual([["COMPLETE", "1", "2"]]);
  });

  it("prefers the dividend that went ex last, of the same stock and near in time", () => {
    const raised = 1_010_000_000_000_000_000n;
    const actions = [
      action({ exDate: "2026-11-12", payableDate: "2026-12-03" }),
      action({ exDate: "2026-11-19" }),
      action({ exDate: "2026-11-19", symbol: "MSFT" }),
    ];
    expect(told(actions, [change("2026-11-20T01:00:00Z", WAD, raised)])).toEqual([
      ["IN_PROGRESS", null, null],
      ["COMPLETE", "1", "1.01"],
      ["COMPLETE", null, null],
    ]);
    expect(told([action({ exDate: "2025-11-12" })], [change("2026-11-20T01:00:00Z", WAD, raised)])).toEqual([
      ["COMPLETE", null, null],
    ]);
  });
});
