import { describe, expect, it } from "@jest/globals";
import { createBatcher } from "../../src/db/batch.ts";

const WIDE = { maxItems: 100, maxRunning: 1, timeoutMs: 5_000 };

/** A promise to be settled from outside. */
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
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
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
    expect(await Promise.all([first, ...rest])).toEqual([1, 2, 3]);
    expect(runs).toEqual([[1], [2, 3]]);
  });

  it("collects what arrives in turns that follow each other, and waits no longer than 16", async () => {
    const runs: number[] = [];
    const send = createBatcher(
      async (items: number[]) => {
        runs.push(items.length);
        return items;
      },
      { ...WIDE, maxRunning: 100 },
    );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const sent = [send(0), send(1)];
    for (let n = 2; n < 6; n++) {
      await turn();
      expect(runs).toEqual([]);
      sent.push(send(n));
    }
    await Promise.all(sent);
    expect(runs).toEqual([6]);
    const alone = send(6);
    await turn();
    expect(runs).toEqual([6, 1]);
    sent.push(send(7));
    for (let n = 0; n < 20; n++) {
      sent.push(send(n));
      await turn();
    }
    await Promise.all([alone, ...sent]);
    expect(runs.slice(0, 3)).toEqual([6, 1, 18]);
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
    expect(await Promise.all([1, 2, 3, 4, 5].map(send))).toEqual([1, 2, 3, 4, 5]);
    expect(sizes).toEqual([2, 2, 1]);
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
