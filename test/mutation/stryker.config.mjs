import { chosenGroup } from "./groups.mjs";

const { name } = chosenGroup();

export default {
  // Those of the group's that are to run.
  mutate: process.env.MUTATION_SOURCES.split(","),
  testRunner: "jest",
  testRunnerNodeArgs: ["--experimental-vm-modules", "--no-warnings"],
  jest: { projectType: "custom", configFile: "test/mutation/jest.config.mjs", enableFindRelatedTests: false },
  coverageAnalysis: "perTest",
  // Texts are SQL, which mutants of its own check (sql/), names of fields, and messages for people. What becomes of the
  // others is nearly always refused by the type checker: `rows[0].x`, an object without its properties, a function that
  // returns nothing.
  mutator: { excludedMutations: ["StringLiteral", "OptionalChaining", "ObjectLiteral", "ArrowFunction"] },
  concurrency: 2,
  // A mutant that is merely slow must not count as found, also on a machine that does other work; one that loops for ever
  // costs this time.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  reporters: ["progress-append-only", "json"],
  jsonReporter: { fileName: `test-results/mutation/${name}.json` },
  tempDirName: ".stryker-tmp",
  ignorePatterns: ["dist", "test-results", ".sandbox", ".ponder"],
  allowConsoleColors: false,
  disableTypeChecks: false,
};
