import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import pino from "pino";
import { Registry } from "prom-client";
import { z } from "zod";
import type { Caller } from "../../src/auth/caller.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import { CHANNELS, listen } from "../../src/db/notifications.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { eventListShape } from "../../src/events/input.ts";
import { listEvents } from "../../src/events/list.ts";
import { lockAnyWebhook } from "../../src/webhooks/admin-store.ts";
import { enqueueAll, runAttempt, startDeliveries } from "../../src/webhooks/deliver.ts";
import * as deliveries from "../../src/webhooks/deliveries.ts";
import { revive } from "../../src/webhooks/delivery-store.ts";
import * as input from "../../src/webhooks/input.ts";
import { createDeliveryMetrics } from "../../src/webhooks/metrics.ts";
import { readQueueState } from "../../src/webhooks/metrics-store.ts";
import { removeOldDeliveries } from "../../src/webhooks/outcome-store.ts";
import { leaseAttempts, readDue } from "../../src/webhooks/queue-store.ts";
import * as webhooks from "../../src/webhooks/webhooks.ts";
import { LONG } from "../support/assert/long.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { SEED, seededRandom } from "../support/assert/seeded-random.ts";
import { present, until } from "../support/assert/until.ts";
import { dyingPool } from "../support/db/dying-pool.ts";
import { empty } from "../support/db/empty.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { mostRowsRead, recordStatements, statementOf } from "../support/db/plans.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { type Features, startFeatures } from "../support/http/features.ts";
import { recordSpans } from "../telemetry/recording.ts";
import { type Received, type Receiver, startReceiver, verify } from "./receiver.ts";

let features: Features;
let caller: Caller;
let receiver: Receiver;
let pool: pg.Pool;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  pool = features.deps.pool;
});
afterAll(() => features?.close());

beforeEach(async () => {
  await empty(pool, "app.webhook", "app.event", "app.event_head");
  [caller, receiver] = await Promise.all([features.makeCaller(), startReceiver()]);
});
afterEach(() => receiver?.close());

const create = (args: object = {}, by: Caller = caller) =>
  webhooks.createWebhook(features.deps, by, parseInput(input.createShape, { url: receiver.url, ...args }));

async function createWithSecret(args: object = {}, by: Caller = caller) {
  const { webhook, secret } = await create(args, by);
  return { ...webhook, secret: present(secret, "the secret") };
}

/** Appends an event about an order, by its mapping. */
const append = (
  object: string,
  type: "order.filled" | "order.placed" = "order.filled",
  by: Caller = caller,
) =>
  inTransaction(pool, (client) =>
    appendEvent(client, { ...by, type, resource: "orders", data: { mapping: { mappingId: object } } }),
  );

/**
 * Runs a worker until nothing is due.
 * @returns the number of attempts
 */
async function deliver(through: pg.Pool = pool): Promise<number> {
  const deps = { ...features.deps, pool: through };
  for (let attempts = 0; ; ) {
    const complete = await enqueueAll(deps);
    const leased = [
      ...(await leaseAttempts(through, "quick", 32)),
      ...(await leaseAttempts(through, "slow", 32)),
    ];
    if (leased.length === 0 && complete) return attempts;
    attempts += leased.length;
    await Promise.all(leased.map((leased) => runAttempt(deps, leased, 2_000)));
  }
}

/** Lets time pass: makes all rows of webhooks older by an interval. */
async function pass(interval: string): Promise<void> {
  const columns = ["next_at", "began_at", "last_attempt_at", "event_at"];
  const moved = columns.map((column) => `${column} = ${column} - $1::interval`).join(", ");
  await pool.query(`UPDATE app.webhook_delivery SET ${moved}`, [interval]);
  await pool.query("UPDATE app.webhook SET failing_since = failing_since - $1::interval", [interval]);
  await pool.query("UPDATE app.webhook_secret SET ends_at = ends_at - $1::interval", [interval]);
}

const list = (webhookId: string, args: object = {}) =>
  deliveries.listDeliveries(
    features.deps,
    caller,
    parseInput(input.deliveriesShape, { webhookId, limit: "100", ...args }),
  );
const read = async (webhookId: string) => {
  const { rows } = await webhooks.listWebhooks(features.deps, caller);
  return present(
    rows.find((row) => row.webhookId === webhookId),
    "the webhook",
  );
};
const events = async (by: Caller = caller) =>
  (await listEvents(features.deps, by, parseInput(eventListShape, { limit: "100" }))).rows;
const status =
  (code: number) => (_request: Received, response: { writeHead(code: number): { end(): unknown } }) =>
    void response.writeHead(code).end();

const eventShape = z.looseObject({
  sequence: z.number(),
  data: z.looseObject({ mapping: z.object({ mappingId: z.string() }) }),
});
const eventOf = ({ body }: Received) => eventShape.parse(JSON.parse(body));
/** Returns the sequences in the order of their first 2xx answers, by object. */
function orders(answered: readonly Received[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { sequence, data } of answered.map(eventOf)) {
    const of = found.get(data.mapping.mappingId) ?? [];
    if (!of.includes(sequence)) found.set(data.mapping.mappingId, [...of, sequence]);
  }
  return found;
}
const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

describe("a delivery", () => {
  it("is the event as GET /events answers it, signed, once, under an id of its own", async () => {
    await append("before");
    const { webhookId, secret } = await createWithSecret();
    await append("a");
    await append("b", "order.placed");
    expect(await deliver()).toBe(2);
    expect(await deliver()).toBe(0);
    const expected = (await events()).slice(1);
    const sent = receiver.received.map((request) => verify(secret, request));
    expect(sent.sort((a, b) => a.sequence - b.sequence)).toEqual(expected);
    const { rows, nextCursor } = await list(webhookId);
    expect(nextCursor).toBeNull();
    expect(rows.map(({ sequence, eventId }) => ({ sequence, eventId }))).toEqual(
      expected.map(({ sequence, eventId }) => ({ sequence, eventId })).reverse(),
    );
    expect(rows[0]).toMatchObject({
      type: "order.placed",
      status: "delivered",
      attempts: 1,
      lastStatusCode: 200,
      lastError: null,
      nextAttemptAt: null,
      lastDurationMs: expect.any(Number),
      endedAt: expect.any(Number),
    });
    expect(receiver.received.map(({ headers }) => headers["webhook-id"]).sort()).toEqual(
      rows.map(({ deliveryId }) => deliveryId).sort(),
    );
  });

  it("is of the types that were asked for, of this key, and of this scope", async () => {
    await createWithSecret({ types: "order.filled,operation.*" });
    const other = await features.makeCaller();
    const product = { ...caller, productType: "Other" };
    await append("a");
    await append("a", "order.placed");
    await append("a", "order.filled", other);
    await append("a", "order.filled", product);
    await append("a");
    await deliver();
    expect({ sequences: receiver.received.map((request) => eventOf(request).sequence) }).toEqual({
      sequences: [1, 3],
    });
  });

  it("stops with its key", async () => {
    const { webhookId } = await createWithSecret();
    await append("a");
    for (const change of ["revoked_at = now(), active = false", "expires_at = now()"]) {
      await pool.query(`UPDATE app.api_key SET ${change} WHERE key_id = $1`, [caller.keyId]);
      expect({ change, delivered: await deliver() }).toEqual({ change, delivered: 0 });
      await pool.query("UPDATE app.api_key SET revoked_at = NULL, expires_at = NULL, active = true");
    }
    await enqueueAll(features.deps);
    await pool.query("DELETE FROM app.api_key_scope WHERE key_id = $1", [caller.keyId]);
    expect(await deliver()).toBe(0);
    expect((await list(webhookId)).rows).toMatchObject([{ status: "pending", attempts: 0 }]);
  });

  it("waits for an earlier one of its object, and for no other", async () => {
    const { webhookId } = await createWithSecret();
    for (const object of ["a", "b", "a", "a"]) await append(object);
    receiver.answer = (request, response) => {
      const { sequence } = eventOf(request);
      response.writeHead(sequence === 1 ? 500 : 200).end();
    };
    await deliver();
    expect((await list(webhookId)).rows).toMatchObject([
      { sequence: 4, status: "pending", attempts: 0, nextAttemptAt: null },
      { sequence: 3, status: "pending", attempts: 0, nextAttemptAt: null },
      { sequence: 2, status: "delivered" },
      { sequence: 1, status: "pending", attempts: 1, lastStatusCode: 500, lastError: "answered 500" },
    ]);
    receiver.answer = status(200);
    await pass("10 seconds");
    await deliver();
    expect((await list(webhookId)).rows).toMatchObject([
      { sequence: 4, status: "delivered", attempts: 1 },
      { sequence: 3, status: "delivered", attempts: 1 },
      { sequence: 2, status: "delivered", attempts: 1 },
      { sequence: 1, status: "delivered", attempts: 2 },
    ]);
    const sequences = receiver.received.map((request) => eventOf(request).sequence);
    expect({ receivedOfA: sequences.filter((sequence) => sequence !== 2) }).toEqual({
      receivedOfA: [1, 1, 3, 4],
    });
  });

  it("that is asked for again waits for an earlier one of its object that is asked for in the same moment", async () => {
    const { webhookId } = await createWithSecret();
    await append("a");
    await append("a");
    await deliver();
    const [second, first] = (await list(webhookId)).rows.map(({ deliveryId }) => deliveryId);
    const { again } = await inTransaction(pool, async (tx) => {
      await lockAnyWebhook(tx, webhookId);
      await revive(tx, webhookId, present(first, "the first delivery"));
      const deliveryId = present(second, "the second delivery");
      const again = deliveries.redeliver(features.deps, caller, { webhookId, deliveryId });
      await waitsForLock(pool, "%app.webhook%", again);
      return { again };
    });
    expect(await again).toMatchObject({ status: "pending", nextAttemptAt: null });
  });

  // PostgreSQL stores JSON with a zero byte, but reads no field of it.
  it.each([
    ["is named", "A", "object"],
    ["calls itself by a zero byte", "A\0", "object"],
    ["is named, and the event is from before the column", "A", "NULL"],
    ["calls itself by a zero byte, and the event is from before the column", "A\0", "NULL"],
  ])("is made, in the order of its object, where a token %s", async (_token, symbol, object) => {
    const { webhookId } = await createWithSecret();
    const about = (mappingId: string) => {
      const data = { openOrder: { symbol }, mapping: { mappingId } };
      return inTransaction(pool, (client) =>
        appendEvent(client, { ...caller, type: "order.filled", resource: "orders", data }),
      );
    };
    for (const mapping of ["a", "b", "a"]) await about(mapping);
    await append("c");
    const { rows } = await pool.query("SELECT object FROM app.event ORDER BY sequence");
    expect(rows.map((row) => row.object)).toEqual(["orders a", "orders b", "orders a", "orders c"]);
    await pool.query(`UPDATE app.event SET object = ${object}`);
    receiver.answer = (request, response) => {
      response.writeHead(eventOf(request).sequence === 1 ? 500 : 200).end();
    };
    await deliver();
    expect((await list(webhookId)).rows).toMatchObject([
      { sequence: 4, status: "delivered" },
      { sequence: 3, status: "pending", attempts: 0, nextAttemptAt: null },
      { sequence: 2, status: "delivered" },
      { sequence: 1, status: "pending", attempts: 1 },
    ]);
  });

  it("has the object that its event was written with", async () => {
    await createWithSecret();
    await append("a");
    await pool.query("UPDATE app.event SET object = 'orders z'");
    await deliver();
    expect((await pool.query("SELECT object FROM app.webhook_delivery")).rows).toEqual([
      { object: "orders z" },
    ]);
  });

  it("reaches a receiver that fails half of the time at least once, in order per object, of two workers", async () => {
    const { secret } = await createWithSecret();
    const random = seededRandom(SEED);
    const answered: Received[] = [];
    receiver.answer = (request, response) => {
      const taken = random.chance(0.5);
      if (taken) answered.push(request);
      // Some answers are lost after the receiver has taken the event.
      if (taken && random.chance(0.2)) response.socket?.destroy();
      else response.writeHead(taken ? 200 : 500).end();
    };
    const count = LONG ? 300 : 20;
    for (let n = 0; n < count; n++) await append(`object ${random.below(4)}`);
    for (let round = 0; ; round++) {
      if (round === 200) throw new Error("deliveries are left after 200 rounds");
      await Promise.all([deliver(), deliver()]);
      const { depth } = await readQueueState(pool);
      if (depth === 0) break;
      await pass("8 hours");
      // Three days with half of the attempts failing are no outage.
      await pool.query(
        "UPDATE app.webhook_delivery SET began_at = now() WHERE state = 'pending' AND began_at IS NOT NULL",
      );
    }
    for (const request of receiver.received) verify(secret, request);
    const got = orders(answered);
    expect(ascending([...got.values()].flat())).toEqual(Array.from({ length: count }, (_each, n) => n + 1));
    for (const sequences of got.values()) expect(sequences).toEqual(ascending(sequences));
    // An id names one event.
    const ids = new Map(
      receiver.received.map((each) => [each.headers["webhook-id"], eventOf(each).sequence]),
    );
    expect(ids.size).toBe(count);
  });

  it("is neither lost nor out of order where the worker dies at any statement", async () => {
    await createWithSecret();
    const answered: Received[] = [];
    receiver.answer = (request, response) => {
      answered.push(request);
      response.end();
    };
    let died = 0;
    let appended = 0;
    for (let statements = 0; ; statements++) {
      for (const object of LONG ? ["a", "b", "a"] : ["a", "a"]) {
        await append(object);
        appended++;
      }
      const lived = await deliver(dyingPool(pool, statements)).then(
        () => true,
        () => false,
      );
      // The leases end.
      await pass("40 seconds");
      await deliver();
      const got = orders(answered);
      expect({ sequences: ascending([...got.values()].flat()), appended }).toEqual({
        sequences: Array.from({ length: appended }, () => expect.any(Number)),
        appended,
      });
      for (const sequences of got.values()) expect(sequences).toEqual(ascending(sequences));
      if (lived) break;
      died++;
    }
    expect(died).toBeGreaterThan(10);
    expect(await readQueueState(pool)).toMatchObject({ depth: 0 });
  });

  it("is written by the worker whose lease holds, and by no other", async () => {
    const { webhookId } = await createWithSecret();
    await append("a");
    await enqueueAll(features.deps);
    const [first] = await leaseAttempts(pool, "quick", 32);
    expect(await leaseAttempts(pool, "quick", 32)).toEqual([]);
    await pass("40 seconds");
    const [second] = await leaseAttempts(pool, "quick", 32);
    expect(await runAttempt(features.deps, present(first, "a leased attempt"))).toBe("superseded");
    expect(receiver.received).toHaveLength(0);
    expect(await runAttempt(features.deps, present(second, "a leased attempt"))).toBe("delivered");
    expect((await list(webhookId)).rows).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });

  it("of a webhook that is slow does not make others wait", async () => {
    const fast = await startReceiver();
    const other = await features.makeCaller();
    await createWithSecret();
    await createWithSecret({ url: fast.url }, other);
    for (let n = 0; n < 30; n++) await append(`slow ${n}`);
    for (let n = 0; n < 12; n++) await append(`fast ${n}`, "order.filled", other);
    await enqueueAll(features.deps);
    const leased = await leaseAttempts(pool, "quick", 6);
    const counts = new Map<string, number>();
    for (const { webhookId } of leased) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    expect({ deliveriesPerWebhook: [...counts.values()] }).toEqual({ deliveriesPerWebhook: [3, 3] });
    // The slow ones stay under way.
    const { rows } = await pool.query("SELECT webhook_id FROM app.webhook WHERE url = $1", [fast.url]);
    for (let waiting = leased; waiting.length > 0; waiting = await leaseAttempts(pool, "quick", 6)) {
      const quick = waiting.filter(({ webhookId }) => webhookId === rows[0].webhook_id);
      await Promise.all(quick.map((each) => runAttempt(features.deps, each)));
    }
    expect(fast.received).toHaveLength(12);
    await fast.close();
  });

  it("takes no more than a share for all webhooks of a key, and one at a time where one fails", async () => {
    const urls = ["1", "2", "3", "4"].map((path) => `${receiver.url}/${path}`);
    for (const url of urls) await createWithSecret({ url });
    for (let n = 0; n < 10; n++) await append(`${n}`);
    await enqueueAll(features.deps);
    await pool.query("UPDATE app.webhook SET failing_since = now() WHERE url = $1", [urls[0]]);
    const first = await leaseAttempts(pool, "quick", 32);
    expect(first).toHaveLength(16);
    const { rows } = await pool.query("SELECT webhook_id FROM app.webhook WHERE url = $1", [urls[0]]);
    expect(first.filter(({ webhookId }) => webhookId === rows[0].webhook_id)).toHaveLength(1);
    // Attempts under way count from then on.
    expect(await leaseAttempts(pool, "quick", 32)).toEqual([]);
  });
});

describe("a webhook that fails", () => {
  it("is tried for three days, then its event is dead and listed, and it is disabled, which is an event", async () => {
    const { webhookId } = await createWithSecret();
    await append("a");
    await append("a");
    receiver.answer = status(500);
    let hours = 0;
    while ((await read(webhookId)).status === "enabled") {
      await deliver();
      await pass("1 hour");
      hours++;
      if (hours === 100) throw new Error("the webhook is enabled after 100 hours of failures");
    }
    const attempts = receiver.received.length;
    expect({
      hours,
      isDisabledInTime: hours > 72 && hours < 76,
      attempts,
      areSpaced: attempts > 10 && attempts < 30,
    }).toEqual({ hours, isDisabledInTime: true, attempts, areSpaced: true });
    const webhook = await read(webhookId);
    expect(webhook).toMatchObject({ disabledReason: "failing", disabledAt: expect.any(Number) });
    expect((await list(webhookId)).rows).toMatchObject([
      { sequence: 2, status: "pending", attempts: 0 },
      { sequence: 1, status: "dead", lastError: "answered 500", nextAttemptAt: null },
    ]);
    const last = (await events()).at(-1);
    expect(last).toMatchObject({ type: "webhook.disabled", resource: "webhooks" });
    expect(last?.data).toMatchObject({ webhookId, status: "disabled", disabledReason: "failing" });
    await append("b");
    expect(await deliver()).toBe(0);

    // Enabled again, it gets the events since, and dead ones on request.
    receiver.answer = status(200);
    receiver.received.length = 0;
    expect(await webhooks.enable(features.deps, caller, { webhookId })).toMatchObject({
      status: "enabled",
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
    });
    await deliver();
    const sequences = () =>
      receiver.received.map(
        ({ body }) => z.object({ sequence: z.number() }).parse(JSON.parse(body)).sequence,
      );
    expect({ sequences: ascending(sequences()) }).toEqual({ sequences: [2, 3, 4] });
    const dead = present((await list(webhookId, { status: "dead" })).rows[0], "the dead one");
    const again = await deliveries.redeliver(features.deps, caller, {
      webhookId,
      deliveryId: dead.deliveryId,
    });
    expect(again).toMatchObject({ status: "pending", attempts: 0, endedAt: null });
    await deliver();
    expect(sequences().at(-1)).toBe(1);
    expect(receiver.received.at(-1)?.headers["webhook-id"]).toBe(dead.deliveryId);
  });

  it("is tried at once with all that waits, when it succeeds after an outage", async () => {
    const { webhookId } = await createWithSecret();
    for (const object of ["a", "b", "c"]) await append(object);
    receiver.answer = status(503);
    for (let n = 0; n < 8; n++) {
      await deliver();
      await pass("2 hours");
    }
    const failing = await read(webhookId);
    expect(failing.failingSince).not.toBeNull();
    await deliver();
    // All wait for hours. Enabling a webhook that is enabled neither repeats attempts nor ends its failure.
    expect(await webhooks.enable(features.deps, caller, { webhookId })).toEqual(failing);
    expect(await deliver()).toBe(0);
    // One that is due finds the receiver working again.
    receiver.answer = status(200);
    await append("d");
    await deliver();
    expect((await list(webhookId)).rows.map((row) => row.status)).toEqual(Array(4).fill("delivered"));
    expect((await read(webhookId)).failingSince).toBeNull();
  });

  it("is disabled at once where it answers 410, and nothing is lost", async () => {
    const { webhookId } = await createWithSecret();
    await append("a");
    receiver.answer = status(410);
    await deliver();
    expect(await read(webhookId)).toMatchObject({ status: "disabled", disabledReason: "gone" });
    expect((await events()).at(-1)).toMatchObject({ type: "webhook.disabled" });
    expect((await list(webhookId)).rows).toMatchObject([{ status: "pending", attempts: 1 }]);
  });

  it("gives up an event that the log does not have any more", async () => {
    const { webhookId } = await createWithSecret();
    await append("a");
    await enqueueAll(features.deps);
    await empty(pool, "app.event");
    await deliver();
    expect((await list(webhookId)).rows).toMatchObject([
      { status: "dead", lastError: "the event is older than the log keeps" },
    ]);
    expect(await read(webhookId)).toMatchObject({ status: "enabled" });
  });
});

it("a worker delivers all that its webhook is behind, however much that is", async () => {
  await createWithSecret();
  const count = 501;
  await inTransaction(pool, async (client) => {
    const event = { type: "order.filled", resource: "orders" } as const;
    for (let n = 0; n < count; n++) {
      const data = { mapping: { mappingId: `${n}` } };
      await appendEvent(client, { ...caller, ...event, data });
    }
  });
  expect(await enqueueAll(features.deps)).toBe(false);
  const worker = startDeliveries(features.deps, { pollMs: 60_000 });
  await until("all events", () => receiver.received.length === count);
  await worker.stop();
  expect(await readQueueState(pool)).toMatchObject({ depth: 0 });
});

it("keeps its place in the log where the queue is full", async () => {
  const { webhookId } = await createWithSecret();
  await append("a");
  await enqueueAll(features.deps);
  await pool.query(
    `INSERT INTO app.webhook_delivery (webhook_id, sequence, event_id, event_type, event_at, object)
     SELECT $1, 1000 + n, $2, 'order.filled', now(), 'orders a' FROM generate_series(1, 10000) n`,
    [webhookId, randomUUID()],
  );
  await append("b");
  await enqueueAll(features.deps);
  const { rows } = await pool.query("SELECT cursor FROM app.webhook");
  expect(rows).toEqual([{ cursor: "1" }]);
});

it("reads what is due, whatever else the queue holds", async () => {
  const { webhookId } = await createWithSecret();
  await pool.query(
    `INSERT INTO app.webhook (key_id, chain_id, product_type, url, types, cursor)
     SELECT $1, $2, $3, 'https://partner.example/' || n, '', 20000 FROM generate_series(1, 50) n`,
    [caller.keyId, caller.chainId, caller.productType],
  );
  // Of 12,000 deliveries 9,000 have ended, 1,500 wait for an earlier one, and as many for their next attempt.
  await pool.query(
    `INSERT INTO app.webhook_delivery
       (webhook_id, sequence, event_id, event_type, event_at, object, state, ended_at, next_at)
     SELECT $1, n, gen_random_uuid(), 'order.filled', now(), 'orders ' || n / 2,
       CASE WHEN n <= 9000 THEN 'delivered' ELSE 'pending' END, CASE WHEN n <= 9000 THEN now() END,
       CASE WHEN n > 9000 AND n % 2 = 0 THEN now() + interval '1 hour' END
     FROM generate_series(1, 12000) n`,
    [webhookId],
  );
  await pool.query("UPDATE app.webhook SET cursor = 12000 WHERE webhook_id = $1", [webhookId]);
  await pool.query("INSERT INTO app.event_head VALUES ($1, $2, $3, 12000)", [
    caller.keyId,
    caller.chainId,
    caller.productType,
  ]);
  await pool.query("ANALYZE app.webhook, app.webhook_delivery");
  for (let n = 0; n < 3; n++) await append(`new ${n}`);
  const { pool: recording, statements } = recordConnections();
  await enqueueAll({ pool: recording });
  const leased = await leaseAttempts(recording, "quick", 32);
  expect(leased).toHaveLength(3);
  const work = { ...features.deps, pool: recording };
  await Promise.all(leased.map((leased) => runAttempt(work, leased)));
  // Restores the rows, so that the plans see the same rows as the statements.
  await pool.query(`UPDATE app.webhook_delivery SET state = 'pending', ended_at = NULL, lease = NULL, next_at = now()
    WHERE sequence > 12000`);
  const isCounting = ({ text }: { text: string }) => text.includes("app.event_head");
  const others = statements.filter((each) => !each.text.includes("INSERT") && !isCounting(each));
  expect(others.length).toBeGreaterThan(10);
  expect(await mostRowsRead(pool, others)).toBeLessThan(300);
  // For a webhook that is behind, pending deliveries are counted.
  await pool.query("UPDATE app.webhook SET cursor = 12000 WHERE webhook_id = $1", [webhookId]);
  expect(await mostRowsRead(pool, statements.filter(isCounting))).toBeLessThan(13_000);
});

/** Returns the pool, and records the queries of its connections. */
function recordConnections() {
  const statements: { text: string; values: unknown[] }[] = [];
  const keep = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== "function") return value;
        if (name === "connect") return async () => keep(await (object as unknown as pg.Pool).connect());
        return (...args: [unknown]) => {
          const statement = statementOf(...args);
          if (name === "query" && statement && statement.values.length > 0) statements.push(statement);
          return Reflect.apply(value, object, args);
        };
      },
    });
  return { pool: keep(pool), statements };
}

it("removes what is old, and what was deleted", async () => {
  const { webhookId } = await createWithSecret();
  const other = await createWithSecret({ url: `${receiver.url}/other` });
  await append("a");
  await deliver();
  await pass("31 days");
  await append("b");
  await deliver();
  await webhooks.rotateWebhook(features.deps, caller, { webhookId: other.webhookId, overlapSeconds: 0 });
  await removeOldDeliveries(pool, 30);
  expect((await list(webhookId)).rows).toMatchObject([{ sequence: 2 }]);
  await webhooks.deleteWebhook(features.deps, caller, { webhookId });
  await removeOldDeliveries(pool, 30);
  const count = async (table: string) => (await pool.query(`SELECT 1 FROM app.${table}`)).rowCount;
  expect({
    webhooks: await count("webhook"),
    secrets: await count("webhook_secret"),
    deliveries: await count("webhook_delivery"),
  }).toEqual({ webhooks: 1, secrets: 1, deliveries: 1 });
});

it("an attempt is a trace of its own, without the receiver's address, and the receiver learns nothing of it", async () => {
  const { webhookId } = await createWithSecret();
  await append("a");
  const { spans, stop } = recordSpans();
  receiver.answer = status(503);
  const worker = startDeliveries(features.deps, { pollMs: 10 });
  await until(
    "an attempt has ended",
    () => spans.some(({ name, ended }) => name === "deliver webhook" && ended) || undefined,
  );
  await worker.stop();
  stop();
  expect(spans).toMatchObject([
    { name: "deliver webhook", parent: "root", attributes: { webhook_id: webhookId, result: "failed" } },
    {
      name: "POST",
      parent: "deliver webhook",
      attributes: { "http.response.status_code": 503 },
      ended: true,
    },
  ]);
  expect(JSON.stringify(spans)).not.toContain(new URL(receiver.url).host);
  expect(Object.keys(receiver.received[0]?.headers ?? {})).not.toContain("traceparent");
});

it("a webhook whose types this version does not know keeps no other waiting, and is reported", async () => {
  const other = await features.makeCaller();
  const [{ webhookId }] = [await createWithSecret({}, other), await createWithSecret()];
  await pool.query("UPDATE app.webhook SET types = 'order.vanished' WHERE webhook_id = $1", [webhookId]);
  await append("a", "order.filled", other);
  await append("a");
  const reported: unknown[] = [];
  const log = Object.assign(pino({ level: "silent" }), { error: (fields: unknown) => reported.push(fields) });
  const worker = startDeliveries({ ...features.deps, log }, { pollMs: 10 });
  await until("the event of the other one", () => receiver.received.length === 1 || undefined);
  expect(worker.failing()).toEqual(["webhooks"]);
  await worker.stop();
  expect(reported[0]).toMatchObject({ err: { message: expect.stringContaining(webhookId) } });
});

it("a webhook that another transaction keeps locked keeps no other waiting, and loses nothing", async () => {
  const other = await features.makeCaller();
  const [{ webhookId }, { webhookId: free }] = [await createWithSecret({}, other), await createWithSecret()];
  await append("a", "order.filled", other);
  await append("a");
  const queued = async (id: string) => {
    const { rowCount } = await pool.query("SELECT 1 FROM app.webhook_delivery WHERE webhook_id = $1", [id]);
    return rowCount;
  };
  await inTransaction(pool, async (tx) => {
    await tx.query("SELECT 1 FROM app.webhook WHERE webhook_id = $1 FOR UPDATE", [webhookId]);
    const enqueued = enqueueAll(features.deps);
    await waitsForLock(pool, "%FOR UPDATE OF w%", enqueued);
    expect(await queued(free)).toBe(1);
    expect(await enqueued).toBe(true);
    expect(await queued(webhookId)).toBe(0);
  });
  await Promise.all([enqueueAll(features.deps), enqueueAll(features.deps)]);
  expect({ queued: await queued(webhookId), queuedOfFree: await queued(free) }).toEqual({
    queued: 1,
    queuedOfFree: 1,
  });
});

it("a worker sees that an attempt is due, or due again, and leases none while none is", async () => {
  const { webhookId } = await createWithSecret();
  expect((await readDue(pool)).quick).toBe(false);
  await append("a");
  await enqueueAll(features.deps);
  expect((await readDue(pool)).quick).toBe(true);
  expect(await leaseAttempts(pool, "quick", 1)).toHaveLength(1);
  expect((await readDue(pool)).quick).toBe(false);
  // The lease ends.
  await pass("31 seconds");
  expect((await readDue(pool)).quick).toBe(true);
  await pool.query("UPDATE app.webhook SET deleted_at = now() WHERE webhook_id = $1", [webhookId]);
  expect((await readDue(pool)).quick).toBe(false);
});

it("a worker without anything to do reads that in three statements, and waits for its next poll", async () => {
  const { deps, statements } = recordStatements(features.deps);
  const worker = startDeliveries(deps, { pollMs: 60_000 });
  await until("a run", () => statements.length >= 3);
  // A worker that does not wait runs again meanwhile.
  await delay(100);
  await worker.stop();
  expect(statements).toHaveLength(3);
});

it("a webhook that nobody has locked is locked once for what it is behind", async () => {
  await createWithSecret();
  await append("a");
  const { pool: recording, statements } = recordConnections();
  expect(await enqueueAll({ pool: recording })).toBe(true);
  expect(statements.filter(({ text }) => text.includes("FOR UPDATE OF w"))).toHaveLength(1);
});

it("an attempt that fails within this service is reported until another one is made", async () => {
  const { webhookId } = await createWithSecret();
  const sealWith = (masterKey: string) =>
    pool.query("UPDATE app.webhook_secret SET sealing_key_id = $1", [masterKey]);
  await sealWith("lost");
  await append("a");
  const logged: unknown[] = [];
  const log = Object.assign(pino({ level: "silent" }), { error: (fields: unknown) => logged.push(fields) });
  const worker = startDeliveries({ ...features.deps, log }, { pollMs: 10 });
  await until("the failure", () => logged.length === 1);
  expect(worker.failing()).toEqual(["webhooks"]);
  expect(logged).toMatchObject([{ err: { message: "master key lost is not configured" }, webhookId }]);
  await sealWith("test");
  await append("b");
  await until("another attempt", () => worker.failing().length === 0);
  await worker.stop();
  expect(receiver.received).toHaveLength(1);
});

it("a worker delivers what is appended while it waits, and ends with what is under way", async () => {
  await createWithSecret();
  const notifications = listen(features.databaseUrl, CHANNELS.events, features.deps.log);
  const connected = new Promise<void>((resolve) => {
    notifications.subscribe((payload) => payload === null && resolve());
  });
  await connected;
  const results: string[] = [];
  const registry = new Registry();
  const count = createDeliveryMetrics(registry, pool);
  const worker = startDeliveries(features.deps, {
    notifications,
    pollMs: 60_000,
    onOutcome: (result) => {
      results.push(result);
      count(result);
    },
  });
  expect(worker.failing()).toEqual([]);
  await append("a");
  await until("the event", () => receiver.received.length === 1 || undefined);
  let answer = (): void => undefined;
  receiver.answer = (_request, response) => {
    answer = () => void response.end();
  };
  await append("a");
  await until("the second", () => receiver.received.length === 2 || undefined);
  const stopped = worker.stop();
  answer();
  await stopped;
  expect(results).toEqual(["delivered", "delivered"]);
  expect(worker.failing()).toEqual([]);
  await notifications.close();
  await append("b");
  await pool.query("UPDATE app.event SET created_at = created_at - interval '100 seconds'");
  const metrics = await registry.metrics();
  for (const line of [
    'webhook_attempts_total{result="delivered"} 2',
    "webhook_queue_depth 0",
    /webhook_oldest_undelivered_seconds 100\./,
    /webhook_delivery_lag_seconds 100\./,
    "webhooks_failing 0",
    'webhooks{status="enabled"} 1',
    'webhooks{status="disabled"} 0',
  ])
    expect(metrics).toMatch(line);
  await pool.query("UPDATE app.webhook SET failing_since = now()");
  const failing = await registry.metrics();
  // A failing receiver is its partner's responsibility: the event is old nevertheless, and this service is not late.
  for (const line of [
    /webhook_oldest_undelivered_seconds 100\./,
    "webhook_delivery_lag_seconds 0",
    "webhooks_failing 1",
  ])
    expect(failing).toMatch(line);
});
