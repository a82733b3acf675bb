import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { inTransaction } from "../../../src/db/transaction.ts";
import type { EventType } from "../../../src/protocol/enums.ts";
import { SEED, seededRandom } from "../../support/assert/seeded-random.ts";
import { present, until } from "../../support/assert/until.ts";
import { createDatabase, type TestDatabase } from "../../support/db/postgres.ts";
import { appendEvent } from "../../support/events/append-event.ts";
import {
  CHAIN_ID,
  DASHBOARD_TOKEN,
  makeEnv,
  OTHER_PRODUCT,
  PRODUCT,
  startTestApi,
  type TestApi,
  type TestEnv,
} from "../../support/http/api.ts";
import { type EventStream, openStream, readStream } from "../../support/http/event-stream.ts";
import { createPartner } from "../../support/http/partner.ts";

// GET /events/stream on two replicas of the api, over one log.

const TIMING = { heartbeatMs: 60, recheckMs: 60, bufferBytes: 64 * 1024 };

let database: TestDatabase;
let env: TestEnv;
let replicas: [TestApi, TestApi];
type Key = Awaited<ReturnType<TestEnv["makeKey"]>>;

beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1", { EVENT_STREAMS_PER_KEY: "5" });
  replicas = await Promise.all([
    startTestApi(env.env, { streams: TIMING }),
    startTestApi(env.env, { streams: TIMING }),
  ]);
});

afterAll(async () => {
  // The other one was stopped by the last test.
  await replicas?.[1].stop();
  await env?.dispose();
  await database?.drop();
});

/** A client of a log whose events have data of the tests' own: no order of the document is it. */
const readerOf = (key: Key) => createPartner(url(), key, { checksDocument: false });

const append = (
  key: Key,
  type: EventType,
  data: object = { orderId: "0x01" },
  productType = key.productType,
) =>
  inTransaction(env.pool, (client) =>
    appendEvent(client, { keyId: key.keyId, chainId: CHAIN_ID, productType, type, resource: "orders", data }),
  );

async function appendMany(key: Key, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await append(key, "order.placed", { orderId: `0x${n}` });
}

const url = (index: 0 | 1 = 0) => replicas[index].url;
const sequences = (stream: EventStream) =>
  stream.events().map(({ data }) => JSON.parse(present(data, "data")).sequence);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const types = (stream: EventStream) => stream.events().map(({ event }) => event);
const received = (stream: EventStream, count: number) =>
  until("the events", () => stream.events().length >= count);
const isGoing = (stream: EventStream) =>
  until("the first heartbeat", () => stream.frames.some(({ event }) => event === "heartbeat"));

describe("the operator's stream", () => {
  const open = (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    readStream(`${replicas[0].operatorUrl}/events/stream?${new URLSearchParams(query)}`, {
      authorization: `Bearer ${DASHBOARD_TOKEN}`,
      ...headers,
    });
  const told = (stream: EventStream) => stream.events().map(({ data }) => JSON.parse(present(data, "data")));

  it("has the events of all keys, filtered, and goes on behind its last id", async () => {
    const [one, two] = [await env.makeKey(), await env.makeKey()];
    const [all, ofTwo, fills, about] = await Promise.all([
      open(),
      open({ keyId: two.keyId, chainId: String(CHAIN_ID) }),
      open({ types: "order.filled" }),
      open({ objectId: `0x${"AB".repeat(32)}` }),
    ]);
    await Promise.all([all, ofTwo, fills, about].map(isGoing));
    const before = present(all.lastId(), "a cursor");
    await append(one, "order.placed", { orderId: `0x${"ab".repeat(32)}` });
    await append(two, "order.filled", { operationId: `0x${"cd".repeat(32)}` });
    await received(all, 2);
    await Promise.all([ofTwo, fills, about].map((stream) => received(stream, 1)));
    expect(told(all)).toEqual([
      { keyId: one.keyId, chainId: CHAIN_ID, productType: PRODUCT, event: expect.anything() },
      { keyId: two.keyId, chainId: CHAIN_ID, productType: PRODUCT, event: expect.anything() },
    ]);
    const { body } = await readerOf(one).get<{ rows: unknown[] }>("/events");
    expect(told(all)[0].event).toEqual(body.data.rows[0]);
    expect([ofTwo, fills, about].map((stream) => told(stream).map(({ keyId }) => keyId))).toEqual([
      [two.keyId],
      [two.keyId],
      [one.keyId],
    ]);
    const resumed = await open({}, { "last-event-id": before });
    await received(resumed, 2);
    expect(told(resumed)).toEqual(told(all));
    for (const stream of [all, ofTwo, fills, about, resumed]) stream.cut();
  });

  it("is for dashboards alone, and refuses what it does not know with an envelope", async () => {
    const answer = async (query: string, token = DASHBOARD_TOKEN) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${replicas[0].operatorUrl}/events/stream${query}`, { headers });
      return { status: response.status, ...(await response.json()) };
    };
    expect(await answer("", "x".repeat(32))).toMatchObject({ status: 400, code: 401, data: null });
    expect(await answer("?after=x")).toMatchObject({ errCode: "VALIDATION_FAILED", param: "after" });
    expect(await answer("?chainId=1")).toMatchObject({ errCode: "VALIDATION_FAILED", param: "chainId" });
    expect(await answer("?user=1")).toMatchObject({ errCode: "VALIDATION_FAILED", param: "user" });
    const elsewhere = await fetch(`${url()}/events/stream`, {
      headers: { authorization: `Bearer ${DASHBOARD_TOKEN}` },
    });
    expect(elsewhere.status).toBe(404);
  });
});

describe("a stream of events", () => {
  it("begins at the end of the log with a heartbeat, and sends each event as GET /events answers it", async () => {
    const key = await env.makeKey();
    const other = await env.makeKey();
    await append(key, "order.placed");
    const stream = await openStream(url(), key);
    await isGoing(stream);
    await append(other, "order.placed");
    await append(key, "order.filled", { orderId: "0x01", nested: { "1": [null, "ä\n"], 0: 1.5 } });
    await append(key, "order.placed", {}, OTHER_PRODUCT);
    await append(key, "mapping.removed", { mappingId: "m" });
    await received(stream, 2);
    expect(types(stream)).toEqual(["order.filled", "mapping.removed"]);
    const { body } = await readerOf(key).get<{ rows: unknown[]; nextCursor: string }>("/events");
    expect(stream.events().map(({ data }) => JSON.parse(present(data, "data")))).toEqual(
      body.data.rows.slice(1),
    );
    expect(stream.events().map(({ data }) => data)).toEqual(
      body.data.rows.slice(1).map((row) => JSON.stringify(row)),
    );
    expect(stream.lastId()).toBe(body.data.nextCursor);
    expect(stream.frames[0]).toMatchObject({ retry: "1000" });
    expect(stream.response.headers).toMatchObject({
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      connection: "close",
    });
    stream.cut();
  });

  it("sends a heartbeat again and again, which moves on the cursor of a stream of some types", async () => {
    const key = await env.makeKey();
    const stream = await openStream(url(), key, { query: { types: "order.filled" } });
    await isGoing(stream);
    const before = stream.lastId();
    await append(key, "order.placed");
    await until("a heartbeat behind the event", () => stream.lastId() !== before);
    await append(key, "order.filled");
    await received(stream, 1);
    const heartbeat = stream.frames.find(({ event }) => event === "heartbeat");
    expect(JSON.parse(present(heartbeat?.data, "a heartbeat"))).toEqual({
      indexedBlock: null,
      t: expect.any(Number),
    });
    expect(types(stream)).toEqual(["order.filled"]);
    stream.cut();
    const resumed = await openStream(url(1), key, { lastEventId: present(before, "a cursor") });
    await received(resumed, 2);
    expect({ sequences: sequences(resumed) }).toEqual({ sequences: [1, 2] });
    resumed.cut();
  });

  it.each([SEED, SEED + 1])(
    "that is cut at random instants and resumed on any replica has each event once (TEST_SEED=%d)",
    async (seed) => {
      const random = seededRandom(seed);
      const key = await env.makeKey();
      const COUNT = 260;
      const taken: number[] = [];
      const ids: string[] = [];
      // The first ones are read in pages, and the others arrive while that goes on.
      const { body } = await readerOf(key).get<{ nextCursor: string }>("/events");
      ids.push(body.data.nextCursor);
      await appendMany(key, 130);
      const appending = appendMany(key, COUNT - 130);
      while (taken.length < COUNT) {
        let left = 1 + random.below(60);
        const stream = await openStream(random.chance(0.5) ? url(0) : url(1), key, {
          lastEventId: present(ids.at(-1), "a cursor"),
          onFrame: ({ id, event, data }, self) => {
            if (left <= 0 || !id) return;
            ids.push(id);
            if (event === "heartbeat") return;
            taken.push(JSON.parse(present(data, "data")).sequence);
            left -= 1;
            if (left === 0 || taken.length === COUNT) self.cut();
          },
        });
        await stream.ended;
      }
      await appending;
      expect(taken).toEqual(upTo(COUNT));
    },
    60_000,
  );

  it("refuses what it cannot follow with an ordinary answer, before it opens", async () => {
    const key = await env.makeKey();
    const other = await env.makeKey();
    await appendMany(key, 3);
    await append(other, "order.placed");
    const partner = createPartner(url(), key);
    const cursorOf = async (who: Key) =>
      (await readerOf(who).get<{ nextCursor: string }>("/events")).body.data.nextCursor;
    const mine = await cursorOf(key);
    const foreign = await cursorOf(other);
    const refusal = (query?: Record<string, string>, headers = {}) =>
      partner.get("/events/stream", query, { headers }).then(({ status, body }) => ({ status, ...body }));
    const wrong = { status: 400, code: 10000, errCode: "VALIDATION_FAILED" };
    expect(await refusal({ after: foreign })).toMatchObject({ ...wrong, param: "after" });
    // The header goes before the parameter.
    expect(await refusal({ after: mine }, { "last-event-id": foreign })).toMatchObject({
      ...wrong,
      param: "last-event-id",
    });
    expect(await refusal({ types: "order.lost" })).toMatchObject({ ...wrong, param: "types" });
    expect(await refusal({ limit: "5" })).toMatchObject({ ...wrong, param: "limit" });
    await env.pool.query("DELETE FROM app.event WHERE key_id = $1 AND sequence <= 2", [key.keyId]);
    const first = await openStream(url(), key);
    await isGoing(first);
    first.cut();
    const oldest = (await readerOf(key).get<{ nextCursor: string }>("/events", { limit: 1 })).body.data
      .nextCursor;
    await env.pool.query("DELETE FROM app.event WHERE key_id = $1", [key.keyId]);
    await appendMany(key, 2);
    await env.pool.query("DELETE FROM app.event WHERE key_id = $1 AND sequence <= 4", [key.keyId]);
    const expired = await refusal({ after: oldest });
    expect(expired).toMatchObject({ code: 10000, errCode: "CURSOR_EXPIRED", param: "after" });
    const { oldestCursor } = expired as unknown as { oldestCursor: string };
    const resumed = await openStream(url(), key, { query: { after: oldestCursor } });
    await received(resumed, 1);
    expect({ sequences: sequences(resumed) }).toEqual({ sequences: [5] });
    resumed.cut();
  });

  it("is one of a bounded number of its key, and leaves room when it ends", async () => {
    const key = await env.makeKey();
    const other = await env.makeKey();
    const open = await Promise.all([1, 2, 3, 4, 5].map(() => openStream(url(), key)));
    const refusal = await createPartner(url(), key).get("/events/stream");
    expect(refusal).toMatchObject({
      status: 429,
      body: { code: 429, errCode: "TOO_MANY_STREAMS", retryable: true },
    });
    (await openStream(url(), other)).cut();
    (await openStream(url(1), key)).cut();
    open[0]?.cut();
    const next = await until("room", () => openStream(url(), key).catch(() => undefined));
    for (const stream of [...open, next]) stream.cut();
  });

  it("is disconnected where its client does not read, and goes on where that was", async () => {
    const key = await env.makeKey();
    const stream = await openStream(url(), key);
    await isGoing(stream);
    const after = present(stream.lastId(), "a cursor");
    stream.stall();
    const large = { orderId: "0x01", text: "x".repeat(100_000) };
    let appended = 0;
    const isOver = stream.ended.then(() => true);
    for (let over = false; !over; appended++) {
      if (appended === 400) throw new Error("the stream takes more than 400 large events that nobody reads");
      await append(key, "order.placed", large);
      over = await Promise.race([isOver, metric("slow").then((ended) => ended > 0)]);
    }
    stream.cut();
    const resumed = await openStream(url(1), key, { lastEventId: after });
    await received(resumed, appended);
    expect(sequences(resumed)).toEqual(upTo(appended));
    resumed.cut();
  }, 60_000);

  async function metric(cause: string): Promise<number> {
    const text = await (await fetch(`${replicas[0].operatorUrl}/metrics`)).text();
    return Number(new RegExp(`event_streams_ended_total{cause="${cause}"} (\\d+)`).exec(text)?.[1] ?? 0);
  }

  it.each([
    ["its key is revoked", "UPDATE app.api_key SET active = false WHERE key_id = $1"],
    ["its key expires", "UPDATE app.api_key SET expires_at = now() - interval '1 second' WHERE key_id = $1"],
    ["its scope is taken away", "DELETE FROM app.api_key_scope WHERE key_id = $1"],
    ["its address is taken off the list", "DELETE FROM app.api_key_ip WHERE key_id = $1"],
  ])("ends where %s", async (_what, change) => {
    const key = await env.makeKey();
    const [stream, spared] = await Promise.all([
      openStream(url(), key),
      openStream(url(), await env.makeKey()),
    ]);
    await env.pool.query(change, [key.keyId]);
    expect(await stream.ended).toBe(true);
    expect(stream.frames.at(-1)).toMatchObject({ event: "closing", data: '{"reason":"access"}' });
    expect((await createPartner(url(), key).get("/events/stream")).body).toMatchObject({
      code: 401,
      errMsg: "Unauthorized",
    });
    expect(spared.response.complete).toBe(false);
    spared.cut();
  });

  it("serves another product as a log of its own", async () => {
    const scopes = [PRODUCT, OTHER_PRODUCT].map((productType) => ({ chainId: CHAIN_ID, productType }));
    const key = await env.makeKey({ scopes });
    const stream = await openStream(url(), { ...key, productType: OTHER_PRODUCT });
    await isGoing(stream);
    await append(key, "order.placed", {}, PRODUCT);
    await append(key, "order.filled", {}, OTHER_PRODUCT);
    await received(stream, 1);
    expect(types(stream)).toEqual(["order.filled"]);
    stream.cut();
  });

  // Last: it stops a replica.
  it("says that it ends at a shutdown, and goes on at another replica", async () => {
    const key = await env.makeKey();
    const stream = await openStream(url(), key);
    await isGoing(stream);
    await append(key, "order.placed");
    await received(stream, 1);
    await replicas[0].stop();
    expect(await stream.ended).toBe(true);
    expect(stream.frames.at(-1)).toMatchObject({
      event: "closing",
      data: '{"reason":"shutdown"}',
      retry: expect.stringMatching(/^\d+$/),
    });
    await append(key, "order.filled");
    const resumed = await openStream(url(1), key, { lastEventId: present(stream.lastId(), "a cursor") });
    await received(resumed, 1);
    expect({ sequences: sequences(resumed) }).toEqual({ sequences: [2] });
    resumed.cut();
    const line = replicas[0].lines.find((text) => text.includes('"streamEnd":"shutdown"'));
    expect(JSON.parse(present(line, "the stream's line"))).toMatchObject({
      level: "info",
      status: 200,
      code: 200,
    });
  });
});
