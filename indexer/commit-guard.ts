/** A block's transaction, as Ponder's realtime indexing begins it; the same object again where it is tried again. */
export interface BlockEvent {
  checkpoint: string;
}

/**
 * Outcome of the transaction of a block:
 * - `run`: the first attempt;
 * - `again`: an earlier attempt was not committed, and what is in memory of it must go;
 * - `done`: an earlier attempt was committed, and its answer was lost;
 * - `lost`: the database is not as this process left it.
 */
export type Attempt = "run" | "again" | "done" | "lost";

/** Compares the checkpoint in the database with the one that this process committed last. */
export interface CommitGuard {
  /** @param stored the checkpoint, read in the transaction that begins */
  begin(event: BlockEvent, stored: string): Attempt;
  committed(event: BlockEvent): void;
}

/**
 * Creates the guard against repeated transactions. Ponder tries a failed one again, over rows in memory. Where the connection
 * breaks at COMMIT, those rows have the block's events already, and every balance would count them twice; where PostgreSQL did
 * commit, the tables have them, too. And a database that lost its last commits, such as a promoted standby that was behind,
 * would keep a gap.
 */
export function createCommitGuard(): CommitGuard {
  let left: string | null = null;
  let current: BlockEvent | null = null;
  return {
    begin(event, stored) {
      const isFirst = current !== event;
      current = event;
      left ??= stored;
      if (stored === left) {
        if (isFirst) return "run";
        // A block in another's place may have its checkpoint: then nothing shows which of the two is stored.
        return stored === event.checkpoint ? "lost" : "again";
      }
      return !isFirst && stored === event.checkpoint ? "done" : "lost";
    },
    committed(event) {
      left = event.checkpoint;
    },
  };
}
