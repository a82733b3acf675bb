// `npm run test:mutation`: changes the sources in one place at a time, runs the tests that cover the place, and counts
// what they notice. `npm run test:mutation -- auth-checks sql` runs the named groups only, and `-- --stale` what has no
// result of the sources as they are, which is the last stage of `npm run test:long`. Stores the results in
// docs/results/mutation.json, beside the last ones of all other groups; exits 1 where a survivor has no reason.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { register } from "tsx/esm/api";
import { GROUPS } from "./groups.mjs";

const STRYKER = [
  "node_modules/@stryker-mutator/core/bin/stryker.js",
  "run",
  "test/mutation/stryker.config.mjs",
];
const root = fileURLToPath(new URL("../..", import.meta.url));
register();
const { describeStaleness, findStale, readReport } = await import("./report.ts");
const { judgeReport, storeGroup } = await import("./stryker.ts");
const { MUTANTS } = await import("./sql/mutants.ts");
const { startTestPostgres } = await import("../support/db/postgres.ts");

const names = process.argv.slice(2).filter((argument) => argument !== "--stale");
const stale = process.argv.includes("--stale") ? new Set(findStale(readReport())) : null;
/** Returns those of a group's sources, or of the statements' mutants, that are to run. */
const chosenOf = (name, parts) =>
  names.length > 0 && !names.includes(name) ? [] : parts.filter((part) => stale?.has(part) ?? true);
const problems = [];
const printStaleness = () => {
  for (const line of describeStaleness(readReport())) process.stdout.write(`${line}\n`);
};
if (stale) printStaleness();
// A mutant runs the short form of its tests.
delete process.env.TEST_LONG;

// One PostgreSQL for all groups, handed over by the environment, as the integration tests' setup does.
const stopPostgres = await startTestPostgres();
try {
  for (const { name, mutate } of GROUPS) {
    const sources = chosenOf(name, mutate);
    if (sources.length > 0 && start(name, STRYKER, sources))
      storeGroup(`${root}test-results/mutation/${name}.json`);
  }
  const statements = chosenOf(
    "sql",
    MUTANTS.map(({ id }) => id),
  );
  if (statements.length > 0) start("sql", ["test/mutation/sql/run.mjs", "--only", ...statements]);
} finally {
  await stopPostgres();
}
problems.push(...judgeReport(readReport()));
printStaleness();
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(problems.length > 0 ? 1 : 0);

/** Returns whether the command ran to its end. */
function start(name, command, sources = []) {
  process.stdout.write(`== ${name}\n`);
  const { status } = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, MUTATION_GROUP: name, MUTATION_SOURCES: sources.join(",") },
  });
  if (status !== 0) problems.push(`${name} did not pass`);
  return status === 0;
}
