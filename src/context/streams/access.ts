/** Ends streams whose request would be refused by now. */
export interface AccessChecks {
  /** Checks every stream. Those that are refused end. @throws what a check throws; then the others were not checked */
  run(): Promise<void>;
  /** Settles where every stream was checked within the time that a loss of access may go unnoticed. @throws as run */
  ensureRecent(): Promise<void>;
}

/** A stream, as the checks see it. */
export interface Checked {
  recheck: () => Promise<string | null>;
  refuse: () => void;
}

/** Maximum time between checks of a stream, milliseconds: a revoked key's streams end within five seconds. */
const RECHECK_MAX_MS = 4_000;

/**
 * Checks of one tick share a statement.
 * @param open streams that are open, each checked when it was opened
 * @param nowMs a clock that only goes forward
 */
export function createAccessChecks(
  open: () => Iterable<Checked>,
  nowMs: () => number = () => performance.now(),
): AccessChecks {
  let checkedAt = nowMs();
  let running: Promise<void> | null = null;

  async function checkAll(): Promise<void> {
    const startedAt = nowMs();
    await Promise.all(
      [...open()].map(async (stream) => {
        if ((await stream.recheck()) !== null) stream.refuse();
      }),
    );
    checkedAt = startedAt;
  }

  const run = (): Promise<void> => {
    running ??= checkAll().finally(() => {
      running = null;
    });
    return running;
  };
  return {
    run,
    ensureRecent: async () => {
      if (nowMs() - checkedAt > RECHECK_MAX_MS) await run();
    },
  };
}
