import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { sandboxAccounts } from "../../src/sandbox/accounts.ts";
import { readSandboxSecrets, sandboxDirectory } from "../support/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox-state.ts";

/** SPEC section 5: the API secret, wallet private keys and raw authorization material are never logged. */
const state = readSandboxState();

function logLines(): string {
  // The programs' own logs: the banner on the terminal shows the development keys on purpose.
  const directory = join(sandboxDirectory(), "logs");
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".log"),
  );
  return files.map((name) => readFileSync(join(directory, name), "utf8")).join("\n");
}

it("logs no secret of a key or of a wallet, in whatever form", () => {
  const lines = logLines().toLowerCase();
  expect(lines.length).toBeGreaterThan(1_000);
  const secrets = [
    ...state.keys.map(({ apiSecret }) => apiSecret),
    ...state.users.map(({ privateKey }) => privateKey.slice(2)),
    ...sandboxAccounts().delegateeKeys.map((key) => key.slice(2)),
    state.dashboardToken,
    ...Object.values(readSandboxSecrets()).map((keys) => keys.split(":")[1] ?? keys),
  ];
  expect(secrets.filter((secret) => lines.includes(secret.toLowerCase()))).toEqual([]);
  expect(lines).not.toMatch(/x-api-sign["':\s]+[0-9a-f]{64}/);
});
