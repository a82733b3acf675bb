// Starts once per run what many test files share: built programs, a PostgreSQL server with a migrated database to copy, and
// the state of a chain with a product deployed. Jest does not transform a globalSetup in every mode, so TypeScript is loaded
// through tsx.
import { register } from "tsx/esm/api";
import buildPrograms from "./build-setup.mjs";

export default async function setup() {
  await buildPrograms();
  const unregister = register();
  const [{ startTestPostgres }, { keepDeployedChain }] = await Promise.all([
    import("../db/postgres.ts"),
    import("../chain/deployed.ts"),
  ]);
  globalThis.stopTestPostgres = await startTestPostgres();
  globalThis.removeDeployedChain = await keepDeployedChain();
  await unregister();
}
