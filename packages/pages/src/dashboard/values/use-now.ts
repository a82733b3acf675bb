import { useEffect, useState } from "preact/hooks";

const STEP_MS = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

/** Returns the time, and renders again each second. One timer serves the whole page. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = () => setNow(Date.now());
    listeners.add(tick);
    timer ??= setInterval(() => {
      if (!document.hidden) for (const listener of listeners) listener();
    }, STEP_MS);
    return () => {
      listeners.delete(tick);
      if (listeners.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    };
  }, []);
  return now;
}
