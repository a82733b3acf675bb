import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import type { DashboardUser } from "../../auth/dashboard/user.ts";
import type { OpenStream } from "../../context/stream.ts";
import type { PreparedStream, StreamHost } from "../../context/streams/host.ts";
import type { StreamMetrics } from "../../context/streams/metrics.ts";
import type { Checkpoints } from "../../db/checkpoint-watch.ts";
import { CHANNELS, type NotificationStream } from "../../db/notifications.ts";
import { type ChainFollowers, createChainFollowers, type Following } from "./chains.ts";
import { startStream } from "./stream.ts";
import { type AllView, type Asked, findAllSubject, findKeySubject, type Subject } from "./subject.ts";

export interface StreamsOptions {
  pool: pg.Pool;
  log: Logger;
  now: () => number;
  checkpoints: Checkpoints;
  notifications: Pick<NotificationStream, "subscribe">;
  host: StreamHost;
  metrics: StreamMetrics;
  /** The chains of this installation. */
  chainIds: readonly number[];
  /** Times that tests change. */
  timing?: Partial<StreamTiming>;
}

export interface StreamTiming {
  /** Bytes that a client may leave unread. */
  bufferBytes: number;
  /** Interval between reads of the event log without a notification, milliseconds. */
  pollMs: number;
}

const TIMING: StreamTiming = { bufferBytes: 256 * 1024, pollMs: 250 };
/** Between two pages of one key that reads old events: so it takes only a part of a replica. Milliseconds. */
const PAGE_PAUSE_MS = 25;

/** All streams of events of this process. */
export interface EventStreams {
  open: OpenStream;
  /** Opens a stream of the logs of all keys, for a dashboard user. A viewer's has no data, which names users. */
  openAll: (asked: DashboardRequest) => ReturnType<OpenStream>;
  /** Stops reading; the host ends the streams. */
  stop(): void;
}

/** A dashboard's request for a stream, which was let in. */
export interface DashboardRequest extends Asked {
  user: DashboardUser;
  recheck: () => Promise<string | null>;
}

/** Creates the streams of events of a process: one reader for each chain, whatever the number of streams. */
export function createEventStreams(options: StreamsOptions): EventStreams {
  const { pool, log, now, notifications, host, metrics, chainIds } = options;
  const { bufferBytes, pollMs } = { ...TIMING, ...options.timing };
  const chains = createChainFollowers({ pool, log, pollMs, guard: host.ensureAccess });
  const runSerially = createSerialQueues(PAGE_PAUSE_MS);

  const unsubscribe = notifications.subscribe((payload, channel) => {
    if (payload === null) chains.wake(null);
    else if (channel === CHANNELS.events) chains.wake(Number(payload));
  });

  async function prepare(find: () => Promise<Subject>): Promise<PreparedStream> {
    const subject = await find();
    const following = await followAll(chains, subject);
    return {
      keyStream: subject.keyStream,
      start: (sink, onEnd) =>
        startStream({
          sink,
          feed: subject.feed,
          heartbeat: subject.heartbeat,
          log,
          now,
          bufferBytes,
          runSerially: (read) =>
            runSerially(subject.holder, async () => {
              await host.ensureAccess();
              return read();
            }),
          follow: following.subscribe,
          onEnd: (cause) => {
            following.leave();
            onEnd(cause);
          },
        }),
      // A stream of a log that cannot be read is silent, so that its client notices.
      isCurrent: (withinMs) => subject.chainIds.every((chainId) => chains.isCurrent(chainId, withinMs)),
    };
  }

  return {
    open: ({ caller, recheck, ...asked }) =>
      host.open({
        holder: caller.keyId,
        metrics,
        recheck,
        prepare: () => prepare(() => findKeySubject(options, caller, asked)),
      }),
    openAll: ({ user, recheck, ...asked }) =>
      host.open({
        holder: holderOf(user),
        metrics,
        recheck,
        prepare: () => prepare(() => findAllSubject(options, chainIds, asked, viewOf(user))),
      }),
    stop: unsubscribe,
  };
}

/** Returns the name that a dashboard's streams are counted under. It equals no keyId: those are UUIDs. */
const holderOf = ({ name }: DashboardUser): string => `dashboard ${name}`;

const viewOf = (user: DashboardUser): AllView => ({
  holder: holderOf(user),
  withData: user.role === "operator",
});

/** Follows all chains of a subject, or none. @throws ApiError DATABASE_UNAVAILABLE */
async function followAll(chains: ChainFollowers, { chainIds, eventLog }: Subject): Promise<Following> {
  const all: Following[] = [];
  try {
    for (const chainId of chainIds) all.push(await chains.follow(chainId, eventLog));
  } catch (error) {
    for (const { leave } of all) leave();
    throw error;
  }
  return {
    subscribe: (deliver) => {
      for (const { subscribe } of all) subscribe(deliver);
    },
    leave: () => {
      for (const { leave } of all) leave();
    },
  };
}

/** Runs work by name, one after the other; each piece with a pause behind it. */
type RunSerially = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** @param pauseMs how long the next work of the same name waits, milliseconds */
function createSerialQueues(pauseMs: number): RunSerially {
  const last = new Map<string, Promise<void>>();
  return (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const result = before.then(work);
    const over = result
      .then(ignore, ignore)
      .then(() => delay(pauseMs, undefined, { ref: false }))
      .then(() => {
        if (last.get(name) === over) last.delete(name);
      });
    last.set(name, over);
    return result;
  };
}

const ignore = (): undefined => undefined;
