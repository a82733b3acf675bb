// Starts once per run what many test files share: built programs, a PostgreSQL server with a migrated database to copy, and
// a directory for the states of chains that were set up. Jest does not transform a globalSetup in every mode, so TypeScript is loaded
// through tsx.
import { register } from "tsx/esm/api";
import buildPrograms from "./build-setup.mjs";

export default async function setup() {
  await buildPrograms();
  // Those that test/kept.mjs keeps.
  if (process.env.TEST_DATABASE_TEMPLATE) return;
  const unregister = register();
  const [{ startTestPostgres }, { keepChains }] = await Promise.all([
    import("../db/postgres.ts"),
    import("../chain/kept-chains.ts"),
  ]);
  globalThis.stopTestPostgres = await startTestPostgres();
  globalThis.removeKeptChains = keepChains();
  await unregister();
}
