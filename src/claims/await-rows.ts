import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { CHANNELS } from "../db/notifications.ts";
import { execute, queryOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";

const WAIT_MS = 2_000;
const POLL_MS = 10;

const dueSchema = z.object({ isDue: z.boolean() });

/**
 * Waits until the projector has decided what a claim owns, so that the caller's next read has it (docs/projection.md#reads). It is
 * notified, and as a rule done in the time of a step; where no worker runs, this gives up, and the row stays pending until one does.
 */
export async function awaitRows(
  { pool, rowsWaitMs = WAIT_MS }: Pick<Deps, "pool" | "rowsWaitMs">,
  chainId: number,
  claimId: string,
): Promise<void> {
  const deadline = performance.now() + rowsWaitMs;
  const isDue = async () => (await queryOne(pool, dueSql(chainId, claimId), dueSchema)).isDue;
  if (rowsWaitMs === 0 || !(await isDue())) return;
  await execute(pool, sql`SELECT pg_notify(${CHANNELS.due}, ${String(chainId)})`);
  do await wait(POLL_MS);
  while (performance.now() < deadline && (await isDue()));
}

/** Selects whether a claim has due rows. Those that wait for a token's name do not count: they may wait for long. */
const dueSql = (chainId: number, claimId: string) => sql`
  SELECT EXISTS (SELECT 1 FROM app.event_due d
    WHERE d.chain_id = ${chainId} AND d.claim_id = ${claimId}::uuid AND d.waits_for IS NULL) AS is_due`;
