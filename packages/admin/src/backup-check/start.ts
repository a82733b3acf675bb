import { Gauge } from "prom-client";
import { parseEnv } from "../../../../src/config/env.ts";
import { type Job, startJobs } from "../../../../src/context/jobs.ts";
import { createPool } from "../../../../src/db/pool.ts";
import { createApp } from "../../../../src/http/app.ts";
import { createHealth } from "../../../../src/http/health.ts";
import { listenOrStop, type Running } from "../../../../src/http/lifecycle.ts";
import { createMetrics, type Metrics } from "../../../../src/http/metrics.ts";
import { jobsCheck } from "../../../../src/http/readiness.ts";
import { createHttpServer } from "../../../../src/http/server.ts";
import { createLog } from "../../../../src/telemetry/log.ts";
import { backupSeconds, newestBackupSeconds } from "./backups.ts";
import { findFault } from "./check.ts";
import { insertChecked, newestChecked, prepareChecked, restoredBackup } from "./store.ts";

/** Milliseconds until the program looks for another restored backup, and until it compares one anew that was not right. */
const WAIT_MS = 15_000;
const AGAIN_MS = 600_000;

/** Parts that tests replace. */
export interface BackupCheckOverrides {
  waitMs?: number;
  againMs?: number;
  logTo?: Parameters<typeof createLog>[2];
}

/**
 * Starts the program that checks each backup that deploy/compose/backup.sh has restored into a scratch database, and shows the outcome as
 * metrics (docs/operations/compose.md#back-up).
 * @throws Error naming what is wrong with the environment
 */
export async function start(
  environment: NodeJS.ProcessEnv,
  { waitMs = WAIT_MS, againMs = AGAIN_MS, logTo }: BackupCheckOverrides = {},
): Promise<Running> {
  const env = parseEnv("backup check", environment);
  const log = createLog("backup-check", env.LOG_LEVEL, logTo);
  const server = new URL(env.DATABASE_URL);
  const database = server.pathname.slice(1);
  server.pathname = "/postgres";
  const pool = createPool(server.href, { max: 1 });
  const checkNext = createCheck({ pool, database, environment, log });
  let outcome: Outcome = { isRight: true, checked: null };
  const job: Job = {
    name: "check of a restored backup",
    run: async () => {
      outcome = await checkNext();
    },
    everyMs: async () => (outcome.isRight ? waitMs : againMs),
  };
  const jobs = startJobs([job], log);
  const metrics = createMetrics(() => new Map());
  createBackupMetrics(metrics, env.BACKUPS_DIRECTORY, () => outcome.checked);
  const health = createHealth({ checks: [jobsCheck(jobs)], metrics, log });
  const http = createHttpServer({
    log,
    metrics,
    now: Date.now,
    prefix: "",
    app: createApp([health.router], ["/livez", "/readyz", "/metrics"], Date.now),
  });
  const stop = async () => {
    health.shutDown();
    await jobs.stop();
    await http.stop();
    await pool.end();
  };
  return { url: await listenOrStop(http, env, stop), log, stop };
}

interface Outcome {
  /** False where the restored backup is not right, or could not be compared. */
  isRight: boolean;
  /** Name of the newest backup that was found right. */
  checked: string | null;
}

interface Checks {
  /** Of the database `postgres` on the scratch server. */
  pool: ReturnType<typeof createPool>;
  /** Name of the database that backups are restored into. */
  database: string;
  environment: NodeJS.ProcessEnv;
  log: Running["log"];
}

/** Returns the check of what is restored, which does nothing once that is done. */
function createCheck({ pool, database, environment, log }: Checks): () => Promise<Outcome> {
  return async () => {
    await prepareChecked(pool);
    const checked = await newestChecked(pool);
    const backup = await restoredBackup(pool, database);
    if (backup === null || backup === checked) return { isRight: true, checked };
    const fault = await findFault(environment);
    if (fault) {
      log.error({ backup, ...fault }, "a restored backup is not right");
      return { isRight: false, checked };
    }
    await insertChecked(pool, backup);
    log.info({ backup }, "a restored backup is right");
    return { isRight: true, checked: backup };
  };
}

function createBackupMetrics(
  { registry }: Metrics,
  directory: string,
  checkedBackup: () => string | null,
): void {
  new Gauge({
    name: "partner_trading_backup_last_success_timestamp_seconds",
    help: "When the newest backup was begun, Unix seconds; 0 without one",
    registers: [registry],
    async collect() {
      this.set(await newestBackupSeconds(directory));
    },
  });
  new Gauge({
    name: "partner_trading_backup_restore_checked_timestamp_seconds",
    help: "When the newest backup was begun that was restored and found right, Unix seconds; 0 without one",
    registers: [registry],
    collect() {
      this.set(backupSeconds(checkedBackup() ?? "") ?? 0);
    },
  });
}
