import type pg from "pg";
import { z } from "zod";
import { queryMaybeOne, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { sendColumns, sendSchema } from "../outbox/rows.ts";
import type { Wallet } from "./deps.ts";

/** A request that waits for a nonce. */
const queuedSchema = sendSchema.extend({
  /** A policy of its key asks for what it is worth, or of which stock it is. */
  isLimited: z.boolean(),
});

/**
 * Returns requests that wait for a nonce, in the order in which they get one: keys take turns, and each key's requests go
 * in the order of arrival. At most `limit`, and possibly fewer than wait where keys have unequal numbers.
 * @param gasAtMost those that take more are passed over
 * @param except the ids of those that are passed over besides
 * @param roundRobin keys that had a turn, the one that waits longest for its next first; others come before them
 */
export function nextAccepted(
  pool: pg.Pool,
  { nodes: { chainId }, signer }: Wallet,
  gasAtMost: bigint,
  except: readonly string[],
  roundRobin: readonly string[],
  limit: number,
): Promise<z.output<typeof queuedSchema>[]> {
  const isWaiting = sql`r.chain_id = ${chainId} AND r.wallet = ${signer.address} AND r.state = 'accepted'`;
  // From key to key in the index, so that one key's thousands are not read to find another's one. Of each key as many as its
  // share of the limit: where many wait, one.
  const statement = sql`
    WITH RECURSIVE waiting AS (
      (SELECT r.key_id FROM app.send_request r WHERE ${isWaiting} ORDER BY r.key_id LIMIT 1)
      UNION ALL
      SELECT (SELECT r.key_id FROM app.send_request r WHERE ${isWaiting} AND r.key_id > w.key_id
              ORDER BY r.key_id LIMIT 1)
      FROM waiting w WHERE w.key_id IS NOT NULL
    )
    SELECT ${sendColumns("oldest")}, EXISTS (
      SELECT FROM app.key_policy p
      WHERE p.key_id = oldest.key_id AND (p.daily_notional_cap IS NOT NULL OR p.allowed_symbols <> '{}')
    ) AS is_limited
    FROM waiting w CROSS JOIN LATERAL (
      SELECT *, row_number() OVER (ORDER BY sequence) AS turn, min(sequence) OVER () AS first_sequence FROM (
        SELECT * FROM app.send_request r
        WHERE ${isWaiting} AND r.key_id = w.key_id AND r.gas_limit <= ${gasAtMost}
          AND r.request_id <> ALL(${except}::uuid[])
        ORDER BY r.sequence LIMIT (SELECT ceil(${limit}::numeric / count(*)) FROM waiting WHERE key_id IS NOT NULL)
      ) own
    ) oldest
    ORDER BY oldest.turn, array_position(${roundRobin}::uuid[], oldest.key_id) NULLS FIRST, oldest.first_sequence
    LIMIT ${limit}`;
  return queryRows(pool, statement, queuedSchema);
}

const aboveSchema = sendSchema.pick({ requestId: true, gasLimit: true });

/** Returns the oldest request that waits for a nonce and takes more gas than this, or null. */
export function findAbove(
  pool: pg.Pool,
  { nodes: { chainId }, signer }: Wallet,
  gas: bigint,
): Promise<z.output<typeof aboveSchema> | null> {
  const statement = sql`
    SELECT request_id, gas_limit FROM app.send_request
    WHERE chain_id = ${chainId} AND wallet = ${signer.address} AND state = 'accepted' AND gas_limit > ${gas}
    ORDER BY sequence LIMIT 1`;
  return queryMaybeOne(pool, statement, aboveSchema);
}
