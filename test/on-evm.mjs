// `npm run test:evm -- hardhat`: the story and the sender's fault tests on another EVM than anvil (docs/sending.md#on-another-evm).
import { delimiter, join } from "node:path";
import { installOnce, run, runJest } from "./installed.mjs";
import { root } from "./stages.mjs";

const HARDHAT_VERSION = "3.18.0";
const FAULTS = ["chains", "crashes", "fencing", "nodes"];
const RUNS = [
  ["--selectProjects", "e2e", "--runInBand", "--forceExit", "test/e2e/story"],
  ["--selectProjects", "faults", "--runInBand", "--forceExit", `test/faults/(${FAULTS.join("|")})\\.test`],
];

/** Installs each EVM, by its name; returns the variables that tests start it by. */
const EVMS = { hardhat: prepareHardhat };

try {
  testOn(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function testOn(name = "") {
  const names = Object.keys(EVMS);
  if (!names.includes(name))
    throw new Error(`no EVM "${name}"; usage: npm run test:evm -- ${names.join("|")}`);
  const env = { ...process.env, ...EVMS[name]() };
  process.stdout.write(`== on ${name}\n`);
  run(process.execPath, ["build.mjs"], { stdio: "inherit", cwd: root });
  runJest(process.execPath, RUNS, env);
}

/** Hardhat needs Node.js 22, and npm leaves its native part out on an older one. */
function prepareHardhat() {
  const programs = join(installOnce("node", "24"), "bin");
  const env = { ...process.env, PATH: programs + delimiter + process.env.PATH };
  return {
    TEST_HARDHAT: installOnce("hardhat", HARDHAT_VERSION, env),
    TEST_HARDHAT_RUNTIME: join(programs, "node"),
  };
}
