import { describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { encodeEventCursor } from "../../../src/context/input/event-cursor.ts";
import { createAllFeed, createKeyFeed } from "../../../src/events/stream/feed.ts";
import type { AppendedEvent } from "../../../src/events/stream/store.ts";

const pool = {} as pg.Pool;
const KEY = "11111111-1111-4111-8111-111111111111";
const eventLog = { keyId: KEY, chainId: 1, productType: "spot" };
const event = (change: Partial<AppendedEvent> = {}): AppendedEvent => ({
  ...eventLog,
  position: 8,
  sequence: 8,
  type: "order.placed",
  txHash: null,
  json: '{"data":{"orderId":"0xab"}}',
  ...change,
});

const row = (sequence: number) => ({
  position: String(sequence),
  key_id: KEY,
  chain_id: 1,
  product_type: "spot",
  sequence: String(sequence),
  event_id: "e",
  type: "order.placed",
  resource: "orders",
  created_at: "1",
  block_number: null,
  tx_hash: null,
  retracts: null,
  data: "{}",
});

/** Returns a pool whose pages have the rows that `countOf` gives for a statement's values, and the values it was asked with. */
function pages(countOf: (values: readonly unknown[]) => number) {
  const asked: (readonly unknown[])[] = [];
  const query = async ({ values }: { values: readonly unknown[] }) => {
    asked.push(values);
    return { rows: Array.from({ length: countOf(values) }, (_, index) => row(index + 1)) };
  };
  return { pool: { query } as unknown as pg.Pool, asked };
}

describe("the feed of a key", () => {
  it.each([
    [99, true],
    [100, false],
  ])(
    "reads a page of at most a hundred events behind its position: of %i, it was the last one: %s",
    async (count, complete) => {
      const { pool: paged, asked } = pages(() => count);
      const feed = createKeyFeed({ pool: paged, eventLog, after: 0, types: null });
      const page = await feed.read();
      expect({ length: page.events.length, complete: page.complete }).toEqual({ length: count, complete });
      for (const each of page.events) feed.take(each);
      await feed.read();
      expect(asked[1]).toEqual(expect.arrayContaining([count, 100]));
    },
  );

  it("sends an event once, under its cursor, and shares what it sends", () => {
    const feeds = [null, null].map((types) => createKeyFeed({ pool, eventLog, after: 7, types }));
    const one = event();
    const frames = feeds.map((feed) => feed.take(one));
    expect(frames[0]?.toString()).toBe(
      `id: ${encodeEventCursor(eventLog, 8)}\nevent: order.placed\ndata: ${one.json}\n\n`,
    );
    expect(frames[1]).toBe(frames[0]);
    expect({ taken: feeds.map((feed) => feed.take(one)) }).toEqual({ taken: [null, null] });
  });

  it("says where events are missing, and stays where it is", () => {
    const feed = createKeyFeed({ pool, eventLog, after: 7, types: null });
    expect(feed.take(event({ sequence: 9 }))).toBe("gap");
    expect(feed.cursor()).toBe(encodeEventCursor(eventLog, 7));
  });

  it("moves on behind what it does not send", () => {
    const feed = createKeyFeed({ pool, eventLog, after: 7, types: new Set(["order.filled"] as const) });
    expect(feed.take(event())).toBeNull();
    expect(feed.cursor()).toBe(encodeEventCursor(eventLog, 8));
  });
});

describe("the feed of all keys", () => {
  it("reads a page of each chain, and was at the end where all of them were", async () => {
    const filter = { types: null, keyId: undefined, productType: undefined, objectId: undefined };
    const read = (long: boolean) => {
      const positions = new Map([
        [1, 7],
        [2, 9],
      ]);
      const { pool: paged } = pages((values) => (long && values.includes(2) ? 100 : 1));
      return createAllFeed({ pool: paged, positions, filter, withData: true }).read();
    };
    const [short, long] = [await read(false), await read(true)];
    expect([short.events.length, short.complete]).toEqual([2, true]);
    expect([long.events.length, long.complete]).toEqual([101, false]);
  });

  const open = (filter = {}, withData = true) =>
    createAllFeed({
      withData,
      pool,
      positions: new Map([[1, 7]]),
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

  it("sends the events of an operation by its id, too", () => {
    const json = '{"data":{"operationId":"0xab"}}';
    expect(open({ objectId: "0xab" }).take(event({ json }))).not.toBeNull();
  });

  it.each([
    ["a key", { keyId: KEY }, { keyId: "other" }],
    ["a product", { productType: "spot" }, { productType: "Spot" }],
    ["types", { types: new Set(["order.placed"]) }, { type: "order.filled" as const }],
    ["an object", { objectId: "0xab" }, { json: '{"data":{"mappingId":"0xab"}}' }],
    ["another object", { objectId: "0xab" }, { json: '{"data":{"orderId":"0xcd"}}' }],
  ])("sends the events of %s alone, and moves on behind others", (_what, filter, other) => {
    const feed = open(filter);
    const before = feed.cursor();
    expect(feed.take(event({ position: 8, ...other }))).toBeNull();
    expect(feed.cursor()).not.toBe(before);
    expect(feed.take(event({ position: 9 }))).not.toBeNull();
  });
});
