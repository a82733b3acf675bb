import { useEffect, useState } from "preact/hooks";
import type { LiveMode } from "../service/live.ts";
import { useSession } from "../service/session.ts";
import { duration } from "../values/format.ts";
import { useNow } from "../values/use-now.ts";

const WORDS: Record<LiveMode, string> = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  polling: "Every 10 s",
  stopped: "Stopped",
  hidden: "Resting",
};

/** Shows whether the page follows the service, and the age of its data. */
export function LiveBadge() {
  const { live } = useSession();
  const now = useNow();
  const [, render] = useState(0);
  useEffect(() => live.onChange(() => render((count) => count + 1)), [live]);
  const mode = live.mode();
  const readAt = live.readAt();
  const age =
    readAt === null ? "" : ` · data ${duration(Math.max(0, Math.floor((now - readAt) / 1_000)))} old`;
  const isStopped = mode === "stopped";
  return (
    <span class="live">
      <span class="badge" data-mode={mode} role="status">
        {WORDS[mode]}
      </span>
      <span class="age">{age}</span>
      <button type="button" class="quiet" onClick={() => live.setStopped(!isStopped)}>
        {isStopped ? "Resume" : "Pause"}
      </button>
    </span>
  );
}
