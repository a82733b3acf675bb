import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmStart, readState, untilPrinted } from "../../support/sandbox/sandbox.ts";
import { readSandboxSecrets } from "../../support/sandbox/sandbox-keys.ts";
import type { SandboxState } from "../../support/sandbox/sandbox-state.ts";

export interface BenchSandbox {
  state: SandboxState;
  /** The directory that it runs in. */
  directory: string;
  /** URL of the superuser of its database. */
  adminUrl: string;
}

/** Runs a benchmark against a sandbox of its own. */
export async function withSandbox<T>(run: (sandbox: BenchSandbox) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "partner-bench-"));
  const sandbox = npmStart(directory, [], { LOG_LEVEL: "warn" });
  try {
    await untilPrinted(sandbox, "The sandbox is ready to trade.");
    const state = readState(directory);
    const adminUrl = new URL(state.databaseUrl);
    adminUrl.username = "postgres";
    adminUrl.password = readSandboxSecrets(directory).databasePasswords.admin;
    return await run({ state, directory, adminUrl: adminUrl.href });
  } finally {
    if (!sandbox.ended()) process.kill(sandbox.pid, "SIGTERM");
    await sandbox.exited;
    rmSync(directory, { recursive: true, force: true });
  }
}
