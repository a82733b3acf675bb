import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import type { DashboardUser } from "../../auth/dashboard/user.ts";
import type { OpenStream } from "../../context/stream.ts";
import type { Checkpoints } from "../../db/checkpoint-watch.ts";
import { CHANNELS, type NotificationStream } from "../../db/notifications.ts";
import type { StreamMetrics } from "../metrics.ts";
import { createAccessChecks } from "./access.ts";
import { type ChainFollowers, createChainFollowers, type Following } from "./chains.ts";
import { createStreamSlots } from "./slots.ts";
import { type Stream, startStream } from "./stream.ts";
import { type AllView, type Asked, findAllSubject, findKeySubject, type Subject } from "./subject.ts";

export interface StreamsOptions {
  pool: pg.Pool;
  log: Logger;
  now: () => number;
  checkpoints: Checkpoints;
  notifications: Pick<NotificationStream, "subscribe">;
  metrics: StreamMetrics;
  /** The chains of this installation. */
  chainIds: readonly number[];
  /** Streams of one key, and of all, in this process. */
  perKeyMax: number;
  max: number;
  /** Times that tests change. */
  timing?: Partial<StreamTiming>;
}

export interface StreamTiming {
  /** Between two heartbeats of a stream, milliseconds. */
  heartbeatMs: number;
  /** Between two checks of the streams' keys, milliseconds. */
  recheckMs: number;
  /** Bytes that a client may leave unread. */
  bufferBytes: number;
  /** Interval between reads of the event log without a notification, milliseconds. */
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
  /** Opens a stream of the logs of all keys, for a dashboard user. A viewer's has no data, which names users. */
  openAll: (asked: DashboardRequest) => ReturnType<OpenStream>;
  /** Ends every stream; those that are opened later end at once. */
  stop(): void;
}

/** A dashboard's request for a stream, which was let in. */
export interface DashboardRequest extends Asked {
  user: DashboardUser;
  recheck: () => Promise<string | null>;
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
  const { pool, log, notifications, metrics, chainIds, perKeyMax, max } = options;
  const { heartbeatMs, recheckMs, bufferBytes, pollMs } = { ...TIMING, ...options.timing };
  const entries = new Set<Entry>();
  const slots = createStreamSlots({ perHolderMax: perKeyMax, max });
  const access = createAccessChecks(() => entries);
  const chains = createChainFollowers({ pool, log, pollMs, guard: access.ensureRecent });
  const runSerially = createSerialQueues(PAGE_PAUSE_MS);
  let isStopped = false;

  const unsubscribe = notifications.subscribe((payload, channel) => {
    if (payload === null) chains.wake(null);
    else if (channel === CHANNELS.events) chains.wake(Number(payload));
  });
  const beatAll = (): void => {
    const time = performance.now();
    for (const entry of entries) {
      // A stream of a log that cannot be read is silent, so that its client notices.
      const { chainIds: followed } = entry.subject;
      if (time - entry.beatAt < heartbeatMs) continue;
      if (!followed.every((chainId) => chains.isCurrent(chainId, heartbeatMs))) continue;
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
  const open = async (
    holder: string,
    find: () => Promise<Subject>,
    recheck: Entry["recheck"],
  ): ReturnType<OpenStream> => {
    const freeSlot = slots.take(holder);
    try {
      const subject = await find();
      const following = await followAll(chains, subject);
      return (sink, onEnd) => {
        let entry: Entry | null = null;
        metrics.opened();
        const stream = startStream({
          sink,
          feed: subject.feed,
          heartbeat: subject.heartbeat,
          log,
          bufferBytes,
          runSerially: (read) =>
            runSerially(subject.holder, async () => {
              await access.ensureRecent();
              return read();
            }),
          follow: following.subscribe,
          onEnd: (cause) => {
            if (entry) entries.delete(entry);
            following.leave();
            freeSlot();
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
      freeSlot();
      throw error;
    }
  };

  return {
    open: ({ caller, recheck, ...asked }) =>
      open(caller.keyId, () => findKeySubject(options, caller, asked), recheck),
    openAll: ({ user, recheck, ...asked }) =>
      open(holderOf(user), () => findAllSubject(options, chainIds, asked, viewOf(user)), recheck),
    stop: () => {
      isStopped = true;
      unsubscribe();
      for (const timer of timers) clearInterval(timer);
      for (const { stream } of [...entries]) stream.end("shutdown");
    },
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
