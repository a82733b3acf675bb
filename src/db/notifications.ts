import pg from "pg";
import type { Logger } from "pino";

/** Rung by workers when a request changes state, with its id; and for workers when there is work, with the wallet. */
export const CHANNELS = { state: "send_state", work: "send_work" } as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

/** Waits for notifications. They only save time: whoever waits asks the database afterwards anyway. */
export interface Notifications {
  /** Settles when `key` is rung, or after `ms` milliseconds. */
  wait(key: string, ms: number): Promise<void>;
  /** Settles everybody's wait. */
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

/** Listens on a connection of its own, which heals by itself. Behind a pooler in transaction mode it stays silent. */
export function listen(databaseUrl: string, channel: Channel, log: Logger): Notifications {
  const waiting = new Map<string, Set<() => void>>();
  let client: pg.Client | null = null;
  let closed = false;
  const ring = (key: string): void => {
    for (const wake of waiting.get(key) ?? []) wake();
  };

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: databaseUrl,
      keepAlive: true,
      connectionTimeoutMillis: 3_000,
    });
    let lost = false;
    const lose = (error?: Error): void => {
      if (lost) return;
      lost = true;
      client = null;
      void next.end().catch(() => undefined);
      if (closed) return;
      log.debug({ channel, error: error?.message }, "notifications lost; polling meanwhile");
      setTimeout(() => void connect(), RECONNECT_MS).unref();
    };
    next.on("error", lose);
    next.on("end", () => lose());
    next.on("notification", ({ payload }) => ring(payload ?? ""));
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
      client = next;
      if (closed) await next.end();
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
        const wake = (): void => {
          clearTimeout(timer);
          wakers.delete(wake);
          if (wakers.size === 0 && waiting.get(key) === wakers) waiting.delete(key);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        wakers.add(wake);
      }),
    close: async () => {
      closed = true;
      for (const key of [...waiting.keys()]) ring(key);
      await client?.end().catch(() => undefined);
    },
  };
}
