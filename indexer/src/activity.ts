// Ledgers and their activities. Available amounts move by Credited and Deducted events alone, locks by those of orders. An event
// of either kind is half of an activity: the ledger's has the amount, the other one the cause. They follow each other within a
// transaction, in either order (docs/contracts.md#the-ledger-follows-from-events). The balance row keeps the half that came
// first, and the row is inserted with the second one: an update would write it twice. A half that nothing joined becomes a row of
// its own with the next event of its account; until then it is read from the balance (src/portfolio/activity-store.ts).
import type { Context } from "ponder:registry";
import { activity, cashBalance, stockBalance } from "ponder:schema";
import type { Hex } from "viem";
import type { ActivityKind } from "../../src/protocol/enums.ts";
import type { ProductId } from "../../src/protocol/shapes.ts";
import type { Position } from "./ledger.ts";
import type { ChainEvent } from "./store.ts";

/** Identifies the balance of a user in mUSD, or in a stock token. */
export interface Account {
  product: ProductId;
  user: Hex;
  /** Null: mUSD. */
  stock: Hex | null;
}

export interface Cause {
  kind: Exclude<ActivityKind, "other" | "distribution">;
  /** Id of the order or the operation. */
  causeId: Hex;
  /** Amount of the ledger's event: wad, 0 without one. */
  delta: bigint;
  /** Wad. */
  locked?: bigint;
  /** Computes the position after a fill. */
  trade?: (position: Position) => Position;
}

/** Moves the available amount, by an event of the ledger. */
export async function moveAvailable(event: ChainEvent, context: Context, account: Account, delta: bigint) {
  const half = halfOf(event, { kind: "other", causeId: null, delta, locked: 0n });
  const { before, available } = await move(context, account, { delta }, half);
  if (!before) return;
  if (joins(half, before)) return insert(context, account, before, available);
  await insertAlone(context, account, before, available - delta);
}

/** Moves locks and positions, by the event of an order or operation, which is the cause of the ledger's change. */
export async function moveByCause(event: ChainEvent, context: Context, account: Account, cause: Cause) {
  const { kind, causeId, delta, locked = 0n, trade } = cause;
  if (delta === 0n && locked === 0n && !trade) return;
  const half = halfOf(event, { kind, causeId, delta, locked });
  const { before, available } = await move(context, account, { locked, trade }, half);
  if (before && joins(half, before)) {
    await insert(context, account, { ...half, logIndex: before.logIndex }, available);
    return;
  }
  if (before) await insertAlone(context, account, before, available);
  if (delta === 0n) await insertAlone(context, account, half, available);
}

/** Half of an activity: the ledger's, whose kind is `other`, or that of the cause. */
interface Half {
  kind: ActivityKind;
  causeId: Hex | null;
  delta: bigint;
  locked: bigint;
  txHash: Hex;
  logIndex: number;
  blockNumber: bigint;
  timestamp: bigint;
}

type Change = Pick<Half, "kind" | "causeId" | "delta" | "locked">;

const halfOf = ({ transaction, log, block }: ChainEvent, change: Change): Half => ({
  kind: change.kind,
  causeId: change.causeId,
  delta: change.delta,
  locked: change.locked,
  txHash: transaction.hash,
  logIndex: log.logIndex,
  blockNumber: block.number,
  timestamp: block.timestamp,
});

const isOfLedger = ({ kind }: Half): boolean => kind === "other";

/** Returns true where two halves are one activity. */
const joins = (half: Half, open: Half): boolean =>
  isOfLedger(half) !== isOfLedger(open) && half.txHash === open.txHash && half.delta === open.delta;

/** Returns the columns of a balance that keep a half. */
const columnsOf = (half: Half | null) => ({
  openKind: half?.kind ?? null,
  openCauseId: half?.causeId ?? null,
  openDelta: half?.delta ?? null,
  openLocked: half?.locked ?? null,
  openTxHash: half?.txHash ?? null,
  openLogIndex: half?.logIndex ?? null,
  openBlockNumber: half?.blockNumber ?? null,
  openTimestamp: half?.timestamp ?? null,
});
type OpenColumns = ReturnType<typeof columnsOf>;

/** Returns the half that a balance keeps. */
function keptBy(row: OpenColumns): Half | null {
  const { openKind: kind, openDelta: delta, openLocked: locked, openTxHash: txHash } = row;
  const { openLogIndex: logIndex, openBlockNumber: blockNumber, openTimestamp: timestamp } = row;
  if (kind === null || delta === null || locked === null || txHash === null) return null;
  if (logIndex === null || blockNumber === null || timestamp === null) return null;
  return { kind, causeId: row.openCauseId, delta, locked, txHash, logIndex, blockNumber, timestamp };
}

/** Inserts a half that nothing joined. A cause without the ledger's event has moved only its lock. */
async function insertAlone(context: Context, account: Account, half: Half, balanceAfter: bigint) {
  if (isOfLedger(half)) return insert(context, account, half, balanceAfter);
  if (half.locked !== 0n) await insert(context, account, { ...half, delta: 0n }, balanceAfter);
}

async function insert({ db }: Context, { product, user, stock }: Account, half: Half, balanceAfter: bigint) {
  await db.insert(activity).values({
    chainId: product.chainId,
    productType: product.productType,
    userAddress: user,
    timestamp: half.timestamp,
    blockNumber: half.blockNumber,
    logIndex: half.logIndex,
    asset: stock ?? "mUSD",
    txHash: half.txHash,
    kind: half.kind,
    causeId: half.causeId,
    delta: half.delta,
    lockedDelta: half.locked,
    balanceAfter,
  });
}

interface Movement {
  delta?: bigint;
  locked?: bigint;
  trade?: ((position: Position) => Position) | undefined;
}

/**
 * Moves a balance.
 * @returns the available amount then, and the half that is no longer open: joined by this one, or left alone
 */
async function move(
  { db }: Context,
  { product, user, stock }: Account,
  { delta = 0n, locked = 0n, trade = (position) => position }: Movement,
  half: Half,
): Promise<{ before: Half | null; available: bigint }> {
  const opened = half.delta === 0n ? null : half;
  const known: { open: Half | null } = { open: null };
  const moved = (row: OpenColumns & { available: bigint; locked: bigint }) => {
    known.open = keptBy(row);
    return {
      available: row.available + delta,
      locked: row.locked + locked,
      ...columnsOf(known.open && joins(half, known.open) ? null : opened),
    };
  };
  const first = { ...product, userAddress: user, available: delta, locked, ...columnsOf(opened) };
  if (stock === null) {
    const { available } = await db.insert(cashBalance).values(first).onConflictDoUpdate(moved);
    return { before: known.open, available };
  }
  const empty = { tradedQuantity: 0n, costBasis: 0n, realizedPnl: 0n };
  const { available } = await db
    .insert(stockBalance)
    .values({ ...first, stockAddress: stock, ...trade(empty) })
    .onConflictDoUpdate((row) => ({
      ...moved(row),
      ...trade({
        tradedQuantity: row.tradedQuantity,
        costBasis: row.costBasis,
        realizedPnl: row.realizedPnl,
      }),
    }));
  return { before: known.open, available };
}
