import { type Command, InvalidArgumentError } from "commander";
import { writeAudit } from "../auth/audit.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import {
  cap,
  createCommand,
  describeCap,
  operator,
  print,
  type Terminal,
  withEnvironment,
} from "./shared.ts";

interface SetOptions {
  dailyNotional?: bigint | "none";
  symbols?: string;
  operations?: string;
  expires?: Date | "never";
  kill?: boolean;
}

/** Names that `--operations` takes: what /send endpoints call themselves. */
const OPERATIONS = [
  "orders/send",
  "orders/with-deposit/send",
  "orders/cancel",
  "cash/deposits",
  "cash/withdrawals",
  "stock/deposits",
  "stock/withdrawals",
];

/** `partner-trading-admin policies ...`: what keys may send, beyond their scope. Every change leaves an audit entry. */
export function policiesCommand(terminal: Terminal): Command {
  const policies = createCommand("policies", terminal).description("What keys may send for users");
  policies
    .command("set <apiKey>")
    .description("Change a key's policy; what is not named stays")
    .option("--daily-notional <mUSD>", "most mUSD of orders a UTC day, or none", cap)
    .option("--symbols <list>", "stock symbols, comma separated, or all")
    .option("--operations <list>", `of ${OPERATIONS.join(", ")}; or all`)
    .option("--expires <time>", "when sending ends, such as 2030-01-31T00:00:00Z, or never", expiry)
    .option("--kill", "stop sending at once, also what is queued")
    .option("--no-kill", "let it send again")
    .action((apiKey: string, options: SetOptions) =>
      withEnvironment(terminal, ({ prisma }) => setPolicy(terminal, prisma, apiKey, options)),
    );
  policies
    .command("show <apiKey>")
    .description("Show a key's policy")
    .action((apiKey: string) =>
      withEnvironment(terminal, ({ prisma }) => showPolicy(terminal, prisma, apiKey)),
    );
  return policies;
}

async function setPolicy(
  terminal: Terminal,
  prisma: PrismaClient,
  apiKey: string,
  options: SetOptions,
): Promise<void> {
  const keyId = await keyIdOf(prisma, apiKey);
  const change = changeOf(options);
  if (Object.keys(change).length === 0) throw new Error("name what to change; see --help");
  await prisma.$transaction(async (tx) => {
    await tx.keyPolicy.upsert({
      where: { keyId },
      create: { keyId, ...change },
      update: { ...change, updatedAt: new Date() },
      select: { keyId: true },
    });
    const detail = Object.fromEntries(Object.entries(change).map(([name, value]) => [COLUMNS[name], value]));
    await writeAudit(tx, { actor: operator(), action: "policies set", subject: apiKey, detail });
  });
  await showPolicy(terminal, prisma, apiKey);
}

interface Change {
  dailyNotionalCap?: string | null;
  allowedSymbols?: string[];
  allowedOperations?: string[];
  expiresAt?: Date | null;
  killed?: boolean;
}

/** The audit log names what was changed by its column. */
const COLUMNS: Readonly<Record<string, string>> = {
  dailyNotionalCap: "daily_notional_cap",
  allowedSymbols: "allowed_symbols",
  allowedOperations: "allowed_operations",
  expiresAt: "expires_at",
  killed: "killed",
} satisfies Record<keyof Change, string>;

function changeOf({ dailyNotional, symbols, operations, expires, kill }: SetOptions): Change {
  const change: Change = {};
  if (dailyNotional !== undefined) {
    change.dailyNotionalCap = dailyNotional === "none" ? null : dailyNotional.toString();
  }
  if (symbols !== undefined) change.allowedSymbols = list(symbols.toUpperCase());
  if (operations !== undefined) change.allowedOperations = parseOperations(operations);
  if (expires !== undefined) change.expiresAt = expires === "never" ? null : expires;
  if (kill !== undefined) change.killed = kill;
  return change;
}

async function showPolicy(terminal: Terminal, prisma: PrismaClient, apiKey: string): Promise<void> {
  const keyId = await keyIdOf(prisma, apiKey);
  const policy = await prisma.keyPolicy.findUnique({ where: { keyId } });
  const wad = policy?.dailyNotionalCap ?? null;
  const lines = [
    `daily notional  ${describeCap(wad === null ? null : BigInt(wad.toFixed()))}`,
    `symbols         ${policy?.allowedSymbols.join(", ") || "all"}`,
    `operations      ${policy?.allowedOperations.join(", ") || "all"}`,
    `expires         ${policy?.expiresAt?.toISOString() ?? "never"}`,
    `kill switch     ${policy?.killed ? "on: nothing is sent" : "off"}`,
  ];
  print(terminal, lines.join("\n"));
}

async function keyIdOf(prisma: PrismaClient, apiKey: string): Promise<string> {
  const key = await prisma.apiKey.findUnique({ select: { keyId: true }, where: { apiKey } });
  if (!key) throw new Error(`there is no key ${apiKey}`);
  return key.keyId;
}

/** An empty list is what the policy calls all, so it is only written where all was said. */
function list(text: string): string[] {
  if (/^all$/i.test(text.trim())) return [];
  const named = text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (named.length === 0) throw new Error("the list is empty: name some, or all");
  return named;
}

function parseOperations(text: string): string[] {
  const named = list(text);
  const unknown = named.filter((name) => !OPERATIONS.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such operation: ${unknown.join(", ")}; there are ${OPERATIONS.join(", ")}`);
  return named;
}

/** Not null for never: commander takes that for an option without a value. */
function expiry(value: string): Date | "never" {
  if (value === "never") return value;
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError("a time like 2030-01-31T12:00:00Z, or never");
  }
  return date;
}
