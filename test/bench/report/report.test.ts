import { describe, expect, it } from "@jest/globals";
import { toSvg } from "./chart.ts";
import type { Result } from "./result.ts";
import { storedForm } from "./stored.ts";
import { printSection, toMarkdown } from "./text.ts";

const summary = (name: string, perSecond: number, unavailable = 0) => ({
  name,
  perSecond,
  p50Ms: 1.234,
  p99Ms: 12.34,
  maxMs: 1234,
  unavailable,
  rounds: [perSecond],
  generatorCpu: 0.5,
});
const detail = {
  scenario: "detail",
  title: "Order detail",
  connections: 1,
  series: [summary("no database (404)", 40_000), summary("by <hand>", 500), summary("this", 1_000, 2)],
  ratios: [{ name: "this / by hand", value: 2 }],
};
const rest = {
  scenario: "rest",
  title: "At rest",
  connections: null,
  series: [],
  ratios: [],
  values: [{ name: "worker", value: 9.87, unit: "% of a core" }],
};
const result: Result = {
  takenAt: "2026-11-22T03:00:00.000Z",
  commit: "abc",
  isQuick: false,
  machine: { cpu: "A CPU", cores: 2, memoryGb: 24, node: "20.20.2", loadBefore: 0.1 },
  dataSet: { orders: 1_110_000, keys: 20, seedSeconds: 60, megabytes: 2_354, postgres: "18.4" },
  options: { rounds: 5, seconds: 4 },
  absent: ["X"],
  sections: [detail, rest],
};

describe("the bench's report", () => {
  it("prints a section with its ratios, and says how often there was no answer", () => {
    expect(printSection(detail).split("\n")).toEqual([
      "  Order detail, 1 connection",
      "                     requests/s  p50 ms  p99 ms  max ms",
      "  no database (404)      40,000     1.2    12.3   1,234",
      "  by <hand>                 500     1.2    12.3   1,234",
      "  this (2 × 503)          1,000     1.2    12.3   1,234",
      "  this / by hand: 2.0",
    ]);
    expect(printSection(rest)).toBe("  At rest\n  worker: 9.9 % of a core");
  });

  it("writes Markdown that names the machine, the data and who was absent", () => {
    const text = toMarkdown(result);
    expect(text).toContain("A CPU, 2 cores, Node.js 20.20.2");
    expect(text).toContain(
      "1,110,000 orders of 20 keys (2,354 MB) in PostgreSQL 18.4; 5 rounds of 4 s. Absent: X.",
    );
  });

  it("writes details at all numbers of connections as one table, and nothing else", () => {
    const lines = toMarkdown({ ...result, sections: [detail, { ...detail, connections: 8 }, rest] }).split(
      "\n",
    );
    const start = lines.indexOf("**Order detail: requests/s (p50, p99 ms)**");
    expect(lines.slice(start + 2)).toEqual([
      "|  | 1 connection | 8 connections |",
      "| --- | ---: | ---: |",
      "| no database (404) | 40,000 (1.2, 12.3) | 40,000 (1.2, 12.3) |",
      "| by <hand> | 500 (1.2, 12.3) | 500 (1.2, 12.3) |",
      "| this | 1,000 (1.2, 12.3) (2 × 503) | 1,000 (1.2, 12.3) (2 × 503) |",
    ]);
  });

  it("stores the medians of each scenario, and how they were measured", () => {
    const { detail, rest } = storedForm(result);
    expect(detail).toMatchObject({ commit: "abc", machine: { cores: 2 }, options: { rounds: 5 } });
    expect(detail).toHaveProperty("sections", [
      {
        title: "Order detail",
        connections: 1,
        figures: { "this / by hand": 2 },
        medians: {
          "no database (404)": { perSecond: 40_000, p50Ms: 1.23, p99Ms: 12.3, maxMs: 1_230 },
          "by <hand>": { perSecond: 500, p50Ms: 1.23, p99Ms: 12.3, maxMs: 1_230 },
          this: { perSecond: 1_000, p50Ms: 1.23, p99Ms: 12.3, maxMs: 1_230, unavailable: 2 },
        },
      },
    ]);
    expect(rest).toHaveProperty("sections", [
      { title: "At rest", connections: null, figures: { "worker (% of a core)": 9.87 } },
    ]);
  });

  it("draws the contestants' bars in proportion, without the generator's own", () => {
    const svg = toSvg(result);
    const widths = [...svg.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toEqual([210, 420]);
    expect(svg).toContain("by &lt;hand&gt;");
    expect(svg).not.toContain("no database");
  });
});
