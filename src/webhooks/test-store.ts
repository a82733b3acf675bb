import type pg from "pg";
import { z } from "zod";
import { CHANNELS } from "../db/notifications.ts";
import { execute, queryMaybeOne, queryOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import { SIGNING, signingSchema } from "./store.ts";

/**
 * Tests of webhooks: the api requests one, a deliverer makes it once. They are not deliveries: they have no event, and are in no
 * list.
 */

/** Time within which a deliverer must begin a test. */
export const CLAIM_SECONDS = 4;
/** Tests of a key under way at once. */
const PER_KEY = 5;
/** Time for which a test counts as under way if its deliverer died. */
const LOST_SECONDS = 30;
/** Retention of tests: longer than any request waits. */
const KEPT_SECONDS = 600;

const idSchema = z.object({ testId: z.string() });

/** Asks for a test. @returns its id */
export async function insertTest(pool: pg.Pool, webhookId: string): Promise<string> {
  const { testId } = await queryOne(
    pool,
    sql`
      WITH asked AS (INSERT INTO app.webhook_test (webhook_id) VALUES (${webhookId}::uuid) RETURNING test_id::text)
      SELECT a.test_id, pg_notify(${CHANNELS.tests}, a.test_id)::text FROM asked a`,
    idSchema,
  );
  return testId;
}

const stateSchema = z.object({
  isClaimed: z.boolean(),
  isEnded: z.boolean(),
  statusCode: z.number().nullable(),
  error: z.string().nullable(),
  durationMs: z.number().nullable(),
});

/** State of a test, as the api waits for it. */
export type TestState = z.output<typeof stateSchema>;

/** Returns the state of a test; null where it was removed with its webhook. */
export async function readTest(pool: pg.Pool, testId: string): Promise<TestState | null> {
  return queryMaybeOne(
    pool,
    sql`
      SELECT t.claimed_at IS NOT NULL AS is_claimed, t.ended_at IS NOT NULL AS is_ended, t.status_code, t.error, t.duration_ms
      FROM app.webhook_test t WHERE t.test_id = ${testId}::uuid`,
    stateSchema,
  );
}

const workSchema = z.object({
  testId: z.string(),
  webhookId: z.string(),
  url: z.string(),
  secrets: signingSchema,
});

/** A test that this process has claimed, and makes once. */
export type TestWork = z.output<typeof workSchema>;

/** Claims the oldest unclaimed test. Skips one whose webhook the operator has paused meanwhile. */
export async function claimTest(pool: pg.Pool): Promise<TestWork | null> {
  return queryMaybeOne(
    pool,
    sql`
      WITH next AS MATERIALIZED (
        SELECT t.test_id FROM app.webhook_test t JOIN app.webhook w ON w.webhook_id = t.webhook_id
        WHERE t.claimed_at IS NULL AND t.requested_at > now() - make_interval(secs => ${CLAIM_SECONDS})
          AND w.deleted_at IS NULL AND w.disabled_reason IS DISTINCT FROM 'paused_by_operator'
          AND ${PER_KEY}::int > (
            SELECT count(*) FROM app.webhook_test u JOIN app.webhook o ON o.webhook_id = u.webhook_id
            WHERE o.key_id = w.key_id AND u.ended_at IS NULL AND u.claimed_at > now() - make_interval(secs => ${LOST_SECONDS}))
        ORDER BY t.requested_at LIMIT 1 FOR UPDATE OF t SKIP LOCKED
      ), claimed AS (
        UPDATE app.webhook_test t SET claimed_at = now() FROM next n WHERE t.test_id = n.test_id RETURNING t.test_id, t.webhook_id
      )
      SELECT c.test_id::text AS test_id, c.webhook_id::text AS webhook_id, w.url, ${SIGNING} AS secrets
      FROM claimed c JOIN app.webhook w ON w.webhook_id = c.webhook_id`,
    workSchema,
  );
}

/** Outcome of a test. */
export interface TestOutcome {
  statusCode: number | null;
  error: string | null;
  durationMs: number;
}

/** Writes the outcome of a test, and notifies the api that waits for it. */
export async function writeTestOutcome(
  pool: pg.Pool,
  testId: string,
  { statusCode, error, durationMs }: TestOutcome,
): Promise<void> {
  await execute(
    pool,
    sql`
      WITH ended AS (
        UPDATE app.webhook_test SET ended_at = now(), status_code = ${statusCode}::int, error = ${error}::text,
          duration_ms = ${durationMs}::int
        WHERE test_id = ${testId}::uuid RETURNING test_id::text)
      SELECT pg_notify(${CHANNELS.tested}, e.test_id)::text FROM ended e`,
  );
}

/** Removes tests that no request waits for any more. */
export async function removeOldTests(pool: pg.Pool): Promise<void> {
  await execute(
    pool,
    sql`DELETE FROM app.webhook_test WHERE requested_at < now() - make_interval(secs => ${KEPT_SECONDS})`,
  );
}
