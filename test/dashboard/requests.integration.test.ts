import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { readRefusalTotals } from "../../src/dashboard/overview/requests.ts";
import { getRequest, listRequests } from "../../src/dashboard/requests/list.ts";
import { getKeyUsage } from "../../src/dashboard/requests/usage.ts";
import { insertRows } from "../support/db/builders/rows.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { requestRow, startTimelines, type TimelineFixture } from "./timeline-fixture.ts";

// The fields `dashboard.requests` and `dashboard.request`, over rows of a real PostgreSQL.

const NOW = Date.now();
/** Newest first: a request each 10 s, a third of them written, every second of the rival's. */
const UUIDS = Array.from({ length: 30 }, () => randomUUID());

let fixture: TimelineFixture;
beforeAll(async () => {
  fixture = await startTimelines();
  const rows = UUIDS.map((uuid, index) => {
    const at = new Date(NOW - index * 10_000);
    const key = index % 2 === 0 ? fixture.key : fixture.rival;
    if (index % 3 !== 0)
      return requestRow(uuid, key, { at, field: "orderId", requestId: null, txHash: null });
    const written = { method: "POST", route: "/orders/send", status: 200, errCode: null, field: null };
    return requestRow(uuid, key, { at, ...written, requestId: uuid, txHash: `0x${"ab".repeat(32)}` });
  });
  await insertRows(fixture.deps.pool, "app.request_log", rows);
});
afterAll(() => fixture?.close());

const list = (args: Record<string, unknown> = {}) => listRequests(fixture.deps, args);
const uuidsOf = ({ edges }: Awaited<ReturnType<typeof list>>) => edges.map(({ node }) => node.uuid);

it("lists requests newest first, page by page", async () => {
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof list>> = await list({ first: 7, ...(after ? { after } : {}) });
    seen.push(...uuidsOf(page));
    expect(await page.totalCount()).toBe(UUIDS.length);
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
  }
  expect(seen).toEqual(UUIDS);
});

it("filters by key, route, outcome, errCode and time", async () => {
  const every = (matches: (index: number) => boolean) => UUIDS.filter((_uuid, index) => matches(index));
  const all = { first: 100 };
  expect(uuidsOf(await list({ ...all, keyId: fixture.rival.keyId }))).toEqual(
    every((index) => index % 2 === 1),
  );
  const written = every((index) => index % 3 === 0);
  expect(uuidsOf(await list({ ...all, outcome: "written" }))).toEqual(written);
  expect(uuidsOf(await list({ ...all, route: "/orders/send" }))).toEqual(written);
  const refused = every((index) => index % 3 !== 0);
  expect(uuidsOf(await list({ ...all, outcome: "refused" }))).toEqual(refused);
  expect(uuidsOf(await list({ ...all, errCode: "ORDER_NOT_FOUND" }))).toEqual(refused);
  expect(uuidsOf(await list({ ...all, chainId: 1 }))).toEqual([]);
  const to = Math.floor(NOW / 1000) - 100;
  expect(uuidsOf(await list({ ...all, to, from: to - 20 }))).toEqual(UUIDS.slice(10, 13));
  await expect(list({ outcome: "other" })).rejects.toMatchObject({
    errCode: "VALIDATION_FAILED",
    param: "outcome",
  });
  await expect(list({ after: "x" })).rejects.toMatchObject({ errCode: "VALIDATION_FAILED", param: "after" });
});

it("shows one request, and null where it is not kept", async () => {
  const [written, refused] = UUIDS;
  expect(await getRequest(fixture.deps, { uuid: written?.toUpperCase() })).toMatchObject({
    uuid: written,
    keyId: fixture.key.keyId,
    at: Math.floor(NOW / 1000),
    status: 200,
    requestId: written,
  });
  expect(await getRequest(fixture.deps, { uuid: refused })).toMatchObject({
    errCode: "ORDER_NOT_FOUND",
    field: "orderId",
  });
  expect(await getRequest(fixture.deps, { uuid: randomUUID() })).toBeNull();
  await expect(getRequest(fixture.deps, { uuid: "x" })).rejects.toMatchObject({ param: "uuid" });
});

it("tells what a key has used, and its requests of a day by endpoint", async () => {
  const { pool } = fixture.deps;
  const { keyId } = fixture.key;
  const limits = { reads: 100, writes: 0, inFlight: 5 };
  const usage = (of = keyId) => getKeyUsage({ ...fixture.deps, limits }, { keyId: of });
  const last = Math.floor(NOW / 1000);
  const refused = { written: 0, refused: 10, lastAt: last - 20, lastErrCode: "ORDER_NOT_FOUND" };
  expect(await usage()).toEqual({
    windowSeconds: 10,
    reads: { limit: 100, used: 0 },
    writes: { limit: null, used: 0 },
    inFlight: 5,
    spent: "0",
    routes: [
      { method: "GET", route: "/orders/:orderId", ...refused },
      { method: "POST", route: "/orders/send", written: 5, refused: 0, lastAt: last, lastErrCode: null },
    ],
    streams: [],
  });
  const use = "UPDATE app.key_usage SET used = 7, window_ends_at = now() + $2::interval WHERE key_id = $1";
  await pool.query(use, [keyId, "1 hour"]);
  expect(await usage()).toMatchObject({ reads: { used: 7 }, writes: { used: 7 } });
  await pool.query(use, [keyId, "-1 s"]);
  expect(await usage()).toMatchObject({ reads: { used: 0 } });
  expect((await usage(randomUUID())).routes).toEqual([]);
});

it("adds up refusals by key and cause, of the span, chain and product that are asked for", async () => {
  const { deps, key, rival } = fixture;
  const clock = { ...deps, now: () => NOW + 1_000 };
  const from = Math.floor(NOW / 1_000) - 3_600;
  const of = (keyId: string, count: number, newest: number) => ({
    keyId,
    errCode: "ORDER_NOT_FOUND",
    count,
    lastAt: Math.floor((NOW - newest * 10_000) / 1_000),
  });
  const [first, second] = [of(key.keyId, 10, 2), of(rival.keyId, 10, 1)].sort((a, b) =>
    a.keyId < b.keyId ? -1 : 1,
  );
  expect(await readRefusalTotals(clock, { from })).toEqual([first, second]);
  expect(await readRefusalTotals(clock, { from, chainId: 1 })).toEqual([]);
  expect(await readRefusalTotals(clock, { from, productType: "other" })).toEqual([]);
  expect(await readRefusalTotals(clock, { from, to: from + 60 })).toEqual([]);
});

it("reads a few rows by indexes, however many there are", async () => {
  const { pool } = fixture.deps;
  await pool.query(
    `INSERT INTO app.request_log (uuid, at, key_id, chain_id, product_type, method, route, status, duration_ms)
     SELECT gen_random_uuid(), now() - n * interval '1 s', $1, $2, 'spot', 'GET', '/orders', 400, 1 FROM generate_series(1, 20000) n`,
    [fixture.rival.keyId, fixture.key.chainId],
  );
  await pool.query("ANALYZE app.request_log");
  const { deps, statements } = recordStatements(fixture.deps);
  const { endCursor } = (await listRequests(deps, { first: 5 })).pageInfo;
  await listRequests(deps, { first: 5, after: endCursor });
  await listRequests(deps, { first: 5, keyId: fixture.key.keyId });
  await getRequest(deps, { uuid: UUIDS[0] });
  await getKeyUsage(deps, { keyId: fixture.key.keyId });
  expect(statements.length).toBeGreaterThanOrEqual(4);
  expect(await mostRowsRead(pool, statements)).toBeLessThan(100);
});
