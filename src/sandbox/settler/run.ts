import type { Desk } from "./desk.ts";
import { balanceBuffers } from "./treasury.ts";
import { workOnce } from "./work.ts";

const ROUND_MS = 200;
const AFTER_ERROR_MS = 1_000;
const BALANCE_EVERY_MS = 10_000;

export interface Running {
  /** Lets the round at hand finish. */
  stop(): Promise<void>;
}

/** Works on a desk until it is stopped. A chain that does not answer is tried again, and said once. */
export function runDesk(desk: Desk): Running {
  const stopping = new AbortController();
  const done = rounds(desk, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

async function rounds(desk: Desk, signal: AbortSignal): Promise<void> {
  let failing = false;
  let balancedAt = 0;
  while (!signal.aborted) {
    try {
      await desk.exclusive(async (book) => {
        if (!desk.mining.isOn) return;
        await workOnce(desk, book);
        if (desk.policy.mode === "manual" || desk.now() - balancedAt < BALANCE_EVERY_MS) return;
        await balanceBuffers(desk, book);
        balancedAt = desk.now();
      });
      if (failing) desk.log.info("the settler works again");
      failing = false;
    } catch (error) {
      if (!failing && !signal.aborted)
        desk.log.warn({ err: error }, "the settler cannot work; it tries again");
      failing = true;
    }
    await pause(failing ? AFTER_ERROR_MS : ROUND_MS, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
