import type { Result, Section } from "./result.ts";

/** Returns a run in the form of docs/results/bench.json: the medians of each scenario, and their circumstances. */
export function storedForm({ sections, isQuick, ...run }: Result): Record<string, unknown> {
  const scenarios = [...new Set(sections.map(({ scenario }) => scenario))];
  return Object.fromEntries(
    scenarios.map((scenario) => [
      scenario,
      { ...run, sections: sections.filter((section) => section.scenario === scenario).map(figuresOf) },
    ]),
  );
}

function figuresOf({ title, connections, series, ratios, values = [] }: Section): Record<string, unknown> {
  const medians = series.map(({ name, perSecond, p50Ms, p99Ms, maxMs, unavailable }) => [
    name,
    {
      ...mapValues({ perSecond, p50Ms, p99Ms, maxMs }, rounded),
      ...(unavailable > 0 ? { unavailable } : {}),
    },
  ]);
  const single = [
    ...ratios.map(({ name, value }) => [name, rounded(value)]),
    ...values.map(({ name, value, unit }) => [unit ? `${name} (${unit})` : name, rounded(value)]),
  ];
  return {
    title,
    connections,
    ...(medians.length > 0 ? { medians: Object.fromEntries(medians) } : {}),
    ...(single.length > 0 ? { figures: Object.fromEntries(single) } : {}),
  };
}

/** Rounds to three digits: rounds differ by more. */
const rounded = (value: number): number => Number(value.toPrecision(3));

const mapValues = (figures: Record<string, number>, map: (value: number) => number) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, map(value)]));
