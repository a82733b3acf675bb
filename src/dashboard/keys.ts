import { getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Prisma, PrismaClient } from "../db/generated/client.ts";
import { formatWad } from "../protocol/decimal.ts";
import { beyond, nameByCreation, sliceOf, toConnection } from "./connection.ts";
import { groupBy } from "./group.ts";
import { type KeyListInput, parseKeyId, parseKeys } from "./input.ts";

/**
 * Columns that are read of a key. It lists those that are shown, not those that are hidden: the sealed secret and the name of its
 * master key do not leave the database.
 */
const SHOWN = {
  keyId: true,
  name: true,
  apiKey: true,
  access: true,
  active: true,
  expiresAt: true,
  userAddress: true,
  createdAt: true,
  revokedAt: true,
  scopes: {
    select: { chainId: true, productType: true },
    orderBy: [{ chainId: "asc" }, { productType: "asc" }],
  },
  ipEntries: { select: { cidr: true }, orderBy: { cidr: "asc" } },
  policy: {
    select: {
      dailyNotionalCap: true,
      allowedSymbols: true,
      allowedOperations: true,
      expiresAt: true,
      killed: true,
    },
  },
} as const satisfies Prisma.ApiKeySelect;

type KeyRow = Prisma.ApiKeyGetPayload<{ select: typeof SHOWN }>;
export type PresentedKey = ReturnType<typeof presentKey>;

/** Returns an API key as dashboards see it. */
function presentKey(row: KeyRow, nowMs: number) {
  const { keyId, name, apiKey, access, policy, scopes } = row;
  return {
    keyId,
    name,
    apiKey,
    access,
    status: statusOf(row, nowMs),
    userAddress: row.userAddress && getAddress(row.userAddress),
    createdAt: seconds(row.createdAt),
    expiresAt: seconds(row.expiresAt),
    revokedAt: seconds(row.revokedAt),
    scopes,
    ips: row.ipEntries.map(({ cidr }) => cidr),
    policy: policy && {
      ...policy,
      dailyNotionalCap: policy.dailyNotionalCap && formatWad(BigInt(policy.dailyNotionalCap.toFixed())),
      expiresAt: seconds(policy.expiresAt),
    },
  };
}

function statusOf({ active, revokedAt, expiresAt }: KeyRow, nowMs: number) {
  if (revokedAt) return "revoked";
  if (!active) return "inactive";
  return expiresAt && expiresAt.getTime() <= nowMs ? "expired" : "active";
}

const seconds = <T extends Date | null>(date: T) =>
  (date && Math.floor(date.getTime() / 1000)) as T extends Date ? number : number | null;

/** Returns the same as a condition; a test holds the two together. */
function statusIs(status: NonNullable<KeyListInput["status"]>, now: Date): Prisma.ApiKeyWhereInput {
  switch (status) {
    case "revoked":
      return { revokedAt: { not: null } };
    case "inactive":
      return { revokedAt: null, active: false };
    case "expired":
      return { revokedAt: null, active: true, expiresAt: { lte: now } };
    case "active":
      return { revokedAt: null, active: true, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
  }
}

const nameOf = ({ direction }: KeyListInput) => nameByCreation("dashboard keys", direction);
const positionSchema = z.tuple([z.int().min(0).max(8.64e15), z.uuid()]);

/** GraphQL `Dashboard.keys`, by when they were made. @throws ApiError VALIDATION_FAILED */
export async function listKeys(deps: Deps, args: Record<string, unknown>) {
  const input = parseKeys(args);
  const where = filter(input, new Date(deps.now()));
  const rows = await withDatabaseErrors(() =>
    deps.prisma.apiKey.findMany({
      select: SHOWN,
      where: { AND: [where, behind(input)] },
      orderBy: [{ createdAt: input.direction }, { keyId: input.direction }],
      take: input.first + 1,
    }),
  );
  const cursorOf = ({ createdAt, keyId }: KeyRow) => sealCursor(nameOf(input), [createdAt.getTime(), keyId]);
  const slice = sliceOf(rows, input.first, cursorOf, (row) => presentKey(row, deps.now()));
  return toConnection(slice, input, () => withDatabaseErrors(() => deps.prisma.apiKey.count({ where })));
}

/** GraphQL `Dashboard.key`; null where there is none. @throws ApiError VALIDATION_FAILED */
export async function getKey(deps: Deps, args: Record<string, unknown>): Promise<PresentedKey | null> {
  const keyId = parseKeyId(args);
  return (await readKeys(deps, [keyId])).get(keyId) ?? null;
}

/** Reads keys by their ids, in one round. */
export async function readKeys(
  { prisma, now }: { prisma: PrismaClient; now: () => number },
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, PresentedKey>> {
  const rows = await withDatabaseErrors(() =>
    prisma.apiKey.findMany({ select: SHOWN, where: { keyId: { in: [...keyIds] } } }),
  );
  return new Map(rows.map((row) => [row.keyId, presentKey(row, now())]));
}

/** Reads keys that are bound to users, by user, oldest first. */
export async function readKeysOfUsers(
  { prisma, now }: Deps,
  users: readonly Hex[],
): Promise<ReadonlyMap<string, PresentedKey[]>> {
  const rows = await withDatabaseErrors(() =>
    prisma.apiKey.findMany({
      select: SHOWN,
      where: { userAddress: { in: [...users] } },
      orderBy: [{ createdAt: "asc" }, { keyId: "asc" }],
    }),
  );
  return groupBy(
    rows.map((row) => presentKey(row, now())),
    ({ userAddress }) => (userAddress ?? "").toLowerCase(),
  );
}

function filter(input: KeyListInput, now: Date): Prisma.ApiKeyWhereInput {
  const { chainId, productType, status, name, userAddress } = input;
  const scope = {
    ...(chainId === undefined ? {} : { chainId }),
    ...(productType === undefined ? {} : { productType }),
  };
  return {
    ...(status ? statusIs(status, now) : {}),
    ...(name ? { name: { contains: name, mode: "insensitive" } } : {}),
    ...(userAddress ? { userAddress } : {}),
    ...(Object.keys(scope).length > 0 ? { scopes: { some: scope } } : {}),
  };
}

function behind(input: KeyListInput): Prisma.ApiKeyWhereInput {
  const { after, direction } = input;
  if (after === undefined) return {};
  const [createdMs, keyId] = openCursor(nameOf(input), after, "after", positionSchema);
  const createdAt = new Date(createdMs);
  return {
    OR: [{ createdAt: beyond(direction, createdAt) }, { createdAt, keyId: beyond(direction, keyId) }],
  };
}
