import { useEffect, useState } from "preact/hooks";
import type { ProblemsQuery } from "../service/documents.ts";
import type { LiveMode } from "../service/live.ts";
import { useSession } from "../service/session.ts";
import type { Answer } from "../service/use-ask.ts";
import { duration } from "../values/format.ts";
import { useNow } from "../values/use-now.ts";
import { blockAge, knownOf, toneOf, worstTone } from "./problems.ts";

const WORDS: Record<LiveMode, string> = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  polling: "Every 10 s",
  stopped: "Stopped",
  hidden: "Resting",
};

/** Shows whether the page follows the service, in green only where nothing is wrong, and the age of the block that its data is of: of the chain that is worst. */
export function LiveBadge({ state }: { state: Answer<ProblemsQuery> }) {
  const { live } = useSession();
  const now = useNow();
  const [, render] = useState(0);
  useEffect(() => live.onChange(() => render((count) => count + 1)), [live]);
  const mode = live.mode();
  const reading = { ...state, data: state.data?.dashboard ?? null };
  const age = blockAge(reading, now);
  const isStopped = mode === "stopped";
  // The stream may be open still.
  const isAway = mode === "live" && (state.error !== null || state.isLate);
  const tone = isAway ? "bad" : worstTone(age?.tone, toneOf(knownOf(reading, mode, now)));
  return (
    <span class="live">
      <span class="badge" data-mode={mode} data-tone={tone} role="status">
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
