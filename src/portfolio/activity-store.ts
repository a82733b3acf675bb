import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import { ownerSql } from "../claims/ownership.ts";
import { type AtBlock, readAtBlock } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import { ACTIVITY_KINDS } from "../protocol/enums.ts";
import { storedAmount, storedHex, storedSeconds } from "../protocol/shapes.ts";
import type { ActivityListInput } from "./input.ts";

const activitySchema = z.object({
  user_address: storedHex,
  asset: z.string(),
  symbol: z.string().nullable(),
  timestamp: storedSeconds,
  block_number: z.coerce.number(),
  log_index: z.number(),
  tx_hash: storedHex,
  kind: z.enum(ACTIVITY_KINDS),
  cause_id: storedHex.nullable(),
  delta: storedAmount,
  locked_delta: storedAmount,
  balance_after: storedAmount,
  /** Counts from 0 the user's activities of the transaction. */
  ordinal: z.number(),
  /** Whether the viewer owns the cause. */
  owned: z.boolean(),
});
export type ActivityRow = z.output<typeof activitySchema>;

/** The columns that a user's list is sorted by. */
type Place = readonly [timestamp: number, block: number, logIndex: number, asset: string];

/** Returns the activities of a user behind a place, one more than asked for. @throws ApiError INDEXER_BEHIND */
export async function readActivities(
  prisma: PrismaClient,
  viewer: Viewer,
  input: Omit<ActivityListInput, "cursor">,
  after: Place | null,
): Promise<AtBlock<ActivityRow[]>> {
  const { block, data } = await readAtBlock(
    prisma,
    viewer.chainId,
    Prisma.sql`
      SELECT a.user_address, a.asset, t.symbol, a.timestamp::text AS timestamp, a.block_number::text AS block_number,
        a.log_index, a.tx_hash, a.kind, a.cause_id, a.delta::text AS delta, a.locked_delta::text AS locked_delta,
        a.balance_after::text AS balance_after, ${ordinal} AS ordinal, ${owned(viewer)} AS owned
      FROM (${pageSql(viewer, input, after)}) a
      LEFT JOIN onchain.stock_token t
        ON t.chain_id = a.chain_id AND t.product_type = a.product_type AND t.token_address = a.asset
      ${NEWEST_FIRST}`,
  );
  return { block, data: data.map((row) => activitySchema.parse(row)) };
}

const NEWEST_FIRST = Prisma.sql`
  ORDER BY a.timestamp DESC, a.block_number DESC, a.log_index DESC, a.asset DESC`;

function pageSql(
  { chainId, productType }: Viewer,
  { userId, asset, from, to, limit }: Omit<ActivityListInput, "cursor">,
  after: Place | null,
): Prisma.Sql {
  const conditions = [
    Prisma.sql`a.chain_id = ${chainId} AND a.product_type = ${productType} AND a.user_address = ${userId}`,
    ...(from === undefined ? [] : [Prisma.sql`a.timestamp >= ${String(from)}::numeric`]),
    ...(to === undefined ? [] : [Prisma.sql`a.timestamp <= ${String(to)}::numeric`]),
    ...(after ? [behind(after)] : []),
  ];
  const page = Prisma.sql`${NEWEST_FIRST} LIMIT ${limit + 1}`;
  const search = (more: Prisma.Sql[]) =>
    Prisma.sql`SELECT a.* FROM onchain.activity a WHERE ${Prisma.join([...conditions, ...more], " AND ")} ${page}`;
  if (asset === undefined) return search([]);
  const each = search([Prisma.sql`a.asset = named.asset`]);
  return Prisma.sql`
    SELECT a.* FROM (${assetsOf({ chainId, productType }, asset)}) named CROSS JOIN LATERAL (${each}) a ${page}`;
}

const behind = ([timestamp, block, logIndex, asset]: Place): Prisma.Sql => Prisma.sql`
  (a.timestamp, a.block_number, a.log_index, a.asset)
    < (${String(timestamp)}::numeric, ${String(block)}::numeric, ${logIndex}::int, ${asset})`;

/** Returns the assets that a name stands for, as activities have them. */
function assetsOf({ chainId, productType }: Omit<Viewer, "keyId">, name: string): Prisma.Sql {
  if (name.toLowerCase() === "musd") return Prisma.sql`SELECT 'mUSD'::text AS asset`;
  if (/^0x[0-9a-f]{40}$/i.test(name)) return Prisma.sql`SELECT ${name.toLowerCase()}::text AS asset`;
  return Prisma.sql`
    SELECT k.token_address AS asset FROM onchain.stock_token k
    WHERE k.chain_id = ${chainId} AND k.product_type = ${productType} AND upper(k.symbol) = ${name.toUpperCase()}`;
}

const ordinal = Prisma.sql`
  (SELECT count(*)::int FROM onchain.activity b
    WHERE b.chain_id = a.chain_id AND b.product_type = a.product_type AND b.user_address = a.user_address
      AND b.timestamp = a.timestamp AND b.block_number = a.block_number AND b.tx_hash = a.tx_hash
      AND (b.log_index, b.asset) < (a.log_index, a.asset))`;

/** Orders and operations by their ids, with the type of the claims that count for them: a combined call's are of its trade. */
const CAUSES = Prisma.sql`
  SELECT s.chain_id, s.product_type, s.tx_hash, s.user_address, 'trade' AS claim_type
  FROM onchain.stock_order s WHERE a.kind LIKE 'order-%'
    AND s.chain_id = a.chain_id AND s.product_type = a.product_type AND s.order_id = a.cause_id
  UNION ALL
  SELECT s.chain_id, s.product_type, s.tx_hash, s.user_address, CASE WHEN s.order_id IS NULL THEN s.kind ELSE 'trade' END
  FROM onchain.cash_operation s WHERE a.kind IN ('deposit', 'withdraw', 'withdraw-rejected')
    AND s.chain_id = a.chain_id AND s.product_type = a.product_type AND s.op_id = a.cause_id
  UNION ALL
  SELECT s.chain_id, s.product_type, s.tx_hash, s.user_address, CASE WHEN s.order_id IS NULL THEN s.kind ELSE 'trade' END
  FROM onchain.stock_operation s WHERE a.kind IN ('stock-deposit', 'stock-withdraw')
    AND s.chain_id = a.chain_id AND s.product_type = a.product_type AND s.op_id = a.cause_id`;

/** A dashboard sees every cause, a key those that it owns. */
const owned = ({ keyId }: Viewer): Prisma.Sql =>
  keyId === null
    ? Prisma.sql`true`
    : Prisma.sql`
      EXISTS (SELECT 1 FROM (${CAUSES}) o JOIN ${ownerSql("o", Prisma.sql`o.claim_type`)} owner ON true
        JOIN app.transaction_claim c ON c.claim_id = owner.claim_id WHERE c.key_id = ${keyId}::uuid)`;
