import type pg from "pg";
import { type RawSendRow, type SendRow, toSendRow } from "../outbox/rows.ts";
import type { Wallet } from "./deps.ts";

/** A request that waits for a nonce. */
interface QueuedSend extends SendRow {
  /** A policy of its key asks for what it is worth, or of which stock it is. */
  isLimited: boolean;
}

/**
 * Returns requests that wait for a nonce, in the order in which they get one: keys take turns, and each key's requests go
 * in the order of arrival. At most `limit`, and possibly fewer than wait where keys have unequal numbers.
 * @param gasAtMost those that take more are passed over
 * @param except the ids of those that are passed over besides
 * @param roundRobin keys that had a turn, the one that waits longest for its next first; others come before them
 */
export async function nextAccepted(
  pool: pg.Pool,
  { nodes, signer }: Wallet,
  gasAtMost: bigint,
  except: readonly string[],
  roundRobin: readonly string[],
  limit: number,
): Promise<QueuedSend[]> {
  const { rows } = await pool.query<RawSendRow & { is_limited: boolean }>(NEXT, [
    nodes.chainId,
    signer.address,
    gasAtMost.toString(),
    roundRobin,
    limit,
    except,
  ]);
  return rows.map((row) => ({ ...toSendRow(row), isLimited: row.is_limited }));
}

// From key to key in the index, so that one key's thousands are not read to find another's one. Of each key as many as its
// share of the limit: where many wait, one.
const NEXT = `
  WITH RECURSIVE waiting AS (
    (SELECT key_id FROM app.send_request WHERE chain_id = $1 AND wallet = $2 AND state = 'accepted'
     ORDER BY key_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.key_id FROM app.send_request r
            WHERE r.chain_id = $1 AND r.wallet = $2 AND r.state = 'accepted' AND r.key_id > w.key_id
            ORDER BY r.key_id LIMIT 1)
    FROM waiting w WHERE w.key_id IS NOT NULL
  )
  SELECT oldest.*, EXISTS (
    SELECT FROM app.key_policy p
    WHERE p.key_id = oldest.key_id AND (p.daily_notional_cap IS NOT NULL OR p.allowed_symbols <> '{}')
  ) AS is_limited
  FROM waiting w CROSS JOIN LATERAL (
    SELECT *, row_number() OVER (ORDER BY sequence) AS turn, min(sequence) OVER () AS first_sequence FROM (
      SELECT * FROM app.send_request r
      WHERE r.chain_id = $1 AND r.wallet = $2 AND r.state = 'accepted' AND r.key_id = w.key_id AND r.gas_limit <= $3
        AND r.request_id <> ALL($6::uuid[])
      ORDER BY r.sequence LIMIT (SELECT ceil($5::numeric / count(*)) FROM waiting WHERE key_id IS NOT NULL)
    ) own
  ) oldest
  ORDER BY oldest.turn, array_position($4::uuid[], oldest.key_id) NULLS FIRST, oldest.first_sequence LIMIT $5`;

/** Returns the oldest request that waits for a nonce and takes more gas than this, or null. */
export async function findAbove(
  pool: pg.Pool,
  { nodes, signer }: Wallet,
  gas: bigint,
): Promise<{ requestId: string; gasLimit: bigint } | null> {
  const { rows } = await pool.query<{ request_id: string; gas_limit: string }>(
    `SELECT request_id, gas_limit FROM app.send_request
     WHERE chain_id = $1 AND wallet = $2 AND state = 'accepted' AND gas_limit > $3 ORDER BY sequence LIMIT 1`,
    [nodes.chainId, signer.address, gas.toString()],
  );
  return rows[0] ? { requestId: rows[0].request_id, gasLimit: BigInt(rows[0].gas_limit) } : null;
}
