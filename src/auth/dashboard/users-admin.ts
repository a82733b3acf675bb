import { z } from "zod";
import { Prisma, type PrismaClient } from "../../db/generated/client.ts";
import { DASHBOARD_ROLES, type DashboardRole } from "../../protocol/enums.ts";
import { writeAudit } from "../audit.ts";
import { MalformedError } from "../malformed-error.ts";
import { hashToken, newToken } from "./token.ts";
import { ENVIRONMENT_USER } from "./user.ts";

/** Dependencies of the administration of dashboard users. Every change and its entry in the audit log are one transaction. */
export interface UserAdminDeps {
  prisma: PrismaClient;
  /** Unix milliseconds. */
  now: () => number;
  /** The operator's name, for the audit log. */
  actor: string;
}

const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/,
    "name must be 1 to 64 of A-Za-z0-9._@+-, not beginning with a sign",
  )
  .refine((name) => name !== ENVIRONMENT_USER.name, `name ${ENVIRONMENT_USER.name} means DASHBOARD_TOKENS`);
const roleSchema = z.enum(DASHBOARD_ROLES, `role must be one of ${DASHBOARD_ROLES.join(", ")}`);

/** A user, as operators see it: everything but the token. */
export interface UserInfo {
  name: string;
  role: DashboardRole;
  status: "active" | "expired" | "revoked";
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** A token, on the one occasion that it is shown. */
export interface IssuedToken {
  name: string;
  role: DashboardRole;
  expiresAt: Date | null;
  token: string;
}

/**
 * Makes a dashboard user with a token.
 * @param input `expiresAt`: null never
 * @throws Error where a value is wrong, or a user of that name is not revoked
 */
export async function createUser(
  { prisma, now, actor }: UserAdminDeps,
  input: { name: string; role: string; expiresAt: Date | null },
): Promise<IssuedToken> {
  const name = parse(nameSchema, input.name);
  const role = parse(roleSchema, input.role);
  const expiresAt = requireFuture(input.expiresAt, now());
  const token = newToken();
  await prisma.$transaction(async (tx) => {
    const data = { name, role, expiresAt, tokenHash: new Uint8Array(hashToken(token)) };
    await tx.dashboardUser.create({ data, select: { userId: true } }).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
      throw new Error(`there is a dashboard user ${name}: rotate or revoke the token of that one`);
    });
    const detail = { role, expiresAt };
    await writeAudit(tx, { actor, action: "dashboard-users create", subject: name, detail });
  });
  return { name, role, expiresAt, token };
}

/** Returns all dashboard users, the oldest first. */
export async function listUsers({ prisma, now }: Pick<UserAdminDeps, "prisma" | "now">): Promise<UserInfo[]> {
  const rows = await prisma.dashboardUser.findMany({
    select: {
      name: true,
      role: true,
      createdAt: true,
      expiresAt: true,
      revokedAt: true,
      lastUsedAt: true,
    },
    orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
  });
  return rows.map((row) => ({ ...row, status: statusOf(row, now()) }));
}

function statusOf(
  { revokedAt, expiresAt }: Pick<UserInfo, "revokedAt" | "expiresAt">,
  nowMs: number,
): UserInfo["status"] {
  if (revokedAt) return "revoked";
  return expiresAt && expiresAt.getTime() <= nowMs ? "expired" : "active";
}

/**
 * Revokes a user's token permanently: every replica refuses it from the next request on.
 * @throws Error where there is no such user
 */
export async function revokeUser({ prisma, now, actor }: UserAdminDeps, name: string): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const where = { name, revokedAt: null };
    const { count } = await tx.dashboardUser.updateMany({ where, data: { revokedAt: new Date(now()) } });
    if (count === 0) throw unknownUser(name);
    await writeAudit(tx, { actor, action: "dashboard-users revoke", subject: name, detail: {} });
  });
}

/**
 * Gives a user a new token; the one before it ends at once, also where it had expired.
 * @throws Error where there is no such user, or they are revoked
 */
export async function rotateToken(
  { prisma, now, actor }: UserAdminDeps,
  input: { name: string; expiresAt: Date | null },
): Promise<IssuedToken> {
  const { name } = input;
  const expiresAt = requireFuture(input.expiresAt, now());
  const token = newToken();
  return prisma.$transaction(async (tx) => {
    const [user] = await tx.dashboardUser.updateManyAndReturn({
      select: { role: true },
      where: { name, revokedAt: null },
      data: { tokenHash: new Uint8Array(hashToken(token)), expiresAt, lastUsedAt: null },
    });
    if (!user) throw unknownUser(name);
    await writeAudit(tx, { actor, action: "dashboard-users rotate", subject: name, detail: { expiresAt } });
    return { name, role: user.role, expiresAt, token };
  });
}

const unknownUser = (name: string): Error =>
  new Error(`there is no dashboard user ${name} whose token is not revoked`);

function isTaken(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
}

function requireFuture(expiresAt: Date | null, nowMs: number): Date | null {
  if (expiresAt && expiresAt.getTime() <= nowMs) throw new Error("expires is in the past");
  return expiresAt;
}

function parse<T>(schema: z.ZodType<T>, value: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new MalformedError(result.error.issues.map(({ message }) => message).join("; "));
}
