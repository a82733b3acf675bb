// Ledgers and their activities. What is available moves by Credited and Deducted events alone, locks by those of orders. An event
// of either kind is half of an activity: the ledger's says by how much, the other one why. They follow each other within a
// transaction, in either order (docs/contracts.md#the-ledger-follows-from-events); the balance row remembers the half that came
// first. Where the other half does not come, sums are right all the same: each half that moves something is in a row.
import type { Context } from "ponder:registry";
import { activity, cashBalance, stockBalance } from "ponder:schema";
import type { Hex } from "viem";
import type { ActivityKind } from "../../src/protocol/enums.ts";
import type { ProductId } from "../../src/protocol/shapes.ts";
import type { Position } from "./ledger.ts";
import type { ChainEvent } from "./store.ts";

/** What a user has of mUSD, or of a stock token. */
export interface Account {
  product: ProductId;
  user: Hex;
  /** Null: mUSD. */
  stock: Hex | null;
}

export interface Cause {
  kind: Exclude<ActivityKind, "other">;
  /** The order or the operation. */
  causeId: Hex;
  /** What the ledger's event moves: wad, 0 where there is none. */
  delta: bigint;
  /** Wad. */
  locked?: bigint;
  /** What a fill does to the position. */
  trade?: (position: Position) => Position;
}

/** Moves what is available, by an event of the ledger. */
export async function moveAvailable(event: ChainEvent, context: Context, account: Account, delta: bigint) {
  const { hash } = event.transaction;
  const locking = `locked ${hash} ${delta} `;
  const caused = `caused ${hash} ${delta} `;
  const opened = `ledger ${hash} ${delta} ${event.log.logIndex}`;
  const isHalf = (open: string | null) =>
    open !== null && (open.startsWith(locking) || open.startsWith(caused));
  const { before, available } = await move(context, account, { delta }, (open) =>
    isHalf(open) ? null : opened,
  );
  if (before?.startsWith(locking)) {
    const at = keyOf(event, account, Number(before.slice(locking.length)));
    await context.db.update(activity, at).set({ delta, balanceAfter: available });
    return;
  }
  const [kind, causeId] = before?.startsWith(caused) ? before.slice(caused.length).split(" ") : [];
  await insert(event, context, account, {
    kind: (kind as ActivityKind | undefined) ?? "other",
    causeId: (causeId as Hex | undefined) ?? null,
    ...{ delta, lockedDelta: 0n, balanceAfter: available },
  });
}

/** Moves locks and positions, by the event of an order or operation, which says why the ledger changes. */
export async function moveByCause(event: ChainEvent, context: Context, account: Account, cause: Cause) {
  const { kind, causeId, delta, locked = 0n, trade } = cause;
  const { hash } = event.transaction;
  const ledger = `ledger ${hash} ${delta} `;
  const opened =
    locked === 0n
      ? `caused ${hash} ${delta} ${kind} ${causeId}`
      : `locked ${hash} ${delta} ${event.log.logIndex}`;
  const { before, available } = await move(context, account, { locked, trade }, (open) => {
    if (delta === 0n) return open;
    return open?.startsWith(ledger) ? null : opened;
  });
  if (delta !== 0n && before?.startsWith(ledger)) {
    const at = keyOf(event, account, Number(before.slice(ledger.length)));
    await context.db.update(activity, at).set({ kind, causeId, lockedDelta: locked });
  } else if (locked !== 0n) {
    const amounts = { delta: 0n, lockedDelta: locked, balanceAfter: available };
    await insert(event, context, account, { kind, causeId, ...amounts });
  }
}

const keyOf = ({ block }: ChainEvent, { product, user, stock }: Account, logIndex: number) => ({
  ...product,
  userAddress: user,
  timestamp: block.timestamp,
  blockNumber: block.number,
  logIndex,
  asset: stock ?? "mUSD",
});

type Explained = Pick<
  typeof activity.$inferInsert,
  "kind" | "causeId" | "delta" | "lockedDelta" | "balanceAfter"
>;

async function insert(event: ChainEvent, { db }: Context, account: Account, explained: Explained) {
  const key = keyOf(event, account, event.log.logIndex);
  await db.insert(activity).values({ ...key, txHash: event.transaction.hash, ...explained });
}

interface Movement {
  delta?: bigint;
  locked?: bigint;
  trade?: ((position: Position) => Position) | undefined;
}

/** Moves a balance. @returns what is available then, and the half that was open before */
async function move(
  { db }: Context,
  { product, user, stock }: Account,
  { delta = 0n, locked = 0n, trade = (position) => position }: Movement,
  openAfter: (open: string | null) => string | null,
): Promise<{ before: string | null; available: bigint }> {
  const known: { open: string | null } = { open: null };
  const moved = (row: { available: bigint; locked: bigint; openActivity: string | null }) => {
    known.open = row.openActivity;
    return {
      available: row.available + delta,
      locked: row.locked + locked,
      openActivity: openAfter(row.openActivity),
    };
  };
  const first = {
    ...product,
    userAddress: user,
    available: delta,
    locked,
    openActivity: openAfter(null),
  };
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
