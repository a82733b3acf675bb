import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { LogName } from "../input/event-cursor.ts";
import type { OpenStream, Sink } from "../stream.ts";
import { createAccessChecks } from "./access.ts";
import type { ClosingReason } from "./frames.ts";
import type { StreamMetrics } from "./metrics.ts";
import { createStreamSlots } from "./slots.ts";

/** Why a stream ended: the client left, did not read, or as ClosingReason. */
export type EndCause = "client" | "slow" | ClosingReason;

/** How far a stream is. */
export interface StreamProgress {
  /** When it last sent an event or a price, milliseconds; null before the first. */
  sentAt: number | null;
  /** True while events or prices wait to be sent to the client, or to be read by it. */
  isBehind: boolean;
}

/** A stream that writes to its client. */
export interface RunningStream {
  isOver(): boolean;
  progress(): StreamProgress;
  beat(): void;
  end(reason: ClosingReason): void;
}

export const STREAM_KINDS = ["events", "prices"] as const;

/** Names the stream of a key: the log or the prices that it follows. */
export interface KeyStream extends LogName {
  kind: (typeof STREAM_KINDS)[number];
  /** Types of events, or symbols, that it is limited to; null: all. */
  filter: readonly string[] | null;
}

/** An open stream of a key, as dashboards show it. */
export interface ReportedStream extends KeyStream, StreamProgress {
  streamId: string;
  /** Milliseconds. */
  openedAt: number;
}

/** A stream that is ready to write. */
export interface PreparedStream {
  /** Null for a stream of a dashboard. */
  keyStream: KeyStream | null;
  /** @param onEnd is called once, when the stream is over */
  start(sink: Sink, onEnd: (cause: EndCause) => void): RunningStream;
  /** Returns false where heartbeats are left out, so that the client notices. @param withinMs what it sends was read so recently */
  isCurrent(withinMs: number): boolean;
}

/** A request for a stream of one kind. */
export interface HostRequest {
  /** Whom the stream is counted under: a keyId, or the name of a dashboard's user. */
  holder: string;
  /** Of its kind. */
  metrics: StreamMetrics;
  recheck: () => Promise<string | null>;
  /** @throws what becomes an ordinary answer */
  prepare: () => Promise<PreparedStream>;
}

/** Bounds, heartbeats, checks of keys, and the end of all streams of this process. */
export interface StreamHost {
  open(request: HostRequest): ReturnType<OpenStream>;
  /** Returns the open streams of keys. */
  list(): ReportedStream[];
  /** See AccessChecks. */
  ensureAccess(): Promise<void>;
  /** Ends every stream; those that are opened later end at once. */
  stop(): void;
}

export interface HostTiming {
  /** Between two heartbeats of a stream, milliseconds. */
  heartbeatMs: number;
  /** Between two checks of the streams' keys, milliseconds. */
  recheckMs: number;
}

const TIMING: HostTiming = { heartbeatMs: 15_000, recheckMs: 2_000 };

export interface HostOptions {
  log: Logger;
  now: () => number;
  /** Streams of one key, and of all, in this process. */
  perKeyMax: number;
  max: number;
  /** Times that tests change. */
  timing?: Partial<HostTiming>;
}

interface Entry {
  streamId: string;
  keyStream: KeyStream | null;
  /** Milliseconds. */
  openedAt: number;
  stream: RunningStream;
  isCurrent: PreparedStream["isCurrent"];
  recheck: HostRequest["recheck"];
  refuse: () => void;
  beatAt: number;
}

export function createStreamHost({ log, now, perKeyMax, max, timing }: HostOptions): StreamHost {
  const { heartbeatMs, recheckMs } = { ...TIMING, ...timing };
  const entries = new Set<Entry>();
  const slots = createStreamSlots({ perHolderMax: perKeyMax, max });
  const access = createAccessChecks(() => entries);
  let isStopped = false;

  const beatAll = (): void => {
    const time = performance.now();
    for (const entry of entries) {
      if (time - entry.beatAt < heartbeatMs || !entry.isCurrent(heartbeatMs)) continue;
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

  return {
    open: async ({ holder, metrics, recheck, prepare }) => {
      const freeSlot = slots.take(holder);
      try {
        const { keyStream, start, isCurrent } = await prepare();
        return (sink, onEnd) => {
          let entry: Entry | null = null;
          metrics.opened();
          const stream = start(sink, (cause) => {
            if (entry) entries.delete(entry);
            freeSlot();
            metrics.ended(cause);
            onEnd(cause);
          });
          if (stream.isOver()) return;
          const refuse = () => stream.end("access");
          const opened = { streamId: randomUUID(), keyStream, openedAt: now(), beatAt: performance.now() };
          entry = { ...opened, stream, isCurrent, recheck, refuse };
          entries.add(entry);
          if (isStopped) stream.end("shutdown");
        };
      } catch (error) {
        freeSlot();
        throw error;
      }
    },
    list: () =>
      [...entries].flatMap(({ streamId, keyStream, openedAt, stream }) =>
        keyStream ? [{ streamId, openedAt, ...keyStream, ...stream.progress() }] : [],
      ),
    ensureAccess: access.ensureRecent,
    stop: () => {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      for (const { stream } of [...entries]) stream.end("shutdown");
    },
  };
}
