import type { Sink } from "../../context/stream.ts";
import { type ClosingReason, lastFrame, retryFrame } from "../../context/streams/frames.ts";
import type { EndCause, RunningStream } from "../../context/streams/host.ts";
import { type Frames, type PriceFollowing, STATUS, statusFrame } from "./board.ts";

export interface PriceStreamOptions {
  sink: Sink;
  following: PriceFollowing;
  now: () => number;
  /** Called once, when the stream is over. */
  onEnd: (cause: EndCause) => void;
}

const HEARTBEAT = "heartbeat";
/** Heartbeats that a client may leave unread. */
const UNREAD_BEATS_MAX = 2;

/**
 * Sends prices to one client, of each token the latest: while the client does not read, a newer frame replaces the one that waits.
 * So what waits is bounded by the number of tokens.
 */
export function startPriceStream({ sink, following, now, onEnd }: PriceStreamOptions): RunningStream {
  const pending = new Map<string, Buffer>();
  let isOver = false;
  let isWaiting = false;
  let unreadBeats = 0;
  let sentAt: number | null = null;

  function finish(cause: EndCause): boolean {
    if (isOver) return false;
    isOver = true;
    following.leave();
    onEnd(cause);
    return true;
  }

  async function flush(): Promise<void> {
    if (isWaiting) return;
    isWaiting = true;
    while (pending.size > 0 && !isOver) {
      await sink.drained();
      unreadBeats = 0;
      const frames = [...pending.values()];
      pending.clear();
      if (!isOver) sink.write(frames);
      sentAt = now();
    }
    isWaiting = false;
  }

  function deliver(frames: Frames): void {
    for (const [key, frame] of frames)
      if (key === STATUS || following.isFollowed(key)) pending.set(key, frame);
    void flush();
  }

  function beat(): void {
    if (isWaiting) unreadBeats += 1;
    if (unreadBeats > UNREAD_BEATS_MAX && finish("slow")) {
      sink.destroy();
      return;
    }
    pending.set(HEARTBEAT, statusFrame(HEARTBEAT, following.state(), now()));
    void flush();
  }

  sink.onClose(() => finish("client"));
  if (!isOver) {
    sink.write([retryFrame()]);
    following.subscribe(deliver);
  }
  return {
    isOver: () => isOver,
    progress: () => ({ sentAt, isBehind: isWaiting }),
    beat,
    end: (reason: ClosingReason) => {
      if (finish(reason)) sink.end(lastFrame(reason));
    },
  };
}
