// The stages of `npm test`. Those of a lane run one after another, the cheap ones first, so that a mistake shows early.
// The lanes run beside each other: much of the time of each is waiting for programs to start, to answer and to die.
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
/** Jest, as a program and its arguments. */
export const JEST = [
  process.execPath,
  "--experimental-vm-modules",
  "--no-warnings",
  // Test files load modules that the next one does not use: with room for them a tenth of the processor time is saved.
  "--max-semi-space-size=64",
  // Most functions are called too seldom for their optimization to pay, which saves a tenth.
  "--interrupt-budget=600000",
  // Modules that a worker has compiled are not parsed again, which saves a sixth of a file of e2e or faults that starts the api.
  "--require",
  "./test/support/program/compile-cache.cjs",
  "node_modules/jest/bin/jest.js",
  "-c",
  "test/jest.config.mjs",
];
const jest = (name, lane, projects, ...more) => ({
  name,
  lane,
  results: `test-results/${name}.json`,
  command: [
    ...JEST,
    "--json",
    `--outputFile=test-results/${name}.json`,
    "--selectProjects",
    ...projects,
    ...more,
  ],
});

export const STAGES = [
  { name: "lint", lane: "stacks", command: ["npm", "run", "--silent", "lint"] },
  { name: "typecheck", lane: "parts", command: ["npm", "run", "--silent", "typecheck"] },
  // Two of them leave a third of two cores idle once e2e is over: they wait for databases, chains and browsers. A worker keeps something
  // of every file that it has run, gigabytes in the end: a new one takes its place before.
  jest("parts", "parts", ["unit", "integration"], "--maxWorkers=3", "--workerIdleMemoryLimit=1GB"),
  // Ended when the last test has reported its result: a start that failed half way leaves things open that would keep it for
  // ever. All files of e2e share one sandbox.
  jest("e2e", "stacks", ["e2e"], "--runInBand", "--forceExit"),
  // After all lanes, by themselves: programs that recover from a fault within bounds need the processor for it. Each file has a
  // stack of its own, which mostly waits.
  jest("faults", null, ["faults"], "--maxWorkers=3", "--forceExit"),
  // Behind all stages that start programs: it reads their logs.
  jest("secrets", null, ["secrets"]),
  // Of the long form alone. What it has run stays where it is stopped: the next run goes on from there.
  {
    name: "mutation",
    lane: null,
    isLong: true,
    command: [process.execPath, "test/mutation/run.mjs", "--stale"],
  },
];
