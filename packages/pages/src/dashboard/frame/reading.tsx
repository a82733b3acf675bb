import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Answer } from "../service/use-ask.ts";
import { useNow } from "../values/use-now.ts";
import { Time } from "../values/values.tsx";

/** True while the strip says that the service does not answer: nothing else repeats it. */
export const OutageContext = createContext(false);

/** State of an answer that a panel shows. */
export type Reading = Pick<Answer<unknown>, "data" | "at" | "error" | "isLoading" | "isLate" | "reload">;

/** Age from which figures of an outage are not of now, ms: the page reads again every few seconds. */
const OLD_MS = 3_000;

/** Shows how old figures are that are not of now: those of an earlier visit while they are read again, or of before an outage. */
export function Freshness({ answer }: { answer: Reading }) {
  const isOut = useContext(OutageContext);
  const now = useNow();
  const { data, at, error, isLoading, isLate } = answer;
  if (data === null || at === null) return null;
  if (isOut ? now - at < OLD_MS : !(isLate || isLoading || error !== null)) return null;
  return (
    <span class="stale">
      {isLoading && error === null && !isOut && "Loading… "}read <Time at={at / 1_000} />
    </span>
  );
}

/** Shows what stands in the place of an answer, or why there is no newer one, with a button that repeats the call. */
export function ReadingState({ answer }: { answer: Reading }) {
  const isOut = useContext(OutageContext);
  const { data, error, reload } = answer;
  if (error !== null && !isOut) {
    return (
      <p class="problem" role="alert">
        {error}{" "}
        <button type="button" onClick={reload}>
          Try again
        </button>
      </p>
    );
  }
  if (data !== null) return null;
  if (error !== null) return <p class="empty">It could not be read.</p>;
  return (
    <p class="loading" role="status">
      {isOut ? "It is read once the service answers." : "Loading…"}
    </p>
  );
}
