import { describe, expect, it } from "@jest/globals";
import { parseInput } from "../../src/context/input/fields.ts";
import {
  actionsShape,
  calendarShape,
  historyShape,
  toActionFilter,
  toBarQuery,
  toCalendarRange,
} from "../../src/market/input.ts";

const NOW = 1_795_000_000;
const history = (args: Record<string, unknown>) =>
  toBarQuery(parseInput(historyShape, { symbol: "aapl", ...args }), NOW);
const actions = (args: Record<string, unknown>) =>
  toActionFilter(parseInput(actionsShape, args), "2026-11-20");
const calendar = (args: Record<string, unknown>) =>
  toCalendarRange(parseInput(calendarShape, args), "2026-11-20");
const refused = (param: string) => ({ errCode: "VALIDATION_FAILED", param });

describe("what a history is asked for with", () => {
  it("is daily, up to now and adjusted for everything where nothing is said", () => {
    expect(history({})).toEqual({
      name: "AAPL",
      interval: "1d",
      adjustment: "all",
      startTime: null,
      endTime: NOW,
      limit: 100,
    });
    expect(history({ interval: null, limit: null, startTime: null })).toEqual(history({}));
  });

  it("takes numbers as text or as numbers", () => {
    const read = history({
      interval: "3m",
      startTime: "0",
      endTime: 1_700_000_000,
      limit: "7",
      adjustment: "spin-off",
    });
    expect(read).toMatchObject({
      interval: "3m",
      startTime: 0,
      endTime: 1_700_000_000,
      limit: 7,
      adjustment: "spin-off",
    });
  });

  it.each([
    ["0", 100],
    ["-3", 100],
    ["1", 1],
    ["5000", 5_000],
    ["5001", 5_000],
  ])("limit %s means %d", (limit, expected) => {
    expect(history({ limit }).limit).toBe(expected);
  });

  it.each([
    ["interval", { interval: "2m" }],
    ["interval", { interval: "1D" }],
    ["interval", { interval: "" }],
    ["adjustment", { adjustment: "none" }],
    ["limit", { limit: "1.5" }],
    ["limit", { limit: "ten" }],
    ["startTime", { startTime: "yesterday" }],
    ["startTime", { startTime: "-1" }],
    ["endTime", { endTime: "1795000000000" }],
    ["endTime", { endTime: true }],
    ["startTime", { startTime: "1700000001", endTime: "1700000000" }],
    ["symbol", { symbol: "" }],
    ["symbol", { symbol: 5 }],
    ["symbol", { symbol: "A".repeat(201) }],
  ])("refuses %s in %j", (param, args) => {
    expect(() => history(args)).toThrow(expect.objectContaining(refused(param)));
  });
});

describe("what corporate actions are asked for with", () => {
  it("covers a year back and ahead, and takes dates and Unix seconds", () => {
    expect(actions({})).toEqual({ name: null, type: null, from: "2025-11-20", to: "2027-11-20" });
    // 2026-01-14T04:59:59Z is still the 13th in New York.
    expect(actions({ symbol: "aaplx", type: "split", from: "1768366799", to: "2026-03-01" })).toEqual({
      name: "AAPLX",
      type: "split",
      from: "2026-01-13",
      to: "2026-03-01",
    });
    expect(actions({ to: "2020-03-01" })).toMatchObject({ from: "2019-03-02", to: "2020-03-01" });
    expect(actions({ from: "2030-01-01" })).toMatchObject({ from: "2030-01-01", to: "2031-01-01" });
  });

  it.each([
    ["type", { type: "merger" }],
    ["from", { from: "2026-02-30" }],
    ["from", { from: "01/02/2026" }],
    ["to", { to: "1795000000000" }],
    ["from", { from: "2026-03-02", to: "2026-03-01" }],
    ["symbol", { symbol: "" }],
  ])("refuses %s in %j", (param, args) => {
    expect(() => actions(args)).toThrow(expect.objectContaining(refused(param)));
  });
});

describe("what a calendar is asked for with", () => {
  it.each([
    [{}, "2026-11-20", "2026-12-20"],
    [{ from: "2027-01-01" }, "2027-01-01", "2027-01-31"],
    [{ to: "2026-11-20" }, "2026-11-20", "2026-11-20"],
    [{ to: "2020-03-01" }, "2020-01-31", "2020-03-01"],
    // 2026-01-14T04:59:59Z is still the 13th in New York.
    [{ from: "1768366799", to: "2026-03-01" }, "2026-01-13", "2026-03-01"],
    [{ from: "2000-01-01", to: "2001-01-01" }, "2000-01-01", "2001-01-01"],
    [{ from: "2099-12-31", to: "2099-12-31" }, "2099-12-31", "2099-12-31"],
  ])("%j: from %s to %s", (args, from, to) => {
    expect(calendar(args)).toEqual({ from, to });
  });

  it.each([
    ["from", { from: "2026-02-30" }],
    ["from", { from: "1999-12-31" }],
    ["to", { to: "2100-01-01" }],
    ["to", { to: "soon" }],
    ["to", { from: "2026-01-01", to: "2027-01-03" }],
    ["from", { from: "2026-03-02", to: "2026-03-01" }],
  ])("refuses %s in %j", (param, args) => {
    expect(() => calendar(args)).toThrow(expect.objectContaining(refused(param)));
  });
});
