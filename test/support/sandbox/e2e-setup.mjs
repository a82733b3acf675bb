// Starts the sandbox once for the whole e2e project, by the command that the README gives; on the PostgreSQL that the tests
// were given, where they were, and on Hardhat's chains in `npm run test:evm`. Where E2E_STATE_FILE names the state.json of a
// sandbox that runs, that one is used, and stays.
import { spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { register } from "tsx/esm/api";

const START_MS_MAX = 300_000;
/** The broker's delays: a fraction of the defaults. Tests that need a state to last stop the broker (POST /mode). */
const DELAYS = { SANDBOX_ORDER_DELAY_MS: "100", SANDBOX_OPERATION_DELAY_MS: "200" };

export default async function setup() {
  if (process.env.E2E_STATE_FILE) return;
  const dir = mkdtempSync(join(tmpdir(), "partner-e2e-"));
  const logFile = join(dir, "output.log");
  const unregister = register();
  const { givenDatabase } = await import("../db/postgres.ts");
  const { givenChains } = await import("../chain/hardhat.ts");
  const [database, chains] = [await givenDatabase(), await givenChains()];
  await unregister();
  const given = database ? { DATABASE_URL: database.url } : {};
  const child = spawn("npm", ["start"], {
    env: { ...process.env, SANDBOX_DIR: dir, LOG_LEVEL: "debug", ...DELAYS, ...given, ...chains.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(logFile);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  globalThis.__sandbox = { child, dir, database, chains };
  process.env.E2E_STATE_FILE = join(dir, "state.json");
  try {
    await ready(child, process.env.E2E_STATE_FILE);
  } catch (error) {
    child.kill("SIGTERM");
    throw new Error(`${error.message}\n${readFileSync(logFile, "utf8").slice(-4000)}`);
  }
}

async function ready(child, stateFile) {
  const deadline = Date.now() + START_MS_MAX;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the sandbox ended with exit code ${child.exitCode}`);
    try {
      const { operatorUrl, controlUrl } = JSON.parse(readFileSync(stateFile, "utf8"));
      const { status, degraded = [] } = await (await fetch(`${operatorUrl}/readyz`)).json();
      // An api is ready while a chain or its index is not.
      const isServed = status === "ready" && !degraded.some((name) => /^(indexer of )?chain /.test(name));
      // Its control answers this last, once users are delegated: it makes no user before.
      if (isServed && (await fetch(`${controlUrl}/sandbox`)).ok) return;
    } catch {
      // Not written or not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the sandbox was not ready within ${START_MS_MAX} ms`);
}
