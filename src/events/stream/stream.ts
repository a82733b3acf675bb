import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Sink } from "../../context/stream.ts";
import { type ClosingReason, heartbeatFrame, lastFrame, retryFrame } from "../../context/streams/frames.ts";
import type { EndCause, RunningStream } from "../../context/streams/host.ts";
import type { Feed } from "./feed.ts";
import type { AppendedEvent } from "./store.ts";

export interface StreamOptions {
  sink: Sink;
  feed: Feed;
  log: Logger;
  now: () => number;
  /** Runs a read once the earlier reads of the stream's key have ended. */
  runSerially: <T>(read: () => Promise<T>) => Promise<T>;
  /** Bytes that a client may leave unread. */
  bufferBytes: number;
  /** Returns what a heartbeat says. */
  heartbeat: () => object;
  /** Passes events to `deliver` as they are appended, from now on. */
  follow: (deliver: (events: readonly AppendedEvent[]) => void) => void;
  /** Called once, when the stream is over. */
  onEnd: (cause: EndCause) => void;
}

const FAILED_READ_MS = 500;

/**
 * Sends a feed to one client. While it catches up, it reads pages as fast as the client takes them; then it is live, and is
 * handed what is appended. What is appended while it catches up is in a later page: it is live only once a page was the last
 * one and nothing was handed to it since that was read.
 */
export function startStream(options: StreamOptions): RunningStream {
  const { sink, feed, log, now, runSerially, bufferBytes, heartbeat, follow, onEnd } = options;
  let state: "catching up" | "live" | "over" = "catching up";
  let hasMissed = false;
  let sentAt: number | null = null;
  const isOver = (): boolean => state === "over";

  function finish(cause: EndCause): boolean {
    if (isOver()) return false;
    state = "over";
    onEnd(cause);
    return true;
  }

  function end(reason: ClosingReason): void {
    if (finish(reason)) sink.end(lastFrame(reason));
  }

  /** @returns false where events are missing, and were not sent */
  function send(events: readonly AppendedEvent[]): boolean {
    const frames: Buffer[] = [];
    const isWhole = events.every((event) => {
      const frame = feed.take(event);
      if (frame === "gap") return false;
      if (frame) frames.push(frame);
      return true;
    });
    if (frames.length > 0) {
      sentAt = now();
      sink.write(frames);
    }
    return isWhole;
  }

  async function readPage(): Promise<void> {
    await sink.drained();
    if (isOver()) return;
    hasMissed = false;
    const page = await runSerially(feed.read).catch(async (err: unknown) => {
      log.debug({ err }, "a stream of events waits: its log cannot be read");
      await delay(FAILED_READ_MS, undefined, { ref: false });
      return null;
    });
    if (!page || isOver()) return;
    // Only what was removed for its age is missing in a page: whoever reconnects is answered CURSOR_EXPIRED.
    if (!send(page.events)) end("expired");
    else if (page.complete && !hasMissed) state = "live";
  }

  let isReading = false;
  async function catchUp(): Promise<void> {
    if (isReading) return;
    isReading = true;
    while (state === "catching up") await readPage();
    isReading = false;
  }

  function deliver(events: readonly AppendedEvent[]): void {
    if (state === "catching up") hasMissed = true;
    if (state !== "live") return;
    if (!send(events)) {
      state = "catching up";
      void catchUp();
    }
    if (sink.pendingBytes() > bufferBytes && finish("slow")) sink.destroy();
  }

  const beat = (): void => {
    if (!isOver()) sink.write([heartbeatFrame(feed.cursor(), heartbeat())]);
  };

  sink.onClose(() => finish("client"));
  if (!isOver()) {
    sink.write([retryFrame()]);
    beat();
    follow(deliver);
    void catchUp();
  }
  const progress = () => ({ sentAt, isBehind: state === "catching up" || sink.pendingBytes() > 0 });
  return { isOver, progress, beat, end };
}
