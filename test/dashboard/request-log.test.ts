import { afterEach, beforeEach, expect, it, jest } from "@jest/globals";
import type pg from "pg";
import { Registry } from "prom-client";
import { createRequestLog } from "../../src/dashboard/requests/keep.ts";
import { ApiError } from "../../src/protocol/errors.ts";

// Requests are kept for the dashboard within bounds: what is over one is dropped and counted.

const KEY = "00000000-0000-4000-8000-000000000001";
const caller = {
  keyId: KEY,
  apiKey: "pk_a",
  access: "WRITABLE",
  chainId: 1,
  productType: "spot",
  userAddress: null,
} as const;
let now = 0;
let registry: Registry;
let batches: { uuid: string; [column: string]: unknown }[][];
let failing: boolean;

beforeEach(() => {
  jest.useFakeTimers();
  now = Date.UTC(2026, 10, 26, 12);
  registry = new Registry();
  batches = [];
  failing = false;
});
afterEach(() => {
  jest.useRealTimers();
});

const pool = {
  query: async ({ values }: { values: [string] }) => {
    if (failing) throw new Error("the database is away");
    batches.push(JSON.parse(values[0]));
    return { rows: [] };
  },
} as unknown as pg.Pool;

const create = (bounds = {}) =>
  createRequestLog({
    pool,
    log: { warn: () => undefined },
    registry,
    now: () => now,
    fields: new Set(["price"]),
    bounds,
  });

const get = (uuid: string, error: ApiError | null = new ApiError("ORDER_NOT_FOUND")) => ({
  uuid,
  request: { method: "GET" },
  route: "/orders/:orderId",
  caller,
  error,
  written: null,
});
const post = (uuid: string, written: object) => ({
  ...get(uuid, null),
  request: { method: "POST" },
  written: JSON.stringify(written),
});
const REFUSED = { status: 400, ms: 1.6 };
const OK = { status: 200, ms: 2 };
const kept = () => batches.map((rows) => rows.map(({ uuid }) => uuid));
const dropped = async () => {
  const metric = await registry.getSingleMetric("request_log_dropped_total")?.get();
  return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels.cause, value]));
};

it("keeps refusals and writes of a key, in one statement a second, and nothing else", async () => {
  const log = create();
  log.observe(get("refused", new ApiError("VALIDATION_FAILED", { param: "price" })), REFUSED);
  log.observe(get("own name", new ApiError("VALIDATION_FAILED", { param: "sk_of_a_caller" })), REFUSED);
  log.observe(get("read", null), OK);
  log.observe({ ...get("stranger"), caller: null }, REFUSED);
  log.observe({ ...get("no route"), route: null }, REFUSED);
  log.observe(get("left", null), { status: 0, ms: 5 });
  const txHash = `0x${"ab".repeat(32)}`;
  log.observe(post("sent", { requestId: KEY, txHash, apiSecret: "sk_a" }), OK);
  log.observe(post("other", { requestId: "sk_a", txHash: "sk_b" }), OK);
  await jest.advanceTimersByTimeAsync(1_000);
  const common = { key_id: KEY, chain_id: 1, product_type: "spot", route: "/orders/:orderId", revert: null };
  const at = "2026-11-26T12:00:00.000Z";
  const none = { request_id: null, tx_hash: null };
  const invalid = {
    method: "GET",
    status: 400,
    err_code: "VALIDATION_FAILED",
    duration_ms: 2,
    ...common,
    at,
    ...none,
  };
  const written = { method: "POST", status: 200, err_code: null, field: null, duration_ms: 2, ...common, at };
  expect(batches).toEqual([
    [
      { ...invalid, uuid: "refused", field: "price" },
      { ...invalid, uuid: "own name", field: null },
      { ...written, uuid: "sent", request_id: KEY, tx_hash: txHash },
      { ...written, uuid: "other", ...none },
    ],
  ]);
});

it("drops what is over its bounds, and counts it", async () => {
  const log = create({ waiting: 3, batch: 2, refusalsPerMinute: 5 });
  for (const uuid of ["a", "b", "c", "d"]) log.observe(get(uuid), REFUSED);
  expect(await dropped()).toEqual({ "too many waiting": 1 });
  await jest.advanceTimersByTimeAsync(1_000);
  expect(kept()).toEqual([["a", "b"]]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(kept()).toEqual([["a", "b"], ["c"]]);
  for (const uuid of ["e", "f"]) log.observe(get(uuid), REFUSED);
  expect(await dropped()).toEqual({ "too many waiting": 1, "limit of a key": 1 });
  log.observe(post("a write", {}), OK);
  log.observe({ ...get("of another key"), caller: { ...caller, keyId: "other" } }, REFUSED);
  now += 60_000;
  await jest.advanceTimersByTimeAsync(2_000);
  log.observe(get("a minute later"), REFUSED);
  await log.stop();
  expect(kept().flat()).toEqual(["a", "b", "c", "e", "a write", "of another key", "a minute later"]);
});

it("goes on where the database fails, and writes what waits when the program stops", async () => {
  const log = create();
  failing = true;
  log.observe(get("lost"), REFUSED);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await dropped()).toEqual({ database: 1 });
  failing = false;
  log.observe(get("kept"), REFUSED);
  await log.stop();
  expect(kept()).toEqual([["kept"]]);
});
