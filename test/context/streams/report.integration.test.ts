import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pino from "pino";
import type { ReportedStream } from "../../../src/context/streams/host.ts";
import { reportStreams } from "../../../src/context/streams/report.ts";
import { readStreams, saveStreams } from "../../../src/context/streams/report-store.ts";
import { eventuallyEquals } from "../../support/assert/eventually-equals.ts";
import { until } from "../../support/assert/until.ts";
import { createTestPool } from "../../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../../support/db/postgres.ts";

// Open streams of keys, as processes of the api report them to each other in app.open_streams.

const REPORT_MS = 20;
const log = pino({ level: "silent" });
const [KEY, OTHER_KEY] = [randomUUID(), randomUUID()];
const stream = (more: Partial<ReportedStream> = {}): ReportedStream => ({
  streamId: randomUUID(),
  keyId: KEY,
  chainId: 31337,
  productType: "Spot",
  kind: "events",
  filter: null,
  openedAt: 1_999,
  sentAt: null,
  isBehind: true,
  ...more,
});

let database: TestDatabase;
let pool: ReturnType<typeof createTestPool>;
beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 2 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const idsOf = async (keyId: string) => (await readStreams(pool, keyId)).map(({ streamId }) => streamId);

it("shows the streams of a key on all replicas, newest first, until each ends", async () => {
  const events = stream();
  const prices = stream({
    kind: "prices",
    filter: ["AAPL"],
    openedAt: 5_000,
    sentAt: 7_500,
    isBehind: false,
  });
  const open = [[events, stream({ keyId: OTHER_KEY })], [prices]];
  const replicas = open.map((streams) =>
    reportStreams({ pool, log, host: { list: () => [...streams] }, reportMs: REPORT_MS }),
  );
  await eventuallyEquals(
    () => readStreams(pool, KEY),
    [prices, events].map(({ keyId: _keyId, openedAt, sentAt, ...shown }) => ({
      ...shown,
      openedAt: Math.floor(openedAt / 1_000),
      sentAt: sentAt && Math.floor(sentAt / 1_000),
    })),
  );
  open[0]?.shift();
  await eventuallyEquals(() => idsOf(KEY), [prices.streamId]);
  await replicas[1]?.stop();
  expect(await idsOf(KEY)).toEqual([]);
  expect(await idsOf(OTHER_KEY)).toHaveLength(1);
  await replicas[0]?.stop();
  expect((await pool.query("SELECT FROM app.open_streams")).rowCount).toBe(0);
});

it("shows nothing of a process whose lease has ended, and removes it later", async () => {
  const ended = randomUUID();
  await saveStreams(pool, ended, { streams: [stream()], leaseMs: -1 });
  expect(await idsOf(KEY)).toEqual([]);
  await pool.query("UPDATE app.open_streams SET lease_until = now() - interval '2 minutes'");
  const alive = randomUUID();
  const streams = [stream()];
  await saveStreams(pool, alive, { streams, leaseMs: 60_000 });
  const { rows } = await pool.query("SELECT api_id FROM app.open_streams");
  expect(rows).toEqual([{ api_id: alive }]);
  // One that was frozen for as long goes on.
  await pool.query("UPDATE app.open_streams SET lease_until = now() - interval '2 minutes'");
  await saveStreams(pool, alive, { streams, leaseMs: 60_000 });
  expect(await idsOf(KEY)).toEqual(streams.map(({ streamId }) => streamId));
});

it("costs no statement while no stream is open, and a database that is away no more than a line", async () => {
  const away = createTestPool(database.url, { max: 1 });
  await away.end();
  const lines: string[] = [];
  const streams: ReportedStream[] = [];
  let asked = 0;
  const list = () => {
    asked += 1;
    return streams;
  };
  const reports = reportStreams({
    pool: away,
    log: { debug: (_error: unknown, line?: string) => void lines.push(String(line)) },
    host: { list },
    reportMs: REPORT_MS,
  });
  await until("three looks", () => asked > 3);
  expect({ whileNoneIsOpen: lines }).toEqual({ whileNoneIsOpen: [] });
  streams.push(stream());
  await until("the second failure", () => lines.length > 1);
  await reports.stop();
  expect([...new Set(lines)]).toEqual(["open streams cannot be reported"]);
});
