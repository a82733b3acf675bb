import type pg from "pg";
import { z } from "zod";
import { type ClaimRows, changedAt, fingerprintOf } from "../../claims/indexed-rows.ts";
import { type Claim, claimSchema } from "../../claims/mapping.ts";
import { claimColumns } from "../../claims/ownership.ts";
import { readSetAtBlock } from "../../db/checkpoint.ts";
import { queryRows } from "../../db/query.ts";
import { join, raw, type Sql, sql } from "../../db/sql.ts";
import { EVENT_RESOURCES } from "../../protocol/enums.ts";
import type { CurrentRow, IndexedObject, Outcome, RowName } from "./compare.ts";
import { json } from "./log-store.ts";
import { rememberItem } from "./memory-store.ts";
import type { DifferentRange } from "./source.ts";
import type { IndexedTable } from "./sources/list.ts";
import { LISTED, LISTS } from "./sources/lists.ts";
import type { Symbols } from "./symbols.ts";

/** Reads what claims come to now, and writes what the log remembers of it, in the transaction that appends to the log. */

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
  const claims = await queryRows(client, statement, keyedSchema);
  return new Map(claims.map((one) => [one.claim.claimId, one]));
}

/**
 * Reads the rows of lists that claims own now, with the MD5 of all that lists read of them and of their rows in the index.
 * @param symbols the names of tokens that are known
 * @throws ApiError INDEXER_BEHIND
 */
export async function readCurrent(
  client: Client,
  { chainId, claimIds, symbols }: { chainId: number; claimIds: readonly string[]; symbols: Symbols },
): Promise<CurrentRow[]> {
  const current: CurrentRow[] = [];
  for (const { rows, present } of LISTS) {
    const { data } = await readSetAtBlock(client, chainId, rowsOf(rows, claimIds), anyRow);
    current.push(...data.flatMap((row) => present(row, symbols)));
  }
  return current;
}

/** Each list parses its own. */
const anyRow = z.record(z.string(), z.unknown());

const rowsOf = ({ columns, joins, where, version }: ClaimRows, claimIds: readonly string[]): Sql => sql`
  SELECT r.* FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
    SELECT p.*, ${fingerprintOf("p")}::text AS fingerprint, c.key_id::text AS key_id, v.row_hash::text AS row_hash,
      v.changed_block::text AS changed_block, (extract(epoch FROM ${changedAt}) * 1000)::bigint::text AS changed_ms,
      coalesce(o.log_index, -1) AS log_index
    FROM app.transaction_claim c ${joins} LEFT JOIN LATERAL (${version}) v ON true
    CROSS JOIN LATERAL (SELECT ${columns} OFFSET 0) p
    WHERE c.claim_id = l.claim_id AND ${where} OFFSET 0) r`;

const objectSchema: z.ZodType<IndexedObject> = z.object({
  productType: z.string(),
  objectId: z.string(),
  txHash: z.string(),
  rowHash: z.string(),
  blockNumber: z.coerce.bigint(),
});

/** Returns all that some transactions did, by the index, whoever owns it. */
export function readObjects(
  client: Client,
  chainId: number,
  hashes: readonly string[],
): Promise<IndexedObject[]> {
  const parts = LISTED.map(
    ({ table, id, block }) => sql`
      SELECT o.product_type, ${raw(`o.${id}`)} AS object_id, o.tx_hash, md5(o::text)::uuid::text AS row_hash,
        ${raw(`o.${block}`)}::text AS block_number
      FROM unnest(${hashes}::text[]) AS l (tx_hash) CROSS JOIN LATERAL (
        SELECT * FROM ${raw(`onchain.${table}`)} t
        WHERE t.chain_id = ${chainId} AND t.tx_hash = l.tx_hash OFFSET 0) o`,
  );
  return queryRows(client, join(parts, " UNION ALL "), objectSchema);
}

const nameSchema = z.object({ claimId: z.string(), resource: z.enum(EVENT_RESOURCES), ordinal: z.number() });

/** Returns the rows of some claims that triggers wrote and that are not reported as they are. */
export function readUnreported(client: Client, claimIds: readonly string[]): Promise<RowName[]> {
  const parts = LISTS.map(
    ({ table: { name, resource } }) => sql`
      SELECT r.claim_id::text AS claim_id, ${resource} AS resource, r.ordinal FROM ${raw(`app.${name}`)} r
      WHERE r.claim_id = ANY(${claimIds}::uuid[]) AND r.unreported`,
  );
  return queryRows(client, join(parts, " UNION ALL "), nameSchema);
}

/**
 * Selects transactions whose rows in the index the log has not reported as they are, or has reported and the index no longer has. OFFSET 0
 * makes PostgreSQL look each row up by an index: it would hash whole tables, and compute the MD5 of all rows of the index.
 */
export const differentRows = (range: DifferentRange): Sql[] => [
  ...LISTED.map((table) => unreportedOf(table, range)),
  ...["event_memory", "event_unowned"].map((table) => goneOf(table, range)),
];

/** Selects transactions with a claim and a row in the index that the log has not reported as it is. */
function unreportedOf({ table, id, block }: IndexedTable, { chainId, from, after }: DifferentRange): Sql {
  const same = sql`
    m.object_id = ${raw(`o.${id}`)} AND m.chain_id = o.chain_id AND m.row_hash = md5(o::text)::uuid`;
  return sql`
    SELECT o.tx_hash FROM ${raw(`onchain.${table}`)} o
    WHERE o.chain_id = ${chainId} AND ${raw(`o.${block}`)} > ${String(from)}::numeric AND o.tx_hash > ${after}
      AND NOT (EXISTS (SELECT 1 FROM app.event_memory m WHERE ${same} OFFSET 0)
        OR EXISTS (SELECT 1 FROM app.event_unowned m WHERE ${same} AND m.product_type = o.product_type OFFSET 0))
      AND EXISTS (SELECT 1 FROM app.transaction_claim c WHERE c.chain_id = o.chain_id AND c.tx_hash = o.tx_hash)`;
}

/** Selects transactions with a row that the log has reported and that the index no longer has as it was. */
function goneOf(memory: string, { chainId, from, after }: DifferentRange): Sql {
  const isGone = LISTED.map(
    ({ table, id }) => sql`
      NOT EXISTS (SELECT 1 FROM ${raw(`onchain.${table}`)} o
        WHERE o.chain_id = m.chain_id AND o.product_type = m.product_type AND ${raw(`o.${id}`)} = m.object_id
          AND md5(o::text)::uuid = m.row_hash OFFSET 0)`,
  );
  return sql`
    SELECT m.tx_hash FROM ${raw(`app.${memory}`)} m
    WHERE m.chain_id = ${chainId} AND m.block_number > ${from} AND m.tx_hash > ${after}
      AND ${join(isGone, " AND ")}`;
}

/** What the log remembers of the claims of a step. */
export interface Memory extends Pick<Outcome, "remembered" | "forgotten" | "waiting"> {
  chainId: number;
  /** The transactions that were compared, and what of them no key owns. */
  hashes: readonly string[];
  unowned: readonly IndexedObject[];
  verified: bigint;
  /** Rows of app.event_due that the step is done with. */
  due: readonly string[];
}

/** Returns WITH items that write it. */
export const memoryItems = ({ chainId, hashes, unowned, verified, due, ...outcome }: Memory): Sql[] => [
  rememberItem("remembered", chainId, outcome.remembered),
  sql`forgotten AS (
      DELETE FROM app.event_memory m
      USING jsonb_to_recordset(${json(outcome.forgotten)}::jsonb) AS f (claim_id uuid, resource text, ordinal int)
      WHERE m.claim_id = f.claim_id AND m.resource = f.resource AND m.ordinal = f.ordinal
    )`,
  sql`unowned AS (
      INSERT INTO app.event_unowned (chain_id, product_type, object_id, tx_hash, row_hash, block_number)
      SELECT ${chainId}::int, u.* FROM jsonb_to_recordset(${json(unowned)}::jsonb)
        AS u (product_type text, object_id text, tx_hash text, row_hash uuid, block_number bigint)
      ON CONFLICT (chain_id, product_type, object_id) DO UPDATE
      SET tx_hash = excluded.tx_hash, row_hash = excluded.row_hash, block_number = excluded.block_number
    )`,
  sql`owned AS (
      DELETE FROM app.event_unowned u WHERE u.chain_id = ${chainId}
        AND (u.tx_hash = ANY(${hashes}::text[]) OR u.block_number <= ${verified})
        AND u.object_id <> ALL(${unowned.map(({ objectId }) => objectId)}::text[])
    )`,
  sql`waiting AS (
      INSERT INTO app.event_due (chain_id, claim_id, waits_for, seen, resource, ordinal)
      SELECT ${chainId}::int, w.* FROM jsonb_to_recordset(${json(outcome.waiting.map(waitingRecord))}::jsonb)
        AS w (claim_id uuid, waits_for text, seen bigint, resource text, ordinal int)
      WHERE w.seen IS NOT NULL OR NOT EXISTS (SELECT 1 FROM app.event_due d
        WHERE d.chain_id = ${chainId} AND d.claim_id = w.claim_id AND d.waits_for = w.waits_for
          AND d.id <> ALL(${due}::bigint[]))
    )`,
];

const waitingRecord = ({ claimId, waitsFor, seen }: Outcome["waiting"][number]) => ({
  ...{ claimId, waitsFor, seen: seen?.sequence, resource: seen?.resource, ordinal: seen?.ordinal },
});
