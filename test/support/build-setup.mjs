// Builds the programs that tests start, before the first test of each project that starts any: no test ever runs a
// program of an earlier state of the sources.
import { build } from "../../build.mjs";

export default async function setup() {
  await build(["crashing-api", "send-process"].map((name) => `test/support/${name}.ts`));
}
