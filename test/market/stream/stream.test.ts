import { describe, expect, it } from "@jest/globals";
import type { Sink } from "../../../src/context/stream.ts";
import { type MarketState, type PriceFollowing, STATUS } from "../../../src/market/stream/board.ts";
import { startPriceStream } from "../../../src/market/stream/stream.ts";
import { fakeSink } from "../../support/http/fake-sink.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));
const price = (name: string, value: number) => Buffer.from(`${name} ${value}`);

/** Returns a stream of the tokens a and b, over prices that the test sets. */
function start({ hasLeftBefore = false } = {}) {
  const client = fakeSink();
  let waits = 0;
  const causes: string[] = [];
  const state: MarketState = { session: "regular", stale: false };
  let deliver = (_frames: ReadonlyMap<string, Buffer>): void => undefined;
  let hasLeft = false;
  const following: PriceFollowing = {
    subscribe: (handed) => {
      deliver = handed;
      deliver(
        new Map([
          [STATUS, Buffer.from("status")],
          ["a", price("a", 1)],
          ["b", price("b", 1)],
        ]),
      );
    },
    isFollowed: (key) => key === "a" || key === "b",
    state: () => state,
    leave: () => {
      hasLeft = true;
    },
  };
  const sink: Sink = {
    ...client.sink,
    drained: () => {
      waits += 1;
      return client.sink.drained();
    },
    ...(hasLeftBefore ? { onClose: (callback) => callback() } : {}),
  };
  const stream = startPriceStream({
    sink,
    following,
    now: () => 5,
    onEnd: (cause) => void causes.push(cause),
  });
  return {
    ...client,
    stream,
    causes,
    hasLeft: () => hasLeft,
    /** Number of times that it has waited for its client. */
    waits: () => waits,
    publish: (...frames: [string, number][]) =>
      deliver(new Map(frames.map(([name, value]) => [name, price(name, value)]))),
  };
}

const SNAPSHOT = ["retry: 1000\n\n", "status", "a 1", "b 1"];
const HEARTBEAT = 'event: heartbeat\ndata: {"session":"regular","stale":false,"t":5}\n\n';

describe("a stream of prices", () => {
  it("begins with the market and every price, and has then those that change and are followed", async () => {
    const client = start();
    client.publish(["b", 2], ["c", 1]);
    await settled();
    client.publish(["a", 2]);
    await settled();
    // The first change came before the client had taken the snapshot.
    expect(client.frames).toEqual([...SNAPSHOT.slice(0, 3), "b 2", "a 2"]);
  });

  it("has the latest of each price once a client reads again that did not, and one heartbeat", async () => {
    const client = start();
    await settled();
    client.stall();
    client.publish(["a", 2]);
    await settled();
    for (let value = 3; value <= 1_000; value++) client.publish(["a", value], ["b", value]);
    client.stream.beat();
    client.stream.beat();
    await settled();
    expect({ frames: client.frames, waits: client.waits() }).toEqual({
      frames: [...SNAPSHOT, "a 2"],
      waits: 3,
    });
    client.read();
    await settled();
    expect(client.frames).toEqual([...SNAPSHOT, "a 2", "a 1000", "b 1000", HEARTBEAT]);
  });

  it("says when it last sent something, and whether its client has all of it", async () => {
    const client = start();
    client.stall();
    expect({ opened: client.stream.progress() }).toEqual({ opened: { sentAt: null, isBehind: true } });
    await settled();
    client.publish(["a", 2]);
    await settled();
    expect({ unread: client.stream.progress() }).toEqual({ unread: { sentAt: 5, isBehind: true } });
    client.read();
    await settled();
    expect({ read: client.stream.progress() }).toEqual({ read: { sentAt: 5, isBehind: false } });
  });

  it("is cut where a client takes nothing for more than two heartbeats, and not where it takes some", async () => {
    const client = start();
    await settled();
    const beat = async () => {
      client.stream.beat();
      await settled();
    };
    for (let round = 0; round < 3; round++) {
      client.stall();
      client.publish(["a", round]);
      await settled();
      await beat();
      await beat();
      await beat();
      expect({ round, causes: client.causes }).toEqual({ round, causes: [] });
      client.read();
      await settled();
    }
    client.stall();
    client.publish(["a", 9]);
    await settled();
    for (let beats = 0; beats < 4; beats++) await beat();
    expect({ causes: client.causes, ending: client.ending(), hasLeft: client.hasLeft() }).toEqual({
      causes: ["slow"],
      ending: "destroyed",
      hasLeft: true,
    });
  });

  it("ends once, with its reason, and sends nothing behind it", async () => {
    const client = start();
    await settled();
    client.stream.end("access");
    client.stream.end("shutdown");
    client.publish(["a", 2]);
    client.stream.beat();
    client.leave();
    await settled();
    expect({ causes: client.causes, ending: client.ending(), isOver: client.stream.isOver() }).toEqual({
      causes: ["access"],
      ending: "ended",
      isOver: true,
    });
    expect(client.frames).toEqual([
      ...SNAPSHOT,
      'retry: 1000\nevent: closing\ndata: {"reason":"access"}\n\n',
    ]);
  });

  it("sends nothing of what waited for its client once it has ended", async () => {
    const client = start();
    await settled();
    client.stall();
    client.publish(["a", 2]);
    await settled();
    client.publish(["a", 3]);
    client.stream.end("shutdown");
    client.read();
    await settled();
    expect(client.frames.slice(SNAPSHOT.length)).toEqual([
      "a 2",
      expect.stringContaining('{"reason":"shutdown"}'),
    ]);
  });

  it("sends nothing where its client had left before", async () => {
    const client = start({ hasLeftBefore: true });
    await settled();
    expect({ frames: client.frames, causes: client.causes, isOver: client.stream.isOver() }).toEqual({
      frames: [],
      causes: ["client"],
      isOver: true,
    });
  });

  it("follows nothing where its client has left", async () => {
    const client = start();
    await settled();
    client.leave();
    client.publish(["a", 2]);
    await settled();
    expect({ frames: client.frames, causes: client.causes, hasLeft: client.hasLeft() }).toEqual({
      frames: SNAPSHOT,
      causes: ["client"],
      hasLeft: true,
    });
  });
});
