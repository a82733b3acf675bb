/** One server-sent event. */
export interface Frame {
  /** Empty where it has none. */
  id: string;
  event: string;
  data: string;
}

/** The longest frame that is taken; an event has a few kilobytes. */
const FRAME_CHARS_MAX = 4_000_000;

/** Splits a stream into server-sent events, as the standard says. Comments and `retry` are left out. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
      text = blocks.pop() ?? "";
      if (text.length > FRAME_CHARS_MAX) throw new RangeError("A server-sent event without an end");
      for (const block of blocks) {
        const frame = parseFrame(block);
        if (frame) yield frame;
      }
    }
  } finally {
    // Frees the connection also where the reader leaves early; one that is broken already cannot be freed.
    await reader.cancel().catch(() => undefined);
  }
}

function parseFrame(block: string): Frame | null {
  const fields = { id: "", event: "message", data: [] as string[] };
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value = ""] = /^([^:]+):? ?(.*)$/s.exec(line) ?? [];
    if (name === "data") fields.data.push(value);
    else if (name === "id" || name === "event") fields[name] = value;
  }
  return fields.data.length > 0 ? { ...fields, data: fields.data.join("\n") } : null;
}
