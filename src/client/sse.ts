import { readChunks } from "./body.ts";

/** One server-sent event. */
export interface Frame {
  /** Empty where it has none. */
  id: string;
  event: string;
  data: string;
  /** Pause before the next connection, milliseconds; null where it names none. */
  retryMs: number | null;
}

/** Maximum size of a frame; an event has a few kilobytes. */
const FRAME_CHARS_MAX = 4_000_000;

/**
 * Splits a stream into server-sent events, by the standard. Leaves out comments.
 * @throws the signal's reason
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Frame, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of readChunks(body, signal)) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
    text = blocks.pop() ?? "";
    if (text.length > FRAME_CHARS_MAX) throw new RangeError("A server-sent event without an end");
    for (const block of blocks) {
      const frame = parseFrame(block);
      if (frame) yield frame;
    }
  }
}

/** Returns null for a block without content: a comment. */
function parseFrame(block: string): Frame | null {
  const fields = { id: "", event: "message", data: [] as string[], retry: "" };
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value = ""] = /^([^:]+):? ?(.*)$/s.exec(line) ?? [];
    if (name === "data") fields.data.push(value);
    else if (name === "id" || name === "event" || name === "retry") fields[name] = value;
  }
  const { id, event, data, retry } = fields;
  const retryMs = /^\d{1,9}$/.test(retry) ? Number(retry) : null;
  return data.length > 0 || retryMs !== null ? { id, event, data: data.join("\n"), retryMs } : null;
}
