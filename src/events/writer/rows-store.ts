import type pg from "pg";
import { z } from "zod";
import { type ClaimRows, changedAt } from "../../claims/indexed-rows.ts";
import { type Claim, claimSchema } from "../../claims/mapping.ts";
import { claimColumns } from "../../claims/ownership.ts";
import { readSetAtBlock } from "../../db/checkpoint.ts";
import { plannedOnce } from "../../db/planned-once.ts";
import { queryRows } from "../../db/query.ts";
import { join, raw, type Sql, sql } from "../../db/sql.ts";
import { EVENT_RESOURCES, EVENT_TYPES } from "../../protocol/enums.ts";
import type { CurrentRow, Outcome, ShownRow } from "./compare.ts";
import { json } from "./log-store.ts";
import type { DifferentRange } from "./source.ts";
import type { ClaimedList, IndexedTable, KeyTable } from "./sources/list.ts";
import { LISTED, LISTS } from "./sources/lists.ts";
import type { Symbols } from "./symbols.ts";

/** Reads what claims come to now, and what their keys see of it, in the transaction that appends to the log. */

type Client = pg.PoolClient;

const keyedSchema = claimSchema
  .extend({ keyId: z.string() })
  .transform(({ keyId, ...claim }) => ({ claim, keyId }));

/** A claim and its key. */
export interface KeyedClaim {
  claim: Claim;
  keyId: string;
}

/**
 * Returns, by id, the claims whose rows a change of some transactions or claims may have changed: all claims to those transactions,
 * and to others that carry the same suffix.
 */
export async function readAffected(
  client: Client,
  { chainId, hashes, claimIds }: { chainId: number; hashes: readonly string[]; claimIds: readonly string[] },
): Promise<Map<string, KeyedClaim>> {
  if (hashes.length === 0 && claimIds.length === 0) return new Map();
  const claimsOf = (hashesAsS: Sql) => sql`
    SELECT c.claim_id, c.tx_hash, c.attribution_nonce FROM ${hashesAsS} CROSS JOIN LATERAL (
      SELECT * FROM app.transaction_claim t WHERE t.chain_id = ${chainId} AND t.tx_hash = s.tx_hash OFFSET 0) c`;
  const statement = sql`
    WITH named AS MATERIALIZED (
      ${claimsOf(sql`unnest(${hashes}::text[]) AS s (tx_hash)`)}
      UNION SELECT c.claim_id, c.tx_hash, c.attribution_nonce
      FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
        SELECT * FROM app.transaction_claim t WHERE t.claim_id = l.claim_id AND t.chain_id = ${chainId} OFFSET 0) c
    ), hash AS MATERIALIZED (
      SELECT n.tx_hash FROM named n WHERE n.tx_hash IS NOT NULL
      UNION SELECT e.tx_hash FROM named n CROSS JOIN LATERAL (
        SELECT t.tx_hash FROM app.transaction_claim t
        WHERE t.attribution_nonce = n.attribution_nonce AND t.chain_id = ${chainId} AND t.tx_hash IS NOT NULL OFFSET 0) e
    )
    SELECT ${claimColumns}, c.key_id::text AS key_id
    FROM (SELECT n.claim_id FROM named n UNION SELECT a.claim_id FROM (${claimsOf(sql`hash AS s`)}) a) l
    CROSS JOIN LATERAL (SELECT * FROM app.transaction_claim t WHERE t.claim_id = l.claim_id OFFSET 0) c`;
  const claims = await queryRows(client, plannedOnce(statement), keyedSchema);
  return new Map(claims.map((one) => [one.claim.claimId, one]));
}

/**
 * Reads the rows of lists that claims own now, with the MD5 of their rows in the index.
 * @param symbols the names of tokens that are known
 * @throws ApiError INDEXER_BEHIND
 */
export async function readCurrent(
  client: Client,
  { chainId, claimIds, symbols }: { chainId: number; claimIds: readonly string[]; symbols: Symbols },
): Promise<CurrentRow[]> {
  if (claimIds.length === 0) return [];
  const current: CurrentRow[] = [];
  for (const { rows, present } of LISTS) {
    const { data } = await readSetAtBlock(client, chainId, plannedOnce(rowsOf(rows, claimIds)), anyRow);
    current.push(...data.flatMap((row) => present(row, symbols)));
  }
  return current;
}

/** Each list parses its own. */
const anyRow = z.record(z.string(), z.unknown());

const rowsOf = ({ columns, joins, where, version }: ClaimRows, claimIds: readonly string[]): Sql => sql`
  SELECT r.* FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
    SELECT p.*, c.key_id::text AS key_id, v.row_hash::text AS row_hash,
      v.changed_block::text AS changed_block, (extract(epoch FROM ${changedAt}) * 1000)::bigint::text AS changed_ms,
      coalesce(o.log_index, -1) AS log_index
    FROM app.transaction_claim c ${joins} LEFT JOIN LATERAL (${version}) v ON true
    CROSS JOIN LATERAL (SELECT ${columns} OFFSET 0) p
    WHERE c.claim_id = l.claim_id AND ${where} OFFSET 0) r`;

const shownSchema = z
  .object({
    claimId: z.string(),
    resource: z.enum(EVENT_RESOURCES),
    ordinal: z.number(),
    keyId: z.string(),
    productType: z.string(),
    txHash: z.string().nullable(),
    objectId: z.string().nullable(),
    type: z.enum(EVENT_TYPES),
    eventId: z.string().nullable(),
    unreported: z.boolean(),
    data: z.string().nullable(),
    rowHash: z.string().nullable(),
    blockNumber: z.coerce.bigint().nullable(),
    source: z.string(),
    createdMs: z.coerce.number(),
    userAddress: z.string().nullable(),
  })
  .transform(
    ({ source, createdMs, userAddress, ...row }): ShownRow => ({
      ...row,
      columns: { source, createdMs, userAddress },
    }),
  );

/** Returns the rows of some claims as their keys see them. */
export async function readShown(client: Client, claimIds: readonly string[]): Promise<ShownRow[]> {
  if (claimIds.length === 0) return [];
  const parts = LISTS.map(
    ({ table: { name, id, resource } }) => sql`
      SELECT r.claim_id::text AS claim_id, ${resource} AS resource, r.ordinal, r.key_id::text AS key_id, r.product_type, r.tx_hash,
        ${raw(`r.${id}`)} AS object_id, r.type, r.event_id::text AS event_id, r.unreported, r.data, r.row_hash::text AS row_hash,
        r.block_number::text AS block_number, r.source, (extract(epoch FROM r.created_at) * 1000)::bigint::text AS created_ms,
        r.user_address
      FROM ${raw(`app.${name}`)} r WHERE r.claim_id = ANY(${claimIds}::uuid[])`,
  );
  return queryRows(client, plannedOnce(join(parts, " UNION ALL ")), shownSchema);
}

/**
 * Selects transactions whose rows in the index no key sees as they are, or whose rows the index no longer has. OFFSET 0 makes PostgreSQL
 * look each row up by an index: it would hash whole tables, and compute the MD5 of all rows of the index.
 */
export const differentRows = (range: DifferentRange): Sql[] => [
  ...LISTS.flatMap((list) => list.tables.map((table) => unprojectedOf(list, table, range))),
  ...LISTS.map(({ table, tables }) => goneOf(table, tables, range)),
  goneOf({ name: "event_unowned", id: "object_id" }, LISTED, range),
];

/** Selects transactions with a claim and a row in the index that neither its key sees as it is, nor is known to be no key's. */
function unprojectedOf(
  { table: shown }: ClaimedList,
  { table, id, block }: IndexedTable,
  { chainId, from, after }: DifferentRange,
): Sql {
  const isIn = (name: string, idOf: string) => sql`EXISTS (
    SELECT 1 FROM ${raw(`app.${name}`)} m WHERE m.chain_id = o.chain_id AND m.product_type = o.product_type
      AND ${raw(`m.${idOf} = o.${id}`)} AND m.row_hash = md5(o::text)::uuid OFFSET 0)`;
  return sql`
    SELECT o.tx_hash FROM ${raw(`onchain.${table}`)} o
    WHERE o.chain_id = ${chainId} AND ${raw(`o.${block}`)} > ${String(from)}::numeric AND o.tx_hash > ${after}
      AND NOT (${isIn(shown.name, shown.id)} OR ${isIn("event_unowned", "object_id")})
      AND EXISTS (SELECT 1 FROM app.transaction_claim c WHERE c.chain_id = o.chain_id AND c.tx_hash = o.tx_hash)`;
}

/** Selects transactions with a row that the index has changed or lost. */
function goneOf(
  { name, id: idOf }: Pick<KeyTable, "name" | "id">,
  tables: readonly IndexedTable[],
  { chainId, from, after }: DifferentRange,
): Sql {
  const isGone = tables.map(
    ({ table, id }) => sql`
      NOT EXISTS (SELECT 1 FROM ${raw(`onchain.${table}`)} o
        WHERE o.chain_id = m.chain_id AND o.product_type = m.product_type AND ${raw(`o.${id} = m.${idOf}`)}
          AND md5(o::text)::uuid = m.row_hash OFFSET 0)`,
  );
  return sql`
    SELECT m.tx_hash FROM ${raw(`app.${name}`)} m
    WHERE m.chain_id = ${chainId} AND m.block_number > ${from} AND m.tx_hash > ${after}
      AND ${join(isGone, " AND ")}`;
}

/** Changes of claims that a step writes beside their rows. */
export interface ClaimWrites extends Pick<Outcome, "waiting"> {
  chainId: number;
  /** Transactions that were compared, and what of them keys own. */
  hashes: readonly string[];
  owned: readonly string[];
  verified: bigint;
  /** Rows of app.event_due that the step is done with. */
  due: readonly string[];
}

/** Returns WITH items that write it. What no key owns and is not final is kept in app.event_unowned. */
export function claimItems({ chainId, hashes, owned, verified, due, waiting }: ClaimWrites): Sql[] {
  const indexed = LISTED.map(
    ({ table, id, block }) => sql`
      SELECT o.chain_id, o.product_type, ${raw(`o.${id}`)} AS object_id, o.tx_hash, md5(o::text)::uuid AS row_hash,
        ${raw(`o.${block}`)}::bigint AS block_number
      FROM unnest(${hashes}::text[]) AS l (tx_hash) CROSS JOIN LATERAL (
        SELECT * FROM ${raw(`onchain.${table}`)} t
        WHERE t.chain_id = ${chainId} AND t.tx_hash = l.tx_hash OFFSET 0) o`,
  );
  return [
    sql`unowned AS MATERIALIZED (
      SELECT i.* FROM (${join(indexed, " UNION ALL ")}) i
      WHERE i.block_number > ${verified} AND i.object_id <> ALL(${owned}::text[])
    )`,
    sql`unowned_kept AS (
      INSERT INTO app.event_unowned (chain_id, product_type, object_id, tx_hash, row_hash, block_number) SELECT * FROM unowned
      ON CONFLICT (chain_id, product_type, object_id) DO UPDATE
      SET tx_hash = excluded.tx_hash, row_hash = excluded.row_hash, block_number = excluded.block_number
    )`,
    sql`unowned_gone AS (
      DELETE FROM app.event_unowned u WHERE u.chain_id = ${chainId}
        AND (u.tx_hash = ANY(${hashes}::text[]) OR u.block_number <= ${verified})
        AND u.object_id NOT IN (SELECT o.object_id FROM unowned o)
    )`,
    sql`waiting AS (
      INSERT INTO app.event_due (chain_id, claim_id, waits_for)
      SELECT ${chainId}::int, w.* FROM jsonb_to_recordset(${json(waiting)}::jsonb) AS w (claim_id uuid, waits_for text)
      WHERE NOT EXISTS (SELECT 1 FROM app.event_due d
        WHERE d.chain_id = ${chainId} AND d.claim_id = w.claim_id AND d.waits_for = w.waits_for
          AND d.id <> ALL(${due}::bigint[]))
    )`,
  ];
}
