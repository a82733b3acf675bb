import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/**
 * Returns how long an attempt waits for locks: at first for a short time, so that statements behind it go on soon; then long
 * enough for PostgreSQL to end an autovacuum.
 */
const waitMs = (attempt: number): number => (attempt <= 30 ? 200 : 2_000);
const ATTEMPTS_MAX = 200;
const PAUSE_MS = 1_000;

/** lock_not_available, deadlock_detected */
const LOCKED = new Set(["55P03", "40P01"]);
const isLocked = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && LOCKED.has(error.code ?? "");

/**
 * Runs a migration's script as one transaction, beside programs that work on its tables. It waits for a lock for a moment only, below
 * PostgreSQL's deadlock_timeout: so no request is held up for longer, or ended because it and the script wait for each other. Then
 * it is rolled back and tried again.
 * @throws what `pg` throws; of a lock, when it could not be taken for minutes
 */
export async function runScript(pool: pg.Pool, script: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await pool.query(`SET LOCAL lock_timeout = ${waitMs(attempt)};\n${script}`);
      return;
    } catch (error) {
      if (!isLocked(error) || attempt === ATTEMPTS_MAX) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
