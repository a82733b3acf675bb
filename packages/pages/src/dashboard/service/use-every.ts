import { useEffect, useRef } from "preact/hooks";
import { useSession } from "./session.ts";

/** Calls a function at an interval, unless the reader stopped the page or does not see it. */
export function useEvery(ms: number, run: () => void): void {
  const { live } = useSession();
  const newest = useRef(run);
  newest.current = run;
  useEffect(() => {
    const timer = setInterval(() => {
      if (live.mode() !== "stopped" && live.mode() !== "hidden") newest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [live, ms]);
}
