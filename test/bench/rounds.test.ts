import { describe, expect, it } from "@jest/globals";
import type { Job, Outcome } from "./load/job.ts";
import { interleave, median, ratioOf, summarize } from "./rounds.ts";

const outcome = (perSecond: number): Outcome => ({
  answers: perSecond,
  unavailable: 0,
  elapsedMs: 1000,
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  maxMs: perSecond,
  generatorCpu: 0.1,
});
const contestant = (name: string) => ({ name, url: `http://${name}`, calls: [], keys: [] });

describe("the bench's rounds", () => {
  it("measures contestants in turns, after a round each that does not count", async () => {
    const urls: string[] = [];
    const run = async ({ url }: Job) => {
      urls.push(url.slice(-1));
      return outcome(urls.length);
    };
    const series = await interleave({ run, stop: () => undefined }, [contestant("a"), contestant("b")], {
      connections: 1,
      rounds: 2,
      seconds: 1,
    });
    expect(urls.join("")).toBe("ababba");
    expect(series.map(({ outcomes }) => outcomes.map(({ perSecond }) => perSecond))).toEqual([
      [3, 6],
      [4, 5],
    ]);
  });

  it("gives medians of rounds, and the median of the ratios of each round", () => {
    const slow = { name: "slow", outcomes: [10, 20, 90].map(outcome) };
    const fast = { name: "fast", outcomes: [20, 40, 60].map(outcome) };
    expect(summarize(slow)).toMatchObject({ perSecond: 20, maxMs: 90, rounds: [10, 20, 90] });
    expect(ratioOf(slow, fast)).toBe(0.5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});
