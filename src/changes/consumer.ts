import type { Logger } from "pino";

/**
 * Work that follows from the indexed blocks of a chain. It reads what the index has now, keeps its own position, and is
 * idempotent: it runs again after a failure, a reorg or a lost notification, and for a moment on two workers at once
 * where the lease of a reader changes hands.
 */
export interface Consumer {
  name: string;
  run(chainId: number): Promise<Progress>;
}

export interface Progress {
  /** False where more is left than one run does: the next one follows at once. */
  complete: boolean;
}

/** A consumer on one chain. Its runs never overlap. */
export interface Runner {
  name: string;
  /** Runs the consumer, or runs it again after the present run: a change may have followed that run's reads. */
  wake(): void;
  isFailing(): boolean;
  /** Settles when nothing is running. */
  idle(): Promise<void>;
}

/** @param mayRun false once the reader has lost its lease: a run under way is the last one then */
export function createRunner(
  consumer: Consumer,
  chainId: number,
  log: Logger,
  mayRun: () => boolean,
): Runner {
  const { name } = consumer;
  let isDue = false;
  let isFailing = false;
  let isRunning = false;
  let latest = Promise.resolve();

  async function run(): Promise<void> {
    isRunning = true;
    while (isDue && mayRun()) {
      isDue = false;
      try {
        const { complete } = await consumer.run(chainId);
        isFailing = false;
        if (!complete) isDue = true;
      } catch (err) {
        // Tried again at the next change, or by the safety net.
        isFailing = true;
        log.error({ err, chainId, consumer: name }, "a consumer of indexed blocks failed");
      }
    }
    isRunning = false;
  }

  return {
    name,
    wake: () => {
      isDue = true;
      if (!isRunning) latest = run();
    },
    isFailing: () => isFailing,
    idle: () => latest,
  };
}
