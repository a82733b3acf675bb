import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { getDelivery, getWebhook, listDeliveries, listWebhooks } from "../../src/dashboard/webhooks.ts";
import { present } from "../support/assert/until.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import {
  createDeliveries,
  createEvent,
  dateOf,
  START,
  startTimelines,
  type TimelineFixture,
} from "./timeline-fixture.ts";

// The fields `dashboard.webhooks`, `webhook`, `deliveries` and `delivery`, over rows of a real PostgreSQL.

let fixture: TimelineFixture;
/** Oldest first: enabled, failing, disabled and deleted. */
let webhooks: string[];
const FAILED = randomUUID();

beforeAll(async () => {
  fixture = await startTimelines();
  const { key, rival, deps } = fixture;
  const events = [];
  for (let n = 0; n < 6; n++)
    events.push(await createEvent(fixture, key, { type: "order.placed", data: {}, at: START + n }));
  const ended = {
    state: "delivered",
    attempts: 1,
    nextAt: null,
    lastAttemptAt: dateOf(START + 5),
    lastStatusCode: 200,
    lastError: null,
    lastDurationMs: 12,
    endedAt: dateOf(START + 5),
  };
  const pending = {
    ...ended,
    state: "pending",
    attempts: 3,
    nextAt: dateOf(START + 90),
    lastStatusCode: 503,
    lastError: "answered 503",
    endedAt: null,
  };
  const deliveries = events.map((event, n) => ({
    ...event,
    deliveryId: n === 5 ? FAILED : randomUUID(),
    ...(n === 5 ? pending : ended),
  }));
  webhooks = [await createDeliveries(fixture, key, deliveries)];
  for (const owner of [rival, key, key]) webhooks.push(await createDeliveries(fixture, owner, []));
  const change = (index: number, values: string) =>
    deps.pool.query(`UPDATE app.webhook SET ${values} WHERE webhook_id = $1`, [webhooks[index]]);
  for (let n = 0; n < 4; n++) await change(n, `created_at = to_timestamp(${START + n})`);
  await change(1, `failing_since = to_timestamp(${START})`);
  await change(2, `disabled_reason = 'gone', disabled_at = to_timestamp(${START + 9})`);
  await change(3, "deleted_at = now()");
});
afterAll(() => fixture?.close());

const list = (args: Record<string, unknown> = {}) => listWebhooks(fixture.deps, args);
const idsOf = ({ edges }: Awaited<ReturnType<typeof list>>) =>
  edges.map(({ node }) => webhooks.indexOf(node.webhookId));

it("lists webhooks that are not deleted, newest first, page by page", async () => {
  const first = await list({ first: 2 });
  expect({ rows: idsOf(first), total: await first.totalCount() }).toEqual({ rows: [2, 1], total: 3 });
  expect(idsOf(await list({ first: 2, after: first.pageInfo.endCursor }))).toEqual([0]);
  expect(idsOf(await list({ keyId: fixture.rival.keyId }))).toEqual([1]);
  await expect(list({ state: "deleted" })).rejects.toMatchObject({ param: "state" });
});

it.each([
  ["enabled", [0]],
  ["failing", [1]],
  ["disabled", [2]],
])("filters by the state that it shows: %s", async (state, expected) => {
  const { edges } = await list({ state });
  expect(edges.map(({ node }) => node.state)).toEqual([state]);
  expect(edges.map(({ node }) => webhooks.indexOf(node.webhookId))).toEqual(expected);
});

it("shows a webhook, also a deleted one, without the URL", async () => {
  const disabled = await getWebhook(fixture.deps, { webhookId: webhooks[2] });
  expect(disabled).toMatchObject({
    host: "receiver.example",
    disabledReason: "gone",
    disabledAt: START + 9,
    failingSince: null,
  });
  expect(JSON.stringify(disabled)).not.toContain("canary");
  expect(await getWebhook(fixture.deps, { webhookId: webhooks[3] })).toMatchObject({ state: "deleted" });
  expect(await getWebhook(fixture.deps, { webhookId: randomUUID() })).toBeNull();
  await expect(getWebhook(fixture.deps, { webhookId: "x" })).rejects.toMatchObject({ param: "webhookId" });
});

it("lists deliveries of a webhook, newest event first, with the next attempt", async () => {
  const [webhookId] = webhooks;
  const page = await listDeliveries(fixture.deps, { webhookId, first: 4 });
  expect(page.edges.map(({ node }) => node.eventType)).toEqual(Array(4).fill("order.placed"));
  const sequences = page.edges.map(({ node }) => node.sequence);
  const [newest] = page.edges;
  expect(present(newest, "a delivery").node).toMatchObject({
    deliveryId: FAILED,
    state: "pending",
    attempts: 3,
    nextAttemptAt: START + 90,
    lastStatusCode: 503,
    endedAt: null,
  });
  const rest = await listDeliveries(fixture.deps, { webhookId, first: 4, after: page.pageInfo.endCursor });
  expect([...sequences, ...rest.edges.map(({ node }) => node.sequence)]).toEqual([6, 5, 4, 3, 2, 1]);
  expect(await rest.totalCount()).toBe(6);
  const dead = await listDeliveries(fixture.deps, { webhookId, state: "delivered" });
  expect(dead.edges).toHaveLength(5);
  await expect(listDeliveries(fixture.deps, {})).rejects.toMatchObject({ param: "webhookId" });
  const ofAnother = { webhookId: webhooks[1], after: page.pageInfo.endCursor };
  await expect(listDeliveries(fixture.deps, ofAnother)).rejects.toMatchObject({ param: "after" });
});

it("shows a delivery, and null where there is none", async () => {
  expect(await getDelivery(fixture.deps, { deliveryId: FAILED })).toMatchObject({
    webhookId: webhooks[0],
    lastError: "answered 503",
  });
  expect(await getDelivery(fixture.deps, { deliveryId: randomUUID() })).toBeNull();
});

it("reads a few deliveries by indexes, however many there are", async () => {
  const { pool } = fixture.deps;
  await pool.query(
    `INSERT INTO app.webhook_delivery (webhook_id, sequence, event_id, event_type, event_at, object, state, ended_at)
     SELECT $1, n, gen_random_uuid(), 'order.placed', now(), 'x', 'delivered', now() FROM generate_series(1, 20000) n`,
    [webhooks[1]],
  );
  await pool.query("ANALYZE app.webhook_delivery");
  const { deps, statements } = recordStatements(fixture.deps);
  for (const webhookId of webhooks) await listDeliveries(deps, { webhookId, first: 5 });
  await listDeliveries(deps, { webhookId: webhooks[1], first: 5, state: "delivered" });
  await getDelivery(deps, { deliveryId: FAILED });
  expect(statements.length).toBeGreaterThanOrEqual(6);
  expect(await mostRowsRead(pool, statements)).toBeLessThan(100);
});
