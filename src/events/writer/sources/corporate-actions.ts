import { randomUUID } from "node:crypto";
import type pg from "pg";
import { getAddress } from "viem";
import { z } from "zod";
import { queryRows } from "../../../db/query.ts";
import { raw, type Sql, sql } from "../../../db/sql.ts";
import { formatDecimal, WAD_DECIMALS } from "../../../protocol/decimal.ts";
import { storedAmount, storedHex } from "../../../protocol/shapes.ts";
import type { DraftToAll } from "../compare.ts";
import { json } from "../log-store.ts";
import { type DifferentRange, NOTHING, type Source } from "../source.ts";

/** Applied corporate actions, as changes of multipliers: each is an event of every key of its product. */
export const CORPORATE_ACTIONS: Source = {
  name: "corporate_actions",
  changed: [{ table: "multiplier_change", block: "block_number" }],
  different: differentChanges,
  async compare(client, { chainId, state, found, verified }) {
    if (found.hashes.length === 0) return NOTHING;
    // Another writer may have reported a change and dropped it as final, since this step found its transaction.
    const final = state.log.verified;
    const reports = compareMultipliers(await readNow(client, { chainId, hashes: found.hashes, final }));
    if (reports.length === 0) return NOTHING;
    const eventsToAll = reports.map(({ event }) => event);
    return { events: [], eventsToAll, remember: rememberItems(chainId, reports, verified) };
  },
};

/** Holds where a row `m` of app.event_multiplier reports the change `o` of the index as it is. */
const isSame = sql`
  m.chain_id = o.chain_id AND m.product_type = o.product_type AND m.token_address = o.token_address
  AND m.block_number = o.block_number AND m.log_index = o.log_index AND m.row_hash = md5(o::text)::uuid`;

/** Selects transactions with a change of a multiplier that either the index or the log has alone. */
function differentChanges({ chainId, from, after }: DifferentRange): Sql[] {
  return [
    sql`
      SELECT o.tx_hash FROM onchain.multiplier_change o
      WHERE o.chain_id = ${chainId} AND o.block_number > ${String(from)}::numeric AND o.tx_hash > ${after}
        AND NOT EXISTS (SELECT 1 FROM app.event_multiplier m WHERE ${isSame})`,
    sql`
      SELECT m.tx_hash FROM app.event_multiplier m
      WHERE m.chain_id = ${chainId} AND m.block_number > ${from} AND m.tx_hash > ${after}
        AND NOT EXISTS (SELECT 1 FROM onchain.multiplier_change o WHERE ${isSame})`,
  ];
}

const change = {
  productType: z.string(),
  tokenAddress: storedHex,
  blockNumber: z.coerce.bigint(),
  logIndex: z.number(),
  txHash: storedHex,
  rowHash: z.string(),
  newMultiplier: storedAmount,
  symbol: z.string(),
};
/** A change of a multiplier: as the index has it, or as the log reported it. */
const rowSchema = z.discriminatedUnion("reported", [
  z.object({ ...change, reported: z.literal(false), oldMultiplier: storedAmount }),
  z.object({
    ...change,
    reported: z.literal(true),
    eventSeed: z.string(),
    reportedAt: z.coerce.date(),
    multiplier: storedAmount,
  }),
]);
type Row = z.output<typeof rowSchema>;
type Applied = Extract<Row, { reported: false }>;
type Reported = Extract<Row, { reported: true }>;

/** Returns changes that the index has and the log has not reported, and those that the log reported and the index no longer has. */
async function readNow(
  client: pg.PoolClient,
  { chainId, hashes, final }: { chainId: number; hashes: readonly string[]; final: bigint },
): Promise<Row[]> {
  const token = (alias: string) =>
    raw(`LEFT JOIN onchain.stock_token t ON t.chain_id = ${alias}.chain_id
      AND t.product_type = ${alias}.product_type AND t.token_address = ${alias}.token_address`);
  const statement = sql`
    SELECT false AS reported, o.product_type, o.token_address, o.block_number::text AS block_number, o.log_index, o.tx_hash,
      md5(o::text)::uuid::text AS row_hash, o.new_multiplier::text AS new_multiplier,
      o.old_multiplier::text AS old_multiplier, coalesce(t.symbol, '') AS symbol, NULL::text AS event_seed,
      NULL::timestamptz AS reported_at, NULL::text AS multiplier
    FROM onchain.multiplier_change o ${token("o")}
    WHERE o.chain_id = ${chainId} AND o.tx_hash = ANY(${hashes}::text[]) AND o.block_number > ${String(final)}::numeric
      AND NOT EXISTS (SELECT 1 FROM app.event_multiplier m WHERE ${isSame})
    UNION ALL
    SELECT true, m.product_type, m.token_address, m.block_number::text, m.log_index, m.tx_hash, m.row_hash::text,
      m.new_multiplier::text, NULL, coalesce(t.symbol, ''), m.event_seed::text, m.told_at,
      coalesce(t.multiplier, m.new_multiplier)::text
    FROM app.event_multiplier m ${token("m")}
    WHERE m.chain_id = ${chainId} AND m.tx_hash = ANY(${hashes}::text[])
      AND NOT EXISTS (SELECT 1 FROM onchain.multiplier_change o WHERE ${isSame})`;
  const rows = await queryRows(client, statement, rowSchema);
  return rows.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
}

interface Report {
  event: DraftToAll;
  /** The row to write to app.event_multiplier; null where no change is applied any more. */
  applied: Applied | null;
}

/**
 * Returns the events of rows that the log has not reported, and of those that it reported and that a reorg took out: where the
 * same token's multiplier changed otherwise instead, that event withdraws the one before, else one that says what holds now.
 */
function compareMultipliers(rows: readonly Row[]): Report[] {
  const gone = rows.filter((row): row is Reported => row.reported);
  const replaced = new Set<Reported>();
  const events = rows
    .filter((row): row is Applied => !row.reported)
    .map((row): Report => {
      const before = gone.find((one) => !replaced.has(one) && isSameToken(one, row));
      if (before) replaced.add(before);
      return reportOf(row, { old: row.oldMultiplier, now: row.newMultiplier, before, applied: row });
    });
  // From the reported multiplier to the present one.
  const undone = gone
    .filter((row) => !replaced.has(row))
    .map((row) => reportOf(row, { old: row.newMultiplier, now: row.multiplier, before: row, applied: null }));
  return [...undone, ...events];
}

const isSameToken = (a: Row, b: Row): boolean =>
  a.productType === b.productType && a.tokenAddress === b.tokenAddress;

interface Multipliers extends Pick<Report, "applied"> {
  old: bigint;
  now: bigint;
  /** Report that the event withdraws. */
  before: Reported | undefined;
}

function reportOf(
  { productType, tokenAddress, symbol }: Row,
  { old, now, before, applied }: Multipliers,
): Report {
  const [blockNumber, txHash] = [applied?.blockNumber ?? null, applied?.txHash ?? null];
  const data = {
    stockToken: getAddress(tokenAddress),
    symbol,
    oldMultiplier: formatDecimal(old, WAD_DECIMALS),
    newMultiplier: formatDecimal(now, WAD_DECIMALS),
    blockNumber: blockNumber === null ? null : Number(blockNumber),
    txHash,
  };
  const event: DraftToAll = {
    type: "corporate_action.applied",
    resource: "corporate-action",
    productType,
    blockNumber,
    txHash,
    // Those of all tokens keep one order. The space is as release 0.3.0 has it.
    object: "corporate-action ",
    eventSeed: randomUUID(),
    retractsSeed: before?.eventSeed ?? null,
    data: JSON.stringify(data),
    retractsReportedAt: before?.reportedAt.toISOString() ?? null,
  };
  return { event, applied };
}

/** @param verified changes up to this block are final once they are reported, so they get no row in app.event_multiplier */
function rememberItems(chainId: number, reports: readonly Report[], verified: bigint): Sql[] {
  const undone = reports.flatMap(({ event }) => event.retractsSeed ?? []);
  const applied = reports.flatMap(({ event, applied }) =>
    applied ? [{ ...applied, eventSeed: event.eventSeed }] : [],
  );
  return [
    sql`multipliers_undone AS (
      DELETE FROM app.event_multiplier m WHERE m.chain_id = ${chainId}
        AND (m.event_seed = ANY(${undone}::uuid[]) OR m.block_number <= ${verified})
      RETURNING 1
    )`,
    // Behind that: a change may be in the place of one that a reorg took out.
    sql`multipliers_applied AS (
      INSERT INTO app.event_multiplier (chain_id, product_type, token_address, block_number, log_index, tx_hash, row_hash,
        event_seed, new_multiplier)
      SELECT ${chainId}::int, r.* FROM (SELECT count(*) FROM multipliers_undone) u CROSS JOIN jsonb_to_recordset(${json(applied)}::jsonb) AS r (product_type text,
        token_address text, block_number bigint, log_index int, tx_hash text, row_hash uuid, event_seed uuid,
        new_multiplier numeric)
      WHERE r.block_number > ${verified}
      ON CONFLICT (chain_id, product_type, token_address, block_number, log_index) DO NOTHING
    )`,
  ];
}
