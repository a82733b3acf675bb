import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { type CatchUpOptions, startCatchUp } from "../../indexer/catch-up.ts";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Runs everything that is due, and lets promises settle. */
const pass = (ms = 0) => jest.advanceTimersByTimeAsync(ms);

/** Starts at block 70, with the head of the node; null where that does not answer. */
async function start(node: { head: number | null }, options: Partial<CatchUpOptions> = {}) {
  const marked = jest.fn(async () => true);
  const lines: Record<string, unknown>[] = [];
  const write = (line: Record<string, unknown>) => void lines.push(line);
  const catchUp = startCatchUp({
    indexed: 70,
    shown: 0,
    readHead: async () => {
      if (node.head === null) throw new Error("no answer");
      return node.head;
    },
    markReady: marked,
    log: { info: write, warn: write, error: write },
    now: Date.now,
    ...options,
  });
  await pass();
  return { catchUp, marked, lines };
}

describe("the index of a chain", () => {
  it("is ready once it has the head that the chain had at the start, and is marked once", async () => {
    const node = { head: 100 };
    const { catchUp, marked, lines } = await start(node);
    node.head = 900;
    catchUp.indexed(99);
    await pass(5_000);
    expect(marked).not.toHaveBeenCalled();
    catchUp.indexed(100);
    catchUp.indexed(101);
    await pass(5_000);
    expect(marked).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([{ msg: "Started returning 200 responses", endpoint: "/ready" }]);
  });

  it("is ready at once where the backfill ended at the head", async () => {
    const { marked } = await start({ head: 70 });
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("is not ready after a reorg until it is indexed again", async () => {
    const { catchUp, marked } = await start({ head: 100 });
    catchUp.indexed(95);
    catchUp.indexed(94);
    await pass();
    expect(marked).not.toHaveBeenCalled();
    catchUp.indexed(100);
    await pass();
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("does not wait for a head that was taken back", async () => {
    const node = { head: 100 };
    const { catchUp, marked } = await start(node);
    catchUp.indexed(98);
    node.head = 98;
    await pass(1_000);
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("waits 30 s for the block that readers have seen: a node that is behind has a lower head", async () => {
    const { catchUp, marked, lines } = await start({ head: 100 }, { shown: 120 });
    catchUp.indexed(100);
    await pass(29_000);
    expect(marked).not.toHaveBeenCalled();
    await pass(2_000);
    expect(marked).toHaveBeenCalledTimes(1);
    expect(lines[0]).toMatchObject({ msg: expect.stringContaining("not caught up") });
  });

  it("is ready as soon as it has the block that readers have seen", async () => {
    const { catchUp, marked } = await start({ head: 100 }, { shown: 120 });
    catchUp.indexed(120);
    await pass();
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("is not ready while the head is not known", async () => {
    const node: { head: number | null } = { head: null };
    const { marked, lines } = await start(node);
    await pass(31_000);
    expect(marked).not.toHaveBeenCalled();
    expect(lines).toEqual([expect.objectContaining({ indexed: 70, head: null })]);
    node.head = 70;
    await pass(1_000);
    expect(marked).toHaveBeenCalledTimes(1);
  });
});

describe("the mark", () => {
  it("is tried again where the database fails", async () => {
    const markReady = jest
      .fn<() => Promise<boolean>>()
      .mockRejectedValueOnce(new Error("no connection"))
      .mockResolvedValue(true);
    const { lines } = await start({ head: 70 }, { markReady });
    await pass(3_000);
    expect(markReady).toHaveBeenCalledTimes(2);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "the index could not be marked ready; trying again",
      "Started returning 200 responses",
    ]);
  });

  it("is not made where another process has taken the schema over", async () => {
    const markReady = jest.fn(async () => false);
    const { lines } = await start({ head: 70 }, { markReady });
    await pass(3_000);
    expect(markReady).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([{ msg: "another process has taken the schema over" }]);
  });

  it("is not made by a process that ends", async () => {
    const { catchUp, marked } = await start({ head: 100 });
    catchUp.stop();
    catchUp.indexed(100);
    await pass(3_000);
    expect(marked).not.toHaveBeenCalled();
  });

  it("that fails after its process has ended is nobody's concern", async () => {
    let fail = (_error: Error): void => undefined;
    const markReady = () => new Promise<boolean>((_resolve, reject) => (fail = reject));
    const { catchUp, lines } = await start({ head: 70 }, { markReady });
    catchUp.stop();
    fail(new Error("no connection"));
    await pass();
    expect(lines).toEqual([]);
  });
});

it("a process that ends, or is ready, looks at the chain no more", async () => {
  await start({ head: 70 });
  expect(jest.getTimerCount()).toBe(0);
  let answer = (_head: number): void => undefined;
  const readHead = () => new Promise<number>((resolve) => (answer = resolve));
  const { catchUp, lines } = await start({ head: null }, { readHead });
  await pass(31_000);
  catchUp.stop();
  answer(100);
  await pass();
  expect({ lines, timers: jest.getTimerCount() }).toEqual({ lines: [], timers: 0 });
});
