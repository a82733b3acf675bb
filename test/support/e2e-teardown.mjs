import { once } from "node:events";
import { rmSync } from "node:fs";
import { register } from "tsx/esm/api";

export default async function teardown() {
  const { child, dir } = globalThis.__sandbox;
  if (child.exitCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  }
  const unregister = register();
  const { keepSandbox } = await import("./kept-sandbox.ts");
  keepSandbox(dir, "e2e");
  await unregister();
  rmSync(dir, { recursive: true, force: true });
}
