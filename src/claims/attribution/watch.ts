import type { Hex } from "viem";
import type { Deps } from "../../context/deps.ts";
import { attribute } from "./claim.ts";
import type { SuffixedTransaction } from "./claim-store.ts";
import { PAGE, readIndex, readSuffixes, type SuffixRow } from "./suffix-store.ts";
import {
  type CursorScope,
  cursorScopeOf,
  readSyncCursor,
  type SyncCursor,
  writeSyncCursor,
} from "./sync-cursor.ts";

/** Behind every transaction of a block: the largest integer of PostgreSQL. */
const LAST_INDEX = 2 ** 31 - 1;
/** Pages of what is final that one run reads, so that a worker with much before it can still be stopped. */
const FINAL_PAGES = 20;

/**
 * Creates the consumer of indexed blocks (src/changes/) that verifies the suffixes that the indexer keeps, and claims for
 * their keys the transactions whose suffix is valid.
 *
 * Suffixes in final blocks are verified once; those that a reorg may still remove, on every run, except what is claimed
 * already. The sync cursor is shared by all workers. It holds as long as its transaction is at its position in the index,
 * and for the same server keys: so no suffix is missed for good, and a key that was missing works after a restart.
 */
export function createAttributionWatch(deps: Deps): (chainId: number) => Promise<Verified> {
  const watches = new Map(
    deps.deployments.chains.map(({ chainId, products }) => [
      chainId,
      products.map(({ productType, startBlock, contracts }) => {
        const product = { chainId, productType, router: contracts.stockRouter as Hex, startBlock };
        return watchProduct(deps, cursorScopeOf(deps.attributionKeys, product));
      }),
    ]),
  );
  return async (chainId) => {
    const runs = await Promise.all((watches.get(chainId) ?? []).map((watch) => watch()));
    return {
      seen: runs.reduce((sum, { seen }) => sum + seen, 0),
      complete: runs.every(({ complete }) => complete),
    };
  };
}

function watchProduct(deps: Deps, scope: CursorScope): () => Promise<Verified> {
  let saved: SyncCursor | null = null;
  const save = async (cursor: SyncCursor) => {
    await writeSyncCursor(deps.prisma, scope, cursor);
    saved = cursor;
  };
  return async () => {
    saved ??= await readSyncCursor(deps.prisma, scope);
    const index = await readIndex(deps, scope, saved);
    if (index === null) return { seen: 0, complete: true };
    // A reorg replaced the chain before it.
    if (!index.holds) saved = null;
    const { safe } = index;
    const old = await attributeBehind(deps, scope, { from: saved, safe, save });
    if (old.complete) return old;
    // New suffixes do not wait until all old ones are verified.
    const head = await attributeBehind(deps, scope, {
      from: { block: safe, index: LAST_INDEX },
      safe,
      save,
    });
    return { seen: old.seen + head.seen, complete: false };
  };
}

interface Run {
  /** Position after which suffixes are verified; null: all of them. */
  from: Pick<SyncCursor, "block" | "index"> | null;
  /** Last block that is final for the indexer. */
  safe: bigint;
  /** Called with the last suffix that needs no verification any more. */
  save: (cursor: SyncCursor) => Promise<void>;
}

export interface Verified {
  /** Suffixes that were verified. */
  seen: number;
  /** True if none is left. */
  complete: boolean;
}

/** Verifies in the order of the chain, since the first use of a suffix counts. */
async function attributeBehind(deps: Deps, scope: CursorScope, { from, safe, save }: Run): Promise<Verified> {
  let seen = 0;
  let after = from;
  for (let pages = 1; ; pages++) {
    const rows = await readSuffixes(deps, scope, after);
    for (const row of rows) {
      const transaction = toTransaction(scope, row);
      if (!transaction) continue;
      await attribute(deps, scope.router, transaction);
      seen += 1;
    }
    const final = rows.findLast(({ cursor }) => cursor.block <= safe)?.cursor;
    if (final) await save(final);
    if (rows.length < PAGE) return { seen, complete: true };
    after = rows.at(-1)?.cursor ?? after;
    if (pages >= FINAL_PAGES && after === final) return { seen, complete: false };
  }
}

/** Returns the transaction to attribute; null where it is claimed already. */
function toTransaction({ chainId, productType }: CursorScope, row: SuffixRow): SuffixedTransaction | null {
  const { cursor, from, callData, suffix } = row;
  if (callData === null || suffix === null) return null;
  return { chainId, productType, txHash: cursor.txHash, from, callData, suffix };
}
