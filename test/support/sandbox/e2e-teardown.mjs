import { once } from "node:events";
import { rmSync } from "node:fs";
import { register } from "tsx/esm/api";

const STOP_MS_MAX = 120_000;

export default async function teardown() {
  // A sandbox that was given goes on.
  if (!globalThis.__sandbox) return;
  const { child, dir, database, chains } = globalThis.__sandbox;
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
    await exited;
    clearTimeout(force);
  }
  await database?.drop();
  await chains.stop();
  const unregister = register();
  const { keepSandbox } = await import("./kept-sandbox.ts");
  keepSandbox(dir, "e2e");
  await unregister();
  rmSync(dir, { recursive: true, force: true });
}
