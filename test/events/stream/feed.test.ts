import { describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { encodeEventCursor } from "../../../src/context/input/event-cursor.ts";
import { createAllFeed, createKeyFeed } from "../../../src/events/stream/feed.ts";
import type { AppendedEvent } from "../../../src/events/stream/store.ts";

const pool = {} as pg.Pool;
const KEY = "11111111-1111-4111-8111-111111111111";
const log = { keyId: KEY, chainId: 1, productType: "spot" };
const event = (change: Partial<AppendedEvent> = {}): AppendedEvent => ({
  ...log,
  position: 8,
  sequence: 8,
  type: "order.placed",
  txHash: null,
  json: '{"data":{"orderId":"0xab"}}',
  ...change,
});

describe("the feed of a key", () => {
  it("sends an event once, under its cursor, and shares what it sends", () => {
    const feeds = [null, null].map((types) => createKeyFeed({ pool, log, after: 7, types }));
    const one = event();
    const frames = feeds.map((feed) => feed.take(one));
    expect(frames[0]?.toString()).toBe(
      `id: ${encodeEventCursor(log, 8)}\nevent: order.placed\ndata: ${one.json}\n\n`,
    );
    expect(frames[1]).toBe(frames[0]);
    expect({ taken: feeds.map((feed) => feed.take(one)) }).toEqual({ taken: [null, null] });
  });

  it("says where events are missing, and stays where it is", () => {
    const feed = createKeyFeed({ pool, log, after: 7, types: null });
    expect(feed.take(event({ sequence: 9 }))).toBe("gap");
    expect(feed.cursor()).toBe(encodeEventCursor(log, 7));
  });

  it("moves on behind what it does not send", () => {
    const feed = createKeyFeed({ pool, log, after: 7, types: new Set(["order.filled"] as const) });
    expect(feed.take(event())).toBeNull();
    expect(feed.cursor()).toBe(encodeEventCursor(log, 8));
  });
});

describe("the feed of all keys", () => {
  const open = (filter = {}, withData = true) =>
    createAllFeed({
      withData,
      pool,
      places: new Map([[1, 7]]),
      filter: { types: null, keyId: undefined, productType: undefined, objectId: undefined, ...filter },
    });

  it("sends an event once, whatever positions are missing, and none of a chain that it does not follow", () => {
    const feed = open();
    expect(feed.take(event({ position: 12 }))?.toString()).toContain(
      `data: {"keyId":"${KEY}","chainId":1,"productType":"spot","event":${event().json}}\n`,
    );
    expect(feed.take(event({ position: 12 }))).toBeNull();
    expect(feed.take(event({ position: 10 }))).toBeNull();
    expect(feed.take(event({ position: 20, chainId: 2 }))).toBeNull();
  });

  it("sends a viewer the same events, each without its data", () => {
    const json = '{"eventId":"e","sequence":1,"data":{"openOrder":{"userAddress":"0xcanary"}}}';
    const frame = open({}, false)
      .take(event({ position: 12, json }))
      ?.toString();
    expect(frame).toContain('"event":{"eventId":"e","sequence":1,"data":null}}');
    expect(frame).not.toContain("canary");
  });

  it.each([
    ["a key", { keyId: KEY }, { keyId: "other" }],
    ["a product", { productType: "spot" }, { productType: "Spot" }],
    ["types", { types: new Set(["order.placed"]) }, { type: "order.filled" as const }],
    ["an object", { objectId: "0xab" }, { json: '{"data":{"mappingId":"0xab"}}' }],
  ])("sends the events of %s alone, and moves on behind others", (_what, filter, other) => {
    const feed = open(filter);
    const before = feed.cursor();
    expect(feed.take(event({ position: 8, ...other }))).toBeNull();
    expect(feed.cursor()).not.toBe(before);
    expect(feed.take(event({ position: 9 }))).not.toBeNull();
  });
});
