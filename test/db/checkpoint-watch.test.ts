import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { IndexedBlock } from "../../src/db/checkpoint.ts";
import { type Checkpoints, watchCheckpoints } from "../../src/db/checkpoint-watch.ts";

const block = (number: bigint): IndexedBlock => ({ number, timestamp: 1_700_000_000n });

describe("watchCheckpoints", () => {
  let read: jest.Mock<() => Promise<Map<number, IndexedBlock>>>;
  let checkpoints: Checkpoints;
  beforeEach(() => {
    jest.useFakeTimers();
    read = jest.fn(async () => new Map([[1, block(5n)]]));
    checkpoints = watchCheckpoints(() => read());
  });
  afterEach(() => {
    checkpoints.stop();
    jest.useRealTimers();
  });
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it("knows the last block of each chain, and nothing of others", async () => {
    const fresh = watchCheckpoints(() => read());
    expect(fresh.last(1)).toBeNull();
    fresh.stop();
    await pass(0);
    expect(checkpoints.last(1)).toEqual(block(5n));
    expect(checkpoints.last(2)).toBeNull();
  });

  it("follows a rollback, and keeps what it knew while the database is away", async () => {
    await pass(0);
    read.mockResolvedValueOnce(new Map([[1, block(3n)]]));
    await pass(1_000);
    expect(checkpoints.last(1)?.number).toBe(3n);
    read.mockRejectedValueOnce(new Error("away"));
    await pass(1_000);
    expect(checkpoints.last(1)?.number).toBe(3n);
    await pass(1_000);
    expect(checkpoints.last(1)?.number).toBe(5n);
  });

  it("remembers a chain's last block while the index is taken back, and has reached none then", async () => {
    await pass(0);
    read.mockResolvedValue(new Map());
    await pass(1_000);
    expect(checkpoints.last(1)).toEqual(block(5n));
    const waiting = checkpoints.reached(1, 5n, 2_000).catch((error: unknown) => error);
    await pass(2_000);
    expect(await waiting).toMatchObject({ errCode: "INDEXER_BEHIND" });
  });

  it("polls once a second while nobody waits, and one poll serves all who do", async () => {
    await pass(10_000);
    expect(read.mock.calls.length).toBeLessThanOrEqual(12);
    read.mockClear();
    const waiting = Array.from({ length: 100 }, () => checkpoints.reached(1, 6n, 5_000));
    await pass(300);
    expect(read.mock.calls.length).toBeLessThanOrEqual(8);
    read.mockResolvedValue(new Map([[1, block(6n)]]));
    await pass(60);
    await expect(Promise.all(waiting)).resolves.toHaveLength(100);
  });

  it("does not wait for a block that is there", async () => {
    await pass(0);
    read.mockClear();
    await checkpoints.reached(1, 5n, 5_000);
    expect(read).not.toHaveBeenCalled();
  });

  it("gives up in time, also for a chain that nobody indexes", async () => {
    const outcomes = Promise.all(
      [checkpoints.reached(1, 99n, 5_000), checkpoints.reached(2, 0n, 5_000)].map((waiting) =>
        waiting.catch((error: unknown) => error),
      ),
    );
    await pass(5_000);
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ errCode: "INDEXER_BEHIND" });
    read.mockClear();
    await pass(2_000);
    expect(read.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it("asks nothing any more once stopped", async () => {
    await pass(0);
    checkpoints.stop();
    read.mockClear();
    await pass(60_000);
    expect(read).not.toHaveBeenCalled();
  });
});
