import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createBatcher, padded } from "../../src/db/batch.ts";

const WIDE = { maxItems: 100, maxRunning: 1, timeoutMs: 5_000 };

/** Returns a promise with its functions `resolve` and `reject`. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("createBatcher", () => {
  it("sends items of one tick together and gives each its own result", async () => {
    const runs: number[][] = [];
    const double = createBatcher(async (items: number[]) => {
      runs.push(items);
      return items.map((item) => item * 2);
    }, WIDE);
    expect({ values: await Promise.all([1, 2, 3].map(double)) }).toEqual({ values: [2, 4, 6] });
    expect(runs).toEqual([[1, 2, 3]]);
  });

  it("collects what arrives while all runs are busy", async () => {
    const gate = deferred<void>();
    const runs: number[][] = [];
    const send = createBatcher(async (items: number[]) => {
      runs.push(items);
      await gate.promise;
      return items;
    }, WIDE);
    const first = send(1);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const rest = [send(2), send(3)];
    gate.resolve();
    expect({ values: await Promise.all([first, ...rest]) }).toEqual({ values: [1, 2, 3] });
    expect(runs).toEqual([[1], [2, 3]]);
  });

  describe("where each iteration of the event loop brings more", () => {
    let timeMs: number;
    beforeEach(() => {
      timeMs = 1_000;
      jest.spyOn(performance, "now").mockImplementation(() => timeMs);
    });
    afterEach(() => void jest.restoreAllMocks());

    /** Sends two items at once, and one in each iteration that follows. @returns the sizes of the runs */
    async function send(iterations: number, msOfIteration: number): Promise<number[]> {
      const sizes: number[] = [];
      const batch = createBatcher(
        async (items: number[]) => {
          sizes.push(items.length);
          return items;
        },
        { ...WIDE, maxRunning: 100 },
      );
      const sent = [batch(0), batch(1)];
      for (let n = 0; n < iterations; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        timeMs += msOfIteration;
        sent.push(batch(n));
      }
      await Promise.all(sent);
      return sizes;
    }

    it("waits for all of it", async () => expect({ sizes: await send(10, 0) }).toEqual({ sizes: [12] }));
    it("waits no longer than 2 ms", async () =>
      expect({ sizes: await send(4, 1) }).toEqual({ sizes: [4, 1, 1] }));
  });

  it("sends what is alone in the next iteration", async () => {
    const runs: number[][] = [];
    const send = createBatcher(async (items: number[]) => {
      runs.push(items);
      return items;
    }, WIDE);
    const sent = send(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toEqual([[1]]);
    await sent;
  });

  it("never puts more into a run than it may", async () => {
    const sizes: number[] = [];
    const send = createBatcher(
      async (items: number[]) => {
        sizes.push(items.length);
        return items;
      },
      { ...WIDE, maxItems: 2 },
    );
    expect({ values: await Promise.all([1, 2, 3, 4, 5].map(send)) }).toEqual({ values: [1, 2, 3, 4, 5] });
    expect({ sizes }).toEqual({ sizes: [2, 2, 1] });
  });

  it("fails all items of a run that fails, and none of the next", async () => {
    let failing = true;
    const send = createBatcher(async (items: number[]) => {
      if (failing) throw new Error("no");
      return items;
    }, WIDE);
    expect(await Promise.allSettled([send(1), send(2)])).toMatchObject([
      { status: "rejected" },
      { status: "rejected" },
    ]);
    failing = false;
    expect(await send(3)).toBe(3);
  });

  it("does not wait for ever, neither in a run nor in the queue", async () => {
    const gate = deferred<number[]>();
    const send = createBatcher(() => gate.promise, { ...WIDE, timeoutMs: 30 });
    const running = send(1);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const queued = send(2);
    const unavailable = { errCode: "DATABASE_UNAVAILABLE" };
    await expect(running).rejects.toMatchObject(unavailable);
    await expect(queued).rejects.toMatchObject(unavailable);
    // A result that comes too late belongs to nobody.
    gate.resolve([1]);
  });
});

it("lists are padded to a power of two by their last item", () => {
  expect([[1], [1, 2], [1, 2, 3], [1, 2, 3, 4, 5]].map((list) => padded(list))).toEqual([
    [1],
    [1, 2],
    [1, 2, 3, 3],
    [1, 2, 3, 4, 5, 5, 5, 5],
  ]);
  expect(padded([])).toEqual([]);
});
