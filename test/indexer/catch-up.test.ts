import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { type CatchUpChain, type CatchUpOptions, startCatchUp } from "../../indexer/catch-up.ts";

const CHAIN: CatchUpChain = { name: "1", indexed: 70, shown: 0 };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Runs everything that is due, and lets promises settle. */
const pass = (ms = 0) => jest.advanceTimersByTimeAsync(ms);

/** Starts with chains and the heads of their nodes; null where a node does not answer. */
async function start(
  chains: CatchUpChain[],
  heads: Record<string, number | null>,
  options: Partial<CatchUpOptions> = {},
) {
  const marked = jest.fn(async () => true);
  const lines: Record<string, unknown>[] = [];
  const write = (line: Record<string, unknown>) => void lines.push(line);
  const catchUp = startCatchUp({
    chains,
    headOf: async (name) => {
      const head = heads[name];
      if (typeof head !== "number") throw new Error("no answer");
      return head;
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
    const heads = { 1: 100 };
    const { catchUp, marked, lines } = await start([CHAIN], heads);
    heads[1] = 900;
    catchUp.indexed("1", 99);
    await pass(5_000);
    expect(marked).not.toHaveBeenCalled();
    catchUp.indexed("1", 100);
    catchUp.indexed("1", 101);
    await pass(5_000);
    expect(marked).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([{ msg: "Started returning 200 responses", endpoint: "/ready" }]);
  });

  it("is ready at once where the backfill ended at the head", async () => {
    const { marked } = await start([CHAIN], { 1: 70 });
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("is not ready after a reorg until it is indexed again", async () => {
    const { catchUp, marked } = await start([CHAIN, { ...CHAIN, name: "2" }], { 1: 100, 2: 100 });
    catchUp.indexed("1", 100);
    catchUp.indexed("1", 95);
    catchUp.indexed("2", 100);
    await pass();
    expect(marked).not.toHaveBeenCalled();
    catchUp.indexed("1", 100);
    await pass();
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("does not wait for a head that was taken back", async () => {
    const heads = { 1: 100 };
    const { catchUp, marked } = await start([CHAIN], heads);
    catchUp.indexed("1", 98);
    heads[1] = 98;
    await pass(1_000);
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("waits 30 s for the block that readers have seen: a node that is behind has a lower head", async () => {
    const { catchUp, marked, lines } = await start([{ ...CHAIN, shown: 120 }], { 1: 100 });
    catchUp.indexed("1", 100);
    await pass(29_000);
    expect(marked).not.toHaveBeenCalled();
    await pass(2_000);
    expect(marked).toHaveBeenCalledTimes(1);
    expect(lines[0]).toMatchObject({ msg: expect.stringContaining("not caught up") });
  });

  it("is ready as soon as it has the block that readers have seen", async () => {
    const { catchUp, marked } = await start([{ ...CHAIN, shown: 120 }], { 1: 100 });
    catchUp.indexed("1", 120);
    await pass();
    expect(marked).toHaveBeenCalledTimes(1);
  });
});

describe("the index of several chains", () => {
  it("is not ready while the head of one is not known", async () => {
    const heads: Record<string, number | null> = { 1: 70, 2: null };
    const { marked, lines } = await start([CHAIN, { ...CHAIN, name: "2" }], heads);
    await pass(31_000);
    expect(marked).not.toHaveBeenCalled();
    expect(lines).toEqual([expect.objectContaining({ behind: [expect.objectContaining({ name: "2" })] })]);
    heads[2] = 70;
    await pass(1_000);
    expect(marked).toHaveBeenCalledTimes(1);
  });

  it("asks each chain by itself: a node that is silent delays no other chain", async () => {
    const asked: string[] = [];
    const headOf = (name: string) => {
      asked.push(name);
      return name === "2" ? new Promise<number>(() => {}) : Promise.resolve(100);
    };
    await start([CHAIN, { ...CHAIN, name: "2" }], {}, { headOf });
    await pass(3_000);
    expect(asked.filter((name) => name === "1")).toHaveLength(4);
    expect(asked.filter((name) => name === "2")).toHaveLength(1);
  });
});

describe("the mark", () => {
  it("is tried again where the database fails", async () => {
    const markReady = jest
      .fn<() => Promise<boolean>>()
      .mockRejectedValueOnce(new Error("no connection"))
      .mockResolvedValue(true);
    const { lines } = await start([CHAIN], { 1: 70 }, { markReady });
    await pass(3_000);
    expect(markReady).toHaveBeenCalledTimes(2);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "the index could not be marked ready; trying again",
      "Started returning 200 responses",
    ]);
  });

  it("is not made where another process has taken the schema over", async () => {
    const markReady = jest.fn(async () => false);
    const { lines } = await start([CHAIN], { 1: 70 }, { markReady });
    await pass(3_000);
    expect(markReady).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([{ msg: "another process has taken the schema over" }]);
  });

  it("is not made by a process that ends", async () => {
    const { catchUp, marked } = await start([CHAIN], { 1: 100 });
    catchUp.stop();
    catchUp.indexed("1", 100);
    await pass(3_000);
    expect(marked).not.toHaveBeenCalled();
  });
});
