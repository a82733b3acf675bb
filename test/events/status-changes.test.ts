import { describe, expect, it } from "@jest/globals";
import { nextReport } from "../../src/events/status-changes.ts";
import type { ServiceState, StatusReport } from "../../src/events/status-store.ts";

const WELL: ServiceState = { health: "healthy", sendingHalted: false, marketDataHealth: "healthy" };
const BEHIND: ServiceState = { ...WELL, health: "behind" };
const START_MS = 1_795_226_400_000;

/** Runs observations of 15 s each by one worker, from a scope that was well. @returns the seconds at which states were reported */
function reportsOf(states: readonly ServiceState[], start: Partial<StatusReport> = {}): [number, string][] {
  const at = (index: number) => new Date(START_MS + index * 15_000);
  let report: StatusReport = {
    observed: WELL,
    observedSince: at(0),
    observedAt: at(0),
    observedBy: "one",
    reported: WELL,
    reportedAt: null,
    holdSeconds: 60,
    now: at(0),
    ...start,
  };
  return states.flatMap((state, index): [number, string][] => {
    const next = nextReport({ ...report, now: at(index) }, { state, observer: "one" });
    if (!next) return [];
    const isReported = next.reported !== report.reported;
    report = next;
    return isReported ? [[index * 15, state.health]] : [];
  });
}

const repeat = <T>(value: T, times: number): T[] => Array.from({ length: times }, () => value);

describe("a state of the service", () => {
  it("is reported once it has lasted a minute, and once", () => {
    expect(reportsOf([WELL, ...repeat(BEHIND, 100)])).toEqual([[75, "behind"]]);
  });

  it("is not where it comes back before, however often", () => {
    const flap = [...repeat(BEHIND, 4), WELL];
    expect(reportsOf(repeat(flap, 50).flat())).toEqual([]);
  });

  it("lasts anew where another part changes meanwhile", () => {
    const both: ServiceState = { ...BEHIND, marketDataHealth: "unavailable" };
    expect(reportsOf([WELL, ...repeat(BEHIND, 3), ...repeat(both, 6)])).toEqual([[120, "behind"]]);
  });

  it("is over as soon as it was reported: the way back takes a minute, too", () => {
    expect(reportsOf([...repeat(BEHIND, 10), ...repeat(WELL, 10)])).toEqual([
      [60, "behind"],
      [210, "healthy"],
    ]);
  });

  it("that comes and goes all day is reported ever less, at most four times an hour in the end", () => {
    const times = reportsOf(repeat([...repeat(BEHIND, 70), ...repeat(WELL, 70)], 20).flat()).map(
      ([at]) => at,
    );
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect({ fewest: Math.min(...gaps.slice(5)) }).toEqual({ fewest: 1050 });
    // Every two minutes: two of thirty an hour.
    const short = reportsOf(repeat([...repeat(BEHIND, 8), ...repeat(WELL, 8)], 105).flat());
    expect({ inSevenHours: short.length }).toEqual({ inSevenHours: 14 });
  });

  it("takes a minute again after an hour without a report", () => {
    const long = { reportedAt: new Date(START_MS - 3_600_001), holdSeconds: 900 };
    expect(reportsOf(repeat(BEHIND, 10), long)).toEqual([[60, "behind"]]);
    const short = { reportedAt: new Date(START_MS - 1_000), holdSeconds: 900 };
    expect(reportsOf(repeat(BEHIND, 62), short)).toEqual([[900, "behind"]]);
  });
});

describe("workers that observe", () => {
  const report: StatusReport = {
    observed: BEHIND,
    observedSince: new Date(START_MS),
    observedAt: new Date(START_MS + 600_000),
    observedBy: "one",
    reported: WELL,
    reportedAt: null,
    holdSeconds: 60,
    now: new Date(START_MS + 660_000),
  };

  it("leave it to one of them, until that one is silent", () => {
    expect(nextReport(report, { state: WELL, observer: "other" })).toBeNull();
    const later = { ...report, now: new Date(START_MS + 660_001) };
    expect(nextReport(later, { state: BEHIND, observer: "other" })).toMatchObject({
      observedBy: "other",
      observedSince: later.now,
      reported: WELL,
    });
  });
});
