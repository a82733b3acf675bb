import { expect, it, jest } from "@jest/globals";
import type pg from "pg";
import { createChainReader } from "../../../src/events/stream/reader.ts";
import type { AppendedEvent } from "../../../src/events/stream/store.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { present } from "../../support/assert/until.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Returns a pool that records statements and answers them when the test releases them. */
function fakePool() {
  const asked: { values: unknown[]; answer: (rows: object[]) => void; fail: () => void }[] = [];
  const query = ({ values }: { values: unknown[] }) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(Object.assign(new Error("down"), { code: "57P01" }));
      asked.push({ values, answer: (rows) => resolve({ rows }), fail });
    });
  return { pool: { query } as unknown as pg.Pool, asked };
}

const row = (position: number, keyId: string, isWanted = true) => ({
  position: String(position),
  key_id: keyId,
  chain_id: 1,
  product_type: "spot",
  sequence: "1",
  event_id: "e",
  type: "order.placed",
  resource: "orders",
  created_at: "1",
  block_number: null,
  tx_hash: null,
  retracts: null,
  data: isWanted ? "{}" : null,
});

async function start(
  keyIds: () => readonly string[] | null,
  guard: () => Promise<void> = async () => undefined,
  pollMs = 3_600_000,
) {
  const { pool, asked } = fakePool();
  const delivered: AppendedEvent[] = [];
  const reader = createChainReader({
    pool,
    log: createLog("test", "silent"),
    chainId: 1,
    keyIds,
    guard,
    pollMs,
    deliver: (events) => void delivered.push(...events),
  });
  present(asked.shift(), "the first question").answer([{ position: "7" }]);
  await reader.ready;
  const next = async () => {
    await settled();
    return present(asked.shift(), "a question");
  };
  return { reader, asked, next, positions: () => delivered.map(({ position }) => position) };
}

it("reads behind what it read, once however often it is woken meanwhile, and again where that was", async () => {
  const keys = ["a"];
  const { reader, asked, next, positions } = await start(() => keys);
  reader.wake();
  const first = await next();
  expect(first.values).toEqual(expect.arrayContaining([1, 7]));
  for (let n = 0; n < 5; n++) reader.wake();
  expect(asked).toEqual([]);
  first.answer([row(8, "a"), row(9, "b", false)]);
  const second = await next();
  expect(second.values).toEqual(expect.arrayContaining([1, 9]));
  second.answer([]);
  await settled();
  expect({ positions: positions(), asked }).toEqual({ positions: [8], asked: [] });
  reader.stop();
});

it("reads again from where it was, where a stream of another key was opened during the read", async () => {
  let keys = ["a"];
  const { reader, next, positions } = await start(() => keys);
  reader.wake();
  const first = await next();
  keys = ["a", "b"];
  first.answer([row(8, "a"), row(9, "b", false)]);
  const second = await next();
  expect(positions()).toEqual([]);
  expect(second.values).toEqual(expect.arrayContaining([1, 7, keys]));
  second.answer([row(8, "a"), row(9, "b")]);
  await settled();
  expect({ positions: positions() }).toEqual({ positions: [8, 9] });
  reader.stop();
});

it("goes on where a read failed, and is not current meanwhile", async () => {
  const keys = ["a"];
  const { reader, next, positions } = await start(() => keys);
  reader.wake();
  (await next()).fail();
  await settled();
  expect(reader.isCurrent(-1)).toBe(false);
  reader.wake();
  const again = await next();
  expect(again.values).toEqual(expect.arrayContaining([1, 7]));
  again.answer([row(8, "a")]);
  await settled();
  expect({ positions: positions(), isCurrent: reader.isCurrent(60_000) }).toEqual({
    positions: [8],
    isCurrent: true,
  });
  reader.stop();
});

it("reads nothing where what guards it fails, and nothing once it is stopped", async () => {
  const keys = ["a"];
  const { reader, asked } = await start(
    () => keys,
    () => Promise.reject(new Error("keys cannot be checked")),
  );
  reader.wake();
  await settled();
  expect(asked).toEqual([]);
  reader.stop();
  reader.wake();
  await settled();
  expect(asked).toEqual([]);
});

it("reads on at once where it read as much as one statement does", async () => {
  const keys = ["a"];
  const { reader, next, positions } = await start(() => keys);
  reader.wake();
  (await next()).answer(Array.from({ length: 500 }, (_, index) => row(8 + index, "a")));
  const second = await next();
  expect(second.values).toEqual(expect.arrayContaining([1, 507]));
  second.answer([]);
  await settled();
  expect(positions()).toHaveLength(500);
  reader.stop();
});

it("reads of its own in intervals, until it is stopped", async () => {
  jest.useFakeTimers({ doNotFake: ["setImmediate"] });
  try {
    const keys = ["a"];
    const { reader, asked, next } = await start(() => keys, undefined, 100);
    jest.advanceTimersByTime(99);
    await settled();
    expect(asked).toEqual([]);
    jest.advanceTimersByTime(1);
    (await next()).answer([]);
    await settled();
    reader.stop();
    jest.advanceTimersByTime(1_000);
    await settled();
    expect(asked).toEqual([]);
  } finally {
    jest.useRealTimers();
  }
});

it("delivers nothing of a read that it is stopped during", async () => {
  const keys = ["a"];
  const { reader, next, positions } = await start(() => keys);
  reader.wake();
  const read = await next();
  reader.stop();
  read.answer([row(8, "a")]);
  await settled();
  expect(positions()).toEqual([]);
});

it("reads nothing before it knows where the log ends", async () => {
  const { pool, asked } = fakePool();
  const options = { pool, log: createLog("test", "silent"), chainId: 1, pollMs: 3_600_000 };
  const reader = createChainReader({
    ...options,
    keyIds: () => null,
    guard: async () => undefined,
    deliver: () => undefined,
  });
  reader.wake();
  await settled();
  expect(asked).toHaveLength(1);
  expect(reader.isCurrent(60_000)).toBe(false);
  reader.stop();
});
