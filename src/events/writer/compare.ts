import type { Hex } from "viem";
import { mappingIdOf } from "../../claims/mapping.ts";
import type { EventResource, EventType } from "../../protocol/enums.ts";

/** Names a row of a list: `ordinal` is that of its mapping. */
export interface RowName {
  claimId: string;
  resource: EventResource;
  ordinal: number;
}

/** Columns by which lists find and sort a row, and the claim's time; -1 and empty where nothing is indexed. */
export interface ListColumns {
  source: string;
  createdMs: number;
  updatedMs: number;
  logIndex: number;
  status: string;
  userAddress: string | null;
}

/** A row of a list as it is now, in the name of the key that owns it. */
export interface CurrentRow extends RowName {
  keyId: string;
  productType: string;
  /** The claim's transaction. */
  txHash: string | null;
  /** orderId or operationId; null while it is not indexed. */
  objectId: string | null;
  type: EventType;
  /** Transaction that made it what it is. */
  causeTxHash: string | null;
  /** The object as its GET answers it, as JSON. */
  data: string;
  rowHash: string | null;
  /** The block of its last change. */
  blockNumber: bigint | null;
  /** Token whose name `data` lacks: the row cannot be reported yet. */
  waitsFor: Hex | null;
  /** With those that its list alone has. */
  columns: ListColumns & Readonly<Record<string, string | number | bigint | null>>;
}

/** A row of app.key_order or app.key_operation: its present state for its key, and the last reported one. */
export interface ShownRow extends RowName {
  keyId: string;
  productType: string;
  txHash: string | null;
  objectId: string | null;
  /** Of the event that reported it last. */
  type: EventType;
  /** Null: it was never reported. */
  eventId: string | null;
  /** A claim has written it since: its key has seen more than was reported. */
  unreported: boolean;
  /** Null where nothing is indexed. */
  data: string | null;
  rowHash: string | null;
  blockNumber: bigint | null;
  columns: Pick<ListColumns, "source" | "createdMs" | "userAddress">;
}

/** An event to be appended. */
export interface Draft {
  keyId: string;
  productType: string;
  eventId: string;
  type: EventType;
  resource: EventResource;
  /** List and row of the event. Deliveries of one object keep their order. */
  object: string;
  blockNumber: bigint | null;
  txHash: string | null;
  retracts: string | null;
  data: string;
}

/** An event to be appended to the logs of all active keys of a product. The id of a key's event follows from the key and the seed. */
export interface DraftToAll extends Omit<Draft, "keyId" | "eventId" | "retracts"> {
  eventSeed: string;
  /** Seed of the event that this one withdraws, and when that was appended, as an ISO time: a key made later has not got it. */
  retractsSeed: string | null;
  retractsReportedAt: string | null;
}

/** A claim to be compared once a token's name is known. */
export interface Waiting {
  claimId: string;
  waitsFor: Hex;
}

/** The result of a comparison, to be written in one transaction. */
export interface Outcome {
  events: Draft[];
  waiting: Waiting[];
  /** All rows of `claimIds`. */
  rows: KeyRow[];
  claimIds: string[];
  /** Claims of which a mapping changed: what a fill changes of an order is no part of it. */
  remapped: Set<string>;
}

/** A row as it is written to app.key_order or app.key_operation, with the event that reported it last. */
export interface KeyRow extends CurrentRow {
  eventId: string | null;
}

/** Rows of some claims: as they are, and as their keys see them. */
export interface Comparison {
  current: readonly CurrentRow[];
  shown: readonly ShownRow[];
  newId: () => string;
  /** Returns true for a row that is new and has been as it is since before the log began: then it is no event. */
  isHistory: (row: RowName) => boolean;
  /** All claims that are compared. */
  claimIds: readonly string[];
  /** Returns the transaction and the last mapping of a row that is not shown any more; null where its claim is none of these. */
  lastOf: (row: ShownRow) => { txHash: string | null; data: string } | null;
}

/** Events of states that an order or operation cannot leave, unless a reorg takes them back. */
const ENDS: ReadonlySet<EventType> = new Set([
  "order.filled",
  "order.canceled",
  "order.rejected",
  "order.expired",
  "order.failed",
  "operation.completed",
  "operation.failed",
  "operation.canceled",
]);

/** Names a row in sets and maps. */
export const nameOf = ({ claimId, resource, ordinal }: RowName): string =>
  `${claimId} ${resource} ${ordinal}`;

/** Returns the object of a row's events: a mapping has the same id before and after it is indexed. */
const objectOf = ({ claimId, resource, ordinal }: RowName): string =>
  `${resource} ${mappingIdOf(claimId, ordinal)}`;

/**
 * Returns the events that bring the log from what it last reported to what holds now. A row that is as it was reported gets none,
 * unless its claim wrote it otherwise meanwhile: who follows the log from a list that showed that must get what holds. A claim with a
 * row that cannot be reported waits as a whole.
 */
export function compare(comparison: Comparison): Outcome {
  const waitsFor = new Map(
    comparison.current.flatMap(({ claimId, waitsFor }) => (waitsFor === null ? [] : [[claimId, waitsFor]])),
  );
  const isReady = ({ claimId }: RowName): boolean => !waitsFor.has(claimId);
  const current = comparison.current.filter(isReady);
  const shown = new Map(comparison.shown.filter(isReady).map((row) => [nameOf(row), row]));
  const names = new Set(current.map(nameOf));
  const outcome: Outcome = {
    events: [],
    rows: [],
    remapped: new Set(),
    waiting: [...waitsFor].map(([claimId, waitsFor]) => ({ claimId, waitsFor })),
    claimIds: comparison.claimIds.filter((claimId) => !waitsFor.has(claimId)),
  };
  for (const [name, row] of shown) if (!names.has(name)) addRemoval(comparison, row, outcome);
  for (const row of [...current].sort(inOrder)) {
    const before = shown.get(nameOf(row));
    const isKnown = before
      ? !before.unreported && reportedOf(before) === reportedOf(row)
      : comparison.isHistory(row);
    if (isKnown) outcome.rows.push({ ...row, eventId: before?.eventId ?? null });
    else addChange(comparison, before, row, outcome);
  }
  return outcome;
}

/** Orders rows by block, so that the log reports the changes of several blocks in their order. */
function inOrder(a: CurrentRow, b: CurrentRow): number {
  const [first, second] = [a.blockNumber ?? 0n, b.blockNumber ?? 0n];
  if (first !== second) return first < second ? -1 : 1;
  return a.ordinal - b.ordinal;
}

/** Returns what events report of a row; of what is not indexed, the columns that it follows from, save for the time of its last change. */
function reportedOf({ objectId, data, type, txHash, columns }: ShownRow | CurrentRow): string | null {
  const { source, createdMs, userAddress } = columns;
  return objectId === null ? JSON.stringify([type, txHash, source, createdMs, userAddress]) : data;
}

function addChange(
  { newId }: Comparison,
  before: ShownRow | undefined,
  row: CurrentRow,
  { events, rows, remapped }: Outcome,
): void {
  const { claimId, resource, keyId, productType, type, objectId, blockNumber, data } = row;
  const eventId = newId();
  events.push({
    keyId,
    productType,
    eventId,
    type,
    resource,
    object: objectOf(row),
    blockNumber,
    data,
    txHash: row.causeTxHash,
    retracts: before && isTakenBack(before, row) ? before.eventId : null,
  });
  rows.push({ ...row, eventId });
  const isOtherObject = objectId !== (before?.objectId ?? null);
  if (isOtherObject || (objectId === null && before?.eventId)) remapped.add(claimId);
}

/** Returns true where what the log last reported no longer holds, because a reorg took it back or replaced it. */
function isTakenBack(before: ShownRow, row: CurrentRow): boolean {
  if (ENDS.has(before.type) && before.type !== row.type) return true;
  if (before.blockNumber === null) return false;
  if (row.blockNumber === null || row.blockNumber < before.blockNumber || row.objectId !== before.objectId)
    return true;
  return row.blockNumber === before.blockNumber && row.rowHash !== before.rowHash;
}

/** Adds mapping.removed for a row that its claim no longer has. It withdraws the last event only where the object is gone for every key. */
function addRemoval(
  { newId, lastOf, current }: Comparison,
  row: ShownRow,
  { events, remapped }: Outcome,
): void {
  const { claimId, keyId, productType, resource, objectId, eventId } = row;
  const last = lastOf(row);
  if (!last) return;
  const remains = current.some((other) => other.objectId === objectId);
  events.push({
    ...last,
    keyId,
    productType,
    eventId: newId(),
    type: "mapping.removed",
    resource,
    object: objectOf(row),
    blockNumber: null,
    retracts: objectId !== null && !remains ? eventId : null,
  });
  remapped.add(claimId);
}
