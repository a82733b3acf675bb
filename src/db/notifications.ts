import pg from "pg";
import type { Logger } from "pino";

/**
 * Channels: `state` carries the id of a request that changed state; `work` the wallet that has work; `index` the tables
 * that an indexed block changed, as JSON; `events` the chain whose log of events has grown; `tests` a test of a webhook that was asked
 * for, and `tested` one that has ended. Ponder notifies `index` at the commit of each block, and names it by the schema of its views.
 */
export const CHANNELS = {
  state: "send_state",
  work: "send_work",
  index: "onchain_live_query",
  events: "events_appended",
  due: "claims_due",
  tests: "webhook_tests",
  tested: "webhook_tested",
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

/** Delivers notifications. They only save time: a waiting caller asks the database afterwards anyway. */
export interface Notifications {
  /** Settles when `key` is notified, or after `ms` milliseconds. */
  wait(key: string, ms: number): Promise<void>;
  /** Ends every wait. */
  close(): Promise<void>;
}

/** @param channel where the payload was notified */
type Listener = (payload: string | null, channel?: string | null) => void;

/** Notifications of a connection to PostgreSQL. */
export interface NotificationStream extends Notifications {
  /**
   * Calls back with the payload of every notification, and with null after a reconnect: meanwhile
   * notifications were lost.
   * @returns a function that ends the subscription
   */
  subscribe(listener: Listener): () => void;
}

/** The connection itself, for metrics. */
export interface Listening extends NotificationStream {
  /** Returns whether the server answers on it, within two seconds. */
  isAnswered(): Promise<boolean>;
}

const RECONNECT_MS = 500;
const ANSWER_MS = 2_000;

/**
 * Listens to one channel or several on a connection of its own, which heals by itself. Behind a pooler in transaction mode it
 * stays silent: its URL must lead to PostgreSQL itself (DATABASE_LISTEN_URL).
 */
export function listen(databaseUrl: string, channel: Channel | readonly Channel[], log: Logger): Listening {
  const channels = typeof channel === "string" ? [channel] : channel;
  const waiting = new Map<string, Set<() => void>>();
  const subscribers = new Set<Listener>();
  let client: pg.Client | null = null;
  let closed = false;
  let reconnect: NodeJS.Timeout | undefined;
  const wake = (key: string): void => {
    for (const resume of waiting.get(key) ?? []) resume();
  };
  const publish: Listener = (payload, from) => {
    for (const listener of subscribers) listener(payload, from);
  };

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: databaseUrl,
      keepAlive: true,
      // It sends nothing itself: by the system's two hours, the loss of the server's machine would go unnoticed.
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 3_000,
    });
    let lost = false;
    const lose = (error?: Error): void => {
      if (lost) return;
      lost = true;
      client = null;
      void next.end().catch(() => undefined);
      if (closed) return;
      log.debug({ channels, error: error?.message }, "notifications lost; polling meanwhile");
      reconnect = setTimeout(() => void connect(), RECONNECT_MS).unref();
    };
    next.on("error", lose);
    next.on("end", () => lose());
    next.on("notification", ({ payload = "", channel: from }) => {
      wake(payload);
      publish(payload, from);
    });
    try {
      await next.connect();
      for (const name of channels) await next.query(`LISTEN ${name}`);
      client = next;
      if (closed) await next.end();
      else publish(null, null);
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)));
    }
  }

  void connect();
  return {
    wait: (key, ms) =>
      new Promise<void>((resolve) => {
        if (closed) return resolve();
        const wakers = waiting.get(key) ?? new Set();
        waiting.set(key, wakers);
        const resume = (): void => {
          clearTimeout(timer);
          wakers.delete(resume);
          if (wakers.size === 0 && waiting.get(key) === wakers) waiting.delete(key);
          resolve();
        };
        const timer = setTimeout(resume, ms);
        wakers.add(resume);
      }),
    subscribe: (listener) => {
      subscribers.add(listener);
      return () => subscribers.delete(listener);
    },
    isAnswered: async () => {
      const config = { text: "SELECT 1", query_timeout: ANSWER_MS };
      return (
        (await client?.query(config).then(
          () => true,
          () => false,
        )) ?? false
      );
    },
    close: async () => {
      closed = true;
      clearTimeout(reconnect);
      for (const key of [...waiting.keys()]) wake(key);
      await client?.end().catch(() => undefined);
    },
  };
}
