import { type AuditRow, readAudit } from "../../../../src/auth/audit.ts";
import { type Column, printJson, printTable } from "../output.ts";
import { withPrisma } from "../prisma.ts";
import { note, type Terminal } from "../terminal.ts";
import type { ListOptions } from "./options.ts";

export function list(terminal: Terminal, { limit, json, ...filter }: ListOptions): Promise<void> {
  return withPrisma(terminal, async ({ prisma }) => {
    const read = await readAudit(prisma, filter, { limit: limit + 1 });
    const entries = read.slice(0, limit);
    if (json) printJson(terminal, entries);
    else printTable(terminal, entries, COLUMNS, "The audit log has no such entry.");
    if (read.length > limit) note(terminal, `There are more than ${limit}: --limit shows them.`);
  });
}

const COLUMNS: Column<AuditRow>[] = [
  { heading: "TIME", value: ({ createdAt }) => createdAt.toISOString() },
  { heading: "ACTOR", value: ({ actor }) => actor },
  { heading: "LOGIN", value: ({ login }) => login },
  { heading: "ASKED BY", value: ({ requestedBy }) => requestedBy },
  { heading: "ACTION", value: ({ action }) => action },
  { heading: "SUBJECT", value: ({ subject }) => subject },
  { heading: "DETAIL", value: ({ detail }) => JSON.stringify(detail), shrinks: true },
];
