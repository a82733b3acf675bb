import { setTimeout as sleep } from "node:timers/promises";

/** Times that all wallets of a process share: simultaneous work shares statements (shared-store.ts) and requests. */

/** Time by which a timer may fire early, ms. */
const EARLY_MS = 2;

/** Returns the end of a wait of at most `everyMs` that began at `nowMs`: a multiple of it. */
export const nextTick = (nowMs: number, everyMs: number): number =>
  (Math.floor((nowMs + EARLY_MS) / everyMs) + 1) * everyMs;

/** Returns true where a multiple of `everyMs` lies between two times, so that periodic work is due. */
export const isNewPeriod = (lastMs: number, nowMs: number, everyMs: number): boolean =>
  Math.floor(nowMs / everyMs) !== Math.floor(lastMs / everyMs);

/** Time as a worker's loops measure it and wait for it; a simulation has its own. */
export interface WorkerTime {
  /** Monotonic, ms. */
  now(): number;
  /** Waits for the time or the signal, whichever comes first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** As callAt. */
  callAt(atMs: number, callback: () => void): () => void;
}

interface Wait {
  timer: NodeJS.Timeout;
  callbacks: Set<() => void>;
}

/** Waits by their ends, by performance.now(). */
const waits = new Map<number, Wait>();

/**
 * Calls back at a time by performance.now(). One timer serves all waits for the same time, so that they continue in the same
 * iteration of the event loop: separate timers could fire a millisecond apart.
 * @returns a function that ends the wait
 */
export function callAt(atMs: number, callback: () => void): () => void {
  const wait = waits.get(atMs) ?? startWait(atMs);
  wait.callbacks.add(callback);
  return () => {
    wait.callbacks.delete(callback);
    if (wait.callbacks.size === 0) endWait(atMs, wait);
  };
}

function startWait(atMs: number): Wait {
  const callbacks = new Set<() => void>();
  const fire = (): void => {
    endWait(atMs, wait);
    for (const callback of callbacks) callback();
  };
  const wait = { timer: setTimeout(fire, atMs - performance.now()), callbacks };
  waits.set(atMs, wait);
  return wait;
}

function endWait(atMs: number, wait: Wait): void {
  clearTimeout(wait.timer);
  if (waits.get(atMs) === wait) waits.delete(atMs);
}

export const SYSTEM_TIME: WorkerTime = {
  now: () => performance.now(),
  // Leaves no listener behind.
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
  callAt,
};
