// `npm run test:mutation` runs it: applies the mutants of ./mutants, one at a time, to copies of the checkout, and writes
// which of them their covering tests kill to docs/results/mutation.json. `--only <id…>` runs some of them and keeps the
// other results.
import { register } from "tsx/esm/api";
import { build } from "../../../build.mjs";

// The copies begin with what is built: an api of the tests serves the pages from it.
await build();
register();
const { main } = await import("./runner.ts");
process.exitCode = await main(process.argv.slice(2));
