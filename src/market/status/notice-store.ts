import { z } from "zod";
import { execute, type Queryable, queryMaybeOne, queryOne, queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";

const noticeSchema = z.object({
  noticeId: z.string(),
  /** Null: all chains. */
  chainId: z.number().nullable(),
  startsAt: z.date(),
  endsAt: z.date(),
  text: z.string(),
  canceledAt: z.date().nullable(),
});

/** Maintenance that the operator announced. */
export type Notice = z.output<typeof noticeSchema>;

const COLUMNS = raw(
  "m.notice_id::text AS notice_id, m.chain_id, m.starts_at, m.ends_at, m.text, m.canceled_at",
);

const hasNotEnded = (at: Date): Sql => sql`m.ends_at > ${at}::timestamptz`;

/** Returns the notices that concern some chains, have not ended and were not canceled, the earliest first. */
export function readNotices(
  pool: Queryable,
  { chainIds, at }: { chainIds: readonly number[]; at: Date },
): Promise<Notice[]> {
  const statement = sql`
    SELECT ${COLUMNS} FROM app.maintenance_notice m
    WHERE ${hasNotEnded(at)} AND m.canceled_at IS NULL AND (m.chain_id IS NULL OR m.chain_id = ANY(${chainIds}::int[]))
    ORDER BY m.starts_at, m.notice_id`;
  return queryRows(pool, statement, noticeSchema);
}

/** Returns all notices that have not ended, canceled ones too; with `all` also those that have. The latest first. */
export function readAllNotices(pool: Queryable, { all, at }: { all: boolean; at: Date }): Promise<Notice[]> {
  const statement = sql`
    SELECT ${COLUMNS} FROM app.maintenance_notice m WHERE ${all}::boolean OR ${hasNotEnded(at)}
    ORDER BY m.starts_at DESC, m.notice_id LIMIT 1000`;
  return queryRows(pool, statement, noticeSchema);
}

/** Stores a notice. */
export function insertNotice(
  tx: Tx,
  { chainId, startsAt, endsAt, text }: Omit<Notice, "noticeId" | "canceledAt">,
): Promise<Notice> {
  const statement = sql`
    INSERT INTO app.maintenance_notice AS m (chain_id, starts_at, ends_at, text)
    VALUES (${chainId}::int, ${startsAt}::timestamptz, ${endsAt}::timestamptz, ${text}) RETURNING ${COLUMNS}`;
  return queryOne(tx, statement, noticeSchema);
}

/** Cancels a notice. @returns null where there is none that holds */
export function cancelNotice(tx: Tx, noticeId: string): Promise<Notice | null> {
  const statement = sql`
    UPDATE app.maintenance_notice m SET canceled_at = now()
    WHERE m.notice_id = ${noticeId}::uuid AND m.canceled_at IS NULL RETURNING ${COLUMNS}`;
  return queryMaybeOne(tx, statement, noticeSchema);
}

const dueSchema = noticeSchema.extend({ isAnnounced: z.boolean() });
/** A notice whose announcement, or whose cancellation, no log has reported. `isAnnounced`: its announcement is reported. */
export type DueNotice = z.output<typeof dueSchema>;

/** Locks what is to be reported, except what another worker is reporting. */
export function lockDueNotices(tx: Tx): Promise<DueNotice[]> {
  const statement = sql`
    SELECT ${COLUMNS}, m.announcement_reported_at IS NOT NULL AS is_announced FROM app.maintenance_notice m
    WHERE m.ends_at > now()
      AND (m.announcement_reported_at IS NULL OR (m.canceled_at IS NOT NULL AND m.cancellation_reported_at IS NULL))
    ORDER BY m.announced_at, m.notice_id FOR UPDATE SKIP LOCKED`;
  return queryRows(tx, statement, dueSchema);
}

/** Notes that all of some notices is reported, as they are now. */
export async function markReported(tx: Tx, noticeIds: readonly string[]): Promise<void> {
  const statement = sql`
    UPDATE app.maintenance_notice SET announcement_reported_at = coalesce(announcement_reported_at, now()),
      cancellation_reported_at = CASE WHEN canceled_at IS NOT NULL THEN now() END
    WHERE notice_id = ANY(${noticeIds}::uuid[])`;
  await execute(tx, statement);
}

const keySchema = z.object({ keyId: z.string() });

/** Returns the keys that are in force and have a scope of a chain. */
export async function readKeysOf(tx: Tx, chainId: number): Promise<string[]> {
  const statement = sql`
    SELECT DISTINCT k.key_id::text AS key_id FROM app.api_key k JOIN app.api_key_scope s ON s.key_id = k.key_id
    WHERE s.chain_id = ${chainId} AND k.active AND (k.expires_at IS NULL OR k.expires_at > now()) ORDER BY 1`;
  return (await queryRows(tx, statement, keySchema)).map(({ keyId }) => keyId);
}
