import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sandboxAccounts } from "../../../packages/sandbox/src/accounts.ts";
import { canary, keepLogs } from "../assert/logs.ts";
import { readSandboxSecrets } from "./sandbox-keys.ts";
import { stateSchema } from "./sandbox-state.ts";

/** Keeps what the programs of a sandbox logged, and remembers the sandbox's secrets. Its banner shows those on purpose. */
export function keepSandbox(directory: string, name: string): void {
  keepLogs(join(directory, "logs"), name);
  const file = join(directory, "state.json");
  if (!existsSync(file)) return;
  const state = stateSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  for (const { apiSecret } of state.keys) canary("API secret", apiSecret);
  for (const { privateKey } of state.users) canary("user's key", privateKey);
  for (const key of sandboxAccounts().delegateeKeys) canary("wallet key", key);
  canary("dashboard token", state.dashboardToken);
  const { masterKeys, attributionKeys, webhookKeys, databasePasswords } = readSandboxSecrets(directory);
  for (const password of Object.values(databasePasswords)) canary("database password", password);
  for (const entry of [masterKeys, attributionKeys, webhookKeys])
    canary("master key", entry.split(":")[1] ?? entry);
}
