import { describe, expect, it, jest } from "@jest/globals";
import { createAccessChecks } from "../../../src/context/streams/access.ts";
import { createStreamSlots } from "../../../src/context/streams/slots.ts";
import type { Feed } from "../../../src/events/stream/feed.ts";
import type { AppendedEvent } from "../../../src/events/stream/store.ts";
import { startStream } from "../../../src/events/stream/stream.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { present, until } from "../../support/assert/until.ts";
import { fakeSink } from "../../support/http/fake-sink.ts";

const event = (sequence: number) => ({ sequence }) as AppendedEvent;
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

/** Returns an event log in memory, whose reads wait until the test releases them. */
function fakeLog(after = 0, page = 3) {
  let taken = after;
  let last = 0;
  const reads: (() => void)[] = [];
  const feed: Feed = {
    read: () =>
      new Promise((resolve) => {
        // The events that exist when the read begins.
        const events = range(taken + 1, Math.min(last, taken + page));
        reads.push(() => resolve({ events, complete: events.length < page }));
      }),
    take: ({ sequence }) => {
      if (sequence <= taken) return null;
      if (sequence !== taken + 1) return "gap";
      taken = sequence;
      return Buffer.from(`event ${sequence} ${"x".repeat(90)}`);
    },
    cursor: () => String(taken),
  };
  return {
    feed,
    append: (count: number) => {
      last += count;
      return range(last - count + 1, last);
    },
    /** Releases the waiting read; false where there is none. */
    answer: async () => {
      await settled();
      const next = reads.shift();
      next?.();
      await settled();
      return next !== undefined;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const sequencesOf = (frames: readonly string[]) =>
  frames.flatMap((frame) => /^event (\d+)/.exec(frame)?.slice(1).map(Number) ?? []);

function start(log: ReturnType<typeof fakeLog>, bufferBytes = 1_000) {
  const client = fakeSink();
  const causes: string[] = [];
  let deliver = (_events: readonly AppendedEvent[]): void => undefined;
  const stream = startStream({
    sink: client.sink,
    feed: log.feed,
    bufferBytes,
    log: createLog("test", "silent"),
    now: () => 7,
    runSerially: (read) => read(),
    heartbeat: () => ({ t: 1 }),
    follow: (handed) => {
      deliver = handed;
    },
    onEnd: (cause) => void causes.push(cause),
  });
  return {
    ...client,
    sequences: () => sequencesOf(client.frames),
    stream,
    causes,
    deliver: (events: readonly AppendedEvent[]) => deliver(events),
  };
}

describe("a stream", () => {
  it("begins with the pause before a new connection, and a heartbeat at its cursor", () => {
    const client = start(fakeLog(5));
    expect({ frames: client.frames }).toEqual({
      frames: ["retry: 1000\n\n", 'id: 5\nevent: heartbeat\ndata: {"t":1}\n\n'],
    });
  });

  it("sends and follows nothing where its client has left already", () => {
    const { sink, frames } = fakeSink();
    let isFollowed = false;
    const stream = startStream({
      sink: { ...sink, onClose: (callback) => callback() },
      feed: fakeLog().feed,
      bufferBytes: 1_000,
      log: createLog("test", "silent"),
      now: () => 7,
      runSerially: (read) => read(),
      heartbeat: () => ({ t: 1 }),
      follow: () => {
        isFollowed = true;
      },
      onEnd: () => undefined,
    });
    expect({ frames, isFollowed, isOver: stream.isOver() }).toEqual({
      frames: [],
      isFollowed: false,
      isOver: true,
    });
  });

  it.each([
    ["shutdown", 500],
    ["access", 1_000],
  ] as const)("ends by %s with a pause: at a shutdown, one of its own", (reason, retryMs) => {
    const random = jest.spyOn(Math, "random").mockReturnValue(0.25);
    const client = start(fakeLog());
    client.stream.end(reason);
    random.mockRestore();
    expect({ frame: client.frames.at(-1), causes: client.causes, isOver: client.stream.isOver() }).toEqual({
      frame: `retry: ${retryMs}\nevent: closing\ndata: {"reason":"${reason}"}\n\n`,
      causes: [reason],
      isOver: true,
    });
  });

  it("says when it last sent an event, and whether its client has all of them", async () => {
    const log = fakeLog();
    const client = start(log);
    client.stream.beat();
    expect({ opened: client.stream.progress() }).toEqual({ opened: { sentAt: null, isBehind: true } });
    while (await log.answer());
    expect({ live: client.stream.progress() }).toEqual({ live: { sentAt: null, isBehind: false } });
    client.stall();
    client.deliver(log.append(1));
    expect({ unread: client.stream.progress() }).toEqual({ unread: { sentAt: 7, isBehind: true } });
    client.read();
    expect({ read: client.stream.progress() }).toEqual({ read: { sentAt: 7, isBehind: false } });
  });

  it("reads again where a read failed, after a pause", async () => {
    const log = fakeLog();
    log.append(2);
    const { read } = log.feed;
    let reads = 0;
    const failing = () => (++reads === 1 ? Promise.reject(new Error("down")) : read());
    const client = start({ ...log, feed: { ...log.feed, read: failing } });
    await settled();
    expect(reads).toBe(1);
    await until("the second read", () => reads === 2);
    while (await log.answer());
    expect({ sequences: client.sequences() }).toEqual({ sequences: [1, 2] });
  });

  it("reads page after page, and is handed what comes once a page was the last one", async () => {
    const log = fakeLog();
    log.append(7);
    const client = start(log);
    while (await log.answer());
    expect({ sequences: client.sequences() }).toEqual({ sequences: [1, 2, 3, 4, 5, 6, 7] });
    client.deliver(log.append(2));
    expect({ sequences: client.sequences() }).toEqual({ sequences: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
    // Handed twice, it is sent once.
    client.deliver(range(8, 9));
    expect(client.sequences()).toHaveLength(9);
    // Behind the first two, every frame is an event.
    expect(client.frames).toHaveLength(2 + 9);
  });

  it("reads once more where something was appended while its last page was read", async () => {
    const log = fakeLog();
    const client = start(log);
    // The page is being read, and was empty when that began.
    await settled();
    client.deliver(log.append(2));
    expect(client.sequences()).toEqual([]);
    while (await log.answer());
    expect({ sequences: client.sequences() }).toEqual({ sequences: [1, 2] });
  });

  it("reads what it was not handed before it goes on", async () => {
    const log = fakeLog();
    const client = start(log);
    while (await log.answer());
    log.append(2);
    client.deliver(log.append(1));
    expect(client.sequences()).toEqual([]);
    while (await log.answer());
    expect({ sequences: client.sequences() }).toEqual({ sequences: [1, 2, 3] });
  });

  it("holds no more for a client that does not read than its bound and one delivery", async () => {
    const log = fakeLog();
    const client = start(log);
    while (await log.answer());
    client.stall();
    for (let n = 0; n < 100; n++) client.deliver(log.append(1));
    expect({ ending: client.ending(), causes: client.causes }).toEqual({
      ending: "destroyed",
      causes: ["slow"],
    });
    expect(client.pending()).toBeGreaterThan(1_000);
    expect(client.pending()).toBeLessThan(1_100);
    client.leave();
    expect(client.causes).toEqual(["slow"]);
  });

  it("reads old events no faster than its client takes them", async () => {
    const log = fakeLog();
    log.append(10);
    const client = start(log);
    client.stall();
    await log.answer();
    expect(await log.answer()).toBe(false);
    expect({ sequences: client.sequences() }).toEqual({ sequences: [1, 2, 3] });
    client.read();
    while (await log.answer());
    expect(client.sequences()).toHaveLength(10);
  });

  it("ends where events that it was to send are gone, and says so", async () => {
    const log = fakeLog();
    const read = async () => ({ events: range(9, 9), complete: true });
    const client = start({ ...log, feed: { ...log.feed, read } });
    await settled();
    expect({ ending: client.ending(), causes: client.causes }).toEqual({
      ending: "ended",
      causes: ["expired"],
    });
    expect(client.frames.at(-1)).toContain('event: closing\ndata: {"reason":"expired"}');
  });

  it("sends nothing once its client has left", async () => {
    const log = fakeLog();
    const client = start(log);
    while (await log.answer());
    const before = [...client.frames];
    client.leave();
    client.deliver(log.append(1));
    client.stream.beat();
    client.stream.end("shutdown");
    expect({ sequences: client.sequences(), causes: client.causes, ending: client.ending() }).toEqual({
      sequences: [],
      causes: ["client"],
      ending: null,
    });
    expect({ frames: client.frames }).toEqual({ frames: before });
  });
});

it("slots are bounded for each holder and for all, and freeing one twice frees one", () => {
  const slots = createStreamSlots({ perHolderMax: 2, max: 3 });
  const [first] = [slots.take("a"), slots.take("a")];
  expect(() => slots.take("a")).toThrow(expect.objectContaining({ errCode: "TOO_MANY_STREAMS" }));
  slots.take("b");
  expect(() => slots.take("c")).toThrow(expect.objectContaining({ errCode: "TOO_MANY_STREAMS" }));
  present(first, "a slot")();
  first?.();
  slots.take("a");
  expect(() => slots.take("b")).toThrow(expect.objectContaining({ errCode: "TOO_MANY_STREAMS" }));
});

it("slots of a holder that frees one are those that are left", () => {
  const slots = createStreamSlots({ perHolderMax: 2, max: 9 });
  const [freeSlot] = [slots.take("a"), slots.take("a")];
  freeSlot?.();
  slots.take("a");
  expect(() => slots.take("a")).toThrow("This API key has 2 streams open here");
});

describe("checks of access", () => {
  it("end who is refused, and nobody else", async () => {
    const refused: string[] = [];
    const one = (name: string, cause: string | null) => ({
      recheck: async () => cause,
      refuse: () => void refused.push(name),
    });
    await createAccessChecks(() => [one("in", null), one("out", "key inactive")]).run();
    expect(refused).toEqual(["out"]);
  });

  it("hold back what is to be sent where nobody could be checked for long", async () => {
    let nowMs = 0;
    let isDown = false;
    const stream = {
      recheck: async () => {
        if (isDown) throw new Error("down");
        return null;
      },
      refuse: () => undefined,
    };
    const checks = createAccessChecks(
      () => [stream],
      () => nowMs,
    );
    isDown = true;
    await checks.ensureRecent();
    nowMs = 4_001;
    await expect(checks.ensureRecent()).rejects.toThrow("down");
    isDown = false;
    await checks.ensureRecent();
  });

  it("are made once for all who ask meanwhile, and not again before time", async () => {
    let nowMs = 0;
    let count = 0;
    const stream = {
      recheck: async () => {
        count += 1;
        return null;
      },
      refuse: () => undefined,
    };
    const checks = createAccessChecks(
      () => [stream],
      () => nowMs,
    );
    nowMs = 4_000;
    await checks.ensureRecent();
    expect(count).toBe(0);
    nowMs = 4_001;
    await Promise.all([checks.ensureRecent(), checks.ensureRecent(), checks.run()]);
    expect(count).toBe(1);
    nowMs = 8_001;
    await checks.ensureRecent();
    expect(count).toBe(1);
    await checks.run();
    expect(count).toBe(2);
  });
});
