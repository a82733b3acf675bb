import type pg from "pg";
import { z } from "zod";
import { ApiError } from "../protocol/errors.ts";
import { blockOf, INDEX_IS_READY, type IndexedBlock } from "./checkpoint.ts";
import { queryRows } from "./query.ts";
import { raw, sql } from "./sql.ts";

interface Block {
  number: bigint;
}

/** The indexed block, or the block of keys' rows, by chain, as one poll for the whole program last read it. */
export interface Checkpoints<B extends Block = IndexedBlock> {
  /** Returns the last known block, also while the index is reverted or rebuilt; null while none is known. */
  last(chainId: number): B | null;
  /**
   * Returns once a block of a chain is reached. All waiting requests share one poll.
   * @throws ApiError INDEXER_BEHIND when it has not within `waitMs`
   */
  reached(chainId: number, block: bigint, waitMs: number): Promise<void>;
  stop(): void;
}

/** The blocks of what has no time of its own. */
export type Blocks = Checkpoints<Block>;

/** Milliseconds between two polls: while no request waits, and while one does. */
const IDLE_MS = 1_000;
const BUSY_MS = 50;

interface Waiter {
  chainId: number;
  block: bigint;
  done: () => void;
}

/** Starts polling at once. A poll that fails leaves what was known; the next one is made all the same. */
export function watchCheckpoints<B extends Block>(
  read: () => Promise<ReadonlyMap<number, B>>,
): Checkpoints<B> {
  let known: ReadonlyMap<number, B> = new Map();
  const last = new Map<number, B>();
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let stopped = false;
  const waiters = new Set<Waiter>();
  const isReached = ({ chainId, block }: Waiter) => (known.get(chainId)?.number ?? -1n) >= block;

  async function poll(): Promise<void> {
    polling = true;
    known = await read().catch(() => known);
    for (const [chainId, block] of known) last.set(chainId, block);
    polling = false;
    for (const waiter of [...waiters].filter(isReached)) waiter.done();
    schedule(waiters.size > 0 ? BUSY_MS : IDLE_MS);
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void poll(), ms).unref();
  }

  function reached(chainId: number, block: bigint, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { chainId, block, done: () => settle(resolve) };
      if (isReached(waiter)) return resolve();
      const late = setTimeout(() => settle(() => reject(new ApiError("INDEXER_BEHIND"))), waitMs);
      const settle = (finish: () => void) => {
        clearTimeout(late);
        waiters.delete(waiter);
        finish();
      };
      waiters.add(waiter);
      if (!polling && waiters.size === 1) schedule(0);
    });
  }

  void poll();
  return {
    last: (chainId) => last.get(chainId) ?? null,
    reached,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

const checkpointSchema = z.object({ chainId: z.coerce.number(), latestCheckpoint: z.string() });

/** Returns the indexed block of every chain that has one. @throws ApiError INDEXER_BEHIND where the view does not exist yet; as queryRows */
export async function readCheckpoints(pool: pg.Pool): Promise<Map<number, IndexedBlock>> {
  const statement = sql`
    SELECT chain_id, latest_checkpoint FROM onchain._ponder_checkpoint WHERE ${raw(INDEX_IS_READY)}`;
  const found = new Map<number, IndexedBlock>();
  for (const { chainId, latestCheckpoint } of await queryRows(pool, statement, checkpointSchema)) {
    const block = blockOf(latestCheckpoint);
    if (block) found.set(chainId, block);
  }
  return found;
}
