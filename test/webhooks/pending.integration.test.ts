import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import type { Caller } from "../../src/auth/caller.ts";
import { keepPartitions } from "../../src/db/partitions.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { lockAnyWebhook } from "../../src/webhooks/admin-store.ts";
import { enqueueAll } from "../../src/webhooks/deliver.ts";
import { redeliver } from "../../src/webhooks/deliveries.ts";
import { revive } from "../../src/webhooks/delivery-store.ts";
import { readQueueState } from "../../src/webhooks/metrics-store.ts";
import { writeOutcome } from "../../src/webhooks/outcome-store.ts";
import { boundPending } from "../../src/webhooks/pending-store.ts";
import { leaseAttempts, readBehind, readDue } from "../../src/webhooks/queue-store.ts";
import * as webhooks from "../../src/webhooks/webhooks.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { agePastWeek, enterPastWeek, type PastWeek } from "../support/db/past-weeks.ts";
import { partitionsRead, recordStatements } from "../support/db/plans.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { type Features, startFeatures } from "../support/http/features.ts";

// Pending deliveries are found in any week, and weeks without any cost nothing.

const TRANSACTION = /^(BEGIN|COMMIT)$/;
const DELIVERED = { statusCode: 200, error: null, durationMs: 1, pauseMs: null, isGone: false };

let features: Features;
let pool: pg.Pool;
let caller: Caller;

beforeEach(async () => {
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  pool = features.deps.pool;
  caller = await features.makeCaller();
});
afterEach(() => features.close());

const append = (mappingId = "a") => {
  const event = { type: "order.filled", resource: "orders", data: { mapping: { mappingId } } } as const;
  return inTransaction(pool, (client) => appendEvent(client, { ...caller, ...event }));
};
const keep = () => keepPartitions(pool, { info: () => undefined, warn: () => undefined }, { days: 30 });
const createWebhook = async () => {
  const input = { url: `http://127.0.0.1:1024/${randomUUID()}`, types: "" };
  return (await webhooks.createWebhook(features.deps, caller, input)).webhook.webhookId;
};
const endDeliveries = () =>
  pool.query(
    "UPDATE app.webhook_delivery SET state = 'delivered', ended_at = now(), next_at = NULL WHERE state = 'pending'",
  );

/** Appends two events in each of some past weeks, oldest first, with their deliveries. */
async function fill(...weeks: number[]): Promise<PastWeek[]> {
  const entered: PastWeek[] = [];
  for (const weeksAgo of weeks) {
    const week = await enterPastWeek(pool, weeksAgo);
    await append(`a ${weeksAgo}`);
    await append(`b ${weeksAgo}`);
    await enqueueAll(features.deps);
    await agePastWeek(pool, week, weeksAgo);
    entered.push(week);
  }
  return entered;
}

describe("a webhook whose deliveries are pending since weeks", () => {
  const boundOf = async (webhookId: string): Promise<bigint> => {
    const { rows } = await pool.query("SELECT pending_from FROM app.webhook WHERE webhook_id = $1", [
      webhookId,
    ]);
    return BigInt(rows[0]?.pending_from);
  };
  const due = async () => (await leaseAttempts(pool, "quick", 10)).map(({ position }) => BigInt(position));

  it("gets them, and those behind them; its bound follows the oldest one", async () => {
    const webhookId = await createWebhook();
    const [first, second] = await fill(3, 2);
    await keep();
    await append("c");
    await enqueueAll(features.deps);
    await boundPending(pool);
    const from = present(first, "a week").first;
    expect(await boundOf(webhookId)).toBe(from + 1n);
    expect((await due()).filter((position) => position < present(second, "a week").first)).toEqual([
      from + 1n,
      from + 2n,
    ]);
    await pool.query(
      "UPDATE app.webhook_delivery SET state = 'dead', ended_at = now(), next_at = NULL, lease = NULL WHERE position <= $1",
      [from + 2n],
    );
    await boundPending(pool);
    expect(await boundOf(webhookId)).toBe(present(second, "a week").first + 1n);
  });

  it("gets one that is revived in a week before its bound, also by a program that knows no bound", async () => {
    const webhookId = await createWebhook();
    const [week] = await fill(3);
    await keep();
    await endDeliveries();
    await boundPending(pool);
    const { first } = present(week, "a week");
    expect(await boundOf(webhookId)).toBeGreaterThan(first + 2n);
    const { rows } = await pool.query(
      "SELECT delivery_id FROM app.webhook_delivery WHERE webhook_id = $1 ORDER BY sequence",
      [webhookId],
    );
    const [one, other] = rows.map(({ delivery_id }) => String(delivery_id));
    await redeliver(features.deps, caller, { webhookId, deliveryId: present(other, "a delivery") });
    expect(await boundOf(webhookId)).toBe(first + 2n);
    expect(await due()).toEqual([first + 2n]);
    await pool.query(
      "UPDATE app.webhook_delivery SET state = 'pending', ended_at = NULL, next_at = now() WHERE delivery_id = $1",
      [one],
    );
    expect(await due()).toEqual([]);
    await boundPending(pool);
    expect(await due()).toEqual([first + 1n]);
  });

  it("keeps its bound below a delivery that is revived while the bound is set", async () => {
    const webhookId = await createWebhook();
    const [week] = await fill(3);
    await keep();
    await endDeliveries();
    const { first } = present(week, "a week");
    const { rows } = await pool.query("SELECT delivery_id FROM app.webhook_delivery ORDER BY sequence");
    const deliveryId = String(present(rows[0], "a delivery").delivery_id);
    const reviving = await pool.connect();
    await reviving.query("BEGIN");
    await lockAnyWebhook(reviving, webhookId);
    const bounded = boundPending(pool);
    await waitsForLock(pool, "%FOR UPDATE%", bounded);
    await revive(reviving, webhookId, deliveryId);
    await reviving.query("COMMIT");
    reviving.release();
    await bounded;
    expect(await boundOf(webhookId)).toBe(first + 1n);
  });

  it("is searched for them in no week before the oldest one", async () => {
    await createWebhook();
    const [first, second] = await fill(2, 1);
    await keep();
    await endDeliveries();
    const look = async (): Promise<string[]> => {
      await append();
      await enqueueAll(features.deps);
      const { deps, statements } = recordStatements(features.deps);
      await readBehind(deps.pool);
      expect((await readDue(deps.pool)).quick).toBe(true);
      const [leased] = await leaseAttempts(deps.pool, "quick", 1);
      await writeOutcome(deps.pool, present(leased, "a leased attempt"), DELIVERED);
      await readQueueState(deps.pool);
      await webhooks.listWebhooks(deps, caller);
      const names = new Set<string>();
      for (const statement of statements.filter(({ text }) => !TRANSACTION.test(text)))
        for (const name of await partitionsRead(pool, statement, "webhook_delivery")) names.add(name);
      return [...names].sort();
    };
    const past = [first, second].map((week) => `webhook_delivery_p${week?.day}`);
    const all = await look();
    expect(all).toEqual(expect.arrayContaining(past));
    expect(await boundPending(pool)).toBe(1);
    expect(await look()).toEqual(all.filter((name) => !past.includes(name)));
    expect(await boundPending(pool)).toBe(0);
  });
});
