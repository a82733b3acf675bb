import { MalformedError } from "../../../../src/auth/malformed-error.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import {
  cancelNotice,
  insertNotice,
  type Notice,
  readAllNotices,
} from "../../../../src/market/status/notice-store.ts";
import { insertAudit } from "../audit-store.ts";
import { withPool } from "../database.ts";
import { type Column, printDone, printJson, printTable } from "../output.ts";
import { operator, type Terminal } from "../terminal.ts";

interface AnnounceOptions {
  from: Date | "never";
  until: Date | "never";
  text: string;
  chain?: number;
  json?: boolean;
}

const TEXT_MAX = 500;

/** @throws MalformedError naming the option that is wrong */
export function announce(terminal: Terminal, options: AnnounceOptions): Promise<void> {
  const { from: startsAt, until: endsAt, chain: chainId = null, json } = options;
  const text = options.text.trim();
  if (startsAt === "never" || endsAt === "never")
    throw new MalformedError("--from and --until are times, or spans from now");
  if (endsAt <= startsAt) throw new MalformedError("--until is not after --from");
  if (endsAt.getTime() <= Date.now()) throw new MalformedError("--until is in the past");
  if (text.length === 0 || text.length > TEXT_MAX)
    throw new MalformedError(`--text has from 1 to ${TEXT_MAX} characters`);
  return withPool(terminal, async (pool) => {
    const notice = await inTransaction(pool, async (tx) => {
      const inserted = await insertNotice(tx, { chainId, startsAt, endsAt, text });
      const { noticeId } = inserted;
      const detail = { chainId, startsAt, endsAt, text };
      await insertAudit(tx, { actor: operator(), action: "maintenance announce", subject: noticeId, detail });
      return inserted;
    });
    const line = `${notice.noticeId} is announced: partners see it in GET /status`;
    printDone(terminal, { json, document: notice, line });
  });
}

export function cancel(terminal: Terminal, noticeId: string, { json }: { json?: boolean }): Promise<void> {
  return withPool(terminal, async (pool) => {
    await inTransaction(pool, async (tx) => {
      if (!(await cancelNotice(tx, noticeId))) throw new Error(`there is no notice ${noticeId} that holds`);
      const entry = { action: "maintenance cancel", subject: noticeId, detail: {} };
      await insertAudit(tx, { actor: operator(), ...entry });
    });
    printDone(terminal, { json, document: { noticeId }, line: `${noticeId} is canceled` });
  });
}

export function list(
  terminal: Terminal,
  { all = false, json }: { all?: boolean; json?: boolean },
): Promise<void> {
  return withPool(terminal, async (pool) => {
    const notices = await readAllNotices(pool, { all, at: new Date() });
    if (json) return printJson(terminal, notices);
    printTable(terminal, notices, COLUMNS, "No maintenance is announced.");
  });
}

const COLUMNS: Column<Notice>[] = [
  { heading: "NOTICE", value: ({ noticeId }) => noticeId },
  { heading: "CHAIN", value: ({ chainId }) => chainId ?? "all" },
  { heading: "FROM", value: ({ startsAt }) => startsAt.toISOString() },
  { heading: "UNTIL", value: ({ endsAt }) => endsAt.toISOString() },
  { heading: "CANCELED", value: ({ canceledAt }) => canceledAt?.toISOString() ?? null },
  { heading: "TEXT", value: ({ text }) => text, shrinks: true },
];
