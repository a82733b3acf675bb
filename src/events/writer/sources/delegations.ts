import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../../../db/query.ts";
import { raw, type Sql, sql } from "../../../db/sql.ts";
import { presentStatus } from "../../../oneclick/status.ts";
import { storedHex } from "../../../protocol/shapes.ts";
import { enablesInForce } from "../../../sending/delegation/enable-store.ts";
import type { Draft } from "../compare.ts";
import { hashOf } from "../hash.ts";
import { json } from "../log-store.ts";
import { type DifferentRange, NOTHING, type Source } from "../source.ts";

/**
 * Delegations, as keys. Triggers enter those whose requests change; what the chain says of those that were compared before is compared with
 * app.event_delegation.
 */
export const DELEGATIONS: Source = {
  name: "delegations",
  due: ["1ct/status"],
  differentIds: differentKeys,
  async compare(client, { chainId, found }) {
    if (found.ids.length === 0) return NOTHING;
    const compared = (await readNow(client, chainId, found.ids)).map(compareDelegation);
    return {
      events: compared.flatMap(({ event }) => event ?? []),
      remember: [
        rememberItem(
          chainId,
          compared.map(({ memory }) => memory),
        ),
      ],
    };
  },
};

/**
 * Selects the keys whose delegations differ from their last reports, in the first part of a pass alone: there are few, and the index has
 * no block of their changes.
 */
function differentKeys({ chainId, after }: DifferentRange): Sql {
  return sql`
    SELECT json_agg(DISTINCT m.key_id) FROM app.event_delegation m LEFT JOIN onchain.delegation d
      ON d.chain_id = m.chain_id AND d.product_type = m.product_type AND d.user_address = m.user_address
    WHERE m.chain_id = ${chainId} AND ${after} = '' AND md5(d::text)::uuid IS DISTINCT FROM m.row_hash
      AND EXISTS (SELECT 1 FROM app.api_key_scope s WHERE s.key_id = m.key_id AND s.chain_id = m.chain_id
        AND s.product_type = m.product_type)`;
}

/** A delegation as the index and this service have it, for one key, and what the log last reported of it. */
const rowSchema = z
  .object({
    keyId: z.string(),
    productType: z.string(),
    user: storedHex,
    delegatee: storedHex,
    isEnabled: z.boolean(),
    nonce: z.coerce.bigint(),
    rowHash: z.string().nullable(),
    txHash: storedHex.nullable(),
    operation: z.string().nullable(),
    state: z.string().nullable(),
    sentTxHash: z.string().nullable(),
    reported: z
      .object({
        type: z.enum(["delegation.enabled", "delegation.disabled"]).nullable(),
        eventId: z.string().nullable(),
        dataHash: z.string(),
        nonce: z.coerce.bigint(),
      })
      .nullable(),
  })
  .transform(({ operation, state, sentTxHash, ...row }) => ({
    ...row,
    last: operation === null || state === null ? null : { operation, state, txHash: sentTxHash },
  }));
type Delegation = z.output<typeof rowSchema>;

const inForce = raw(
  enablesInForce({
    chainId: "s.chain_id",
    productType: "s.product_type",
    user: "k.user_address",
    keyId: "k.key_id",
    chainNonce: "coalesce(o.nonce, 0)::bigint",
  }),
);

function readNow(client: pg.PoolClient, chainId: number, keyIds: readonly string[]): Promise<Delegation[]> {
  const statement = sql`
    SELECT k.key_id::text AS key_id, s.product_type, k.user_address AS user, d.delegatee, coalesce(o.nonce, 0)::text AS nonce,
      md5(o::text)::uuid::text AS row_hash, o.tx_hash, l.operation, l.state, l.tx_hash AS sent_tx_hash,
      NOT d.blocked AND o.delegatee IS NOT DISTINCT FROM d.delegatee AND EXISTS (${inForce}) AS is_enabled,
      CASE WHEN m.key_id IS NOT NULL THEN json_build_object('type', m.type, 'eventId', m.event_id, 'dataHash', m.data_hash,
        'nonce', m.nonce::text) END AS reported
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
    WHERE k.key_id = ANY(${keyIds}::uuid[])`;
  return queryRows(client, statement, rowSchema);
}

/** A row of app.event_delegation: the last report of a delegation. */
type Memory = Pick<Delegation, "productType" | "keyId" | "nonce" | "rowHash"> &
  Pick<NonNullable<Delegation["reported"]>, "eventId" | "type" | "dataHash"> & { userAddress: string };

const rememberItem = (chainId: number, memory: readonly Memory[]): Sql => sql`
  delegations AS (
    INSERT INTO app.event_delegation (chain_id, product_type, key_id, user_address, event_id, type, data_hash, nonce, row_hash)
    SELECT ${chainId}::int, m.* FROM jsonb_to_recordset(${json(memory)}::jsonb) AS m (product_type text, key_id uuid,
      user_address text, event_id uuid, type text, data_hash uuid, nonce bigint, row_hash uuid)
    ON CONFLICT (chain_id, product_type, key_id) DO UPDATE SET user_address = excluded.user_address,
      event_id = excluded.event_id, type = excluded.type, data_hash = excluded.data_hash, nonce = excluded.nonce,
      row_hash = excluded.row_hash
  )`;

/**
 * Returns the event, if any, that brings the log from what it last reported of a delegation to what its status says now. A key that never
 * got an enable reported gets nothing.
 */
function compareDelegation(row: Delegation): { event: Draft | null; memory: Memory } {
  const { keyId, productType, user, nonce, rowHash, reported } = row;
  const status = presentStatus(row);
  const data = JSON.stringify(status);
  const dataHash = hashOf(data);
  const type = row.isEnabled ? "delegation.enabled" : "delegation.disabled";
  const common = { productType, keyId, userAddress: user, dataHash, nonce, rowHash };
  if (!mustReport(row, type, dataHash)) {
    const { type: before = null, eventId = null } = reported ?? {};
    const memory = { ...common, eventId, type: before, dataHash: reported?.dataHash ?? dataHash };
    return { event: null, memory };
  }
  // The chain's nonce only grows, unless a reorg takes back what it counted.
  const isTakenBack = reported !== null && reported.type !== type && nonce < reported.nonce;
  const eventId = randomUUID();
  const event: Draft = {
    keyId,
    productType,
    eventId,
    type,
    resource: "1ct/status",
    data,
    object: `1ct/status ${status.userAddress}`,
    blockNumber: null,
    txHash: row.txHash,
    retracts: isTakenBack ? reported.eventId : null,
  };
  return { event, memory: { ...common, eventId, type } };
}

/** Returns true where events report a status. They report neither the begin nor the failure of an enable. */
function mustReport({ reported, last, isEnabled }: Delegation, type: string, dataHash: string): boolean {
  if (!reported?.type) return isEnabled;
  if (reported.type !== type) return true;
  const isPending = !isEnabled && last?.operation === "1ct/enable";
  return reported.dataHash !== dataHash && !isPending;
}
