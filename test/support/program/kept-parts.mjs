// The parts that `npm run test:parts` keeps for the runs of single files: a PostgreSQL with a migrated database, and chains.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FILE = `${ROOT}node_modules/.cache/test-parts.json`;
/** Set by what starts the parts (test/support/db/postgres.ts, test/support/chain/kept-chains.ts). */
const VARIABLES = ["TEST_DATABASE_ADMIN_URL", "TEST_DATABASE_TEMPLATE", "TEST_KEPT_CHAINS"];

/** The kept parts are of these files: a migration or a contract that has changed needs others. */
function stateOfSources() {
  const migrations = readdirSync(`${ROOT}prisma`, { recursive: true }).filter((name) =>
    name.endsWith(".sql"),
  );
  const chain = ["contracts/bytecode.ts", "deploy.ts", "fund.ts", "tokens.ts"];
  const hash = createHash("sha256");
  for (const file of [
    ...migrations.sort().map((name) => `prisma/${name}`),
    ...chain.map((name) => `packages/sandbox/src/${name}`),
  ])
    hash.update(file).update(readFileSync(ROOT + file));
  return hash.digest("hex");
}

/** Lets later runs use the parts of this process, whose variables are set. @returns ends that */
export function offerParts(file = FILE) {
  const env = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  mkdirSync(dirname(file), { recursive: true });
  // The password of a database is in it.
  writeFileSync(file, JSON.stringify({ pid: process.pid, sources: stateOfSources(), env }), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Sets the variables of parts that are kept. @returns false where none are, or they are of other sources */
export function useKeptParts(file = FILE) {
  try {
    const { pid, sources, env } = JSON.parse(readFileSync(file, "utf8"));
    process.kill(pid, 0);
    if (sources !== stateOfSources()) return false;
    Object.assign(process.env, env);
    return true;
  } catch {
    // Never started, or killed.
    return false;
  }
}
