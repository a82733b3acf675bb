import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { createKey } from "../../../src/auth/keys-admin.ts";
import { type MasterKey, openSecret } from "../../../src/auth/secrets.ts";
import type { Deployments } from "../../../src/config/deployments.ts";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import type { Access } from "../../../src/protocol/enums.ts";
import { readJson, writeJson } from "./files.ts";
import { PRODUCT } from "./product.ts";

const newPassword = () => randomBytes(24).toString("hex");
const newServerKey = () => `sandbox:${randomBytes(32).toString("hex")}`;

const password = z.string().min(32);
const newPasswords = () => ({
  admin: newPassword(),
  owner: newPassword(),
  api: newPassword(),
  worker: newPassword(),
  deliverer: newPassword(),
  indexer: newPassword(),
  operator: newPassword(),
});

/** Secrets that must survive a restart, in a file that only its owner may read. */
const schema = z.strictObject({
  /** In the format of MASTER_KEYS. */
  masterKeys: z.string(),
  /** In the format of ATTRIBUTION_KEYS. */
  attributionKeys: z.string().default(newServerKey),
  /** In the format of WEBHOOK_KEYS. */
  webhookKeys: z.string().default(newServerKey),
  dashboardToken: z.string().min(32),
  /** Passwords of the embedded database: of its superuser, and of a role for each program. */
  databasePasswords: z
    .strictObject({
      admin: password,
      owner: password,
      api: password,
      worker: password,
      // A sandbox of a version without this program has none.
      deliverer: password.default(newPassword),
      indexer: password,
      operator: password,
    })
    .default(newPasswords),
  /** By name; the database keeps them only sealed. */
  keys: z.record(z.string(), z.strictObject({ apiKey: z.string(), apiSecret: z.string() })),
});

export type Secrets = z.output<typeof schema>;

const fileIn = (directory: string) => join(directory, "secrets.json");

export function loadSecrets(directory: string): Secrets {
  const secrets: Secrets = readJson(fileIn(directory), schema) ?? {
    masterKeys: newServerKey(),
    attributionKeys: newServerKey(),
    webhookKeys: newServerKey(),
    dashboardToken: `dt_${randomBytes(24).toString("hex")}`,
    databasePasswords: newPasswords(),
    keys: {},
  };
  saveSecrets(directory, secrets);
  return secrets;
}

function saveSecrets(directory: string, secrets: Secrets): void {
  writeJson(fileIn(directory), secrets, 0o600);
}

/** A key of the sandbox, as shown in state.json and the banner. */
export interface SandboxKey {
  name: string;
  apiKey: string;
  apiSecret: string;
  access: Access;
  chainId: number;
  productType: string;
  userAddress: string | null;
}

export interface KeyOptions {
  directory: string;
  prisma: PrismaClient;
  deployments: Deployments;
  secrets: Secrets;
  /** User that the first WRITABLE key is bound to. */
  boundUser: string;
  /** Addresses and ranges that may use the keys. */
  ips: readonly string[];
}

/**
 * Creates one READ_ONLY and one WRITABLE key per chain and product. Existing keys stay as they are, with the secret that the
 * database has: a rotation gives a key another one. A key that the database has lost is created again.
 */
export async function ensureKeys(options: KeyOptions): Promise<SandboxKey[]> {
  const { directory, secrets } = options;
  const existing = await activeSecrets(
    options,
    Object.values(secrets.keys).map(({ apiKey }) => apiKey),
  );
  const keys: SandboxKey[] = [];
  for (const wanted of wantedKeys(options)) {
    const apiKey = secrets.keys[wanted.name]?.apiKey ?? "";
    const apiSecret = existing.get(apiKey);
    const key = apiSecret === undefined ? await makeKey(options, wanted) : { apiKey, apiSecret };
    secrets.keys[wanted.name] = key;
    keys.push({ ...wanted, ...key });
  }
  saveSecrets(directory, secrets);
  return keys;
}

/** Returns the present secret of each of some keys that is active. @throws Error where one was sealed under another master key */
export async function activeSecrets(
  { prisma, secrets }: Pick<CreateOptions, "prisma" | "secrets">,
  apiKeys: readonly string[],
): Promise<Map<string, string>> {
  const masterKeys = parseMasterKeys(secrets.masterKeys);
  const rows = await prisma.apiKey.findMany({
    select: { apiKey: true, keyId: true, secretSealed: true, masterKeyId: true },
    where: { active: true, apiKey: { in: [...apiKeys] } },
  });
  return new Map(
    rows.map(({ apiKey, keyId, secretSealed: sealed, masterKeyId }) => [
      apiKey,
      openSecret(masterKeys, keyId, { sealed, masterKeyId }).toString("utf8"),
    ]),
  );
}

type WantedKey = Omit<SandboxKey, "apiKey" | "apiSecret">;

function wantedKeys({ deployments, boundUser }: KeyOptions): WantedKey[] {
  const scopes = deployments.chains.flatMap(({ chainId, products }) =>
    products.map(({ productType }) => ({ chainId, productType })),
  );
  return scopes.flatMap((scope, index) => [
    { name: `reader-${scope.chainId}`, access: "READ_ONLY", ...scope, userAddress: null },
    {
      name: `trader-${scope.chainId}`,
      access: "WRITABLE",
      ...scope,
      userAddress: index === 0 ? boundUser : null,
    },
  ]);
}

async function makeKey(options: KeyOptions, wanted: WantedKey) {
  const { directory, secrets } = options;
  const key = await create(options, wanted);
  secrets.keys[wanted.name] = key;
  // At once: a key whose secret is lost is useless.
  saveSecrets(directory, secrets);
  return key;
}

export interface CreateOptions extends Pick<KeyOptions, "prisma" | "deployments" | "ips"> {
  secrets: Pick<Secrets, "masterKeys">;
}

/** Creates a WRITABLE key for a user, which no file keeps. */
export const createBoundKey = (options: CreateOptions, chainId: number, userAddress: string) =>
  create(options, {
    name: `user-${userAddress}`,
    access: "WRITABLE",
    chainId,
    productType: PRODUCT,
    userAddress,
  });

async function create({ prisma, deployments, secrets, ips }: CreateOptions, wanted: WantedKey) {
  const { name, access, chainId, productType, userAddress } = wanted;
  const deps = {
    prisma,
    deployments,
    masterKeys: parseMasterKeys(secrets.masterKeys),
    now: Date.now,
    actor: "sandbox",
  };
  const { apiKey, apiSecret } = await createKey(deps, {
    name,
    access,
    scopes: [{ chainId, productType }],
    ips: [...ips],
    userAddress,
    // Nothing here is worth protecting, and rehearsals trade more in a day than a new partner does.
    dailyNotionalCap: null,
  });
  return { apiKey, apiSecret };
}

function parseMasterKeys(text: string): MasterKey[] {
  return text.split(",").map((entry) => {
    const [id = "", hex = ""] = entry.split(":");
    return { id, key: Buffer.from(hex, "hex") };
  });
}
