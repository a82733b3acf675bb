// Decides when the index is ready. Ponder says so when its backfill is done, which ends at the finalized block, 30 to 240 blocks
// before the head. After each restart readers would miss orders that they have seen, and the event log would take
// their events back (ponder-database.mjs puts this in the place of Ponder's own statement).
import { randomUUID } from "node:crypto";

/** Names this process in `_ponder_meta`, from the transaction on in which it takes its schema over. */
export const PROCESS_ID = randomUUID();

const POLL_MS = 1_000;
/** For this long, a head below the block that readers have seen counts as the answer of a node that is behind. */
const LAG_MS = 30_000;
const LOG_MS = 30_000;

export interface CatchUpOptions {
  /** Last block of the backfill. */
  indexed: number;
  /** Block of the checkpoint at the start of this process. Readers have seen it. */
  shown: number;
  /** Asks for the block number of the chain's head. */
  readHead(): Promise<number>;
  /** @returns false where another process has taken the schema over */
  markReady(): Promise<boolean>;
  log: Record<"info" | "warn" | "error", (line: { msg: string; [field: string]: unknown }) => void>;
  /** Milliseconds, monotonic. */
  now?: () => number;
  pollMs?: number;
}

export interface CatchUp {
  /** Records how far the chain is indexed: forward, and back after a reorg. */
  indexed(block: number): void;
  stop(): void;
}

/**
 * Marks the index ready once the chain is indexed up to the head that it has now, and up to the block that readers have seen. A head
 * that goes back lowers what is waited for: a reorg can make a chain shorter.
 */
export function startCatchUp(options: CatchUpOptions): CatchUp {
  const { shown, readHead, markReady, log, now = () => performance.now(), pollMs = POLL_MS } = options;
  const startedMs = now();
  let { indexed } = options;
  /** The head when it was first asked for, or a later and lower one; null until a node has answered. */
  let head: number | null = null;
  let loggedMs = startedMs;
  let isMarking = false;
  let isOver = false;

  const isReached = () =>
    head !== null && indexed >= head && (indexed >= shown || now() - startedMs > LAG_MS);

  async function check(): Promise<void> {
    if (isOver || isMarking || !isReached()) return;
    isMarking = true;
    try {
      if (await markReady()) log.info({ msg: "Started returning 200 responses", endpoint: "/ready" });
      else log.error({ msg: "another process has taken the schema over" });
      isOver = true;
    } catch (error) {
      if (!isOver) log.warn({ msg: "the index could not be marked ready; trying again", error });
    }
    isMarking = false;
  }

  async function follow(): Promise<void> {
    // Ponder logs each request that fails.
    const present = await readHead().catch(() => null);
    if (isOver) return;
    if (present !== null) head = Math.min(present, head ?? present);
    logWait();
    await check();
    if (!isOver) setTimeout(() => void follow(), pollMs).unref();
  }

  function logWait(): void {
    if (isReached() || now() - loggedMs < LOG_MS) return;
    loggedMs = now();
    log.warn({ msg: "the index is not ready: it has not caught up with the head", indexed, shown, head });
  }

  void follow();
  return {
    indexed(block) {
      indexed = block;
      void check();
    },
    stop() {
      isOver = true;
    },
  };
}
