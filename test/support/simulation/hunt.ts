import { explore } from "./explore.ts";
import { WORLDS } from "./scenario.ts";

// Looks for a broken invariant in one world after the other, and prints what it finds as JSON; or in one world, where
// it is named. A program of its own, which
// test/simulation/planted.test.ts runs in a copy of the sources that has a bug.

/** Scenarios of a world before the next world's turn, by their steps. */
const TURN_STEPS = 20_000;

const [limit, only] = process.argv.slice(2);
const limitMs = Number(limit);
const worlds = WORLDS.filter(({ name }) => only === undefined || name === only);
const startedMs = performance.now();
let steps = 0;
let found: { world: string; rule: string } | null = null;
for (
  let seed = 1;
  found === null && worlds.length > 0 && performance.now() - startedMs < limitMs;
  seed += 1_000
) {
  for (const world of worlds) {
    const seeds = Array.from({ length: 1_000 }, (_, index) => seed + index);
    const { failure, steps: made } = await explore(world, seeds, TURN_STEPS);
    steps += made;
    const rule = failure?.outcome.violation?.rule;
    if (rule !== undefined) {
      found = { world: world.name, rule };
      break;
    }
  }
}
const seconds = (performance.now() - startedMs) / 1000;
process.stdout.write(JSON.stringify({ found, steps, seconds: Number(seconds.toFixed(1)) }));
