import type pg from "pg";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import type { BlockRead } from "../context/request.ts";
import { execute, queryRows } from "../db/query.ts";
import { markVersioned } from "../db/replica-source.ts";
import { type Sql, sql } from "../db/sql.ts";
import type { OperationType } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { type Claim, claimSchema } from "./mapping.ts";

/** Reads of what keys see (docs/projection.md): rows, and what they are of in the same snapshot. */

/** State that all rows of a key are of: equal versions mean equal rows, and the same log. */
export interface KeyState {
  /** Never the same for other rows, also after a failover. */
  version: string;
  /** Block that the rows of the chain are of. */
  block: { number: bigint };
  /** The last event of the key's log. */
  sequence: bigint;
}

interface KeyScope {
  keyId: string;
  chainId: number;
  productType: string;
}

/** Columns of app.shown_order and app.shown_operation that say what a row is of. */
export const STATE_COLUMNS = { version: true, shownBlock: true, sequence: true } as const;

interface StateRow {
  version: string;
  shownBlock: bigint;
  sequence: bigint;
}

/** Returns what a row says that it is of. */
export const stateOf = (row: StateRow): KeyState => ({
  version: row.version,
  block: { number: row.shownBlock },
  sequence: row.sequence,
});

/** Returns a FROM item with the version and block of a key's rows; it has no row before those of its chain are complete. */
export const keyStateSql = ({ keyId, chainId, productType }: KeyScope): Sql =>
  sql`app.key_state(${chainId}::int, ${keyId}::uuid, ${productType}::text)`;

/** Rows that a viewer sees, with the state they are of; a dashboard's has no version: it is of all keys. */
export interface Shown<T> extends BlockRead<T> {
  block: { number: bigint };
  version: string | null;
}

/** Returns what a viewer sees by a row. */
export function shownTo<T>({ keyId }: Viewer, row: StateRow, data: T): Shown<T> {
  const { block, version } = stateOf(row);
  return { block, data, version: keyId === null ? null : version };
}

const shownBlockSchema = z.object({ chainId: z.number(), blockNumber: z.coerce.bigint() });

/** Returns the block that the rows of each chain are of, where they are complete. @throws ApiError DATABASE_UNAVAILABLE */
export async function readShownBlocks(pool: pg.Pool): Promise<Map<number, { number: bigint }>> {
  const rows = await queryRows(
    pool,
    sql`SELECT c.chain_id, c.block_number FROM app.event_chain c WHERE c.filled`,
    shownBlockSchema,
  );
  return new Map(rows.map(({ chainId, blockNumber }) => [chainId, { number: blockNumber }]));
}

/** Requires that the rows of a chain are complete: before, there are none. @throws ApiError INDEXER_BEHIND, DATABASE_UNAVAILABLE */
export async function requireShown(pool: pg.Pool, chainId: number): Promise<void> {
  const statement = sql`SELECT 1 FROM app.event_chain c WHERE c.chain_id = ${chainId} AND c.filled`;
  if ((await execute(pool, markVersioned(statement))) === 0) throw new ApiError("INDEXER_BEHIND");
}

/** A row of app.shown_order or app.shown_operation of which nothing is indexed: all that its answer shows. */
export interface PendingRow extends KeyScope {
  claimId: string;
  txHash: string | null;
  source: string;
  createdAt: Date;
  updatedAt: Date;
  userAddress: string | null;
  clientOrderId?: string | null;
}

/** Returns the claim that a row stands for while nothing of it is indexed. @param failed its transaction failed, or is never sent */
export const claimOfRow = (row: PendingRow, operationType: OperationType, failed: boolean): Claim =>
  claimSchema.parse({
    ...row,
    operationType,
    state: failed ? "reverted" : "pending",
    claimUser: row.userAddress,
    clientOrderId: row.clientOrderId ?? null,
    createdMs: row.createdAt.getTime(),
    updatedMs: row.updatedAt.getTime(),
  });
