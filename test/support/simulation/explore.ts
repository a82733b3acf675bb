import { type Action, describe, planScenario, type Scenario, type WorldKind } from "./scenario.ts";
import type { StoryLine } from "./scheduler.ts";
import { type Outcome, runScenario } from "./world.ts";

export interface Exploration {
  steps: number;
  runs: number;
  /** First scenario that broke an invariant, and how. */
  failure: { scenario: Scenario; outcome: Outcome } | null;
}

/** Runs scenarios of a world, one for each seed, until so many steps are made or an invariant is broken. */
export async function explore(
  world: WorldKind,
  seeds: Iterable<number>,
  stepsMax: number,
): Promise<Exploration> {
  let steps = 0;
  let runs = 0;
  for (const seed of seeds) {
    if (steps >= stepsMax) break;
    const scenario = planScenario(world, seed);
    const outcome = await runScenario(scenario);
    steps += outcome.steps;
    runs += 1;
    if (outcome.violation) return { steps, runs, failure: { scenario, outcome } };
  }
  return { steps, runs, failure: null };
}

/** Runs of a shrinking: enough for the few actions that matter, and bounded for those that take long. */
const SHRINK_RUNS = 80;

/** Takes actions out of a scenario as long as the same rule stays broken. */
export async function shrink(scenario: Scenario, rule: string): Promise<Scenario> {
  let actions: readonly Action[] = scenario.actions;
  let runs = 0;
  const isBroken = async (some: readonly Action[]): Promise<boolean> => {
    runs += 1;
    return (await runScenario({ ...scenario, actions: some })).violation?.rule === rule;
  };
  for (let size = Math.ceil(actions.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < actions.length && runs < SHRINK_RUNS; ) {
      const rest = [...actions.slice(0, start), ...actions.slice(start + size)];
      if (rest.length < actions.length && (await isBroken(rest))) actions = rest;
      else start += size;
    }
  }
  return { ...scenario, actions };
}

/** Tells how a scenario breaks an invariant: shrunk, with everything that happened before. Empty where it does not. */
export async function tellStory({ scenario, outcome }: NonNullable<Exploration["failure"]>): Promise<string> {
  const rule = outcome.violation?.rule;
  if (rule === undefined) return "";
  const least = await shrink(scenario, rule);
  const { story, violation } = await runScenario(least, { withStory: true });
  const { seed, world, actions } = least;
  return [
    `${rule}: ${violation?.detail}`,
    `in "${world.name}", seed ${seed}; ${actions.length} of ${scenario.actions.length} actions are enough:`,
    ...actions.map((action) => `  ${inSeconds(action.atMs)} ${describe(action)}`),
    "what happens:",
    ...story.slice(-STORY_LINES).map(toLine),
  ].join("\n");
}

/** The end of a story says why. */
const STORY_LINES = 150;

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`.padStart(10);
const toLine = ({ atMs, text }: StoryLine): string => `  ${inSeconds(atMs)} ${text}`;
