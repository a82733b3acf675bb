import { getEventListeners } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { readText } from "../src/body.ts";
import { startDeadline } from "../src/deadline.ts";
import { PartnerTradingError } from "../src/errors.ts";
import { type Frame, readFrames } from "../src/sse.ts";

const HOUR_MS = 3_600_000;

/** Returns a body of these bytes, one chunk each, and the reason that it was canceled for. */
function bodyOf(bytes: Uint8Array) {
  const left = [...bytes];
  const canceled: unknown[] = [];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const byte = left.shift();
      if (byte === undefined) controller.close();
      else controller.enqueue(Uint8Array.of(byte));
    },
    cancel: (reason) => void canceled.push(reason),
  });
  return { body, canceled };
}

const encode = (text: string) => new TextEncoder().encode(text);

async function framesOf(text: string): Promise<Frame[]> {
  const { body } = bodyOf(encode(text));
  const frames: Frame[] = [];
  for await (const frame of readFrames(body, new AbortController().signal)) frames.push(frame);
  return frames;
}

describe("a body that comes byte by byte", () => {
  const text = "Zürich 東京 😀";

  it("is the text that was sent, also of characters of several bytes", async () => {
    const { body } = bodyOf(encode(text));
    expect(await readText(new Response(body), new AbortController().signal)).toBe(text);
  });

  it("is the events that were sent, also of characters of several bytes", async () => {
    expect(await framesOf(`data: ${text}\n\n`)).toMatchObject([{ data: text }]);
  });

  it("is canceled where its reader leaves early, and the caller's signal is let go", async () => {
    const { body, canceled } = bodyOf(encode("data: 1\n\ndata: 2\n\n"));
    const { signal } = new AbortController();
    for await (const { data } of readFrames(body, signal)) {
      expect(data).toBe("1");
      break;
    }
    expect(canceled).toHaveLength(1);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

it("a stream with a field or a pause that the standard ignores is read on, and no pause is longer than a timer", async () => {
  const frames = await framesOf("retry: soon\n\nunknown: 1\n\nretry: 9999999999\n\ndata: 1\n\n");
  expect(frames).toMatchObject([{ retryMs: 2 ** 31 - 1 }, { data: "1" }]);
});

it("a deadline within a signal that was aborted before is aborted at once, and is not over", () => {
  const reason = new Error("the caller left");
  const deadline = startDeadline(HOUR_MS, AbortSignal.abort(reason));
  deadline.clear();
  expect(deadline.signal.reason).toBe(reason);
  expect(deadline.isOver()).toBe(false);
});

it("an error has a cause where there is one", () => {
  const cause = new Error("connection refused");
  expect(new PartnerTradingError("no answer", { cause })).toHaveProperty("cause", cause);
  expect(new PartnerTradingError("no answer")).not.toHaveProperty("cause");
});
