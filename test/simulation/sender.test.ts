import { describe, expect, it } from "@jest/globals";
import { LONG } from "../support/assert/long.ts";
import { SEED } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import { explore, tellStory } from "../support/simulation/explore.ts";
import { planScenario, type Scenario, WORLDS } from "../support/simulation/scenario.ts";
import { runScenario } from "../support/simulation/world.ts";

/**
 * The sender in worlds of its own: its source as it is, over rows, nodes, a chain and time in memory (docs/sending.md#simulation).
 * A test that fails tells the story of the least that breaks an invariant.
 */

/** Seeds that every run repeats; those after them are of this run alone. */
const FIXED = LONG ? [1, 2, 3, 4] : [1];
/** A scenario makes some 8,000: without the long form a world has the fixed one and a new one. */
const STEPS = (LONG ? 5_000_000 : 250_000) / WORLDS.length;

function* seedsFrom(seed: number): Iterable<number> {
  yield* FIXED;
  for (let next = seed; ; next++) yield next;
}

describe(`invariants hold in worlds of seed ${SEED}`, () => {
  it.each(WORLDS)("$name", async (world) => {
    const { failure, steps } = await explore(world, seedsFrom(SEED), STEPS);
    expect(failure === null ? "" : await tellStory(failure)).toBe("");
    expect(steps).toBeGreaterThanOrEqual(STEPS);
  });
});

describe("a failure", () => {
  /** A reorg deeper than final, in a world that rules it out: what had ended is undone. */
  const undone = (): Scenario => {
    const { seed, world, actions } = planScenario(present(WORLDS[0], "a world"), 7);
    return { seed, world, actions: [...actions, { atMs: 100_000, kind: "reorg", depth: 20 }] };
  };

  it("is shrunk to a story of the few actions that it needs", async () => {
    const scenario = undone();
    const outcome = await runScenario(scenario);
    expect(outcome.violation).toMatchObject({ rule: "a final state is true" });
    const [headline, world, ...lines] = (await tellStory({ scenario, outcome })).split("\n");
    expect(headline).toMatch(/^a final state is true: r\d+ is final, and a reorg removed it$/);
    expect(world).toMatch(/^in "processes that die and stop", seed 7; [23] of \d+ actions are enough:$/);
    expect(lines.join("\n")).toContain("VIOLATED: a final state is true");
  });

  it("is the same each time", async () => {
    const [first, second] = [await runScenario(undone()), await runScenario(undone())];
    expect(second).toEqual(first);
  });
});
