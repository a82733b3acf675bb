import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import {
  isEarlyClose,
  isTradingDay,
  nextRegularHours,
  previousTradingDay,
  sessionAt,
  sessionsOf,
  tradingDays,
} from "../../src/market-data/calendar.ts";
import { addDays, newYorkInstant, newYorkTime } from "../../src/market-data/new-york.ts";

const at = (iso: string) => Date.parse(iso) / 1000;

describe("days added to a market date", () => {
  it.each([
    ["2026-12-31", 1, "2027-01-01"],
    ["9999-12-01", 60, "9999-12-31"],
    ["0000-02-01", -60, "0000-01-01"],
  ])("%s and %d: %s", (date, days, expected) => expect(addDays(date, days)).toBe(expected));
});

describe("trading days", () => {
  it("are exactly the days for which the exchange printed prices, 2000 to April 2020", () => {
    const file = new URL("../../node_modules/vega-datasets/data/sp500-2000.csv", import.meta.url);
    const printed = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.slice(0, 10));
    const expected: string[] = [];
    for (let day = "2000-01-03"; day <= "2020-04-17"; day = addDays(day, 1)) {
      if (isTradingDay(day)) expected.push(day);
    }
    expect(printed).toHaveLength(5105);
    expect(expected).toEqual(printed);
  });

  it.each([
    // Dates that the exchange published.
    [
      2025,
      ["01-01", "01-09", "01-20", "02-17", "04-18", "05-26", "06-19", "07-04", "09-01", "11-27", "12-25"],
    ],
    [2026, ["01-01", "01-19", "02-16", "04-03", "05-25", "06-19", "07-03", "09-07", "11-26", "12-25"]],
    [2027, ["01-01", "01-18", "02-15", "03-26", "05-31", "06-18", "07-05", "09-06", "11-25", "12-24"]],
    // 1 January 2028 is a Saturday, without a day off instead.
    [2028, ["01-17", "02-21", "04-14", "05-29", "06-19", "07-04", "09-04", "11-23", "12-25"]],
  ])("weekday closures of %d", (year, closures) => {
    const shut: string[] = [];
    for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = addDays(day, 1)) {
      const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
      if (weekday >= 1 && weekday <= 5 && !isTradingDay(day)) shut.push(day.slice(5));
    }
    expect(shut).toEqual(closures);
  });

  it.each([
    [2002, ["07-05", "11-29", "12-24"]],
    [2003, ["07-03", "11-28", "12-24", "12-26"]],
    [2013, ["07-03", "11-29", "12-24"]],
    [2020, ["11-27", "12-24"]],
    [2021, ["11-26"]],
    [2023, ["07-03", "11-24"]],
    [2025, ["07-03", "11-28", "12-24"]],
    [2026, ["11-27", "12-24"]],
    [2027, ["11-26"]],
  ])("early closes of %d", (year, days) => {
    const early: string[] = [];
    for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = addDays(day, 1)) {
      if (isEarlyClose(day)) early.push(day.slice(5));
    }
    expect(early).toEqual(days);
  });

  it("steps back over weekends and holidays", () => {
    expect(previousTradingDay("2026-11-27")).toBe("2026-11-25");
    expect(previousTradingDay("2026-07-06")).toBe("2026-07-02");
  });
});

describe("sessions", () => {
  it.each([
    // A plain Wednesday in winter: New York is UTC-5.
    ["2026-01-14T08:59:59Z", "overnight"],
    ["2026-01-14T09:00:00Z", "pre"],
    ["2026-01-14T14:29:59Z", "pre"],
    ["2026-01-14T14:30:00Z", "regular"],
    ["2026-01-14T20:59:59Z", "regular"],
    ["2026-01-14T21:00:00Z", "post"],
    ["2026-01-15T00:59:59Z", "post"],
    ["2026-01-15T01:00:00Z", "overnight"],
    // The same wall clock in summer: UTC-4.
    ["2026-07-15T13:29:59Z", "pre"],
    ["2026-07-15T13:30:00Z", "regular"],
    ["2026-07-15T20:00:00Z", "post"],
    // The weekend, from Friday's post-market to Sunday evening.
    ["2026-01-17T00:59:59Z", "post"],
    ["2026-01-17T01:00:00Z", "closed"],
    ["2026-01-17T15:00:00Z", "closed"],
    ["2026-01-18T15:00:00Z", "closed"],
    // Monday 19 January is a holiday, so trading resumes on Monday evening.
    ["2026-01-19T01:00:00Z", "closed"],
    ["2026-01-19T15:00:00Z", "closed"],
    ["2026-01-20T00:59:59Z", "closed"],
    ["2026-01-20T01:00:00Z", "overnight"],
    // An ordinary Sunday evening.
    ["2026-01-26T00:59:59Z", "closed"],
    ["2026-01-26T01:00:00Z", "overnight"],
    // The night before Thanksgiving, the half day after it.
    ["2026-11-26T01:00:00Z", "closed"],
    ["2026-11-26T15:00:00Z", "closed"],
    ["2026-11-27T01:00:00Z", "overnight"],
    ["2026-11-27T17:59:59Z", "regular"],
    ["2026-11-27T18:00:00Z", "post"],
    ["2026-11-27T21:59:59Z", "post"],
    ["2026-11-27T22:00:00Z", "closed"],
    // Both changes of the clock: on Sundays 8 March and 1 November 2026, each before Monday's session.
    ["2026-03-06T14:30:00Z", "regular"],
    ["2026-03-09T13:29:59Z", "pre"],
    ["2026-03-09T13:30:00Z", "regular"],
    ["2026-03-09T00:00:00Z", "overnight"],
    ["2026-03-08T23:59:59Z", "closed"],
    ["2026-10-30T13:30:00Z", "regular"],
    ["2026-11-02T00:59:59Z", "closed"],
    ["2026-11-02T01:00:00Z", "overnight"],
    ["2026-11-02T14:29:59Z", "pre"],
    ["2026-11-02T14:30:00Z", "regular"],
  ])("%s is %s", (iso, session) => {
    expect(sessionAt(at(iso))).toBe(session);
  });

  it("of a half day end three hours early, and a day off has none", () => {
    expect(sessionsOf("2026-11-27")).toEqual({
      date: "2026-11-27",
      overnightOpenAt: at("2026-11-27T01:00:00Z"),
      preOpenAt: at("2026-11-27T09:00:00Z"),
      openAt: at("2026-11-27T14:30:00Z"),
      closeAt: at("2026-11-27T18:00:00Z"),
      postCloseAt: at("2026-11-27T22:00:00Z"),
      isEarlyClose: true,
    });
    expect(sessionsOf("2026-07-15")).toMatchObject({
      openAt: at("2026-07-15T13:30:00Z"),
      closeAt: at("2026-07-15T20:00:00Z"),
      postCloseAt: at("2026-07-16T00:00:00Z"),
      isEarlyClose: false,
    });
    expect(sessionsOf("2026-11-26")).toBeNull();
  });

  it("of each day of two years are those that every instant is in", () => {
    const days = tradingDays("2026-01-01", "2027-12-31");
    const between = (seconds: number) => {
      const day = days.find((candidate) => seconds < candidate.postCloseAt);
      if (!day || seconds < day.overnightOpenAt) return "closed";
      if (seconds < day.preOpenAt) return "overnight";
      if (seconds < day.openAt) return "pre";
      return seconds < day.closeAt ? "regular" : "post";
    };
    const wrong: number[] = [];
    for (let seconds = at("2026-01-02T06:00:00Z"); seconds < at("2027-12-31T06:00:00Z"); seconds += 1_800) {
      for (const instant of [seconds, seconds - 1]) {
        if (between(instant) !== sessionAt(instant)) wrong.push(instant);
      }
    }
    expect({ days: days.length, wrong }).toEqual({ days: 502, wrong: [] });
  });
});

describe("the next regular hours", () => {
  it.each([
    ["before the open", "2026-07-15T13:29:59Z", "2026-07-15T13:30:00Z", "2026-07-15T20:00:00Z"],
    ["at the open", "2026-07-15T13:30:00Z", "2026-07-16T13:30:00Z", "2026-07-15T20:00:00Z"],
    ["at the close", "2026-07-15T20:00:00Z", "2026-07-16T13:30:00Z", "2026-07-16T20:00:00Z"],
    [
      "over Thanksgiving, to its half day",
      "2026-11-25T22:00:00Z",
      "2026-11-27T14:30:00Z",
      "2026-11-27T18:00:00Z",
    ],
    [
      "over a weekend that clocks change on",
      "2026-03-06T22:00:00Z",
      "2026-03-09T13:30:00Z",
      "2026-03-09T20:00:00Z",
    ],
    ["over the longest break", "2001-09-10T20:00:00Z", "2001-09-17T13:30:00Z", "2001-09-17T20:00:00Z"],
  ])("%s", (_when, now, open, close) => {
    expect(nextRegularHours(at(now))).toEqual({ nextOpenAt: at(open), nextCloseAt: at(close) });
  });
});

describe("New York time", () => {
  it("goes there and back for every hour of a year, the repeated and the skipped one aside", () => {
    for (let seconds = at("2026-01-01T05:00:00Z"); seconds < at("2027-01-01T05:00:00Z"); seconds += 3600) {
      const { date, minute } = newYorkTime(seconds);
      // 1:00 to 2:00 on 1 November happens twice; the first counts.
      const expected = seconds === at("2026-11-01T06:00:00Z") ? seconds - 3600 : seconds;
      expect(newYorkInstant(date, minute)).toBe(expected);
    }
    expect(newYorkInstant("2026-03-08", 150)).toBe(at("2026-03-08T07:30:00Z"));
  });
});
