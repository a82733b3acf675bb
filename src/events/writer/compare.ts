import type { Hex } from "viem";
import type { EventResource, EventType } from "../../protocol/enums.ts";

/** A row of a list, by which events and what the log remembers are known: `ordinal` is that of its mapping. */
export interface RowName {
  claimId: string;
  resource: EventResource;
  ordinal: number;
}

/** The columns by which lists find and sort a row, and the claim's time; -1 and empty where nothing is indexed. */
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
  /** The transaction that made it what it is. */
  causeTxHash: string | null;
  /** The object as its GET answers it, as JSON. */
  data: string;
  dataHash: string;
  fingerprint: string;
  rowHash: string | null;
  /** The block of its last change. */
  blockNumber: bigint | null;
  /** The token whose name `data` lacks: the row cannot be reported yet. */
  waitsFor: Hex | null;
  /** With those that its list alone has. */
  columns: ListColumns & Readonly<Record<string, string | number | bigint | null>>;
}

/**
 * Represents the last report of a row, stored in app.event_memory; or a row of app.key_order or app.key_operation without a report, since
 * it is older than the log.
 */
export interface Remembered extends RowName {
  keyId: string;
  productType: string;
  txHash: string | null;
  objectId: string | null;
  type: EventType;
  /** Null: never reported. */
  eventId: string | null;
  sequence: bigint;
  /** Null of what was neither reported nor indexed: its type says all. */
  dataHash: string | null;
  fingerprint: string | null;
  rowHash: string | null;
  blockNumber: bigint | null;
}

/** An order or operation of the index. */
export interface IndexedObject {
  productType: string;
  objectId: string;
  txHash: string;
  rowHash: string;
  blockNumber: bigint;
}

/** A row that a list showed before the log reported it, and where the log was then. */
export interface SeenRow extends RowName {
  sequence: bigint;
}

/** An event to be appended. */
export interface Draft {
  keyId: string;
  productType: string;
  eventId: string;
  type: EventType;
  resource: EventResource;
  blockNumber: bigint | null;
  txHash: string | null;
  retracts: string | null;
  data: string;
}

/** An event to be appended to the logs of all active keys of a product. The id of a key's event follows from the key and the seed. */
export interface DraftToAll extends Omit<Draft, "keyId" | "eventId" | "retracts"> {
  eventSeed: string;
  /** The seed of the event that this one withdraws, and when that was appended, as an ISO time: a key made later has not got it. */
  retractsSeed: string | null;
  retractsReportedAt: string | null;
}

/** A claim to be compared once a token's name is known; with a row that a list showed of it. */
export interface Waiting {
  claimId: string;
  waitsFor: Hex;
  seen: SeenRow | null;
}

/** The result of a comparison, to be written in one transaction. */
export interface Outcome {
  events: Draft[];
  /** Rows of app.event_memory to write; the sequence counts only where the event is not of `events`. */
  remembered: Remembered[];
  forgotten: RowName[];
  waiting: Waiting[];
  /** All rows of `claimIds`. */
  rows: KeyRow[];
  claimIds: string[];
}

/** A row as it is written to app.key_order or app.key_operation, with the event that reported it last. */
export interface KeyRow extends CurrentRow {
  eventId: string | null;
}

/** Rows of some claims: as they are, as the log knows them, and as lists showed them. */
export interface Comparison {
  current: readonly CurrentRow[];
  remembered: readonly Remembered[];
  seen: readonly SeenRow[];
  /** Rows that claims have written since they were reported: lists may have shown them. */
  unreported: readonly RowName[];
  newId: () => string;
  /** Returns true for a row that has been so since before the log began: then it is no event, unless it was one. */
  isHistory: (row: CurrentRow) => boolean;
  /** All claims that are compared. */
  claimIds: readonly string[];
  /** Returns the key, product and last mapping of a row that is not shown any more; null where its claim is gone. */
  mappingOf: (
    row: RowName,
    objectId: string | null,
  ) => { keyId: string; productType: string; txHash: string | null; data: string } | null;
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

/**
 * Returns the events that bring the log from what it last reported to what holds now. A row that is as it was reported gets none,
 * unless a list showed it otherwise meanwhile: who follows the log from that list on must get what holds. A claim with a
 * row that cannot be reported waits as a whole.
 */
export function compare(comparison: Comparison): Outcome {
  const waitsFor = new Map(
    comparison.current.flatMap(({ claimId, waitsFor }) => (waitsFor === null ? [] : [[claimId, waitsFor]])),
  );
  const isReady = ({ claimId }: RowName): boolean => !waitsFor.has(claimId);
  const current = comparison.current.filter(isReady);
  const remembered = comparison.remembered.filter(isReady);
  const known = new Map(remembered.map((row) => [nameOf(row), row]));
  const shown = new Set(current.map(nameOf));
  const seen = lastSeen(comparison.seen.filter(isReady));
  const waiting = waitingOf(waitsFor, comparison.seen);
  const claimIds = comparison.claimIds.filter((claimId) => !waitsFor.has(claimId));
  const outcome: Outcome = { events: [], remembered: [], forgotten: [], waiting, rows: [], claimIds };
  const removed = remembered.filter((row) => !shown.has(nameOf(row)));
  const unreported = new Map(comparison.unreported.filter(isReady).map((row) => [nameOf(row), row]));
  const unknown = [...new Map<string, RowName>([...seen, ...unreported]).values()].filter(
    (row) => !shown.has(nameOf(row)) && !known.has(nameOf(row)),
  );
  for (const row of [...removed, ...unknown]) addRemoval(comparison, known.get(nameOf(row)), row, outcome);
  for (const row of [...current].sort(inOrder)) {
    const before = known.get(nameOf(row));
    const wasSeenOtherwise =
      unreported.has(nameOf(row)) || (seen.get(nameOf(row))?.sequence ?? -1n) >= (before?.sequence ?? 0n);
    const isKnown = before ? isSame(before, row) : comparison.isHistory(row);
    if (isKnown && !wasSeenOtherwise) {
      outcome.rows.push({ ...row, eventId: before?.eventId ?? null });
      if (before?.eventId && isOutdated(before, row))
        outcome.remembered.push({ ...before, ...statesOf(row) });
      continue;
    }
    addChange(comparison, before, row, outcome);
  }
  return outcome;
}

function waitingOf(waitsFor: ReadonlyMap<string, Hex>, seen: readonly SeenRow[]): Waiting[] {
  return [...waitsFor].flatMap(([claimId, token]): Waiting[] => [
    { claimId, waitsFor: token, seen: null },
    ...seen.filter((row) => row.claimId === claimId).map((row) => ({ claimId, waitsFor: token, seen: row })),
  ]);
}

/** Orders rows by block, so that the log reports the changes of several blocks in their order. */
function inOrder(a: CurrentRow, b: CurrentRow): number {
  const [first, second] = [a.blockNumber ?? 0n, b.blockNumber ?? 0n];
  if (first !== second) return first < second ? -1 : 1;
  return a.ordinal - b.ordinal;
}

function lastSeen(seen: readonly SeenRow[]): Map<string, SeenRow> {
  const last = new Map<string, SeenRow>();
  for (const row of seen) {
    const other = last.get(nameOf(row));
    if (!other || other.sequence < row.sequence) last.set(nameOf(row), row);
  }
  return last;
}

const isSame = (before: Remembered, row: CurrentRow): boolean =>
  before.dataHash === null ? before.type === row.type : before.dataHash === row.dataHash;

const isOutdated = (before: Remembered, row: CurrentRow): boolean =>
  before.fingerprint !== row.fingerprint ||
  before.rowHash !== row.rowHash ||
  before.blockNumber !== row.blockNumber ||
  before.txHash !== row.txHash;

const statesOf = ({ txHash, objectId, dataHash, fingerprint, rowHash, blockNumber }: CurrentRow) => ({
  ...{ txHash, objectId, dataHash, fingerprint, rowHash, blockNumber },
});

function addChange(
  { newId }: Comparison,
  before: Remembered | undefined,
  row: CurrentRow,
  outcome: Outcome,
): void {
  const { claimId, resource, ordinal, keyId, productType, type, blockNumber } = row;
  const eventId = newId();
  outcome.events.push({
    ...{ keyId, productType, eventId, type, resource, blockNumber },
    txHash: row.causeTxHash,
    retracts: before && isTakenBack(before, row) ? before.eventId : null,
    data: row.data,
  });
  outcome.remembered.push({
    ...{ claimId, resource, ordinal, keyId, productType, type, eventId, sequence: 0n },
    ...statesOf(row),
  });
  outcome.rows.push({ ...row, eventId });
}

/** Returns true where what the log last reported no longer holds, because a reorg took it back or replaced it. */
function isTakenBack(before: Remembered, row: CurrentRow): boolean {
  if (ENDS.has(before.type) && before.type !== row.type) return true;
  if (before.blockNumber === null) return false;
  if (row.blockNumber === null || row.blockNumber < before.blockNumber || row.objectId !== before.objectId)
    return true;
  return row.blockNumber === before.blockNumber && row.rowHash !== before.rowHash;
}

/** Adds mapping.removed for a row that its claim no longer has. It withdraws the last event only where the object is gone for every key. */
function addRemoval(
  { newId, mappingOf, current }: Comparison,
  before: Remembered | undefined,
  row: RowName,
  outcome: Outcome,
): void {
  const { claimId, resource, ordinal } = row;
  outcome.forgotten.push({ claimId, resource, ordinal });
  const mapping = mappingOf(row, before?.objectId ?? null);
  if (!mapping) return;
  const { keyId, productType, txHash, data } = mapping;
  const remains = current.some(({ objectId }) => objectId === before?.objectId);
  outcome.events.push({
    ...{ keyId, productType, eventId: newId(), type: "mapping.removed", resource, blockNumber: null, txHash },
    retracts: before?.objectId && !remains ? before.eventId : null,
    data,
  });
}
