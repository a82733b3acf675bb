import type pg from "pg";
import { inTransaction } from "../db/transaction.ts";
import { type DueNotice, lockDueNotices, markReported, readKeysOf } from "../market/status/notice-store.ts";
import { presentNotice } from "../market/status/present.ts";
import type { EventType } from "../protocol/enums.ts";
import { appendToKeys, type KeyEvent } from "./append-store.ts";

/**
 * Reports notices of maintenance as events of every key of their chains (docs/events.md). The worker calls it every few seconds; any number of
 * workers may: events, and that they are reported, are one transaction.
 * @param chainIds the chains of this installation
 * @returns the number of notices
 */
export async function reportNotices(pool: pg.Pool, chainIds: readonly number[]): Promise<number> {
  return inTransaction(pool, async (tx) => {
    const due = await lockDueNotices(tx);
    if (due.length === 0) return 0;
    await markReported(
      tx,
      due.map(({ noticeId }) => noticeId),
    );
    for (const chainId of chainIds.toSorted((a, b) => a - b)) {
      const reports = due.filter((notice) => notice.chainId === null || notice.chainId === chainId);
      const keyIds = reports.length > 0 ? await readKeysOf(tx, chainId) : [];
      await appendToKeys(
        tx,
        [chainId],
        reports.flatMap((notice) => typesOf(notice).flatMap((type) => eventsOf(notice, type, keyIds))),
      );
    }
    return due.length;
  });
}

/** Returns what is to be said of a notice: one that was canceled before it was reported is both. */
const typesOf = ({ isAnnounced, canceledAt }: DueNotice): EventType[] => [
  ...(isAnnounced ? [] : (["maintenance.announced"] as const)),
  ...(canceledAt ? (["maintenance.canceled"] as const) : []),
];

function eventsOf(notice: DueNotice, type: EventType, keyIds: readonly string[]): KeyEvent[] {
  const data = presentNotice(type === "maintenance.announced" ? { ...notice, canceledAt: null } : notice);
  const event = { type, resource: "status", object: `status ${notice.noticeId}`, data } as const;
  return keyIds.map((keyId) => ({ ...event, keyId }));
}
