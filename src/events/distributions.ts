import { randomUUID } from "node:crypto";
import type pg from "pg";
import { getAddress } from "viem";
import { z } from "zod";
import { plannedOnce } from "../db/planned-once.ts";
import { queryRows } from "../db/query.ts";
import { join, raw, type Sql, sql } from "../db/sql.ts";
import { presentDistribution } from "../portfolio/distribution.ts";
import { OPERATION_KINDS } from "../protocol/operations.ts";
import { storedAmount, storedHex } from "../protocol/shapes.ts";
import type { Draft } from "./writer/compare.ts";
import { json } from "./writer/log-store.ts";
import { type Compared, type DifferentRange, NOTHING, type Source } from "./writer/source.ts";

/** Users of keys that one step compares, and rows of what is final that it removes: some 50 ms. */
const PAGE = 500;
const RESOURCE = "users/activities";

/**
 * Splits and dividends of users, as events of the keys that have an order or operation of theirs, or are bound to them. A token may have any
 * number of holders, so a step compares one page of the users of all keys, and enters in app.event_due that more are left; between two
 * pages the log goes on. A change of the multiplier, and a reorg of one, has the scan begin anew: what was reported compares equal.
 */
export const DISTRIBUTIONS: Source = {
  name: "distributions",
  due: [RESOURCE],
  changed: [{ table: "multiplier_change", block: "block_number" }],
  differentIds: unfinishedScans,
  async compare(client, { chainId, state, found }) {
    if (found.hashes.length === 0 && found.ids.length === 0) return NOTHING;
    // Another writer may have made it final since this step found its changes.
    const final = state.log.verified;
    const tasks = (await queryRows(client, scansSql(chainId, final), scanSchema)).flatMap((scan) =>
      taskOf(scan, final),
    );
    const [task, ...others] = tasks;
    if (!task) return NOTHING;
    return task.isFinal ? removeFinal(chainId, task) : comparePage(client, chainId, task, others.length > 0);
  },
};

/** Selects the changes of multipliers behind a block, or behind that of their token's scan: the last one, and a hash of all. */
const changesSql = (chainId: number, final: Sql): Sql => sql`
  SELECT o.product_type, o.token_address, max(o.block_number)::bigint AS last_block,
    md5(string_agg(concat_ws(' ', o.block_number, o.log_index, b.hash), ',' ORDER BY o.block_number, o.log_index))::uuid AS changes_hash
  FROM onchain.multiplier_change o
  LEFT JOIN onchain.event_block b ON b.chain_id = o.chain_id AND b.number = o.block_number
  LEFT JOIN app.distribution_scan s
    ON s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.token_address = o.token_address
  WHERE o.chain_id = ${chainId} AND o.block_number > coalesce(s.after_block, ${final})::numeric
  GROUP BY o.product_type, o.token_address`;

const withScans = (chainId: number, final: Sql): Sql => sql`
  (SELECT * FROM app.distribution_scan WHERE chain_id = ${chainId}) s FULL JOIN (${changesSql(chainId, final)}) c
    ON c.product_type = s.product_type AND c.token_address = s.token_address`;

/** Selects the tokens with something to do, in the first part of a pass alone: there are few. */
function unfinishedScans({ chainId, from, after }: DifferentRange): Sql {
  return sql`
    SELECT json_agg(coalesce(s.token_address, c.token_address)) FROM ${withScans(chainId, sql`${from}::bigint`)}
    WHERE ${after} = '' AND (s.complete IS NOT TRUE OR s.last_block <= ${from} OR s.changes_hash IS DISTINCT FROM c.changes_hash)`;
}

const scanSchema = z.object({
  productType: z.string(),
  tokenAddress: storedHex,
  symbol: z.string(),
  changesHash: z.string().nullable(),
  lastBlock: z.coerce.bigint(),
  /** As app.distribution_scan has it; null where the token has none. */
  begun: z
    .object({
      afterBlock: z.coerce.bigint(),
      lastBlock: z.coerce.bigint(),
      changesHash: z.string().nullable(),
      keyId: z.string(),
      userAddress: z.string(),
      complete: z.boolean(),
    })
    .nullable(),
});
type Scan = z.output<typeof scanSchema>;

const scansSql = (chainId: number, final: bigint): Sql => sql`
  SELECT coalesce(s.product_type, c.product_type) AS product_type, coalesce(s.token_address, c.token_address) AS token_address,
    coalesce(t.symbol, '') AS symbol, c.changes_hash::text AS changes_hash, coalesce(c.last_block, s.last_block)::text AS last_block,
    CASE WHEN s.chain_id IS NOT NULL THEN json_build_object('afterBlock', s.after_block::text, 'lastBlock', s.last_block::text,
      'changesHash', s.changes_hash, 'keyId', s.key_id, 'userAddress', s.user_address, 'complete', s.complete) END AS begun
  FROM ${withScans(chainId, sql`${final}::bigint`)}
  LEFT JOIN onchain.stock_token t ON t.chain_id = ${chainId} AND t.product_type = coalesce(s.product_type, c.product_type)
    AND t.token_address = coalesce(s.token_address, c.token_address)
  ORDER BY 2, 1`;

/** A scan with something to do: from which pair on, and behind which block. */
interface Task extends Pick<Scan, "productType" | "tokenAddress" | "symbol" | "changesHash" | "lastBlock"> {
  afterBlock: bigint;
  keyId: string;
  userAddress: string;
  /** True where all is reported and final, and is removed. */
  isFinal: boolean;
}

/** Less than every pair of a key and a user. */
const BEGIN = { keyId: "00000000-0000-0000-0000-000000000000", userAddress: "" };

function taskOf({ begun, ...scan }: Scan, final: bigint): Task[] {
  if (!begun) return [{ ...scan, ...BEGIN, afterBlock: final, isFinal: false }];
  const { keyId, userAddress, complete } = begun;
  const isFinal = complete && begun.lastBlock <= final;
  if (scan.changesHash !== begun.changesHash)
    return [{ ...scan, ...BEGIN, afterBlock: isFinal ? final : begun.afterBlock, isFinal: false }];
  if (complete && !isFinal) return [];
  return [{ ...scan, keyId, userAddress, afterBlock: begun.afterBlock, isFinal }];
}

/** Removes a part of what a finished scan has remembered, and with the last part the scan. */
function removeFinal(chainId: number, { productType, tokenAddress }: Task): Compared {
  const ofToken = (alias: string) => sql`
    ${raw(`${alias}.chain_id`)} = ${chainId} AND ${raw(`${alias}.product_type`)} = ${productType} AND ${raw(`${alias}.token_address`)} = ${tokenAddress}`;
  const remember = [
    sql`distributions_removed AS (
      DELETE FROM app.event_distribution m WHERE m.ctid = ANY(ARRAY(
        SELECT r.ctid FROM app.event_distribution r WHERE ${ofToken("r")} LIMIT ${raw(String(PAGE))}))
      RETURNING 1
    )`,
    sql`distribution_scan_removed AS (
      DELETE FROM app.distribution_scan s
      WHERE ${ofToken("s")} AND (SELECT count(*) FROM distributions_removed) < ${raw(String(PAGE))}
    )`,
    dueItem(chainId),
  ];
  return { events: [], remember, complete: false };
}

const dueItem = (chainId: number): Sql => sql`
  distributions_due AS (
    INSERT INTO app.event_due (chain_id, claim_id, resource) VALUES (${chainId}, gen_random_uuid(), ${RESOURCE})
  )`;

const pair = { keyId: z.string(), userAddress: z.string() };
const holding = {
  ...pair,
  userAddress: storedHex,
  blockNumber: z.coerce.bigint(),
  logIndex: z.number(),
  newMultiplier: storedAmount,
  /** Tokens: at the change; of one that was reported, now. */
  held: storedAmount,
};
/** Last pair of a page, and each of its distributions that the index or the log alone has. */
const rowSchema = z.discriminatedUnion("part", [
  z.object({ part: z.literal("last"), ...pair, count: z.number() }),
  z.object({
    part: z.literal("indexed"),
    ...holding,
    rowHash: z.string(),
    oldMultiplier: storedAmount,
    txHash: storedHex,
    timestamp: z.coerce.number(),
  }),
  z.object({ part: z.literal("reported"), ...holding, eventId: z.string(), multiplier: storedAmount }),
]);
type Row = z.output<typeof rowSchema>;
type Indexed = Extract<Row, { part: "indexed" }>;
type Reported = Extract<Row, { part: "reported" }>;

/** Compares the next users of keys with what the log reported of them. */
async function comparePage(
  client: pg.PoolClient,
  chainId: number,
  task: Task,
  areOthersLeft: boolean,
): Promise<Compared> {
  const rows = await queryRows(client, plannedOnce(pageSql(chainId, task)), rowSchema);
  const last = rows.find((row) => row.part === "last") ?? { ...BEGIN, count: 0 };
  const isLast = last.count < PAGE;
  const { reports, gone } = compareHoldings(
    rows.filter((row) => row.part === "indexed"),
    rows.filter((row) => row.part === "reported"),
  );
  const events = [
    ...gone.map((row) => eventOf(task, row, { old: row.newMultiplier, now: row.multiplier, before: row })),
    ...reports.map(({ row, before, eventId }) =>
      eventOf(task, row, { old: row.oldMultiplier, now: row.newMultiplier, before, eventId }),
    ),
  ];
  const scan = { ...task, keyId: last.keyId, userAddress: last.userAddress, complete: isLast };
  const complete = isLast && !areOthersLeft;
  const remember = [scanItem(chainId, scan), ...memoryItems(chainId, task, { reports, gone })];
  return { events, remember: complete ? remember : [...remember, dueItem(chainId)], complete };
}

/**
 * Selects the users of keys behind a pair, in the order of keys and users, by one search of an index for each: those of orders and
 * operations, the key's own, and those of whom something was reported. Each key comes once more before its users, without one.
 */
function pairsSql(
  chainId: number,
  { productType, tokenAddress, keyId, userAddress }: Omit<Task, "symbol">,
): Sql {
  const next = (table: string, condition: Sql) => sql`
    (SELECT r.user_address FROM ${raw(`app.${table} r`)}
    WHERE r.key_id = p.key_id AND r.chain_id = ${chainId} AND r.product_type = ${productType} AND ${condition}
      AND r.user_address > p.user_address
    ORDER BY r.user_address LIMIT 1)`;
  const sources = [
    next("key_order", sql`true`),
    ...OPERATION_KINDS.map((kind) => next("key_operation", sql`r.kind = ${kind}`)),
    next("event_distribution", sql`r.token_address = ${tokenAddress}`),
    sql`SELECT k.user_address FROM app.api_key k WHERE k.key_id = p.key_id AND k.user_address > p.user_address`,
  ];
  return sql`
    pair (key_id, user_address, n) AS (
      SELECT ${keyId}::uuid, ${userAddress}::text, 0
      UNION ALL
      SELECT coalesce(k.key_id, p.key_id), coalesce(u.user_address, ''), p.n + 1
      FROM pair p
      CROSS JOIN LATERAL (SELECT min(x.user_address) AS user_address FROM (${join(sources, " UNION ALL ")}) x) u
      LEFT JOIN LATERAL (
        SELECT a.key_id FROM app.api_key a
        WHERE u.user_address IS NULL AND a.key_id > p.key_id AND a.active AND EXISTS (SELECT 1 FROM app.api_key_scope s
          WHERE s.key_id = a.key_id AND s.chain_id = ${chainId} AND s.product_type = ${productType})
        ORDER BY a.key_id LIMIT 1) k ON true
      WHERE p.n < ${raw(String(PAGE))} AND (u.user_address IS NOT NULL OR k.key_id IS NOT NULL)
    )`;
}

/** Holds where a row `m` of app.event_distribution reports the distribution `d` of the index as it is. */
const isSame = sql`
  m.chain_id = d.chain_id AND m.product_type = d.product_type AND m.token_address = d.token_address AND m.user_address = d.user_address
  AND m.block_number = d.block_number AND m.log_index = d.log_index AND m.row_hash = md5(d::text)::uuid`;

/**
 * Selects the distributions of a page that index and log do not have alike. OFFSET keeps each look-up of a user by itself: joined with a page of
 * unknown size, PostgreSQL would read all holders of the token.
 */
function pageSql(chainId: number, task: Task): Sql {
  const { productType, tokenAddress, afterBlock } = task;
  const ofToken = (alias: string) => sql`
    ${raw(`${alias}.chain_id`)} = ${chainId} AND ${raw(`${alias}.product_type`)} = ${productType}
    AND ${raw(`${alias}.token_address`)} = ${tokenAddress} AND ${raw(`${alias}.user_address`)} = p.user_address`;
  return sql`
    WITH RECURSIVE ${pairsSql(chainId, task)}
    (SELECT 'last' AS part, p.key_id::text AS key_id, p.user_address, p.n AS count, NULL::text AS block_number, NULL::int AS log_index,
      NULL::text AS row_hash, NULL::text AS event_id, NULL::text AS old_multiplier, NULL::text AS new_multiplier, NULL::text AS multiplier,
      NULL::text AS held, NULL::text AS tx_hash, NULL::text AS timestamp
    FROM pair p ORDER BY p.n DESC LIMIT 1)
    UNION ALL
    SELECT 'indexed', p.key_id::text, p.user_address, NULL, d.block_number::text, d.log_index, d.row_hash::text, NULL,
      d.old_multiplier::text, d.new_multiplier::text, NULL, (d.available + d.locked)::text, d.tx_hash, d.timestamp::text
    FROM pair p CROSS JOIN LATERAL (
      SELECT d.*, md5(d::text)::uuid AS row_hash FROM onchain.distribution d
      WHERE ${ofToken("d")} AND d.block_number > ${afterBlock}::numeric
        AND NOT EXISTS (SELECT 1 FROM app.event_distribution m WHERE m.key_id = p.key_id AND ${isSame})
      OFFSET 0) d
    WHERE p.n > 0
    UNION ALL
    SELECT 'reported', p.key_id::text, p.user_address, NULL, m.block_number::text, m.log_index, NULL, m.event_id::text,
      NULL, m.new_multiplier::text, coalesce(t.multiplier, m.new_multiplier)::text, coalesce(b.available + b.locked, 0)::text, NULL, NULL
    FROM pair p CROSS JOIN LATERAL (
      SELECT m.* FROM app.event_distribution m WHERE m.key_id = p.key_id AND ${ofToken("m")} AND m.block_number > ${afterBlock}
        AND NOT EXISTS (SELECT 1 FROM onchain.distribution d WHERE ${isSame})
      OFFSET 0) m
    LEFT JOIN onchain.stock_token t
      ON t.chain_id = m.chain_id AND t.product_type = m.product_type AND t.token_address = m.token_address
    LEFT JOIN onchain.stock_balance b
      ON b.chain_id = m.chain_id AND b.product_type = m.product_type AND b.user_address = m.user_address AND b.stock_address = m.token_address
    WHERE p.n > 0`;
}

interface Report {
  row: Indexed;
  /** Report that it replaces. */
  before: Reported | undefined;
  eventId: string;
}

/**
 * Returns the reports to make, in the chain's order, and the reports without a distribution: one that a reorg took out is withdrawn by
 * another one of the same user, where there is one.
 */
function compareHoldings(indexed: readonly Indexed[], reported: readonly Reported[]) {
  const gone = new Set(reported);
  const inOrder = [...indexed].sort(
    (a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex,
  );
  const reports = inOrder.map((row): Report => {
    const before = [...gone].find(
      ({ keyId, userAddress }) => keyId === row.keyId && userAddress === row.userAddress,
    );
    if (before) gone.delete(before);
    return { row, before, eventId: randomUUID() };
  });
  return { reports, gone: [...gone] };
}

interface Change {
  old: bigint;
  now: bigint;
  before: Reported | undefined;
  eventId?: string;
}

/** Returns the event of a distribution, or of one that is gone: from the reported multiplier to the present one, of what is held now. */
function eventOf(
  task: Task,
  row: Indexed | Reported,
  { old, now, before, eventId = randomUUID() }: Change,
): Draft {
  const { productType, tokenAddress, symbol } = task;
  const applied = row.part === "indexed" ? row : null;
  const userAddress = getAddress(row.userAddress);
  const data = {
    userAddress,
    stockToken: getAddress(tokenAddress),
    symbol,
    ...presentDistribution({ oldMultiplier: old, newMultiplier: now, held: row.held }),
    timestamp: applied?.timestamp ?? null,
    blockNumber: applied ? Number(applied.blockNumber) : null,
    txHash: applied?.txHash ?? null,
  };
  return {
    keyId: row.keyId,
    productType,
    eventId,
    type: "distribution.applied",
    resource: RESOURCE,
    object: `${RESOURCE} ${userAddress}`,
    blockNumber: applied?.blockNumber ?? null,
    txHash: applied?.txHash ?? null,
    retracts: before?.eventId ?? null,
    data: JSON.stringify(data),
  };
}

type ScanState = Omit<Task, "symbol" | "isFinal"> & { complete: boolean };

const scanItem = (chainId: number, scan: ScanState): Sql => sql`
  distribution_scan AS (
    INSERT INTO app.distribution_scan (chain_id, product_type, token_address, after_block, last_block, changes_hash, key_id, user_address, complete)
    SELECT ${chainId}::int, r.* FROM jsonb_to_recordset(${json([scan])}::jsonb) AS r (product_type text, token_address text,
      after_block bigint, last_block bigint, changes_hash uuid, key_id uuid, user_address text, complete boolean)
    ON CONFLICT (chain_id, product_type, token_address) DO UPDATE SET after_block = excluded.after_block, last_block = excluded.last_block,
      changes_hash = excluded.changes_hash, key_id = excluded.key_id, user_address = excluded.user_address, complete = excluded.complete
  )`;

interface Compares {
  reports: readonly Report[];
  gone: readonly Reported[];
}

/** Remembers reports, and removes those whose distributions are gone or reported anew. */
function memoryItems(
  chainId: number,
  { productType, tokenAddress }: Task,
  { reports, gone }: Compares,
): Sql[] {
  const withdrawn = [...gone, ...reports.flatMap(({ before }) => before ?? [])];
  return [
    sql`distributions_undone AS (
      DELETE FROM app.event_distribution m USING jsonb_to_recordset(${json(withdrawn)}::jsonb)
        AS r (key_id uuid, user_address text, block_number bigint, log_index int)
      WHERE m.chain_id = ${chainId} AND m.product_type = ${productType} AND m.token_address = ${tokenAddress} AND m.key_id = r.key_id
        AND m.user_address = r.user_address AND m.block_number = r.block_number AND m.log_index = r.log_index
      RETURNING 1
    )`,
    // Behind that: a distribution may be in the place of one that a reorg took out.
    sql`distributions_applied AS (
      INSERT INTO app.event_distribution (chain_id, product_type, token_address, key_id, user_address, block_number, log_index, row_hash,
        event_id, new_multiplier)
      SELECT ${chainId}::int, ${productType}, ${tokenAddress}, r.* FROM (SELECT count(*) FROM distributions_undone) u
      CROSS JOIN jsonb_to_recordset(${json(reports.map(({ row, eventId }) => ({ ...row, eventId })))}::jsonb) AS r (key_id uuid,
        user_address text, block_number bigint, log_index int, row_hash uuid, event_id uuid, new_multiplier numeric)
      ON CONFLICT DO NOTHING
    )`,
  ];
}
