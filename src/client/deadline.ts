/** A signal that is aborted by a caller's signal, or by time. */
export interface Deadline {
  signal: AbortSignal;
  /** True where the deadline aborted it. */
  isOver(): boolean;
  /** Starts the time anew. */
  extend(): void;
  /** Stops the time, until it is extended. */
  suspend(): void;
  clear(): void;
}

/** Starts a time limit. `AbortSignal.any` would do, which Node.js has from 20.3 on and older browsers do not have. */
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
  outer?.addEventListener("abort", end, { once: true });
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
