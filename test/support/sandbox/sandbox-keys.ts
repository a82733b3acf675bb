import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { createKey, type NewKey } from "../../../src/auth/keys-admin.ts";
import { loadDeployments } from "../../../src/config/deployments.ts";
import { createPrisma } from "../../../src/db/client.ts";
import { canary } from "../assert/logs.ts";
import { present } from "../assert/until.ts";
import type { PartnerKey } from "../http/partner.ts";
import { readSandboxState } from "./sandbox-state.ts";

const password = z.string().regex(/^[0-9a-f]{48}$/);

const secretsSchema = z.object({
  masterKeys: z.string().regex(/^[^:,]+:[0-9a-f]{64}$/),
  attributionKeys: z.string().regex(/^[^:,]+:[0-9a-f]{64}$/),
  webhookKeys: z.string().regex(/^[^:,]+:[0-9a-f]{64}$/),
  databasePasswords: z.strictObject({
    admin: password,
    owner: password,
    api: password,
    worker: password,
    deliverer: password,
    indexer: password,
    operator: password,
  }),
});

/** Returns the directory of the sandbox that the e2e project's global setup started. */
export const sandboxDirectory = () =>
  dirname(present(process.env.E2E_STATE_FILE, "the sandbox's state file"));

/** Reads the secrets of the sandbox's programs. */
export const readSandboxSecrets = (directory = sandboxDirectory()) =>
  secretsSchema.parse(JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8")));

/** Makes a further key of the sandbox as an operator does, WRITABLE by default. */
export async function makeSandboxKey(
  scope: { chainId: number; productType: string },
  more: Partial<NewKey> = {},
): Promise<PartnerKey & { keyId: string }> {
  const [id = "", hex = ""] = readSandboxSecrets().masterKeys.split(":");
  const prisma = createPrisma(readSandboxState().databaseUrl, { max: 1, connectTimeoutMs: 60_000 });
  try {
    const deps = {
      prisma,
      deployments: loadDeployments(join(sandboxDirectory(), "deployments.json"), {}),
      masterKeys: [{ id, key: Buffer.from(hex, "hex") }],
      now: Date.now,
      actor: "test",
    };
    const { keyId, apiKey, apiSecret } = await createKey(deps, {
      name: "test",
      access: "WRITABLE",
      scopes: [scope],
      ips: ["127.0.0.1", "::1"],
      dailyNotionalCap: null,
      ...more,
    });
    canary("API secret", apiSecret);
    return { keyId, apiKey, apiSecret, ...scope };
  } finally {
    await prisma.$disconnect();
  }
}
