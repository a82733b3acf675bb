// Jest does not transform a globalSetup in every mode, so TypeScript is loaded through tsx.
import { register } from "tsx/esm/api";
import buildPrograms from "../program/build-setup.mjs";

export default async function setup() {
  await buildPrograms();
  const unregister = register();
  const { startTestPostgres } = await import("./postgres.ts");
  globalThis.stopTestPostgres = await startTestPostgres();
  await unregister();
}
