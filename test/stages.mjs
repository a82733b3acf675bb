// The stages of `npm test`, in order: the cheap ones first, so that a mistake shows early. Jest's stages run one
// after another because each starts heavy parts of its own (a database, a whole sandbox, stacks that get killed).
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const jest = (name, projects, ...more) => ({
  name,
  results: `test-results/${name}.json`,
  command: [
    process.execPath,
    "--experimental-vm-modules",
    "--no-warnings",
    "node_modules/jest/bin/jest.js",
    "-c",
    "test/jest.config.mjs",
    "--json",
    `--outputFile=test-results/${name}.json`,
    "--selectProjects",
    ...projects,
    ...more,
  ],
});

export const STAGES = [
  { name: "lint", command: ["npm", "run", "--silent", "lint"] },
  { name: "typecheck", command: ["npm", "run", "--silent", "typecheck"] },
  jest("parts", ["unit", "integration"], "--maxWorkers=2"),
  // In one process, which is ended when the last test has told its result: a start that failed half way leaves things
  // open that would keep it for ever.
  jest("e2e", ["e2e"], "--runInBand", "--forceExit"),
  jest("faults", ["faults"], "--runInBand", "--forceExit"),
  // Last: it reads the logs of all programs that the stages before it started.
  jest("secrets", ["secrets"]),
];
