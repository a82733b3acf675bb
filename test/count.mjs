// Prints "N passed, N failed" from the results that jest wrote. A stage without results, or a file that could not
// run, counts as failed: silence is never success. Exits 1 unless every stage left results and none failed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, STAGES } from "./stages.mjs";

let passed = 0;
let failed = 0;
for (const { results } of STAGES.filter((stage) => stage.results)) {
  try {
    const report = JSON.parse(readFileSync(join(root, results), "utf8"));
    passed += report.numPassedTests;
    failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
    if (report.numPassedTests === 0) failed += 1;
  } catch {
    failed += 1;
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
