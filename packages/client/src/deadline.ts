/** A signal that a caller's signal, or a time limit, aborts. */
export interface Deadline {
  signal: AbortSignal;
  /** Returns true where the time limit aborted it. */
  isOver(): boolean;
  /** Restarts the time. */
  extend(): void;
  /** Stops the time, until it is extended. */
  suspend(): void;
  clear(): void;
}

/** Starts a time limit. `AbortSignal.any` is missing in Node.js before 20.3 and in older browsers. */
export function startDeadline(ms: number, outer?: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => controller.abort(outer?.reason);
  const extend = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isOver = true;
      controller.abort();
    }, ms);
  };
  if (outer?.aborted) end();
  outer?.addEventListener("abort", end);
  extend();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    extend,
    suspend: () => clearTimeout(timer),
    clear: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", end);
    },
  };
}
