import type { Logger } from "pino";

/** Work that is done again and again. Each one must be safe while other workers do the same. */
export interface Job {
  name: string;
  /** Milliseconds between the end of one run and the start of the next; a function is called after each run. */
  everyMs: number | (() => Promise<number>);
  run: () => Promise<unknown>;
}

export interface Jobs {
  /** Names of jobs whose last run failed. */
  failing(): string[];
  /** Starts no run any more, and waits for those under way. */
  stop(): Promise<void>;
}

/** After a first run that failed. Each further failure doubles it. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;

/**
 * Runs every job now and from then on. A run that fails is logged and repeated soon, with exponential backoff: while a job fails the
 * worker is not ready, and one that runs every ten minutes would keep it so for ten minutes after a short outage.
 */
export function startJobs(jobs: readonly Job[], log: Logger): Jobs {
  /** Failures since the last run that succeeded, by job. */
  const failing = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();
  let stopped = false;

  /** @returns the milliseconds until the next run */
  async function run(job: Job): Promise<number> {
    const { name, everyMs } = job;
    try {
      await job.run();
      const pauseMs = typeof everyMs === "number" ? everyMs : await everyMs();
      failing.delete(name);
      return pauseMs;
    } catch (err) {
      const failures = failing.get(name) ?? 0;
      failing.set(name, failures + 1);
      log.error({ err, job: name }, "job failed");
      const retryMs = Math.min(RETRY_MS * 2 ** failures, RETRY_MS_MAX);
      return typeof everyMs === "number" ? Math.min(retryMs, everyMs) : retryMs;
    }
  }

  function start(job: Job): void {
    const work = run(job).then((pauseMs) => {
      underWay.delete(job.name);
      if (!stopped)
        timers.set(
          job.name,
          setTimeout(() => start(job), pauseMs),
        );
    });
    underWay.set(job.name, work);
  }

  for (const job of jobs) start(job);
  return {
    failing: () => [...failing.keys()],
    stop: async () => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(underWay.values());
    },
  };
}
