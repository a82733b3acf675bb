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

/** After a run that failed, where the job has no time of its own. */
const RETRY_MS = 1_000;

/** Runs every job now and from then on. A run that fails is logged, and tried again like any other. */
export function startJobs(jobs: readonly Job[], log: Logger): Jobs {
  const failing = new Set<string>();
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
      failing.add(name);
      log.error({ err, job: name }, "job failed");
      return typeof everyMs === "number" ? everyMs : RETRY_MS;
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
    failing: () => [...failing],
    stop: async () => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(underWay.values());
    },
  };
}
