import type { Hex } from "viem";
import { z } from "zod";
import type { ClaimRows } from "../../../claims/indexed-rows.ts";
import type { Claim } from "../../../claims/mapping.ts";
import type { Sql } from "../../../db/sql.ts";
import type { EventResource } from "../../../protocol/enums.ts";
import type { CurrentRow, ListColumns } from "../compare.ts";
import type { Symbols } from "../symbols.ts";

/** Rows that claims own in the index, of one shape: all that is known of them alone is one file (CONTRIBUTING.md#a-source-of-events). */
export interface ClaimedList {
  /** The resources of its events. */
  resources: readonly EventResource[];
  /** Tables of the index that have them. */
  tables: readonly IndexedTable[];
  /** The SELECTs of their rows, as for lists. */
  rows: ClaimRows;
  /** Returns a row as the log compares it: presented as its GET answers it. */
  present: (row: Record<string, unknown>, symbols: Symbols) => CurrentRow[];
  /** Table of keys' rows that has them. */
  table: KeyTable;
}

/** A table of the index, with the columns of an object's id and of the block of its last change. */
export interface IndexedTable {
  table: string;
  id: string;
  block: string;
}

/** A table of what keys see. */
export interface KeyTable {
  name: string;
  /** The column of the object's id. */
  id: string;
  /** Names the rows of a claim. */
  key: readonly string[];
  /** Its own columns, those of `columns` of a row, with their types. */
  columns: Readonly<Record<string, string>>;
  /** The resource of the row `r`. */
  resource: Sql;
}

/** Columns that the log needs of a row, beside what lists read. */
const logColumns = z.object({
  keyId: z.string(),
  rowHash: z.string().nullable(),
  changedBlock: z.coerce.bigint().nullable(),
  /** Unix milliseconds. */
  changedMs: z.coerce.number(),
  logIndex: z.number(),
});

/**
 * Returns what rows of all lists have.
 * @param indexed the order or operation; null where it is not indexed
 */
export function commonOf(
  row: Record<string, unknown>,
  { claim, status, indexed }: { claim: Claim; status: string; indexed: { userAddress: Hex } | null },
  presented: object,
) {
  const { keyId, rowHash, changedBlock, changedMs, logIndex } = logColumns.parse(row);
  const columns: ListColumns = {
    source: claim.source,
    createdMs: claim.createdMs,
    updatedMs: changedMs,
    logIndex,
    status,
    userAddress: indexed?.userAddress ?? claim.claimUser,
  };
  return {
    claimId: claim.claimId,
    keyId,
    productType: claim.productType,
    txHash: claim.txHash,
    data: JSON.stringify(presented),
    rowHash,
    blockNumber: changedBlock,
    columns,
  };
}
