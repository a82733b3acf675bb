import { describe } from "@jest/globals";
import { needs, PARTS } from "./parts.mjs";

/**
 * Describes tests that need a part of the machine. Where it is absent they are skipped and counted as skipped: no other
 * way of skipping passes (test/results.mjs).
 */
export function describeWhere(part: keyof typeof PARTS, title: string, tests: () => void): void {
  const run = PARTS[part].isPresent() ? describe : describe.skip;
  run(needs(part), () => void describe(title, tests));
}
