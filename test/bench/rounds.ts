import type { Contestant } from "./contestants/contestant.ts";
import type { Outcome } from "./load/job.ts";
import type { Generator } from "./load/start.ts";

export interface RoundOptions {
  connections: number;
  rounds: number;
  /** Duration of each contestant's load in each round. */
  seconds: number;
  /** The rate of Job. */
  perSecond?: number;
}

/** The measurements of one contestant in all rounds. */
export interface Series {
  name: string;
  outcomes: Outcome[];
}

/** Medians over the rounds of a series; the maximum is that of all rounds. */
export interface Summary {
  name: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  unavailable: number;
  /** Requests a second of each round. */
  rounds: number[];
  /** The generator's share of a core, at most. */
  generatorCpu: number;
}

/** Signed before it is known how many a contestant answers. */
const FIRST_PER_SECOND = 5_000;
const MARGIN = 1.5;

/**
 * Measures contestants in turns, so that whatever else the machine does hits all alike, after a short round each that
 * does not count. Every round begins with another contestant.
 * @throws Error describing the first wrong answer of any
 */
export async function interleave(
  generator: Generator,
  contestants: readonly Contestant[],
  options: RoundOptions,
): Promise<Series[]> {
  const { connections, rounds, seconds, perSecond } = options;
  const rates = new Map<Contestant, number>();
  const measure = async (contestant: Contestant, forSeconds: number) => {
    const { url, calls, keys, allowUnavailable, beside } = contestant;
    const rate = perSecond ?? (rates.get(contestant) ?? FIRST_PER_SECOND) * MARGIN;
    const requests = Math.ceil(rate * forSeconds) + connections;
    const job = { url, calls, keys, allowUnavailable, connections, seconds: forSeconds, perSecond, requests };
    const end = beside?.();
    const outcome = await generator.run(job).finally(end);
    rates.set(contestant, Math.max(rates.get(contestant) ?? 0, outcome.perSecond, 10));
    return outcome;
  };
  for (const contestant of contestants) await measure(contestant, Math.min(1, seconds));
  const series = contestants.map((contestant): [Contestant, Series] => [
    contestant,
    { name: contestant.name, outcomes: [] },
  ]);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < series.length; turn++) {
      const [contestant, of] = series[(round + turn) % series.length] ?? [];
      if (contestant && of) of.outcomes.push(await measure(contestant, seconds));
    }
  }
  return series.map(([, { name, outcomes }]) => ({ name, outcomes }));
}

export function summarize({ name, outcomes }: Series): Summary {
  const of = (value: (outcome: Outcome) => number) => median(outcomes.map(value));
  return {
    name,
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    maxMs: Math.max(...outcomes.map(({ maxMs }) => maxMs)),
    unavailable: outcomes.reduce((sum, { unavailable }) => sum + unavailable, 0),
    rounds: outcomes.map(({ perSecond }) => perSecond),
    generatorCpu: Math.max(...outcomes.map(({ generatorCpu }) => generatorCpu)),
  };
}

/** Returns the median of the ratios of each round, whose two parts were measured one after the other. */
export function ratioOf(
  series: Series,
  to: Series,
  value: (outcome: Outcome) => number = ({ perSecond }) => perSecond,
): number {
  return median(
    series.outcomes.map((outcome, round) => {
      const other = to.outcomes[round];
      return other ? value(outcome) / value(other) : Number.NaN;
    }),
  );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
