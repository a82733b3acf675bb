import type { Logger } from "pino";

/** Work that is done again and again. Each one must be safe while other workers do the same. */
export interface Job {
  name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  everyMs: number;
  run: () => Promise<unknown>;
}

export interface Jobs {
  /** Names of jobs whose last run failed. */
  failing(): string[];
  /** Starts no run any more, and waits for those under way. */
  stop(): Promise<void>;
}

/** Runs every job now and from then on. A run that fails is logged, and tried again like any other. */
export function startJobs(jobs: readonly Job[], log: Logger): Jobs {
  const failing = new Set<string>();
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();
  let stopped = false;

  async function run(job: Job): Promise<void> {
    try {
      await job.run();
      failing.delete(job.name);
    } catch (err) {
      failing.add(job.name);
      log.error({ err, job: job.name }, "job failed");
    }
  }

  function start(job: Job): void {
    const work = run(job).then(() => {
      underWay.delete(job.name);
      if (!stopped)
        timers.set(
          job.name,
          setTimeout(() => start(job), job.everyMs),
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
