import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { Prisma } from "../../db/generated/client.ts";
import { CHANNELS } from "../../db/notifications.ts";
import { select } from "./changes-store.ts";
import { json, NEW_VERSION } from "./log-store.ts";
import {
  compareMultipliers,
  type MultiplierEvent,
  type MultiplierRow,
  multiplierRowSchema,
} from "./multipliers.ts";

/** Reports applied corporate actions: each is an event of every key of its product. */

/**
 * Appends events of what some transactions changed of multipliers, to the logs of all active keys of the product, in one
 * statement. The caller has locked the log of the chain.
 * @param final the block up to which another writer may have reported a change, and dropped it as final, since the caller
 *   found the transactions; read with the lock
 * @returns how many events were appended
 */
export async function reportMultipliers(
  client: pg.PoolClient,
  { chainId, hashes, final, verified }: MultiplierRange,
): Promise<number> {
  const events = compareMultipliers(await readMultipliers(client, { chainId, hashes, final }), randomUUID);
  if (events.length === 0) return 0;
  const [row] = await select(client, appendToAll(chainId, events, verified));
  return z.object({ appended: z.number() }).parse(row).appended;
}

interface MultiplierRange {
  chainId: number;
  hashes: readonly string[];
  final: bigint;
  /** Changes up to this block are final once they are reported, so they get no row in app.event_multiplier. */
  verified: bigint;
}

/** Holds where a row `m` of app.event_multiplier reports the change `o` of the index as it is. */
export const isSameChange = Prisma.sql`
  m.chain_id = o.chain_id AND m.product_type = o.product_type AND m.token_address = o.token_address
  AND m.block_number = o.block_number AND m.log_index = o.log_index AND m.row_hash = md5(o::text)::uuid`;

/** Returns changes that the index has and the log has not reported, and those that the log reported and the index no longer has. */
async function readMultipliers(
  client: pg.PoolClient,
  { chainId, hashes, final }: Omit<MultiplierRange, "verified">,
): Promise<MultiplierRow[]> {
  const token = (alias: string) =>
    Prisma.raw(`LEFT JOIN onchain.stock_token t ON t.chain_id = ${alias}.chain_id
      AND t.product_type = ${alias}.product_type AND t.token_address = ${alias}.token_address`);
  const rows = await select(
    client,
    Prisma.sql`
      SELECT false AS reported, o.product_type, o.token_address, o.block_number::text AS block_number, o.log_index, o.tx_hash,
        md5(o::text)::uuid::text AS row_hash, o.new_multiplier::text AS new_multiplier,
        o.old_multiplier::text AS old_multiplier, coalesce(t.symbol, '') AS symbol, NULL::text AS event_seed,
        NULL::timestamptz AS reported_at, NULL::text AS multiplier
      FROM onchain.multiplier_change o ${token("o")}
      WHERE o.chain_id = ${chainId} AND o.tx_hash = ANY(${hashes}::text[]) AND o.block_number > ${String(final)}::numeric
        AND NOT EXISTS (SELECT 1 FROM app.event_multiplier m WHERE ${isSameChange})
      UNION ALL
      SELECT true, m.product_type, m.token_address, m.block_number::text, m.log_index, m.tx_hash, m.row_hash::text,
        m.new_multiplier::text, NULL, coalesce(t.symbol, ''), m.event_seed::text, m.told_at,
        coalesce(t.multiplier, m.new_multiplier)::text
      FROM app.event_multiplier m ${token("m")}
      WHERE m.chain_id = ${chainId} AND m.tx_hash = ANY(${hashes}::text[])
        AND NOT EXISTS (SELECT 1 FROM onchain.multiplier_change o WHERE ${isSameChange})`,
  );
  return rows
    .map((row) => multiplierRowSchema.parse(row))
    .sort((a, b) => Number(a.block_number - b.block_number) || a.log_index - b.log_index);
}

/**
 * Returns the id of a key's event. It follows from the key and the event's seed, so that the event that withdraws it can name
 * it.
 */
const idOf = (seed: Prisma.Sql): Prisma.Sql => Prisma.sql`md5(k.key_id::text || ${seed}::text)::uuid`;

const appendToAll = (
  chainId: number,
  events: readonly MultiplierEvent[],
  verified: bigint,
): Prisma.Sql => Prisma.sql`
  WITH said AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(${json(events.map((event, n) => ({ place: n, ...event })))}::jsonb) AS e (
      place int, product_type text, seed uuid, retracts_seed uuid, retracts_reported_at timestamptz, block_number bigint,
      tx_hash text, data text, applied jsonb)
  ), said_to AS MATERIALIZED (
    SELECT s.*, k.key_id, ${idOf(Prisma.sql`s.seed`)} AS event_id,
      CASE WHEN k.created_at <= s.retracts_reported_at THEN ${idOf(Prisma.sql`s.retracts_seed`)} END AS retracts,
      row_number() OVER w AS n, count(*) OVER (PARTITION BY k.key_id, s.product_type) AS of_key
    FROM said s JOIN app.api_key_scope a ON a.chain_id = ${chainId} AND a.product_type = s.product_type
    JOIN app.api_key k ON k.key_id = a.key_id AND k.active
    WINDOW w AS (PARTITION BY k.key_id, s.product_type ORDER BY s.place)
  ), head AS (
    INSERT INTO app.event_head AS h (key_id, chain_id, product_type, sequence, version)
    SELECT s.key_id, ${chainId}::int, s.product_type, count(*), ${NEW_VERSION} FROM said_to s
    GROUP BY s.key_id, s.product_type ORDER BY s.key_id
    ON CONFLICT (key_id, chain_id, product_type) DO UPDATE
    SET sequence = h.sequence + excluded.sequence, version = excluded.version
    RETURNING h.key_id, h.product_type, h.sequence
  ), appended AS (
    INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, block_number, tx_hash,
      retracts, data)
    SELECT s.key_id, ${chainId}::int, s.product_type, h.sequence - s.of_key + s.n, s.event_id, 'corporate_action.applied',
      'corporate-action', s.block_number, s.tx_hash, s.retracts, s.data::json
    FROM said_to s JOIN head h ON h.key_id = s.key_id AND h.product_type = s.product_type ORDER BY s.place RETURNING 1
  ), undone AS (
    DELETE FROM app.event_multiplier m USING said s
    WHERE m.chain_id = ${chainId} AND m.product_type = s.product_type AND m.event_seed = s.retracts_seed
  ), applied AS (
    INSERT INTO app.event_multiplier (chain_id, product_type, token_address, block_number, log_index, tx_hash, row_hash,
      event_seed, new_multiplier)
    SELECT ${chainId}::int, s.product_type, r.token_address, r.block_number, r.log_index, r.tx_hash, r.row_hash, s.seed,
      r.new_multiplier
    FROM said s CROSS JOIN LATERAL jsonb_to_record(s.applied) AS r (
      token_address text, block_number bigint, log_index int, tx_hash text, row_hash uuid, new_multiplier numeric)
    WHERE r.block_number > ${verified}
    ON CONFLICT (chain_id, product_type, token_address, block_number, log_index) DO NOTHING
  ), final AS (
    DELETE FROM app.event_multiplier m WHERE m.chain_id = ${chainId} AND m.block_number <= ${verified}
  )
  SELECT n.appended, CASE WHEN n.appended > 0 THEN pg_notify(${CHANNELS.events}, ${String(chainId)})::text END
  FROM (SELECT count(*)::int AS appended FROM appended) n`;
