// `npm run test:mutation`: changes the sources in one place at a time, runs the tests that cover the place, and counts
// what they notice. `npm run test:mutation -- auth-checks sql` runs the named groups only. Writes report.md from what
// was run last of each group; exits 1 where the report does not pass.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { register } from "tsx/esm/api";
import { GROUPS } from "./groups.mjs";
import { writeReport } from "./report.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SQL = "test/mutation/sql/run.mjs";
const TIMES = `${root}test/mutation/results/times.json`;

const wanted = process.argv.slice(2);
const chosen = (name) => wanted.length === 0 || wanted.includes(name);
const failed = [];

mkdirSync(`${root}test/mutation/results`, { recursive: true });
const stop = await startPostgres();
try {
  for (const { name } of GROUPS.filter((group) => chosen(group.name))) {
    start(name, [
      "node_modules/@stryker-mutator/core/bin/stryker.js",
      "run",
      "test/mutation/stryker.config.mjs",
    ]);
  }
  if (chosen("sql") && existsSync(`${root}${SQL}`)) start("sql", [SQL]);
} finally {
  await stop();
}
const problems = writeReport();
for (const problem of [...failed.map((name) => `${name} did not run to its end`), ...problems]) {
  process.stderr.write(`${problem}\n`);
}
process.exit(failed.length + problems.length > 0 ? 1 : 0);

/** Starts one PostgreSQL for all groups, and hands it over by the environment, as the integration tests' setup does. */
async function startPostgres() {
  const unregister = register();
  const { startTestPostgres } = await import("../support/db/postgres.ts");
  const stopPostgres = await startTestPostgres();
  await unregister();
  return stopPostgres;
}

function start(name, command) {
  process.stdout.write(`== ${name}\n`);
  const startedMs = Date.now();
  const { status } = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, MUTATION_GROUP: name },
  });
  if (status !== 0) failed.push(name);
  else storeTime(name, Math.round((Date.now() - startedMs) / 1000));
}

function storeTime(name, seconds) {
  const times = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, "utf8")) : {};
  writeFileSync(TIMES, JSON.stringify({ ...times, [name]: seconds }));
}
