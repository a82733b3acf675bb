import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { Prisma } from "../../db/generated/client.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { enablesInForce } from "../../sending/delegation/enable-store.ts";
import { select } from "./changes-store.ts";
import type { Draft } from "./compare.ts";
import { compareDelegations, type DelegationMemory, type DelegationRow } from "./delegations.ts";
import { json } from "./log-store.ts";

const TYPES = ["delegation.enabled", "delegation.disabled"] as const;
const rowSchema = z
  .object({
    key_id: z.string(),
    product_type: z.string(),
    user_address: storedHex,
    delegatee: storedHex,
    enabled: z.boolean(),
    nonce: z.coerce.bigint(),
    row_hash: z.string().nullable(),
    chain_tx_hash: storedHex.nullable(),
    operation: z.string().nullable(),
    state: z.string().nullable(),
    tx_hash: z.string().nullable(),
    reported_type: z.enum(TYPES).nullable(),
    reported_event_id: z.string().nullable(),
    reported_data_hash: z.string().nullable(),
    reported_nonce: z.coerce.bigint().nullable(),
  })
  .transform(
    (row): DelegationRow => ({
      ...{
        keyId: row.key_id,
        productType: row.product_type,
        user: row.user_address,
        delegatee: row.delegatee,
      },
      ...{ isEnabled: row.enabled, nonce: row.nonce, rowHash: row.row_hash, txHash: row.chain_tx_hash },
      last:
        row.operation === null || row.state === null
          ? null
          : { operation: row.operation, state: row.state, txHash: row.tx_hash },
      reported:
        row.reported_data_hash === null || row.reported_nonce === null
          ? null
          : {
              ...{ type: row.reported_type, eventId: row.reported_event_id },
              ...{ dataHash: row.reported_data_hash, nonce: row.reported_nonce },
            },
    }),
  );

const inForce = Prisma.raw(
  enablesInForce({
    chainId: "s.chain_id",
    productType: "s.product_type",
    user: "k.user_address",
    keyId: "k.key_id",
    chainNonce: "coalesce(o.nonce, 0)::bigint",
  }),
);

/**
 * Compares the delegations of some keys on a chain with what the log reported of them, and remembers what they are. The caller
 * has locked the log of the chain, and appends the events in the same transaction.
 */
export async function compareDelegationsNow(
  client: pg.PoolClient,
  chainId: number,
  keyIds: readonly string[],
): Promise<Draft[]> {
  if (keyIds.length === 0) return [];
  const rows = await select(
    client,
    Prisma.sql`
      SELECT k.key_id::text AS key_id, s.product_type, k.user_address, d.delegatee, coalesce(o.nonce, 0)::text AS nonce,
        md5(o::text)::uuid::text AS row_hash, o.tx_hash AS chain_tx_hash, l.operation, l.state, l.tx_hash,
        NOT d.blocked AND o.delegatee IS NOT DISTINCT FROM d.delegatee AND EXISTS (${inForce}) AS enabled,
        m.type AS reported_type, m.event_id::text AS reported_event_id, m.data_hash::text AS reported_data_hash,
        m.nonce::text AS reported_nonce
      FROM app.api_key k
      JOIN app.api_key_scope s ON s.key_id = k.key_id AND s.chain_id = ${chainId}
      JOIN app.delegation d
        ON d.chain_id = s.chain_id AND d.product_type = s.product_type AND d.user_address = k.user_address
      LEFT JOIN onchain.delegation o
        ON o.chain_id = s.chain_id AND o.product_type = s.product_type AND o.user_address = k.user_address
      LEFT JOIN app.event_delegation m
        ON m.chain_id = s.chain_id AND m.product_type = s.product_type AND m.key_id = k.key_id
      LEFT JOIN LATERAL (
        SELECT r.operation, r.state, r.tx_hash FROM app.send_request r
        WHERE r.chain_id = s.chain_id AND r.product_type = s.product_type AND r.user_address = k.user_address
          AND (r.operation = '1ct/disable' OR (r.operation = '1ct/enable' AND r.key_id = k.key_id))
        ORDER BY r.sequence DESC LIMIT 1) l ON true
      WHERE k.key_id = ANY(${keyIds}::uuid[])`,
  );
  const { events, memory } = compareDelegations(
    rows.map((row) => rowSchema.parse(row)),
    randomUUID,
  );
  await remember(client, chainId, memory);
  return events;
}

async function remember(
  client: pg.PoolClient,
  chainId: number,
  memory: readonly DelegationMemory[],
): Promise<void> {
  await select(
    client,
    Prisma.sql`
      INSERT INTO app.event_delegation (chain_id, product_type, key_id, user_address, event_id, type, data_hash, nonce, row_hash)
      SELECT ${chainId}::int, m.* FROM jsonb_to_recordset(${json(memory)}::jsonb) AS m (product_type text, key_id uuid,
        user_address text, event_id uuid, type text, data_hash uuid, nonce bigint, row_hash uuid)
      ON CONFLICT (chain_id, product_type, key_id) DO UPDATE SET user_address = excluded.user_address,
        event_id = excluded.event_id, type = excluded.type, data_hash = excluded.data_hash, nonce = excluded.nonce,
        row_hash = excluded.row_hash`,
  );
}
