import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Deployments } from "../config/deployments.ts";
import { formatRange, parseRange } from "../config/ip-range.ts";
import type { Prisma, PrismaClient } from "../db/generated/client.ts";
import { WAD } from "../protocol/decimal.ts";
import { ACCESS_TYPES, type Access } from "../protocol/enums.ts";
import { ADDRESS } from "../protocol/shapes.ts";
import { writeAudit } from "./audit.ts";
import { type LockedKey, lockKey, lockSealedByOthers } from "./key-lock-store.ts";
import { MalformedError } from "./malformed-error.ts";
import { isServed, type KeyScope } from "./scope.ts";
import { type MasterKey, newSecret, openSecret, type SealedSecret, sealSecret } from "./secrets.ts";

/** Dependencies of managing keys. Every change and its entry in the audit log are one transaction. */
export interface KeyAdminDeps {
  prisma: PrismaClient;
  deployments: Deployments;
  masterKeys: readonly MasterKey[];
  /** Unix milliseconds. */
  now: () => number;
  /** The operator's name, for the audit log. */
  actor: string;
}

const ipEntry = z.string().transform((text, context) => {
  const range = parseRange(text.trim());
  if (range) return formatRange(range);
  context.addIssue(`${text} is neither an address nor a CIDR range without bits after its prefix`);
  return z.NEVER;
});

/** mUSD wad of orders a UTC day that a new WRITABLE key may send, unless the operator says otherwise. */
export const DEFAULT_DAILY_NOTIONAL_CAP = 100_000n * WAD;

const newKeySchema = z.object({
  name: z.string().trim().min(1, "name is empty").max(128, "name is longer than 128 characters"),
  access: z.enum(ACCESS_TYPES, `access must be one of ${ACCESS_TYPES.join(", ")}`),
  scopes: z
    .array(z.object({ chainId: z.int().positive(), productType: z.string() }))
    .min(1, "a key needs a scope"),
  ips: z.array(ipEntry).default([]),
  userAddress: z
    .string()
    .regex(ADDRESS, "userAddress must be a 20-byte hex address")
    .transform((address) => address.toLowerCase())
    .nullable()
    .default(null),
  expiresAt: z.date("expires must be a time, such as 2030-01-31T00:00:00Z").nullable().default(null),
  dailyNotionalCap: z.bigint().min(0n).nullish(),
});

/**
 * A key to be made. `ips`: addresses or CIDR ranges, none refuses every caller. `expiresAt`: null never expires.
 * `dailyNotionalCap`: mUSD wad, null for no cap, left out for the default of its access.
 */
export type NewKey = z.input<typeof newKeySchema>;

export interface CreatedKey {
  keyId: string;
  /** Value that callers send as x-api-key. */
  apiKey: string;
  /** Secret that callers sign with. It is stored sealed, and shown only here. */
  apiSecret: string;
  /** mUSD wad; null where there is none. */
  dailyNotionalCap: bigint | null;
}

/**
 * Makes an API key, with its daily cap where it may send.
 * @throws Error naming every wrong value, or a scope that no deployment serves
 */
export async function createKey(deps: KeyAdminDeps, input: NewKey): Promise<CreatedKey> {
  const key = parse(newKeySchema, input);
  if (key.expiresAt && key.expiresAt.getTime() <= deps.now()) throw new Error("expires is in the past");
  const unserved = key.scopes.find(
    ({ chainId, productType }) => !isServed(deps.deployments, chainId, productType),
  );
  if (unserved)
    throw new Error(`no deployment serves ${describe(unserved)}; there are: ${servedScopes(deps)}`);
  const dailyNotionalCap = capOf(key);
  const created = {
    keyId: randomUUID(),
    apiKey: `pk_${randomBytes(16).toString("hex")}`,
    apiSecret: newSecret(),
    dailyNotionalCap,
  };
  const { sealed, masterKeyId } = sealSecret(deps.masterKeys, created.keyId, created.apiSecret);
  const cap = dailyNotionalCap?.toString() ?? null;
  await deps.prisma.$transaction(async (tx) => {
    await tx.apiKey.create({
      data: {
        keyId: created.keyId,
        name: key.name,
        apiKey: created.apiKey,
        secretSealed: bytes(sealed),
        masterKeyId,
        access: key.access,
        userAddress: key.userAddress,
        expiresAt: key.expiresAt,
        scopes: { createMany: { data: key.scopes, skipDuplicates: true } },
        ipEntries: { createMany: { data: key.ips.map((cidr) => ({ cidr })), skipDuplicates: true } },
        ...(cap === null ? {} : { policy: { create: { dailyNotionalCap: cap } } }),
      },
      select: { keyId: true },
    });
    const detail = { ...key, dailyNotionalCap: cap, masterKeyId };
    await writeAudit(tx, { actor: deps.actor, action: "key.create", subject: created.apiKey, detail });
  });
  return created;
}

function capOf({ access, dailyNotionalCap }: z.output<typeof newKeySchema>): bigint | null {
  if (access === "WRITABLE") {
    return dailyNotionalCap === undefined ? DEFAULT_DAILY_NOTIONAL_CAP : dailyNotionalCap;
  }
  if (typeof dailyNotionalCap === "bigint")
    throw new MalformedError("a READ_ONLY key sends nothing: it takes no cap");
  return null;
}

/** A key as operators see it: everything but its secret. */
export interface KeyInfo {
  apiKey: string;
  name: string;
  access: Access;
  active: boolean;
  scopes: KeyScope[];
  ips: string[];
  userAddress: string | null;
  masterKeyId: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** End of the previous secret's validity, or null. */
  previousSecretUntil: Date | null;
}

/** Returns all keys, the oldest first. */
export async function listKeys({ prisma }: Pick<KeyAdminDeps, "prisma">): Promise<KeyInfo[]> {
  const rows = await prisma.apiKey.findMany({
    select: {
      apiKey: true,
      name: true,
      access: true,
      active: true,
      userAddress: true,
      masterKeyId: true,
      createdAt: true,
      expiresAt: true,
      revokedAt: true,
      previousSecretUntil: true,
      scopes: {
        select: { chainId: true, productType: true },
        orderBy: [{ chainId: "asc" }, { productType: "asc" }],
      },
      ipEntries: { select: { cidr: true }, orderBy: { cidr: "asc" } },
    },
    orderBy: [{ createdAt: "asc" }, { apiKey: "asc" }],
  });
  return rows.map(({ ipEntries, ...row }) => ({ ...row, ips: ipEntries.map(({ cidr }) => cidr) }));
}

/** @throws Error where there is no such key */
export async function requireKey({ prisma }: Pick<KeyAdminDeps, "prisma">, apiKey: string): Promise<void> {
  if ((await prisma.apiKey.count({ where: { apiKey } })) === 0) throw new Error(`there is no key ${apiKey}`);
}

/**
 * Revokes a key permanently; every replica refuses the next request with it.
 * @returns false where it was revoked before
 * @throws Error where there is no such key
 */
export async function revokeKey(
  { prisma, actor }: Pick<KeyAdminDeps, "prisma" | "actor">,
  apiKey: string,
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const { now } = await lockKey(tx, apiKey);
    const { count } = await tx.apiKey.updateMany({
      where: { apiKey, revokedAt: null },
      data: { active: false, revokedAt: now },
    });
    if (count === 0) return false;
    await writeAudit(tx, { actor, action: "key.revoke", subject: apiKey, detail: {} });
    return true;
  });
}

/** A change of who may call with a key, and until when. */
export interface KeyChange {
  /** Addresses or CIDR ranges. */
  addIps?: string[];
  removeIps?: string[];
  /** Null: it never ends; left out: its end stays. */
  expiresAt?: Date | null | undefined;
}

/**
 * Changes a key's IP whitelist and its end, effective with the next request, all of it or nothing. A key that has ended lives again.
 * @returns whitelist and end as they are now
 * @throws Error where there is no such key or it is revoked, an entry is malformed or not there to be removed, or the end is in the past
 */
export async function updateKey(
  { prisma, actor }: Pick<KeyAdminDeps, "prisma" | "actor">,
  apiKey: string,
  { addIps = [], removeIps = [], expiresAt }: KeyChange,
): Promise<Pick<KeyInfo, "ips" | "expiresAt">> {
  const add = parse(z.array(ipEntry), addIps);
  const remove = parse(z.array(ipEntry), removeIps);
  return prisma.$transaction(async (tx) => {
    const key = await lockKey(tx, apiKey);
    const audit = (action: string, detail: object) =>
      writeAudit(tx, { actor, action, subject: apiKey, detail });
    if (add.length + remove.length > 0) {
      await changeIps(tx, key, { add, remove });
      await audit("key.ips", { add, remove });
    }
    if (expiresAt !== undefined) {
      await changeEnd(tx, key, expiresAt);
      await audit("key.expiry", { expiresAt });
    }
    const select = { expiresAt: true } as const;
    const now = await tx.apiKey.findUniqueOrThrow({ select, where: { keyId: key.keyId } });
    return { ...now, ips: await cidrsOf(tx, key.keyId) };
  });
}

async function changeIps(
  tx: Prisma.TransactionClient,
  { keyId }: LockedKey,
  { add, remove }: { add: string[]; remove: string[] },
): Promise<void> {
  await tx.apiKeyIp.createMany({ data: add.map((cidr) => ({ keyId, cidr })), skipDuplicates: true });
  const there = await cidrsOf(tx, keyId);
  const missing = remove.filter((entry) => !there.includes(entry));
  if (missing.length > 0) throw new Error(`not on the whitelist: ${missing.join(", ")}`);
  await tx.apiKeyIp.deleteMany({ where: { keyId, cidr: { in: remove } } });
}

async function changeEnd(
  tx: Prisma.TransactionClient,
  { keyId, now }: LockedKey,
  expiresAt: Date | null,
): Promise<void> {
  if (expiresAt && expiresAt <= now) throw new Error("expires is in the past: `keys revoke` ends a key now");
  const { count } = await tx.apiKey.updateMany({ where: { keyId, revokedAt: null }, data: { expiresAt } });
  if (count === 0) throw new Error("a revoked key does not come back");
}

async function cidrsOf(tx: Prisma.TransactionClient, keyId: string): Promise<string[]> {
  const rows = await tx.apiKeyIp.findMany({
    select: { cidr: true },
    where: { keyId },
    orderBy: { cidr: "asc" },
  });
  return rows.map(({ cidr }) => cidr);
}

/** Time limit of sealing all secrets, milliseconds: some statements per key, in one transaction. */
const RESEAL_TIMEOUT_MS = 600_000;

/**
 * Seals the secrets of all keys that are not revoked under the current master key, so that earlier ones can be retired.
 * @returns the number of secrets that another key had sealed
 * @throws Error where a secret cannot be opened; then nothing was changed
 */
export async function resealKeys(deps: KeyAdminDeps): Promise<number> {
  const current = deps.masterKeys[0]?.id;
  if (current === undefined) return 0;
  const work = async (tx: Prisma.TransactionClient): Promise<number> => {
    const keyIds = await lockSealedByOthers(tx, current);
    const rows = await tx.apiKey.findMany({ select: SEALED, where: { keyId: { in: keyIds } } });
    let resealed = 0;
    for (const row of rows) resealed += await resealKey(tx, deps, row, current);
    return resealed;
  };
  return deps.prisma.$transaction(work, { timeout: RESEAL_TIMEOUT_MS });
}

const SEALED = {
  keyId: true,
  apiKey: true,
  secretSealed: true,
  masterKeyId: true,
  previousSecretSealed: true,
  previousMasterKeyId: true,
} as const satisfies Prisma.ApiKeySelect;

/**
 * Seals the secrets of a key again, also the one before its last rotation.
 * @returns their number
 */
async function resealKey(
  tx: Prisma.TransactionClient,
  { masterKeys, actor }: KeyAdminDeps,
  row: Prisma.ApiKeyGetPayload<{ select: typeof SEALED }>,
  current: string,
): Promise<number> {
  const { keyId, apiKey: subject, masterKeyId, previousSecretSealed, previousMasterKeyId } = row;
  let resealed = 0;
  if (masterKeyId !== current) {
    const secret = sealAgain(masterKeys, keyId, { sealed: row.secretSealed, masterKeyId });
    const data = { secretSealed: bytes(secret.sealed), masterKeyId: secret.masterKeyId };
    await tx.apiKey.update({ where: { keyId }, data, select: { keyId: true } });
    const detail = { from: masterKeyId, to: current };
    await writeAudit(tx, { actor, action: "key.reseal", subject, detail });
    resealed += 1;
  }
  if (previousSecretSealed && previousMasterKeyId && previousMasterKeyId !== current) {
    const previous = { sealed: previousSecretSealed, masterKeyId: previousMasterKeyId };
    const secret = sealAgain(masterKeys, keyId, previous);
    const data = { previousSecretSealed: bytes(secret.sealed), previousMasterKeyId: secret.masterKeyId };
    await tx.apiKey.update({ where: { keyId }, data, select: { keyId: true } });
    const detail = { previous: true, from: previousMasterKeyId, to: current };
    await writeAudit(tx, { actor, action: "key.reseal", subject, detail });
    resealed += 1;
  }
  return resealed;
}

/** Returns bytes as Prisma takes them: in a buffer of their own. */
export const bytes = (sealed: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(sealed);

function sealAgain(masterKeys: readonly MasterKey[], keyId: string, secret: SealedSecret): SealedSecret {
  return sealSecret(masterKeys, keyId, openSecret(masterKeys, keyId, secret).toString("utf8"));
}

function parse<Schema extends z.ZodType>(schema: Schema, input: z.input<Schema>): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new MalformedError(result.error.issues.map((issue) => issue.message).join("; "));
}

function describe({ chainId, productType }: KeyScope): string {
  return `${chainId}:${productType}`;
}

function servedScopes({ deployments }: KeyAdminDeps): string {
  return deployments.chains
    .flatMap(({ chainId, products }) => products.map(({ productType }) => describe({ chainId, productType })))
    .join(", ");
}
