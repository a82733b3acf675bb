import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import { encodeEventCursor } from "../../src/context/input/event-cursor.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import { keepPartitions } from "../../src/db/partitions.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { eventListShape } from "../../src/events/input.ts";
import { listEvents } from "../../src/events/list.ts";
import { readAppended, readLogBounds, readLogPage, readPosition } from "../../src/events/stream/store.ts";
import { enqueueAll } from "../../src/webhooks/deliver.ts";
import { readQueueState } from "../../src/webhooks/metrics-store.ts";
import { leaseAttempts, readWork } from "../../src/webhooks/queue-store.ts";
import * as webhooks from "../../src/webhooks/webhooks.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { agePastWeek, enterPastWeek } from "../support/db/past-weeks.ts";
import { mostRowsRead, partitionsRead, recordStatements } from "../support/db/plans.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { type Features, startFeatures } from "../support/http/features.ts";

// The partitions that frequent statements read.

/** Events of each week. */
const EVENTS = 40;
const WEEKS = [4, 3, 2, 1];
const LAST = EVENTS * (WEEKS.length + 1);

let features: Features;
let caller: Caller;
/** Names of the partitions of events, oldest first: of past weeks, of this one, and of those ahead. */
let past: string[];
let current: string;
let ahead: string[];

const append = () =>
  inTransaction(features.deps.pool, (client) =>
    appendEvent(client, { ...caller, type: "order.filled", resource: "orders", data: { requestId: "r" } }),
  );

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  const { pool } = features.deps;
  caller = await features.makeCaller();
  // A log that has begun has a mark in every partition.
  await append();
  await pool.query("DELETE FROM app.event; UPDATE app.event_head SET sequence = 0");
  past = [];
  for (const weeksAgo of WEEKS) {
    const week = await enterPastWeek(pool, weeksAgo);
    for (let n = 0; n < EVENTS; n++) await append();
    await agePastWeek(pool, week, weeksAgo);
    past.push(`event_p${week.day}`);
  }
  await keepPartitions(pool, { info: () => undefined, warn: () => undefined }, { days: 30 });
  for (let n = 0; n < EVENTS; n++) await append();
  await pool.query("ANALYZE app.event");
  const { rows } = await pool.query<{ name: string }>(
    "SELECT name FROM app.partitions() WHERE parent = 'event' AND lower >= app.week_position(now()) ORDER BY lower",
  );
  [current = "", ...ahead] = rows.map(({ name }) => name);
});
afterAll(() => features?.close());

/** Returns the partitions of events that a read looks into. */
async function read(work: (deps: Features["deps"]) => Promise<unknown>): Promise<string[]> {
  const { deps, statements } = recordStatements(features.deps);
  await work(deps);
  const names = new Set<string>();
  for (const statement of statements)
    for (const name of await partitionsRead(features.deps.pool, statement, "event")) names.add(name);
  expect(statements.length).toBeGreaterThan(0);
  return [...names].sort();
}

describe("a read of a log", () => {
  const list = (after: number | null, args: object = {}) =>
    read((deps) => {
      const cursor = after === null ? {} : { after: encodeEventCursor(caller, after) };
      return listEvents(deps, caller, parseInput(eventListShape, { limit: "10", ...cursor, ...args }));
    });

  it("at its end looks into this week's partition, and the empty ones ahead", async () => {
    const tail = [current, ...ahead];
    expect(await list(LAST)).toEqual(tail);
    expect(await list(LAST - 5)).toEqual(tail);
    expect(await list(LAST - 5, { types: "order.placed" })).toEqual(tail);
    const { keyId, chainId, productType } = caller;
    const log = { keyId, chainId, productType };
    expect(await read(({ pool }) => readLogPage(pool, log, { after: LAST - 3, limit: 10 }))).toEqual(tail);
    expect(await read(({ pool }) => readLogBounds(pool, log, BigInt(LAST - 3)))).toEqual([current]);
    expect(await read(({ pool }) => readLogBounds(pool, log, BigInt(EVENTS)))).toEqual([past[1]]);
    expect(await read(({ pool }) => readLogBounds(pool, log, null))).toEqual([]);
  });

  it("of a past week looks into that one, and its neighbour where the page goes on there", async () => {
    expect(await list(EVENTS)).toEqual([past[1]]);
    expect(await list(2 * EVENTS - 5)).toEqual([past[1], past[2]]);
  });

  it("without a cursor looks into all of them once", async () => {
    expect((await list(null)).length).toBe(past.length + 1 + ahead.length);
  });
});

describe("a read by position", () => {
  it("begins in the partition of the position, and ends with the page", async () => {
    const { chainId } = caller;
    const { rows } = await features.deps.pool.query<{ sequence: number; position: string }>(
      "SELECT sequence::int, position FROM app.event WHERE sequence = ANY($1)",
      [[EVENTS + 1, LAST - 5]],
    );
    const positionOf = (wanted: number) =>
      Number(
        present(
          rows.find(({ sequence }) => sequence === wanted),
          "an event",
        ).position,
      );
    const from = (sequence: number) =>
      read(({ pool }) =>
        readAppended(pool, { chainId, position: positionOf(sequence), keyIds: null, limit: 10 }),
      );
    expect(await from(EVENTS + 1)).toEqual([past[1]]);
    expect(await from(LAST - 5)).toEqual([current, ...ahead]);
    expect(await read(({ pool }) => readPosition(pool, chainId))).toEqual([current, ...ahead]);
  });
});

describe("webhooks", () => {
  it("look into the partition of the event that they are at", async () => {
    const { pool } = features.deps;
    const { webhook } = await webhooks.createWebhook(features.deps, caller, {
      url: "http://127.0.0.1:1024/",
      types: "",
    });
    await append();
    await enqueueAll(features.deps);
    const leased = present((await leaseAttempts(pool, "quick", 1))[0], "a leased attempt");
    expect(leased.webhookId).toBe(webhook.webhookId);
    expect(await read((deps) => readWork(deps.pool, leased))).toEqual([current, ...ahead]);
    expect(await read((deps) => readQueueState(deps.pool))).toEqual([current, ...ahead]);
    // Deliveries by their id and position.
    const { deps, statements } = recordStatements(features.deps);
    await readWork(deps.pool, leased);
    const statement = present(statements[0], "the statement");
    expect((await partitionsRead(pool, statement, "webhook_delivery")).length).toBe(1);
  });
});

describe("a read in the middle of a long log", () => {
  const MANY = 2_000;
  const KEYS = 12;

  beforeAll(async () => {
    const { pool } = features.deps;
    const { rows } = await pool.query("SELECT * FROM app.event ORDER BY position DESC LIMIT 1");
    const others = await Promise.all(Array.from({ length: KEYS - 1 }, () => features.makeCaller()));
    const keyIds = [caller, ...others].map(({ keyId }) => keyId);
    // Appends events of alternating keys behind the last event.
    await pool.query(
      `INSERT INTO app.event SELECT r.* FROM generate_series(1, $2::int) n, unnest($3::uuid[]) WITH ORDINALITY k (id, place),
         jsonb_populate_record(NULL::app.event, $1::jsonb || jsonb_build_object('key_id', k.id, 'sequence', $4::int + n,
           'event_id', gen_random_uuid(), 'position', $5::bigint + $6::int * n + k.place)) r`,
      [JSON.stringify(rows[0]), MANY, keyIds, Number(rows[0].sequence), rows[0].position, KEYS],
    );
    await pool.query("UPDATE app.event_head SET sequence = sequence + $1", [MANY]);
    await pool.query("ANALYZE app.event");
  });

  it.each([
    [{}, 100],
    // A filter by type reads the events of the key alone, not those of all keys.
    [{ types: "order.placed" }, MANY],
  ])("with %o reads what it answers, not the chain's whole log", async (args, most) => {
    const { deps, statements } = recordStatements(features.deps);
    const after = encodeEventCursor(caller, LAST + MANY / 2);
    await listEvents(deps, caller, parseInput(eventListShape, { limit: "10", after, ...args }));
    expect(await mostRowsRead(features.deps.pool, statements)).toBeLessThan(most);
  });

  it("of a webhook's next deliveries reads the part that they are made of", async () => {
    const { deps, statements } = recordStatements(features.deps);
    await webhooks.createWebhook(features.deps, caller, { url: "http://127.0.0.1:1025/", types: "" });
    await features.deps.pool.query("UPDATE app.webhook SET cursor = $1 WHERE url LIKE '%:1025/'", [
      LAST + MANY / 8,
    ]);
    expect(await enqueueAll(deps)).toBe(false);
    const { rows } = await features.deps.pool.query(
      "SELECT cursor::int FROM app.webhook WHERE url LIKE '%:1025/'",
    );
    expect(rows).toEqual([{ cursor: LAST + MANY / 8 + 500 }]);
    // They are created again where the statements are explained.
    await features.deps.pool.query("DELETE FROM app.webhook_delivery");
    expect(await mostRowsRead(features.deps.pool, statements)).toBeLessThan(600);
  });

  it("of a stream reads its page", async () => {
    const { keyId, chainId, productType } = caller;
    const { deps, statements } = recordStatements(features.deps);
    await readLogPage(deps.pool, { keyId, chainId, productType }, { after: LAST + MANY / 2, limit: 10 });
    expect(await mostRowsRead(features.deps.pool, statements)).toBeLessThan(100);
  });
});
