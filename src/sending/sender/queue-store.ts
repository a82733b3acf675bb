import type pg from "pg";
import { z } from "zod";
import { queryMaybeOne, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { sendColumns, sendSchema } from "../outbox/rows.ts";
import type { Wallet } from "./wallet.ts";

/** A request that waits for a nonce. */
const queuedSchema = sendSchema.extend({
  /** True where a policy of its key limits its value or its stock. */
  isLimited: z.boolean(),
});

/**
 * Returns requests that wait for a nonce, in the order in which they get one: keys take turns, and each key's requests go in the
 * order of arrival. At most `limit`, and possibly fewer than wait where keys have unequal numbers.
 * @param gasAtMost skips requests that take more
 * @param except skips these ids, too
 * @param roundRobin keys that had a turn, in the order of their next one; others come before them
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
  // Walks the index from key to key, so that one key's thousands are not read to find another's one. Takes from each key its
  // share of the limit: one, where many wait.
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

const ownerSchema = z.object({ requestId: z.string(), hasEnded: z.boolean() });

/** Returns the request that a nonce belongs to; null where it belongs to none, for example if it was used elsewhere. */
export function findOwner(
  pool: pg.Pool,
  { nodes, signer }: Wallet,
  nonce: bigint,
): Promise<z.output<typeof ownerSchema> | null> {
  const statement = sql`
    SELECT request_id, state IN ('final', 'failed', 'canceled') AS has_ended FROM app.send_request
    WHERE chain_id = ${nodes.chainId} AND wallet = ${signer.address} AND nonce = ${nonce}`;
  return queryMaybeOne(pool, statement, ownerSchema);
}
