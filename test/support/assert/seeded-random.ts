import { parseEther } from "viem";
import { present } from "./until.ts";

/** Seed of random tests: new in every run, printed in test names, and set by TEST_SEED to repeat a run. */
export const SEED = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

export type SeededRandom = ReturnType<typeof seededRandom>;

/** Makes choices that a seed decides. */
export function seededRandom(seed: number) {
  const random = randomFrom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const of = <T>(items: readonly T[]): T => present(items[below(items.length)], "something to choose from");
  return {
    below,
    of,
    chance: (probability: number) => random() < probability,
    /** One to `most` of the items, perhaps the same one more than once; none where there are none. */
    some: <T>(items: readonly T[], most: number): T[] =>
      items.length === 0 ? [] : Array.from({ length: 1 + below(most) }, () => of(items)),
    /** A wad between `low` and `high` whole units, odd down to the last digit. */
    wad: (low: number, high: number): bigint =>
      parseEther(`${low}`) + (BigInt(below(2 ** 40)) * parseEther(`${high - low}`)) / 2n ** 40n,
  };
}

/** Generates the same numbers for the same seed (Mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
