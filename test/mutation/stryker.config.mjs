import { chosenGroup } from "./groups.mjs";

const { name, mutate } = chosenGroup();

export default {
  mutate,
  testRunner: "jest",
  testRunnerNodeArgs: ["--experimental-vm-modules", "--no-warnings"],
  jest: { projectType: "custom", configFile: "test/mutation/jest.config.mjs", enableFindRelatedTests: false },
  coverageAnalysis: "perTest",
  // Texts are SQL, which mutants of its own check (sql/), names of fields, and messages for people.
  mutator: { excludedMutations: ["StringLiteral"] },
  concurrency: 2,
  // Of a machine that is busy with other work: a mutant that is merely slow must not count as found.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  reporters: ["progress-append-only", "json"],
  jsonReporter: { fileName: `test/mutation/results/${name}.json` },
  tempDirName: ".stryker-tmp",
  ignorePatterns: ["dist", "examples", "test-results", "test/mutation/results", ".sandbox", ".ponder"],
  allowConsoleColors: false,
  disableTypeChecks: false,
};
