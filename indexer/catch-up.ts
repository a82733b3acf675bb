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

export interface CatchUpChain {
  name: string;
  /** Last block of the backfill. */
  indexed: number;
  /** Block of the checkpoint at the start of this process. Readers have seen it. */
  shown: number;
}

export interface CatchUpOptions {
  chains: readonly CatchUpChain[];
  /** Asks for the block number of a chain's head. */
  headOf(name: string): Promise<number>;
  /** @returns false where another process has taken the schema over */
  markReady(): Promise<boolean>;
  log: Record<"info" | "warn" | "error", (line: { msg: string; [field: string]: unknown }) => void>;
  /** Milliseconds, monotonic. */
  now?: () => number;
  pollMs?: number;
}

export interface CatchUp {
  /** Records how far a chain is indexed: forward, and back after a reorg. */
  indexed(name: string, block: number): void;
  stop(): void;
}

interface Progress extends CatchUpChain {
  /** The head when it was first asked for, or a later and lower one; null until a node has answered. */
  head: number | null;
}

/**
 * Marks the index ready once each chain is indexed up to the head that it has now, and up to the block that readers have seen. A head
 * that goes back lowers what is waited for: a reorg can make a chain shorter. One mark covers all chains, so none is ready
 * while the head of one is not known.
 */
export function startCatchUp(options: CatchUpOptions): CatchUp {
  const { headOf, markReady, log, now = () => performance.now(), pollMs = POLL_MS } = options;
  const chains = options.chains.map((chain): Progress => ({ ...chain, head: null }));
  const startedMs = now();
  let loggedMs = startedMs;
  let isMarking = false;
  let isOver = false;

  const isReached = ({ indexed, head, shown }: Progress) =>
    head !== null && indexed >= head && (indexed >= shown || now() - startedMs > LAG_MS);

  async function check(): Promise<void> {
    if (isOver || isMarking || !chains.every(isReached)) return;
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

  async function follow(chain: Progress): Promise<void> {
    // Ponder logs each request that fails.
    const head = await headOf(chain.name).catch(() => null);
    if (isOver) return;
    if (head !== null) chain.head = Math.min(head, chain.head ?? head);
    logWait();
    await check();
    if (!isOver) setTimeout(() => void follow(chain), pollMs).unref();
  }

  function logWait(): void {
    if (now() - loggedMs < LOG_MS) return;
    loggedMs = now();
    const behind = chains.filter((chain) => !isReached(chain));
    log.warn({ msg: "the index is not ready: it has not caught up with the head", behind });
  }

  for (const chain of chains) void follow(chain);
  return {
    indexed(name, block) {
      const chain = chains.find((one) => one.name === name);
      if (isOver || chain === undefined) return;
      chain.indexed = block;
      void check();
    },
    stop() {
      isOver = true;
    },
  };
}
