import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmStart, readState, untilPrinted } from "../support/sandbox.ts";
import type { SandboxState } from "../support/sandbox-state.ts";

/** Runs a benchmark against a sandbox of its own. */
export async function withSandbox(run: (state: SandboxState) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "partner-bench-"));
  const sandbox = npmStart(dir, [], { LOG_LEVEL: "warn" });
  try {
    await untilPrinted(sandbox, "The sandbox is ready to trade.");
    await run(readState(dir));
  } finally {
    if (!sandbox.ended()) process.kill(sandbox.pid, "SIGTERM");
    await sandbox.exited;
    rmSync(dir, { recursive: true, force: true });
  }
}
