// Builds the programs that tests start, before the first test of each project that starts any: no test ever runs a
// program of an earlier state of the sources.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, programsBundle } from "../../../build.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export default async function setup() {
  await build();
  await build(
    [
      programsBundle(
        ["crashing-api", "crashing-worker", "send-process"].map((name) => `test/support/sender/${name}.ts`),
      ),
    ],
    join(ROOT, "test-results/programs"),
  );
}
