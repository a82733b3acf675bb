import type pg from "pg";
import { z } from "zod";
import { isLockTimeout } from "../../db/errors.ts";
import { queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { note, type Terminal } from "../terminal.ts";

/** Reads the whole archive, some seconds for each million of orders: other statements may take ten. */
const QUERY_TIMEOUT_MS = 3_600_000;
/** Workers settle nothing while an attempt waits, so it is short. A worker's transaction takes less than a second. */
const WAIT = { waitMs: 2_000, attempts: 15 };

/**
 * Recounts the settled rows, beside no worker that settles.
 * @throws Error naming the transactions that keep it from that, after half a minute
 */
export async function recount(terminal: Terminal, pool: pg.Pool, { waitMs, attempts } = WAIT): Promise<void> {
  const text = `SET LOCAL lock_timeout = ${waitMs}; SELECT app.recount_settled()`;
  const query = { text, query_timeout: QUERY_TIMEOUT_MS };
  for (let attempt = 1; ; attempt++) {
    try {
      await pool.query(query);
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const holders = await readHolders(pool);
      if (attempt === attempts)
        throw new Error(
          `the archive is locked by ${holders}; stop that program, or end its connection with ` +
            "pg_terminate_backend, and run this again",
        );
      if (attempt === 1) note(terminal, `waits for ${holders}`);
    }
  }
}

const holderSchema = z.object({
  pid: z.number(),
  program: z.string().nullable(),
  since: z.date().nullable(),
});

/** Describes the transactions that lock rows of the archive's progress and do not wait themselves. */
async function readHolders(pool: pg.Pool): Promise<string> {
  const statement = sql`
    SELECT DISTINCT a.pid, a.application_name AS program, a.xact_start AS since
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.relation = 'app.settled_chain'::regclass AND l.mode IN ('RowShareLock', 'RowExclusiveLock')
       AND NOT EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted) AND a.pid <> pg_backend_pid()
     ORDER BY a.pid`;
  const holders = await queryRows(pool, statement, holderSchema);
  return holders.map(describe).join(", ") || "a transaction that has just ended";
}

/** Describes a transaction, without its begin where the operator's role may not read it. */
function describe({ pid, program, since }: z.output<typeof holderSchema>): string {
  const begun = since ? `, in a transaction since ${since.toISOString()}` : "";
  return `process ${pid} of PostgreSQL (${program || "unnamed"}${begun})`;
}
