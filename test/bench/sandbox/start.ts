import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmStart, readState, untilPrinted } from "../../support/sandbox/sandbox.ts";
import { readSandboxSecrets } from "../../support/sandbox/sandbox-keys.ts";
import type { SandboxState } from "../../support/sandbox/sandbox-state.ts";

export interface BenchSandbox {
  state: SandboxState;
  /** Directory that it runs in. */
  directory: string;
  /** URL of the superuser of its database. */
  adminUrl: string;
}

/** Something that a sandbox needs, and what tells it so. */
interface Beside {
  env: Record<string, string>;
  stop(): Promise<void>;
}

/**
 * Runs a benchmark against a sandbox of its own.
 * @param startBeside starts what the sandbox uses in place of a part of its own; it ends after the sandbox
 */
export async function withSandbox<T>(
  run: (sandbox: BenchSandbox) => Promise<T>,
  startBeside: (directory: string) => Promise<Beside | null> = async () => null,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "partner-bench-"));
  const beside = await startBeside(directory);
  const sandbox = npmStart(directory, [], { LOG_LEVEL: "warn", ...beside?.env });
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
    await beside?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
