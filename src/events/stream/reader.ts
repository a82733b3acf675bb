import type pg from "pg";
import type { Logger } from "pino";
import { type AppendedEvent, readAppended, readPosition } from "./store.ts";

/** Follows what is appended to the logs of one chain, for all streams of this process. */
export interface ChainReader {
  /** Settles once everything that is appended from then on is delivered. */
  ready: Promise<void>;
  /** Reads new events, after a notification. */
  wake(): void;
  /** Returns true where the database was read within so many milliseconds. */
  isCurrent(withinMs: number): boolean;
  stop(): void;
}

export interface ReaderOptions {
  pool: pg.Pool;
  log: Logger;
  chainId: number;
  /** Keys that have streams; null: all keys. The same array until that changes. */
  keyIds: () => readonly string[] | null;
  /** Takes new events in the order of their commits. */
  deliver: (events: readonly AppendedEvent[]) => void;
  /** Runs before each read, which is put off where it throws. */
  guard: () => Promise<void>;
  /** Interval between reads without a notification, milliseconds: notifications may get lost. */
  pollMs: number;
}

/** Events of one read. */
const READ_MAX = 500;

/** Begins at the end of the chain's logs. One statement at a time reads for all streams, however many wake it. */
export function createChainReader(options: ReaderOptions): ChainReader {
  const { pool, log, chainId, keyIds, deliver, guard, pollMs } = options;
  let position: number | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let isReading = false;
  let isAsked = false;
  let isFailing = false;
  let isStopped = false;

  async function read(from: number): Promise<void> {
    isReading = true;
    try {
      let last = from;
      while (isAsked && !isStopped) {
        isAsked = false;
        await guard();
        const wanted = keyIds();
        const found = await readAppended(pool, { chainId, position: last, keyIds: wanted, limit: READ_MAX });
        if (isStopped) break;
        // A stream that was opened meanwhile may have read its own log before this statement began.
        if (keyIds() !== wanted) {
          isAsked = true;
          continue;
        }
        last = found.position;
        position = last;
        readAt = performance.now();
        isFailing = false;
        if (found.events.length > 0) deliver(found.events);
        if (!found.complete) isAsked = true;
      }
    } catch (err) {
      if (!isFailing) log.warn({ err, chainId }, "streams of events wait: the log cannot be read");
      isFailing = true;
    } finally {
      isReading = false;
    }
  }

  const wake = (): void => {
    isAsked = true;
    if (!isReading && !isStopped && position !== null) void read(position);
  };
  const timer = setInterval(wake, pollMs).unref();
  return {
    ready: readPosition(pool, chainId).then((end) => {
      position = end;
      readAt = performance.now();
    }),
    wake,
    isCurrent: (withinMs) => performance.now() - readAt <= withinMs,
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
