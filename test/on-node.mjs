// `npm run test:node24`: the unit tests and the story of test/e2e on another version of Node than the installed one, whose
// binary comes as a package.
import { delimiter, join } from "node:path";
import { installOnce, run, runJest, NODE_VERSIONS as VERSIONS } from "./installed.mjs";

const RUNS = [
  ["--selectProjects", "unit"],
  ["--selectProjects", "e2e", "--runInBand", "--forceExit", "test/e2e/story"],
];

try {
  testOn(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function testOn(version) {
  if (!VERSIONS.includes(version)) throw new Error(`usage: node test/on-node.mjs ${VERSIONS.join("|")}`);
  const programs = join(installOnce("node", version), "bin");
  const node = join(programs, "node");
  const actual = run(node, ["--version"], { stdio: "pipe", encoding: "utf8" }).stdout.trim();
  if (!actual.startsWith(`v${version}.`)) throw new Error(`expected Node ${version}, found ${actual}`);
  process.stdout.write(`== on Node ${actual}\n`);
  // First in the path: `npm start` and all programs that it starts run on it too.
  const env = { ...process.env, PATH: programs + delimiter + process.env.PATH };
  runJest(node, RUNS, env);
}
