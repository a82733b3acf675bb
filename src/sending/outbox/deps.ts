import type pg from "pg";
import type { Logger } from "pino";
import type { Crash } from "../../context/crash-points.ts";
import type { Notifications } from "../../db/notifications.ts";

/** Dependencies of writing and following requests. */
export interface OutboxDeps {
  pool: pg.Pool;
  log: Logger;
  /** Unix milliseconds. */
  now: () => number;
  /** Notified when a request changes state; without it, waits poll. */
  notifications?: Notifications | undefined;
  /** Time for which an answer waits for its request to be broadcast, milliseconds; 3,000 by default. */
  broadcastWaitMs?: number;
  crash?: Crash | undefined;
}
