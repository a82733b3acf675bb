import type pg from "pg";
import type { Logger } from "pino";
import type { OpenStream } from "../context/stream.ts";
import type { Checkpoints } from "../db/checkpoint-watch.ts";
import { CHANNELS, type NotificationStream } from "../db/notifications.ts";
import { decodeEventCursor, type LogName } from "../input/event-cursor.ts";
import { parseInput } from "../input/fields.ts";
import { eventStreamShape } from "./input.ts";
import { requirePlace } from "./list.ts";
import type { StreamMetrics } from "./metrics.ts";
import { type Stream, startStream } from "./stream.ts";
import { createAccessChecks } from "./stream-access.ts";
import { createChainFollowers, type LogOfChain } from "./stream-chains.ts";
import { createKeyFeed, type Feed } from "./stream-feed.ts";
import { createPlaces } from "./stream-places.ts";
import { readLogBounds } from "./stream-store.ts";
import { createTurns } from "./stream-turns.ts";

export interface StreamsOptions {
  pool: pg.Pool;
  log: Logger;
  now: () => number;
  checkpoints: Checkpoints;
  notifications: Pick<NotificationStream, "subscribe">;
  metrics: StreamMetrics;
  /** Streams of one key, and of all, in this process. */
  perKeyMax: number;
  max: number;
  /** What tests change. */
  timing?: Partial<StreamTiming>;
}

export interface StreamTiming {
  /** Between two heartbeats of a stream, milliseconds. */
  heartbeatMs: number;
  /** Between two checks of the streams' keys, milliseconds. */
  recheckMs: number;
  /** Bytes that a client may leave unread. */
  bufferBytes: number;
  /** How often the log is read without a notification, milliseconds. */
  pollMs: number;
}

const TIMING: StreamTiming = {
  heartbeatMs: 15_000,
  recheckMs: 2_000,
  bufferBytes: 256 * 1024,
  pollMs: 250,
};
/** Between two pages of one key that reads old events: so it takes only a part of a replica. Milliseconds. */
const PAGE_PAUSE_MS = 25;

/** All streams of this process. */
export interface EventStreams {
  open: OpenStream;
  /** Ends every stream; those that are opened later end at once. */
  stop(): void;
}

/** What a stream follows. */
interface Subject {
  /** Whose turn its reads take, and whose bound it counts against. */
  holder: string;
  chainId: number;
  log: LogOfChain;
  feed: Feed;
}

interface Entry {
  subject: Subject;
  stream: Stream;
  recheck: () => Promise<string | null>;
  refuse: () => void;
  beatAt: number;
}

/** Creates the streams of a process: one reader for each chain, whatever the number of streams. */
export function createEventStreams(options: StreamsOptions): EventStreams {
  const { pool, log, now, checkpoints, notifications, metrics, perKeyMax, max } = options;
  const { heartbeatMs, recheckMs, bufferBytes, pollMs } = { ...TIMING, ...options.timing };
  const entries = new Set<Entry>();
  const places = createPlaces({ perHolderMax: perKeyMax, max });
  const access = createAccessChecks(() => entries);
  const chains = createChainFollowers({ pool, log, pollMs, guard: access.ensureRecent });
  const inTurn = createTurns(PAGE_PAUSE_MS);
  let isStopped = false;

  const unsubscribe = notifications.subscribe((payload, channel) => {
    if (payload === null) chains.wake(null);
    else if (channel === CHANNELS.events) chains.wake(Number(payload));
  });
  const beatAll = (): void => {
    const time = performance.now();
    for (const entry of entries) {
      // A stream of a log that cannot be read is silent, so that its client notices.
      if (time - entry.beatAt < heartbeatMs || !chains.isCurrent(entry.subject.chainId, heartbeatMs))
        continue;
      entry.beatAt = time;
      entry.stream.beat();
    }
  };
  const checkAll = (): void => {
    if (entries.size === 0) return;
    access.run().catch((err: unknown) => log.debug({ err }, "keys of streams cannot be checked"));
  };
  const timers = [
    setInterval(beatAll, Math.min(1_000, heartbeatMs)).unref(),
    setInterval(checkAll, recheckMs).unref(),
  ];
  const heartbeatOf = (chainId: number) => () => {
    const block = checkpoints.last(chainId);
    return { indexedBlock: block ? Number(block.number) : null, t: now() };
  };

  const open: OpenStream = async ({ caller, args, lastEventId, recheck }) => {
    const leave = places.enter(caller.keyId);
    try {
      const subject = await findSubject(pool, caller, args, lastEventId);
      const following = await chains.follow(subject.chainId, subject.log);
      return (sink, onEnd) => {
        let entry: Entry | null = null;
        metrics.opened();
        const stream = startStream({
          ...{ sink, feed: subject.feed, log, bufferBytes },
          inTurn: (read) =>
            inTurn(subject.holder, async () => {
              await access.ensureRecent();
              return read();
            }),
          heartbeat: heartbeatOf(subject.chainId),
          follow: following.subscribe,
          onEnd: (cause) => {
            if (entry) entries.delete(entry);
            following.leave();
            leave();
            metrics.ended(cause);
            onEnd(cause);
          },
        });
        if (stream.isOver()) return;
        const refuse = () => stream.end("access");
        entry = { subject, stream, recheck, refuse, beatAt: performance.now() };
        entries.add(entry);
        if (isStopped) stream.end("shutdown");
      };
    } catch (error) {
      leave();
      throw error;
    }
  };

  return {
    open,
    stop: () => {
      isStopped = true;
      unsubscribe();
      for (const timer of timers) clearInterval(timer);
      for (const { stream } of [...entries]) stream.end("shutdown");
    },
  };
}

/**
 * Returns where a stream begins: behind the header Last-Event-ID, else behind `after`, which an EventSource that connects
 * again repeats; else at the end of the log.
 * @throws ApiError VALIDATION_FAILED, CURSOR_EXPIRED, DATABASE_UNAVAILABLE
 */
async function findSubject(
  pool: pg.Pool,
  { keyId, chainId, productType }: LogName,
  args: Record<string, unknown>,
  lastEventId: string | null,
): Promise<Subject> {
  const name = { keyId, chainId, productType };
  const { after: asked, types } = parseInput(eventStreamShape, args);
  const [cursor, param] = lastEventId ? [lastEventId, "last-event-id"] : [asked, "after"];
  const place = cursor === undefined ? null : decodeEventCursor(name, cursor, param);
  const { head, removed } = await readLogBounds(pool, name);
  if (place !== null) requirePlace(name, place, param, { head, removed });
  const after = Number(place ?? head);
  const feed = createKeyFeed({ pool, log: name, after, types: types ? new Set(types) : null });
  return { holder: keyId, chainId, log: { keyId, productType }, feed };
}
