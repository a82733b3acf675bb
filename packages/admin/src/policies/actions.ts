import { writeAudit } from "../../../../src/auth/audit.ts";
import { MalformedError } from "../../../../src/auth/malformed-error.ts";
import type { PrismaClient } from "../../../../src/db/generated/client.ts";
import { formatWad } from "../../../../src/protocol/decimal.ts";
import { describeCap } from "../cap.ts";
import { printFields, printJson } from "../output.ts";
import { withPrisma } from "../prisma.ts";
import { operator, type Terminal } from "../terminal.ts";
import { OPERATIONS, type SetOptions } from "./options.ts";

/** Changes a key's policy, audits that, and shows the present policy. */
export async function setPolicy(terminal: Terminal, apiKey: string, options: SetOptions): Promise<void> {
  const change = changeOf(options);
  if (Object.keys(change).length === 0) throw new MalformedError("name what to change; see --help");
  await withPrisma(terminal, async ({ prisma }) => {
    const keyId = await keyIdOf(prisma, apiKey);
    await prisma.$transaction(async (tx) => {
      await tx.keyPolicy.upsert({
        where: { keyId },
        create: { keyId, ...change },
        update: { ...change, updatedAt: new Date() },
        select: { keyId: true },
      });
      // Counts the day from now on: a send that a cap refuses writes nothing, and would otherwise sum up the day each time.
      if (typeof change.dailyNotionalCap === "string")
        await tx.$executeRaw`SELECT app.begin_notional(${keyId}::uuid)`;
      const detail = Object.fromEntries(
        Object.entries(change).map(([name, value]) => [COLUMNS[name], value]),
      );
      await writeAudit(tx, { actor: operator(), action: "policies set", subject: apiKey, detail });
    });
    await show(terminal, prisma, apiKey, options);
  });
}

export function showPolicy(terminal: Terminal, apiKey: string, options: { json?: boolean }): Promise<void> {
  return withPrisma(terminal, ({ prisma }) => show(terminal, prisma, apiKey, options));
}

interface Change {
  dailyNotionalCap?: string | null;
  allowedSymbols?: string[];
  allowedOperations?: string[];
  expiresAt?: Date | null;
  killed?: boolean;
}

/** The audit log names changes by their columns. */
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

async function show(
  terminal: Terminal,
  prisma: PrismaClient,
  apiKey: string,
  { json }: { json?: boolean },
): Promise<void> {
  const keyId = await keyIdOf(prisma, apiKey);
  const policy = await prisma.keyPolicy.findUnique({ where: { keyId } });
  const decimal = policy?.dailyNotionalCap ?? null;
  const wad = decimal === null ? null : BigInt(decimal.toFixed());
  const { allowedSymbols = [], allowedOperations = [], expiresAt = null, killed = false } = policy ?? {};
  if (json) {
    const dailyNotionalCap = wad === null ? null : formatWad(wad);
    const document = { apiKey, dailyNotionalCap, allowedSymbols, allowedOperations, expiresAt, killed };
    return printJson(terminal, document);
  }
  printFields(terminal, {
    "daily notional": describeCap(wad),
    symbols: allowedSymbols.join(", ") || "all",
    operations: allowedOperations.join(", ") || "all",
    expires: expiresAt?.toISOString() ?? "never",
    "kill switch": killed ? "on: nothing is sent" : "off",
  });
}

async function keyIdOf(prisma: PrismaClient, apiKey: string): Promise<string> {
  const key = await prisma.apiKey.findUnique({ select: { keyId: true }, where: { apiKey } });
  if (!key) throw new Error(`there is no key ${apiKey}`);
  return key.keyId;
}

/** Parses a list of names. Returns an empty list only for "all", as policies represent it. */
function list(text: string): string[] {
  if (/^all$/i.test(text.trim())) return [];
  const named = text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (named.length === 0) throw new MalformedError("the list is empty: name some, or all");
  return named;
}

function parseOperations(text: string): string[] {
  const named = list(text);
  const unknown = named.filter((name) => !OPERATIONS.includes(name));
  if (unknown.length > 0)
    throw new MalformedError(`no such operation: ${unknown.join(", ")}; there are ${OPERATIONS.join(", ")}`);
  return named;
}
