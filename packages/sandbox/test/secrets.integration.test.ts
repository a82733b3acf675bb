import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { revokeKey } from "../../../src/auth/keys-admin.ts";
import { rotateKey } from "../../../src/auth/rotation.ts";
import { createPrisma } from "../../../src/db/client.ts";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import { createDatabase, type TestDatabase } from "../../../test/support/db/postgres.ts";
import { makeEnv, type TestEnv } from "../../../test/support/http/api.ts";
import { sandboxAccounts } from "../src/accounts.ts";
import { ensureKeys, loadSecrets } from "../src/secrets.ts";

let database: TestDatabase;
let env: TestEnv;
let prisma: PrismaClient;
const directory = mkdtempSync(join(tmpdir(), "sandbox-secrets-"));
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  prisma = createPrisma(database.url, { max: 1 });
});
afterAll(async () => {
  await prisma?.$disconnect();
  await env?.dispose();
  await database?.drop();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the keys as a start of the sandbox lists them. */
async function keysAtStart() {
  const secrets = loadSecrets(directory);
  const { deployments } = env.admin;
  const boundUser = sandboxAccounts().users[0]?.account.address ?? "";
  const keys = await ensureKeys({ directory, prisma, deployments, secrets, boundUser, ips: ["127.0.0.1"] });
  return new Map(keys.map((key) => [key.name, key]));
}

function masterKeys() {
  const [id = "", hex = ""] = loadSecrets(directory).masterKeys.split(":");
  return [{ id, key: Buffer.from(hex, "hex") }];
}

it("lists a rotated key with the secret that it has now, and makes a revoked one anew", async () => {
  const first = await keysAtStart();
  expect(await keysAtStart()).toEqual(first);
  const [rotated, revoked, ...others] = [...first.values()];
  if (!rotated || !revoked) throw new Error("the sandbox has too few keys");

  const admin = { ...env.admin, prisma, masterKeys: masterKeys() };
  const { apiSecret } = await rotateKey(admin, rotated.apiKey, { overlapSeconds: 3_600 });
  await revokeKey(admin, revoked.apiKey);
  const second = await keysAtStart();
  expect(second.get(rotated.name)).toEqual({ ...rotated, apiSecret });
  expect(second.get(revoked.name)?.apiKey).not.toBe(revoked.apiKey);
  for (const other of others) expect(second.get(other.name)).toEqual(other);
  // The command and scripts read the file.
  expect(loadSecrets(directory).keys[rotated.name]).toEqual({ apiKey: rotated.apiKey, apiSecret });
});
