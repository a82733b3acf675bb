import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmStart, readState, untilPrinted } from "../support/sandbox.ts";
import { readSandboxSecrets } from "../support/sandbox-keys.ts";
import type { SandboxState } from "../support/sandbox-state.ts";

/**
 * Runs a benchmark against a sandbox of its own.
 * @param run gets its state, and the URL that its api connects to the database with
 */
export async function withSandbox(
  run: (state: SandboxState, databaseUrl: string) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "partner-bench-"));
  const sandbox = npmStart(dir, [], { LOG_LEVEL: "warn" });
  try {
    await untilPrinted(sandbox, "The sandbox is ready to trade.");
    const state = readState(dir);
    const databaseUrl = new URL(state.databaseUrl);
    databaseUrl.username = "partner_api";
    databaseUrl.password = readSandboxSecrets(dir).databasePasswords.api;
    await run(state, databaseUrl.href);
  } finally {
    if (!sandbox.ended()) process.kill(sandbox.pid, "SIGTERM");
    await sandbox.exited;
    rmSync(dir, { recursive: true, force: true });
  }
}
