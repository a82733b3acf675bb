import { createAttributionWatch } from "../../../src/claims/attribution/watch.ts";
import type { Deps } from "../../../src/context/deps.ts";

/** Returns a run of the attribution on the first chain of the tests; it answers how many suffixes were verified. */
export function attributionRun(deps: Deps, chainId = 31337): () => Promise<number> {
  const run = createAttributionWatch(deps);
  return async () => (await run(chainId)).seen;
}
