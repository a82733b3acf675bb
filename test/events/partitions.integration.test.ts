import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import type { Caller } from "../../src/auth/caller.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import {
  keepPartitions,
  PARTITIONS_AHEAD,
  REQUEST_DAYS,
  REQUEST_DAYS_AHEAD,
  readPartitionState,
} from "../../src/db/partitions.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { eventListShape } from "../../src/events/input.ts";
import { listEvents } from "../../src/events/list.ts";
import { readLogBounds } from "../../src/events/stream/store.ts";
import { removeExpiredEvents } from "../../src/events/writer/log-store.ts";
import { enqueueAll } from "../../src/webhooks/deliver.ts";
import { listDeliveries, redeliver } from "../../src/webhooks/deliveries.ts";
import * as webhooks from "../../src/webhooks/webhooks.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { present, until } from "../support/assert/until.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { agePastWeek, enterPastWeek, type PastWeek } from "../support/db/past-weeks.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { type Features, startFeatures } from "../support/http/features.ts";

// The job that maintains partitions, and its effect on readers.

const DAYS = 30;
const DAY_MS = 86_400_000;
const FIRST = ["event_p00000000", "webhook_delivery_p00000000"];

let features: Features;
let pool: pg.Pool;
let caller: Caller;
let warnings: unknown[];
const clients: pg.PoolClient[] = [];

beforeEach(async () => {
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  pool = features.deps.pool;
  caller = await features.makeCaller();
  warnings = [];
});
afterEach(async () => {
  // Closes their connections: a transaction that a failed test left open would keep the pool from ending.
  for (const client of clients.splice(0)) client.release(true);
  await features.close();
});

async function connect(): Promise<pg.PoolClient> {
  const client = await pool.connect();
  clients.push(client);
  return client;
}

const log = { info: () => undefined, warn: (fields: unknown) => warnings.push(fields) };
const keep = (options: { days?: number; clock?: () => number } = {}) =>
  keepPartitions(pool, log, { days: DAYS, ...options });

const append = (through: pg.PoolClient | null = null, object = "a") => {
  const event = {
    type: "order.filled",
    resource: "orders",
    data: { mapping: { mappingId: object } },
  } as const;
  const work = (client: pg.PoolClient) => appendEvent(client, { ...caller, ...event });
  return through ? work(through) : inTransaction(pool, work);
};
const read = (args: Record<string, unknown> = {}) =>
  listEvents(features.deps, caller, parseInput(eventListShape, { limit: "100", ...args }));
const sequences = async (args?: Record<string, unknown>) =>
  (await read(args)).rows.map((row) => row.sequence);

const createWebhook = async () => {
  const input = { url: `http://127.0.0.1:1024/${randomUUID()}`, types: "" };
  return (await webhooks.createWebhook(features.deps, caller, input)).webhook.webhookId;
};
const endDeliveries = () =>
  pool.query(
    "UPDATE app.webhook_delivery SET state = 'delivered', ended_at = now(), next_at = NULL WHERE state = 'pending'",
  );

/**
 * Waits until no step holds the lock that steps skip their work for. PostgreSQL reports an error before it aborts the transaction: a
 * step that timed out may hold it for a moment after its answer.
 */
const stepsEnded = () =>
  until("the lock of steps is free", async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND (classid::bigint << 32 | objid::bigint) = hashtextextended('app partitions', 0)`,
    );
    return rowCount === 0;
  });

/** Lets a step wait for its locks as long as a test has to look on. */
const waitLong = (step: string) => pool.query(`ALTER FUNCTION app.${step} SET lock_timeout = '60s'`);

/** Appends two events in each of some past weeks, oldest first, with the deliveries that they make. */
async function fill(...weeks: number[]): Promise<PastWeek[]> {
  const entered: PastWeek[] = [];
  for (const weeksAgo of weeks) {
    const week = await enterPastWeek(pool, weeksAgo);
    await append(null, `a ${weeksAgo}`);
    await append(null, `b ${weeksAgo}`);
    await enqueueAll(features.deps);
    await agePastWeek(pool, week, weeksAgo);
    entered.push(week);
  }
  return entered;
}

const positions = async (): Promise<bigint[]> =>
  (await pool.query<{ position: string }>("SELECT position FROM app.event ORDER BY sequence")).rows.map(
    ({ position }) => BigInt(position),
  );
const partitionOf = async (sequence: number) =>
  (await pool.query("SELECT tableoid::regclass::text AS name FROM app.event WHERE sequence = $1", [sequence]))
    .rows[0]?.name;

describe("the tables", () => {
  it("keep sequences and deliveries once, and the webhook that deliveries name", async () => {
    await createWebhook();
    await append();
    await enqueueAll(features.deps);
    for (const repeated of [
      `INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, data)
       SELECT key_id, chain_id, product_type, sequence, gen_random_uuid(), type, resource, data FROM app.event`,
      `INSERT INTO app.webhook_delivery (webhook_id, sequence, event_id, event_type, event_at, object, next_at, position)
       SELECT webhook_id, sequence, gen_random_uuid(), event_type, event_at, object, now(), position FROM app.webhook_delivery`,
    ])
      await expect(pool.query(repeated)).rejects.toMatchObject({ code: "23505" });
    // PostgreSQL 18 has a code of its own for RESTRICT.
    await expect(pool.query("DELETE FROM app.webhook")).rejects.toMatchObject({
      code: expect.stringMatching(/^23(001|503)$/),
    });
    await expect(pool.query("UPDATE app.webhook_delivery SET state = 'lost'")).rejects.toMatchObject({
      code: "23514",
    });
  });

  it("own the sequences of their positions, which stay when the first partition goes", async () => {
    const { rows } = await pool.query<{ owner: string }>(
      `SELECT d.refobjid::regclass::text AS owner FROM pg_depend d
       WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'a'
         AND d.objid IN ('app.event_position_seq'::regclass, 'app.webhook_delivery_position_seq'::regclass) ORDER BY 1`,
    );
    expect(rows.map(({ owner }) => owner)).toEqual(["app.event", "app.webhook_delivery"]);
  });
});

describe("the job", () => {
  it("makes partitions ahead and enters this week's: once, where two workers do it", async () => {
    await append();
    const changes = await Promise.all([keep(), keep(), keep()]);
    expect(changes.reduce((sum, { entered }) => sum + entered, 0)).toBe(2);
    // The migration created them.
    expect(changes.reduce((sum, { made }) => sum + made, 0)).toBe(0);
    await append();
    expect(await partitionOf(1)).toBe("app.event_p00000000");
    expect(await partitionOf(2)).toMatch(/^app\.event_p20\d{6}$/);
    expect(await readPartitionState(pool)).toEqual([
      { parent: "event", ahead: PARTITIONS_AHEAD, oldestSeconds: expect.any(Number) },
      { parent: "request_log", ahead: REQUEST_DAYS_AHEAD, oldestSeconds: 0 },
      { parent: "webhook_delivery", ahead: PARTITIONS_AHEAD, oldestSeconds: 0 },
    ]);
    await pool.query("DROP TABLE app.event_p00000000");
    await expect(append()).resolves.toMatchObject({ sequence: 3n });
  });

  it("makes what is missing again, and lets rows go on where they are until then", async () => {
    const { rows } = await pool.query<{ name: string }>(
      "SELECT name FROM app.partitions() WHERE upper > 197230000000000",
    );
    for (const { name } of rows) await pool.query(`DROP TABLE app.${name}`);
    const aheadOfWeeks = (await readPartitionState(pool)).filter(({ parent }) => parent !== "request_log");
    expect(aheadOfWeeks.map(({ ahead }) => ahead)).toEqual([0, 0]);
    await append();
    expect(await partitionOf(1)).toBe("app.event_p00000000");
    expect(await keep()).toMatchObject({ made: 2 * (PARTITIONS_AHEAD + 1), entered: 2 });
    await append();
    expect({ sequences: await sequences() }).toEqual({ sequences: [1, 2] });
    expect(await partitionOf(2)).not.toBe("app.event_p00000000");
  });

  it("moves no sequence into a partition that is not committed", async () => {
    const client = await connect();
    const { rows } = await client.query<{ name: string }>(
      "SELECT name FROM app.partitions() WHERE upper > 197230000000000 AND parent = 'event'",
    );
    for (const { name } of rows) await client.query(`DROP TABLE app.${name}`);
    await client.query("BEGIN; SELECT app.make_partitions(clock_timestamp(), 0)");
    await client.query("SELECT app.enter_partitions(clock_timestamp())");
    await client.query("ROLLBACK");
    await expect(append()).resolves.toMatchObject({ sequence: 1n });
  });

  it("makes nothing where it is asked for more weeks than a year has, or for fewer than this one", async () => {
    const before = await readPartitionState(pool);
    for (const ahead of [53, 1_000_000, -1, null])
      await expect(pool.query("SELECT app.make_partitions(clock_timestamp(), $1)", [ahead])).rejects.toThrow(
        "partitions are made 0 to 52 weeks ahead",
      );
    expect(await readPartitionState(pool)).toEqual(before);
  });

  it("does nothing while its clock and the database's differ, either way", async () => {
    await fill(7, 6);
    for (const off of [-2, 2]) {
      const clock = () => Date.now() + (off * DAY_MS) / 24;
      await expect(keep({ clock })).rejects.toThrow("differ by more than an hour");
    }
    expect({ sequences: await sequences() }).toEqual({ sequences: [1, 2, 3, 4] });
    const clock = () => Date.now() + DAY_MS / 25;
    await expect(keep({ clock })).resolves.toMatchObject({ entered: 2 });
  });

  it("drops what a worker left detached when it died, and nothing else", async () => {
    await fill(7, 6);
    await pool.query("CREATE TABLE app.event_p1 (id int); CREATE TABLE app.event_other (id int)");
    await keep({ days: 300 });
    await pool.query("SELECT app.detach_partition(now(), $1)", [DAYS]);
    const { detached, dropped } = await keep();
    // The partitions of deliveries are empty and were dropped before.
    expect({ detachedCount: detached.length, dropped }).toEqual({ detachedCount: 1, dropped: 2 });
    const { rows: left } = await pool.query(
      "SELECT relname FROM pg_class WHERE relname ~ '^event_(p1|other|p\\d{8})$' AND NOT relispartition ORDER BY 1",
    );
    expect(left).toEqual([{ relname: "event_other" }, { relname: "event_p1" }]);
    await pool.query("DROP TABLE app.event_p1, app.event_other");
  });

  it("leaves a table that somebody reads for long to the next run, and holds up no other reader", async () => {
    await fill(7, 6);
    const reader = await connect();
    await reader.query("BEGIN; SELECT count(*) FROM app.event");
    expect(await keep()).toMatchObject({ entered: 2, detached: [] });
    expect({ sequences: await sequences() }).toEqual({ sequences: [1, 2, 3, 4] });
    expect(warnings).toEqual([{ step: "detach" }]);
    await reader.query("COMMIT");
    expect((await keep()).detached).toContain("event_p00000000");
  });
});

describe("days of requests", () => {
  const days = async () => {
    const { rows } = await pool.query<{ day: string }>("SELECT day::text FROM app.request_partitions()");
    return rows.map(({ day }) => day);
  };
  const dayOf = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);

  it("are made ahead, and dropped after the retention with what is in them", async () => {
    const [first, last] = [dayOf(-1), dayOf(REQUEST_DAYS_AHEAD)];
    expect((await days()).slice(0, 1).concat((await days()).slice(-1))).toEqual([first, last]);
    for (const age of [REQUEST_DAYS, REQUEST_DAYS + 1]) {
      const name = `request_log_p${dayOf(-age).replaceAll("-", "")}`;
      await pool.query(
        `CREATE TABLE app.${name} PARTITION OF app.request_log FOR VALUES FROM ('${dayOf(-age)} 00:00Z') TO ('${dayOf(1 - age)} 00:00Z')`,
      );
      await pool.query(
        `INSERT INTO app.request_log (uuid, at, key_id, chain_id, product_type, method, route, status, duration_ms)
         VALUES (gen_random_uuid(), '${dayOf(-age)} 12:00Z', gen_random_uuid(), 1, 'spot', 'GET', '/orders', 400, 1)`,
      );
    }
    await pool.query(`DROP TABLE app.request_log_p${last.replaceAll("-", "")}`);
    expect(await keep()).toMatchObject({ madeDays: 1, droppedDays: 1 });
    expect((await days()).slice(0, 2)).toEqual([dayOf(-REQUEST_DAYS), first]);
    const { rows } = await pool.query("SELECT at::text FROM app.request_log");
    expect(rows).toHaveLength(1);
    expect(await keep()).toMatchObject({ madeDays: 0, droppedDays: 0 });
  });

  it("stay where somebody reads them for long", async () => {
    const name = `request_log_p${dayOf(-40).replaceAll("-", "")}`;
    await pool.query(
      `CREATE TABLE app.${name} PARTITION OF app.request_log FOR VALUES FROM ('${dayOf(-40)} 00:00Z') TO ('${dayOf(-39)} 00:00Z')`,
    );
    const reader = await connect();
    await reader.query("BEGIN; SELECT count(*) FROM app.request_log");
    expect(await keep()).toMatchObject({ droppedDays: 0 });
    expect(warnings).toEqual([{ step: "drop days" }]);
    await reader.query("COMMIT");
    expect(await keep()).toMatchObject({ droppedDays: 1 });
  });

  it("are not made for a whole year, nor for a clock that is wrong", async () => {
    for (const ahead of [61, -1, null])
      await expect(
        pool.query("SELECT app.make_request_partitions(clock_timestamp(), $1)", [ahead]),
      ).rejects.toThrow("partitions are made 0 to 60 days ahead");
    for (const statement of [
      "make_request_partitions(now() + interval '2 hours', 7)",
      "drop_request_partitions(now() + interval '2 hours', 1)",
    ])
      await expect(pool.query(`SELECT app.${statement}`)).rejects.toThrow("differ by more than an hour");
  });
});

describe("retention", () => {
  it("removes weeks that are over: an old cursor is refused with the oldest one, newer ones go on", async () => {
    const webhookId = await createWebhook();
    const [first, second] = await fill(7, 6, 3, 1);
    await endDeliveries();
    const cursors = [];
    for (let n = 0, after: string | undefined; n < 4; n++) {
      const page = await read({ limit: "2", ...(after ? { after } : {}) });
      cursors.push(page.nextCursor);
      after = page.nextCursor;
    }
    const [old, edge, inside] = cursors;
    const { detached } = await keep();
    expect(detached).toEqual([
      "event_p00000000",
      `event_p${first?.day}`,
      `event_p${second?.day}`,
      "webhook_delivery_p00000000",
      `webhook_delivery_p${first?.day}`,
      `webhook_delivery_p${second?.day}`,
    ]);
    await append();
    const refusal = await read({ after: old }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ errCode: "CURSOR_EXPIRED", param: "after", oldestCursor: edge });
    expect({ sequences: await sequences({ after: edge }) }).toEqual({ sequences: [5, 6, 7, 8, 9] });
    expect({ sequences: await sequences({ after: inside }) }).toEqual({ sequences: [7, 8, 9] });
    expect({ sequences: await sequences() }).toEqual({ sequences: [5, 6, 7, 8, 9] });
    expect(await sequences({ after: edge, types: "order.placed" })).toEqual([]);
    await enqueueAll(features.deps);
    const page = { webhookId, limit: 100, status: undefined, cursor: undefined };
    const { rows } = await listDeliveries(features.deps, caller, page);
    expect({ sequences: rows.map(({ sequence }) => sequence) }).toEqual({ sequences: [9, 8, 7, 6, 5] });
    expect(await keep()).toMatchObject({ detached: [], dropped: 0 });
  });

  it("removes events from the front of a log alone, also where the database's clock was ahead or behind", async () => {
    const weeks = await fill(8, 7, 6);
    const [first] = weeks;
    const created = (sequence: number, days: number) =>
      pool.query("UPDATE app.event SET created_at = now() + make_interval(days => $1) WHERE sequence = $2", [
        days,
        sequence,
      ]);
    await created(3, 60);
    expect((await keep()).detached.filter((name) => name.startsWith("event_"))).toEqual([
      "event_p00000000",
      `event_p${first?.day}`,
    ]);
    await removeExpiredEvents(pool, { days: DAYS });
    expect({ sequences: await sequences() }).toEqual({ sequences: [3, 4, 5, 6] });

    // Behind: what seems to be old is kept while something before it is young.
    await created(3, -29);
    await removeExpiredEvents(pool, { days: DAYS });
    expect({ sequences: await sequences() }).toEqual({ sequences: [3, 4, 5, 6] });
    await created(3, -31);
    await created(5, -1);
    // The database's clock is ahead of the worker's, by which no event has expired.
    await removeExpiredEvents(pool, { days: DAYS, clock: () => Date.now() - 60 * DAY_MS });
    expect({ sequences: await sequences() }).toEqual({ sequences: [3, 4, 5, 6] });
    await removeExpiredEvents(pool, { days: DAYS });
    expect({ sequences: await sequences() }).toEqual({ sequences: [5, 6] });
    await created(5, -40);
    expect((await keep()).detached).toEqual(weeks.slice(1).map(({ day }) => `event_p${day}`));
  });

  it("refuses a cursor before a gap within the log, with the one behind that", async () => {
    for (let n = 0; n < 6; n++) await append();
    const { nextCursor: second } = await read({ limit: "2" });
    const { nextCursor: fourth } = await read({ limit: "4" });
    await pool.query("DELETE FROM app.event WHERE sequence IN (3, 4)");
    const refusal = await read({ after: second }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ errCode: "CURSOR_EXPIRED", oldestCursor: fourth });
    expect(await readLogBounds(pool, caller, 2n)).toEqual({ head: 6n, removed: 4n });
    expect({ sequences: await sequences({ after: fourth }) }).toEqual({ sequences: [5, 6] });
    await pool.query("DELETE FROM app.event WHERE sequence > 2");
    const { oldestCursor } = (await read({ after: second }).catch((error: unknown) => error)) as {
      oldestCursor: string;
    };
    expect(await sequences({ after: oldestCursor })).toEqual([]);
    await append();
    expect({ sequences: await sequences({ after: oldestCursor }) }).toEqual({ sequences: [7] });
  });

  it("keeps what a pending delivery needs, within its time, and the delivery itself", async () => {
    const webhookId = await createWebhook();
    const [week] = await fill(5);
    const [event, delivery] = [`event_p${week?.day}`, `webhook_delivery_p${week?.day}`];
    expect((await keep()).detached).toEqual(FIRST);
    // No longer than a week more, as where its key may not use the scope.
    await pool.query("UPDATE app.event SET created_at = now() - interval '38 days'");
    expect((await keep()).detached).toEqual([event]);
    await webhooks.deleteWebhook(features.deps, caller, { webhookId });
    expect((await keep()).detached).toEqual([]);
    await endDeliveries();
    expect((await keep()).detached).toEqual([delivery]);
  });

  it("keeps no event for a webhook that is disabled, but its deliveries", async () => {
    await createWebhook();
    const [week] = await fill(5);
    await pool.query("UPDATE app.webhook SET disabled_reason = 'failing', disabled_at = now()");
    expect((await keep()).detached).toEqual([FIRST[0], `event_p${week?.day}`, FIRST[1]]);
    expect((await pool.query("SELECT FROM app.webhook_delivery")).rowCount).toBe(2);
  });

  it("does not drop a delivery that is being revived", async () => {
    const webhookId = await createWebhook();
    const [week] = await fill(5);
    await endDeliveries();
    const { rows } = await pool.query(
      "SELECT delivery_id FROM app.webhook_delivery ORDER BY sequence LIMIT 1",
    );
    const deliveryId = present(rows[0], "a delivery").delivery_id;
    // Empty partitions are dropped first, so the job waits for this one.
    await keep({ days: 300 });
    const other = await connect();
    await other.query("BEGIN");
    await other.query(
      "UPDATE app.webhook_delivery SET state = 'pending', ended_at = NULL, next_at = now() WHERE delivery_id = $1",
      [deliveryId],
    );
    await waitLong("detach_partition(timestamptz, integer)");
    const kept = keep();
    await waitsForLock(pool, "%detach_partition%", kept);
    await other.query("COMMIT");
    expect((await kept).detached).not.toContain(`webhook_delivery_p${week?.day}`);
    await expect(redeliver(features.deps, caller, { webhookId, deliveryId })).resolves.toMatchObject({
      status: "pending",
    });
  });
});

describe("a partition that is entered while somebody appends", () => {
  it("leaves sequences and positions in one order, and its mark between them", async () => {
    await append();
    const [early, late] = await Promise.all([connect(), connect()]);
    await early.query("BEGIN");
    await append(early);
    // The writer has not committed: its events must be before the mark, so the partition is not entered.
    expect(await keep()).toMatchObject({ entered: 0 });
    expect(warnings).toEqual([{ step: "enter" }]);
    await stepsEnded();
    await waitLong("enter_partitions(timestamptz)");
    const second = pool.query("SELECT app.enter_partitions(clock_timestamp())");
    await waitsForLock(pool, "%enter_partitions%", second);
    // Another writer, which waits behind it: its events are in the new partition.
    await late.query("BEGIN");
    const appended = append(late);
    await waitsForLock(pool, "%INTO app.event_head%", appended);
    await early.query("COMMIT");
    await second;
    await appended;
    await late.query("COMMIT");
    const placed = await positions();
    expect(placed).toEqual([...placed].sort((a, b) => Number(a - b)));
    expect({ sequences: await sequences() }).toEqual({ sequences: [1, 2, 3] });
    expect({ second: await partitionOf(2), third: await partitionOf(3) }).toEqual({
      second: "app.event_p00000000",
      third: expect.not.stringContaining("p0"),
    });
    const { rows } = await pool.query("SELECT sequence::int FROM app.event_mark");
    expect(rows).toEqual([{ sequence: 2 }]);
  });

  it("gives a webhook each event once, where two workers make deliveries on both sides of it", async () => {
    await createWebhook();
    for (let n = 0; n < 4; n++) await append();
    await Promise.all([enqueueAll(features.deps), keep(), enqueueAll(features.deps)]);
    for (let n = 0; n < 4; n++) await append();
    await Promise.all([enqueueAll(features.deps), enqueueAll(features.deps), enqueueAll(features.deps)]);
    const { rows } = await pool.query("SELECT sequence::int FROM app.webhook_delivery ORDER BY 1");
    expect({ sequences: rows.map(({ sequence }) => sequence) }).toEqual({
      sequences: [1, 2, 3, 4, 5, 6, 7, 8],
    });
  });
});
