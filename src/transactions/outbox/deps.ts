import type pg from "pg";
import type { Logger } from "pino";
import type { Bell } from "./bell.ts";
import type { Crash } from "./crash.ts";

/** What writing and following requests needs. */
export interface OutboxDeps {
  pool: pg.Pool;
  log: Logger;
  /** Unix milliseconds. */
  now: () => number;
  /** Rung at every change of state; without it waiting is by polling alone. */
  bell?: Bell | undefined;
  crash?: Crash | undefined;
}
