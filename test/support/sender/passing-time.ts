import type pg from "pg";
import type { Notifications } from "../../../src/db/notifications.ts";

/** Notifications of which none ever comes: each wait takes its whole time, once a read of the pool has ended. */
export interface PassingTime {
  notifications: Notifications;
  /** Requests that were waited for, and how long, ms. */
  waits: [key: string, ms: number][];
  /** Pool that is read between the waits. */
  pool: pg.Pool;
}

/** @param onWait called as each wait ends, after the clock has moved */
export function passTime(
  clock: { nowMs: number },
  pool: pg.Pool,
  onWait: (count: number) => unknown = () => undefined,
): PassingTime {
  const waits: PassingTime["waits"] = [];
  let pending: (() => void)[] = [];
  const wait = (key: string, ms: number): Promise<void> => {
    waits.push([key, ms]);
    if (waits.length > 20) throw new Error("waited too often");
    const count = waits.length;
    return new Promise<void>((resolve) => pending.push(resolve)).then(async () => {
      clock.nowMs += ms;
      await onWait(count);
    });
  };
  const query = async (...args: Parameters<pg.Pool["query"]>): Promise<unknown> => {
    try {
      return await pool.query(...args);
    } finally {
      // The caller has the answer by then.
      setTimeout(() => {
        for (const resume of pending) resume();
        pending = [];
      }, 5);
    }
  };
  const reading = new Proxy(pool, {
    get: (target, name) => (name === "query" ? query : Reflect.get(target, name, target)),
  });
  return { notifications: { wait, close: async () => undefined }, waits, pool: reading };
}
