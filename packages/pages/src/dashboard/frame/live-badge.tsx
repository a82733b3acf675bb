import { useEffect, useState } from "preact/hooks";
import type { ProblemsQuery } from "../service/documents.ts";
import type { LiveMode } from "../service/live.ts";
import { useSession } from "../service/session.ts";
import type { Answer } from "../service/use-ask.ts";
import { duration } from "../values/format.ts";
import { useNow } from "../values/use-now.ts";
import { blockAge } from "./problems.ts";

const WORDS: Record<LiveMode, string> = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  polling: "Every 10 s",
  stopped: "Stopped",
  hidden: "Resting",
};

/** Shows whether the page follows the service, and the age of the block that its data is of: of the chain that is worst. */
export function LiveBadge({ state }: { state: Answer<ProblemsQuery> }) {
  const { live } = useSession();
  const now = useNow();
  const [, render] = useState(0);
  useEffect(() => live.onChange(() => render((count) => count + 1)), [live]);
  const mode = live.mode();
  const age = blockAge({ ...state, data: state.data?.dashboard ?? null }, now);
  const isStopped = mode === "stopped";
  // The stream may be open still.
  const isAway = mode === "live" && (state.error !== null || state.isLate);
  return (
    <span class="live">
      <span class="badge" data-mode={mode} data-tone={isAway ? "bad" : age?.tone} role="status">
        {isAway ? "Not current" : WORDS[mode]}
      </span>
      <span class="age" data-tone={age?.tone}>
        {age === null ? "" : ` · block ${duration(Math.floor(age.seconds))} old`}
      </span>
      <button type="button" class="quiet" onClick={() => live.setStopped(!isStopped)}>
        {isStopped ? "Resume" : "Pause"}
      </button>
    </span>
  );
}
