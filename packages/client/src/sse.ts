import { createParser } from "eventsource-parser";
import { readChunks } from "./body.ts";

/** One server-sent event. */
export interface Frame {
  id?: string | undefined;
  event?: string | undefined;
  /** Empty where the frame has a pause alone. */
  data: string;
  /** Pause before the next connection, milliseconds. */
  retryMs?: number | undefined;
}

/** Maximum size of a frame; an event has a few kilobytes. */
const FRAME_CHARS_MAX = 4_000_000;
/** Longest time that a timer takes; a longer one ends at once. */
const RETRY_MS_MAX = 2 ** 31 - 1;

/**
 * Splits a stream into server-sent events, by the standard. Leaves out comments.
 * @throws the signal's reason; an error where a frame does not end
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Frame, void, undefined> {
  const decoder = new TextDecoder();
  const frames: Frame[] = [];
  const parser = createParser({
    maxBufferSize: FRAME_CHARS_MAX,
    onEvent: (event) => frames.push(event),
    onRetry: (retryMs) => frames.push({ data: "", retryMs: Math.min(retryMs, RETRY_MS_MAX) }),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
  });
  for await (const chunk of readChunks(body, signal)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* frames.splice(0);
  }
}
