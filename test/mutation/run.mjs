// `npm run test:mutation`: changes the sources in one place at a time, runs the tests that cover the place, and counts
// what they notice. `npm run test:mutation -- auth-checks sql` runs the named groups only, and `-- --stale` what has no
// result of the sources as they are. Stores the results in docs/results/mutation.json, beside the last ones of all other
// groups; exits 1 where a survivor has no reason.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { register } from "tsx/esm/api";
import { GROUPS } from "./groups.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
register();
const { describeStaleness, findStale, readReport } = await import("./report.ts");
const { judgeShare, storeGroup } = await import("./stryker.ts");
const { MUTANTS } = await import("./sql/mutants.ts");
const { startTestPostgres } = await import("../support/db/postgres.ts");

const wanted = process.argv.slice(2);
const stale = new Set(findStale(readReport()));
const isChosen = (name, parts) =>
  wanted.includes("--stale")
    ? parts.some((part) => stale.has(part))
    : wanted.length === 0 || wanted.includes(name);
// Mutants of statements run one by one: those that are current are left out.
const statements = MUTANTS.map(({ id }) => id).filter((id) => !wanted.includes("--stale") || stale.has(id));
const problems = [];

// One PostgreSQL for all groups, handed over by the environment, as the integration tests' setup does.
const stopPostgres = await startTestPostgres();
try {
  for (const { name } of GROUPS.filter((group) => isChosen(group.name, group.mutate))) {
    const isRun = start(name, [
      "node_modules/@stryker-mutator/core/bin/stryker.js",
      "run",
      "test/mutation/stryker.config.mjs",
    ]);
    if (isRun) problems.push(...storeGroup(`${root}test-results/mutation/${name}.json`));
  }
  if (isChosen("sql", statements)) start("sql", ["test/mutation/sql/run.mjs", "--only", ...statements]);
} finally {
  await stopPostgres();
}
problems.push(...judgeShare());
for (const line of describeStaleness(readReport())) process.stdout.write(`${line}\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(problems.length > 0 ? 1 : 0);

/** Returns whether the command ran to its end. */
function start(name, command) {
  process.stdout.write(`== ${name}\n`);
  const { status } = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, MUTATION_GROUP: name },
  });
  if (status !== 0) problems.push(`${name} did not pass`);
  return status === 0;
}
