import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { type Deliveries, enqueueAll, runAttempt, startDeliveries } from "../../src/webhooks/deliver.ts";
import * as input from "../../src/webhooks/input.ts";
import { leaseAttempts, readDue } from "../../src/webhooks/queue-store.ts";
import * as webhooks from "../../src/webhooks/webhooks.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { present, until } from "../support/assert/until.ts";
import { empty } from "../support/db/empty.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { type Features, startFeatures } from "../support/http/features.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** Receivers that answer slowly get fewer attempts at a time, and delay no others (docs/deliveries.md#how-it-works). */

let features: Features;
/** Answers at once. */
let quick: Receiver;
/** Answers when `release` is called, and at once from then on. */
let holding: Receiver;
let held: (() => void)[];
let release: () => void;
let deliveries: Deliveries | undefined;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
});
afterAll(() => features?.close());

beforeEach(async () => {
  await empty(features.deps.pool, "app.webhook", "app.event", "app.event_head");
  [quick, holding] = await Promise.all([startReceiver(), startReceiver()]);
  held = [];
  let isReleased = false;
  holding.answer = (_request, response) => {
    if (isReleased) response.end();
    else held.push(() => response.end());
  };
  release = () => {
    isReleased = true;
    for (const answer of held) answer();
  };
});
afterEach(async () => {
  release();
  await deliveries?.stop();
  deliveries = undefined;
  await Promise.all([quick.close(), holding.close()]);
});

async function make(by: Caller, url: string): Promise<string> {
  const { webhook } = await webhooks.createWebhook(features.deps, by, parseInput(input.createShape, { url }));
  return webhook.webhookId;
}

/** Appends events, each about its own object. */
async function append(by: Caller, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await inTransaction(features.deps.pool, (client) =>
      appendEvent(client, { ...by, type: "order.filled", resource: "orders", data: { mappingId: `${n}` } }),
    );
}

/** Makes four keys, each with the maximum number of attempts under way at a receiver that holds them. */
async function makeHolders(): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const by = await features.makeCaller();
    await Promise.all([make(by, `${holding.url}/1`), make(by, `${holding.url}/2`)]);
    await append(by, 8);
  }
}

const slowFor = async (webhookId: string): Promise<number> => {
  const { rows } = await features.deps.pool.query("SELECT slow_for FROM app.webhook WHERE webhook_id = $1", [
    webhookId,
  ]);
  return present(rows[0], "the webhook").slow_for;
};

describe("receivers that hold what they get", () => {
  it("on all slots of a process do not keep another key's waiting", async () => {
    const other = await features.makeCaller();
    await make(other, quick.url);
    await makeHolders();
    deliveries = startDeliveries(features.deps, { pollMs: 10 });
    await until("every slot is held", () => held.length === 64 || undefined);
    await append(other, 3);
    await until("the other key's events", () => quick.received.length === 3 || undefined, 8_000);
    // No held attempt has ended.
    expect(held).toHaveLength(64);
    const { rows } = await features.deps.pool.query(
      `SELECT count(*)::int AS held FROM app.webhook w JOIN app.webhook_delivery d ON d.webhook_id = w.webhook_id
       WHERE w.url <> $1 AND d.lease IS NOT NULL AND d.attempts = 1`,
      [quick.url],
    );
    expect(rows).toEqual([{ held: 64 }]);
  });

  it("and are known to be slow have a share of the slots, a key a part of it, and a webhook two", async () => {
    const other = await features.makeCaller();
    await make(other, quick.url);
    await makeHolders();
    await features.deps.pool.query("UPDATE app.webhook SET slow_for = 10 WHERE url <> $1", [quick.url]);
    deliveries = startDeliveries(features.deps, { pollMs: 10, slots: { quick: 4, slow: 10 } });
    await until("the share is held", () => held.length === 10 || undefined);
    for (let n = 1; n <= 20; n++) {
      await append(other, 1);
      await until("the other key's event", () => quick.received.length === n || undefined);
    }
    expect(held).toHaveLength(10);
    const { rows } = await features.deps.pool.query(
      `SELECT max(of_webhook)::int AS of_webhook, max(of_key)::int AS of_key FROM (
         SELECT count(*) OVER (PARTITION BY w.webhook_id) AS of_webhook, count(*) OVER (PARTITION BY w.key_id) AS of_key
         FROM app.webhook w JOIN app.webhook_delivery d ON d.webhook_id = w.webhook_id AND d.lease IS NOT NULL) c`,
    );
    expect(rows).toEqual([{ of_webhook: 2, of_key: expect.any(Number) }]);
    expect(rows[0].of_key).toBeLessThanOrEqual(4);
  });
});

it("a process makes 32 tests of webhooks at once, and others as soon as these end", async () => {
  const { pool } = features.deps;
  for (let n = 0; n < 7; n++) {
    const webhookId = await make(await features.makeCaller(), holding.url);
    // Those of the last key are still to begin when the first have ended, however long that takes.
    await pool.query(
      `INSERT INTO app.webhook_test (webhook_id, requested_at)
       SELECT $1, now() + interval '1 minute' FROM generate_series(1, 5)`,
      [webhookId],
    );
  }
  const other = await features.makeCaller();
  await make(other, quick.url);
  await append(other, 1);
  deliveries = startDeliveries(features.deps, { pollMs: 60_000 });
  const count = async (column: "claimed_at" | "ended_at") =>
    (await pool.query(`SELECT 1 FROM app.webhook_test WHERE ${column} IS NOT NULL`)).rowCount;
  // A run begins tests first, then deliveries.
  await until("the event", () => quick.received.length === 1);
  expect(await count("claimed_at")).toBe(32);
  release();
  await until("all tests", async () => (await count("ended_at")) === 35);
});

it("a webhook is slow from an attempt that took a second until ten were quicker", async () => {
  const by = await features.makeCaller();
  const webhookId = await make(by, quick.url);
  const { pool } = features.deps;
  /** Makes the next attempt, which has to be due in this lane alone. */
  const next = async (lane: "quick" | "slow"): Promise<void> => {
    await append(by, 1);
    await enqueueAll(features.deps);
    expect(await readDue(pool)).toEqual({ quick: lane === "quick", slow: lane === "slow" });
    expect(await leaseAttempts(pool, lane === "quick" ? "slow" : "quick", 1)).toEqual([]);
    await runAttempt(features.deps, present((await leaseAttempts(pool, lane, 1))[0], "a leased attempt"));
  };
  await next("quick");
  expect(await slowFor(webhookId)).toBe(0);
  quick.answer = (_request, response) => void delay(1_050).then(() => response.end());
  await next("quick");
  expect(await slowFor(webhookId)).toBe(10);
  quick.answer = (_request, response) => void response.end();
  for (let n = 9; n >= 0; n--) {
    await next("slow");
    expect(await slowFor(webhookId)).toBe(n);
  }
  await next("quick");
});

it("a key has four attempts at slow receivers under way, of its sixteen", async () => {
  const by = await features.makeCaller();
  for (let n = 0; n < 4; n++) await make(by, `${quick.url}/${n}`);
  await append(by, 8);
  await enqueueAll(features.deps);
  const { pool } = features.deps;
  await pool.query("UPDATE app.webhook SET slow_for = 1 WHERE url <> $1", [`${quick.url}/0`]);
  expect(await leaseAttempts(pool, "slow", 32)).toHaveLength(4);
  expect(await leaseAttempts(pool, "slow", 32)).toEqual([]);
  expect(await leaseAttempts(pool, "quick", 32)).toHaveLength(8);
});
