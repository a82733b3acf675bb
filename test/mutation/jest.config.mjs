import { fileURLToPath } from "node:url";
import { common } from "../jest.config.mjs";
import { chosenGroup } from "./groups.mjs";

const { rootDir } = common;
const { tests } = chosenGroup();
// The sequencer reads the variable: Jest passes it no configuration.
process.env.MUTATION_TESTS = tests.join(",");
// Names of random tests have their seed: with another one for each mutant, no name would be among those to run.
process.env.TEST_SEED ??= "1";

export default {
  ...common,
  testEnvironment: `${rootDir}test/support/program/kept-context.cjs`,
  runtime: fileURLToPath(new URL("kept-packages.cjs", import.meta.url)),
  setupFilesAfterEnv: [
    ...common.setupFilesAfterEnv,
    fileURLToPath(new URL("time-limit.mjs", import.meta.url)),
  ],
  testRunner: fileURLToPath(new URL("jest-circus-runner.cjs", import.meta.url)),
  testSequencer: fileURLToPath(new URL("sequencer.cjs", import.meta.url)),
  // Only these are searched when a run begins, and that is once per mutant.
  roots: ["src", "test", "packages"].map((folder) => `${rootDir}${folder}`),
  testMatch: tests.map((file) => `<rootDir>/${file}`),
};
