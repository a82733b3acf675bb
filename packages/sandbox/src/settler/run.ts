import { setTimeout as sleep } from "node:timers/promises";
import type { ChainChanges } from "../chain-changes.ts";
import type { Desk } from "./desk.ts";
import { balanceBuffers } from "./treasury.ts";
import { workOnce } from "./work.ts";

const ROUND_MS = 200;
/** Interval while there is nothing to settle, on a chain whose changes are announced. */
const IDLE_ROUND_MS = 1_000;
/** Time within which a sent transaction may be mined. */
const SENT_MS = 1_000;
const AFTER_ERROR_MS = 1_000;
const BALANCE_EVERY_MS = 10_000;

export interface Running {
  /** Lets the present round finish. */
  stop(): Promise<void>;
}

/**
 * Works on a desk until it is stopped. Retries a chain that does not answer, and logs that once.
 * @param changes of the chain; without them it is read five times a second
 */
export function runDesk(desk: Desk, changes: ChainChanges | null = null): Running {
  const stopping = new AbortController();
  const done = rounds(desk, watch(changes), stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

interface Watch {
  /** False without announcements, and where a sent transaction may not be mined yet. */
  isQuiet(): boolean;
  /** Waits for a change since the start of the last wait, the time or the stop. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

function watch(changes: ChainChanges | null): Watch {
  let hasChanged = false;
  let sentMs = Number.NEGATIVE_INFINITY;
  let wake = () => {};
  const unsubscribe = changes?.subscribe((change) => {
    if (change === "sent") sentMs = performance.now();
    hasChanged = true;
    wake();
  });
  return {
    isQuiet: () => changes !== null && performance.now() - sentMs > SENT_MS,
    wait: async (ms, signal) => {
      if (!hasChanged) {
        const waiting = new AbortController();
        wake = () => waiting.abort();
        await sleep(ms, undefined, { signal: AbortSignal.any([signal, waiting.signal]) }).catch(() => {});
      }
      hasChanged = false;
    },
    end: () => unsubscribe?.(),
  };
}

async function rounds(desk: Desk, chain: Watch, signal: AbortSignal): Promise<void> {
  let failing = false;
  let hasWork = true;
  let balancedAt = 0;
  while (!signal.aborted) {
    try {
      await desk.exclusive(async (book) => {
        if (!desk.mining.isOn) return;
        await workOnce(desk, book);
        hasWork = book.orders.size + book.operations.size > 0;
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
    if (failing || hasWork || !chain.isQuiet()) await pause(failing ? AFTER_ERROR_MS : ROUND_MS, signal);
    else await chain.wait(IDLE_ROUND_MS, signal);
  }
  chain.end();
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
