import {
  createUser,
  type IssuedToken,
  listUsers,
  revokeUser,
  rotateToken,
  type UserAdminDeps,
  type UserInfo,
} from "../../../../src/auth/dashboard/users-admin.ts";
import { confirm } from "../confirm.ts";
import { type Column, printDone, printFields, printJson, printTable } from "../output.ts";
import { withPrisma } from "../prisma.ts";
import { operator, print, type Terminal } from "../terminal.ts";
import type { CreateOptions, RotateOptions } from "./options.ts";

function withUsers(terminal: Terminal, work: (deps: UserAdminDeps) => Promise<void>): Promise<void> {
  return withPrisma(terminal, ({ prisma }) => work({ prisma, now: Date.now, actor: operator() }));
}

const endOf = (expires: Date | "never"): Date | null => (expires === "never" ? null : expires);

export function create(terminal: Terminal, { name, role, expires, json }: CreateOptions): Promise<void> {
  return withUsers(terminal, async (deps) => {
    show(terminal, await createUser(deps, { name, role, expiresAt: endOf(expires) }), json);
  });
}

function show(terminal: Terminal, issued: IssuedToken, json: boolean | undefined): void {
  if (json) {
    printJson(terminal, issued);
    return;
  }
  const { name, role, token, expiresAt } = issued;
  printFields(terminal, { name, role, expires: expiresAt?.toISOString() ?? "never", token });
  print(terminal, "The token is not shown again.");
}

export function list(terminal: Terminal, { json }: { json?: boolean }): Promise<void> {
  return withUsers(terminal, async (deps) => {
    const users = await listUsers(deps);
    if (json) return printJson(terminal, users);
    const whenEmpty = "There are no dashboard users: `dashboard-users create` makes one.";
    printTable(terminal, users, COLUMNS, whenEmpty);
  });
}

const COLUMNS: Column<UserInfo>[] = [
  { heading: "NAME", value: ({ name }) => name },
  { heading: "ROLE", value: ({ role }) => role },
  { heading: "STATE", value: ({ status }) => status },
  { heading: "CREATED", value: ({ createdAt }) => createdAt.toISOString() },
  { heading: "EXPIRES", value: ({ expiresAt }) => expiresAt?.toISOString() ?? "never" },
  { heading: "LAST USED", value: ({ lastUsedAt }) => lastUsedAt?.toISOString() ?? "never" },
];

export async function revoke(
  terminal: Terminal,
  name: string,
  { yes, json }: { yes?: boolean; json?: boolean },
): Promise<void> {
  const warning = `The token of ${name} is refused from the next request on, for good.`;
  await confirm(terminal, { warning, name, yes });
  await withUsers(terminal, async (deps) => {
    await revokeUser(deps, name);
    printDone(terminal, { json, document: { name }, line: `the token of ${name} is revoked` });
  });
}

export async function rotate(terminal: Terminal, name: string, options: RotateOptions): Promise<void> {
  const { expires, yes, json } = options;
  const warning = `The token that ${name} has ends now, for good, and another one is made.`;
  await confirm(terminal, { warning, name, yes });
  await withUsers(terminal, async (deps) => {
    show(terminal, await rotateToken(deps, { name, expiresAt: endOf(expires) }), json);
  });
}
