import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Logger } from "pino";
import type { StreamHost } from "./host.ts";
import { removeStreams, saveStreams } from "./report-store.ts";

export interface StreamReports {
  /** Reports nothing more, and removes what was reported; idempotent. */
  stop(): Promise<void>;
}

interface ReportOptions {
  pool: pg.Pool;
  log: Pick<Logger, "debug">;
  host: Pick<StreamHost, "list">;
  /** Time between two reports, milliseconds; tests change it. */
  reportMs?: number | undefined;
}

const REPORT_MS = 5_000;
/** Reports that may fail before the streams of a process no longer show. */
const LEASE_REPORTS = 3;

/**
 * Reports the open streams of this process to the database, where the dashboards of all replicas read them: one statement every few
 * seconds, and none while there are none. What a process that is killed reported shows until its lease ends.
 */
export function reportStreams({ pool, log, host, reportMs = REPORT_MS }: ReportOptions): StreamReports {
  const apiId = randomUUID();
  let isReported = false;
  let running: Promise<void> | null = null;

  async function write(streams: ReturnType<StreamHost["list"]>): Promise<void> {
    try {
      if (streams.length > 0) {
        isReported = true;
        await saveStreams(pool, apiId, { streams, leaseMs: LEASE_REPORTS * reportMs });
      } else if (isReported) {
        await removeStreams(pool, apiId);
        isReported = false;
      }
    } catch (err) {
      log.debug({ err }, "open streams cannot be reported");
    }
  }

  const timer = setInterval(() => {
    running ??= write(host.list()).finally(() => {
      running = null;
    });
  }, reportMs).unref();

  return {
    stop: async () => {
      clearInterval(timer);
      await running;
      await write([]);
    },
  };
}
