import type pg from "pg";
import { getAddress } from "viem";
import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { Prisma } from "../db/generated/client.ts";
import { openCursor, sealCursor } from "../input/list.ts";
import { formatWad } from "../protocol/decimal.ts";
import { presentSend } from "../sending/outbox/reply.ts";
import { type RawSendRow, toSendRow } from "../sending/outbox/rows.ts";
import { sliceOf, toConnection } from "./connection.ts";
import { groupBy } from "./group.ts";
import { chainsOf, parseSends, type SendListInput } from "./input.ts";

/** What this service was asked to send, of all API keys. */

interface Row extends RawSendRow {
  sequence: string;
  symbol: string | null;
  notional: string | null;
  signed_at: Date | null;
  broadcast_at: Date | null;
  mined_at: Date | null;
  final_at: Date | null;
}

export type PresentedSend = ReturnType<typeof present>;

/** A request as dashboards see it: what partners are told of it, and what only the operator may know. */
function present(raw: Row) {
  const row = toSendRow(raw);
  return {
    ...presentSend(row),
    keyId: row.keyId,
    chainId: row.chainId,
    productType: row.productType,
    operation: row.operation,
    userAddress: getAddress(row.user),
    wallet: getAddress(row.wallet),
    toAddress: getAddress(row.to),
    symbol: raw.symbol,
    notional: raw.notional === null ? null : formatWad(BigInt(raw.notional)),
    clientOrderId: row.clientOrderId,
    gasLimit: row.gasLimit,
    deadline: row.deadline,
    state: row.state,
    nonce: row.nonce,
    minedBlock: row.minedBlock,
    reason: row.reason,
    fillReason: row.fillReason,
    acceptedAt: seconds(raw.accepted_at),
    signedAt: seconds(raw.signed_at),
    broadcastAt: seconds(raw.broadcast_at),
    minedAt: seconds(raw.mined_at),
    finalAt: seconds(raw.final_at),
  };
}

const seconds = (date: Date | null) => date && Math.floor(date.getTime() / 1000);

const NAME = { list: "dashboard sends", chainId: null, productType: null };
const placeSchema = z.tuple([z.string().regex(/^\d{1,18}$/)]);

/** GraphQL `Dashboard.sendRequests`, newest first. @throws ApiError VALIDATION_FAILED */
export async function listSends(deps: Deps, args: Record<string, unknown>) {
  const input = parseSends(args);
  const where = Prisma.join(filters(input, chainsOf(deps, input)), " AND ");
  const rows = await select<Row>(
    deps.pool,
    Prisma.sql`SELECT r.* FROM app.send_request r WHERE ${where} AND ${behind(input.after)}
      ORDER BY r.sequence DESC LIMIT ${input.first + 1}`,
  );
  const slice = sliceOf(rows, input.first, ({ sequence }) => sealCursor(NAME, [sequence]), present);
  return toConnection(slice, input, () => count(deps.pool, where));
}

/** The requests that made claims, by claim. */
export async function readSendsOfClaims(
  { pool }: Deps,
  claimIds: readonly string[],
): Promise<ReadonlyMap<string | null, PresentedSend>> {
  const rows = await select<Row>(
    pool,
    Prisma.sql`SELECT r.* FROM app.send_request r WHERE r.claim_id = ANY(${claimIds}::uuid[])`,
  );
  return new Map(rows.map((row) => [row.claim_id, present(row)]));
}

interface AttemptRow {
  request_id: string;
  nonce: string;
  kind: string;
  gas_limit: string;
  max_fee_per_gas: string;
  max_priority_fee: string;
  tx_hash: string | null;
  broadcasts: number;
  taken: number;
  answer: string | null;
  created_at: Date;
  last_broadcast_at: Date | null;
}

/** What was signed for requests, by request, oldest first; never the signed bytes. */
export async function readAttempts({ pool }: Deps, requestIds: readonly string[]) {
  const rows = await select<AttemptRow>(
    pool,
    Prisma.sql`
      SELECT a.request_id, a.nonce, a.kind, a.gas_limit, a.max_fee_per_gas, a.max_priority_fee, a.tx_hash,
        a.broadcasts, a.taken, a.answer, a.created_at, a.last_broadcast_at
      FROM app.send_attempt a WHERE a.request_id = ANY(${requestIds}::uuid[]) ORDER BY a.attempt_id`,
  );
  const presented = rows.map((row) => ({
    requestId: row.request_id,
    nonce: row.nonce,
    kind: row.kind,
    gasLimit: row.gas_limit,
    maxFeePerGasWei: row.max_fee_per_gas,
    maxPriorityFeeWei: row.max_priority_fee,
    txHash: row.tx_hash,
    broadcasts: row.broadcasts,
    taken: row.taken,
    answer: row.answer,
    createdAt: seconds(row.created_at),
    lastBroadcastAt: seconds(row.last_broadcast_at),
  }));
  return groupBy(presented, ({ requestId }) => requestId);
}

function filters(input: SendListInput, chainIds: number[]): Prisma.Sql[] {
  const equal = (column: Prisma.Sql, value: string | undefined) =>
    value === undefined ? [] : [Prisma.sql`${column} = ${value}`];
  return [
    Prisma.sql`r.chain_id = ANY(${chainIds}::int[])`,
    ...equal(Prisma.sql`r.product_type`, input.productType),
    ...(input.keyId === undefined ? [] : [Prisma.sql`r.key_id = ${input.keyId}::uuid`]),
    ...equal(Prisma.sql`r.state`, input.state),
    ...equal(Prisma.sql`r.operation`, input.operation),
    ...equal(Prisma.sql`upper(r.symbol)`, input.symbol?.toUpperCase()),
    ...equal(Prisma.sql`r.user_address`, input.userAddress),
    ...equal(Prisma.sql`r.wallet`, input.wallet),
    ...equal(Prisma.sql`r.err_code`, input.errCode),
    ...(input.txHash === undefined
      ? []
      : [
          Prisma.sql`r.request_id IN (SELECT a.request_id FROM app.send_attempt a WHERE a.tx_hash = ${input.txHash})`,
        ]),
    ...(input.from === undefined ? [] : [Prisma.sql`r.accepted_at >= ${new Date(input.from * 1000)}`]),
    ...(input.to === undefined ? [] : [Prisma.sql`r.accepted_at < ${new Date((input.to + 1) * 1000)}`]),
  ];
}

function behind(after: string | undefined): Prisma.Sql {
  if (after === undefined) return Prisma.sql`true`;
  const [sequence] = openCursor(NAME, after, "after", placeSchema);
  return Prisma.sql`r.sequence < ${sequence}::bigint`;
}

async function count(pool: pg.Pool, where: Prisma.Sql): Promise<number> {
  const rows = await select<{ total: number }>(
    pool,
    Prisma.sql`SELECT count(*)::int AS total FROM app.send_request r WHERE ${where}`,
  );
  return rows[0]?.total ?? 0;
}

/** Through `pg`, whose rows the sending side knows how to read. */
async function select<Row extends object>(pool: pg.Pool, { text, values }: Prisma.Sql): Promise<Row[]> {
  return (await withDatabaseErrors(() => pool.query<Row>(text, values))).rows;
}
