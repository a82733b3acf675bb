// Jest does not transform a globalSetup in every mode, so TypeScript is loaded through tsx.
import { register } from "tsx/esm/api";

export default async function setup() {
  const unregister = register();
  const { startTestPostgres } = await import("./postgres.ts");
  globalThis.stopTestPostgres = await startTestPostgres();
  await unregister();
}
