import { once } from "node:events";
import { rmSync } from "node:fs";

export default async function teardown() {
  const { child, dir } = globalThis.__sandbox;
  if (child.exitCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  }
  rmSync(dir, { recursive: true, force: true });
}
