import { describe, expect, it } from "@jest/globals";
import { beginWait, waitForBroadcast } from "../../../src/sending/outbox/wait.ts";
import {
  fakeOutboxDeps,
  fakePool,
  type RawSendRow,
  rawSend,
  toSendRow,
} from "../../support/sender/fake-outbox.ts";
import { passTime } from "../../support/sender/passing-time.ts";

/** Waits for a request; the database answers `read`, which may move the clock, at most ten times. */
function waiting(read: (clock: { nowMs: number }) => RawSendRow) {
  const asked: string[] = [];
  const { deps, clock } = fakeOutboxDeps((text) => {
    asked.push(text);
    if (asked.length > 10) throw new Error("asked the database too often");
    return [read(clock)];
  });
  const { notifications, waits, pool } = passTime(clock, deps.pool);
  const waitsMs = () => waits.map(([, ms]) => ms);
  return { deps: { ...deps, pool, notifications, broadcastWaitMs: 2_500 }, asked, waitsMs };
}

describe("waiting for a broadcast", () => {
  it("asks nothing of a request that is broadcast already", async () => {
    const { deps, asked, waitsMs } = waiting(() => rawSend({ state: "failed" }));
    const broadcast = toSendRow(rawSend({ state: "broadcast" }));
    expect(await waitForBroadcast(deps, broadcast)).toBe(broadcast);
    expect({ asked, waitsMs: waitsMs() }).toEqual({ asked: [], waitsMs: [] });
  });

  it("asks nothing where there is no time", async () => {
    const { deps, asked, waitsMs } = waiting(() => rawSend({ state: "broadcast" }));
    const accepted = toSendRow(rawSend());
    expect(await waitForBroadcast({ ...deps, broadcastWaitMs: 0 }, accepted)).toBe(accepted);
    expect({ asked, waitsMs: waitsMs() }).toEqual({ asked: [], waitsMs: [] });
  });

  it("reads once more at the end, also where a read took the time", async () => {
    const { deps, asked, waitsMs } = waiting((clock) => {
      clock.nowMs += 2_500;
      return rawSend({ state: asked.length === 1 ? "accepted" : "signed" });
    });
    expect(await waitForBroadcast(deps, toSendRow(rawSend()))).toMatchObject({ state: "signed" });
    expect({ askedCount: asked.length, waitsMs: waitsMs() }).toEqual({ askedCount: 2, waitsMs: [1_000] });
  });

  it("waits no longer than is left, and reads in between and at the end", async () => {
    const { deps, asked, waitsMs } = waiting(() =>
      rawSend({ state: asked.length < 4 ? "accepted" : "signed" }),
    );
    expect(await waitForBroadcast(deps, toSendRow(rawSend()))).toMatchObject({ state: "signed" });
    expect({ askedCount: asked.length, waitsMs: waitsMs() }).toEqual({
      askedCount: 4,
      waitsMs: [1_000, 1_000, 500],
    });
  });

  it("leaves the last read some time, although none is left to wait", async () => {
    const { deps } = waiting((clock) => {
      clock.nowMs += 2_500;
      return rawSend();
    });
    let reads = 0;
    const query = async (...args: Parameters<typeof deps.pool.query>) => {
      if (++reads === 1) return deps.pool.query(...args);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { rows: [rawSend({ state: "broadcast" })] };
    };
    const pool = { query } as unknown as typeof deps.pool;
    expect(await waitForBroadcast({ ...deps, pool }, toSendRow(rawSend()))).toMatchObject({
      state: "broadcast",
    });
  });

  it("polls more often where nothing is notified", async () => {
    const { deps, asked } = waiting((clock) => {
      clock.nowMs += asked.length < 3 ? 0 : 2_500;
      return rawSend();
    });
    const { notifications: _, ...silent } = deps;
    const startedMs = performance.now();
    await waitForBroadcast(silent, toSendRow(rawSend()));
    expect(asked).toHaveLength(4);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(598);
  });

  it("begins to listen before it reads", async () => {
    const steps: string[] = [];
    const { deps } = waiting(() => {
      steps.push("read");
      return rawSend({ state: steps.length > 2 ? "broadcast" : "signed" });
    });
    const { wait } = deps.notifications;
    const notifications = {
      ...deps.notifications,
      wait: (key: string, ms: number) => {
        steps.push(`listen for ${key}`);
        return wait(key, ms);
      },
    };
    const accepted = toSendRow(rawSend());
    await waitForBroadcast({ ...deps, notifications }, accepted);
    const listen = `listen for ${accepted.requestId}`;
    expect(steps).toEqual([listen, "read", listen, "read"]);
  });

  describe("that began before the request was written", () => {
    const steps: string[] = [];
    let notify: () => void;
    function early() {
      steps.length = 0;
      const { deps } = waiting(() => {
        steps.push("read");
        return rawSend({ state: "broadcast" });
      });
      const wait = (key: string) => {
        steps.push(`listen for ${key}`);
        return new Promise<void>((resolve) => {
          notify = resolve;
        });
      };
      return { ...deps, notifications: { ...deps.notifications, wait } };
    }
    const accepted = toSendRow(rawSend());

    it("reads nothing before a change", async () => {
      const deps = early();
      const begun = beginWait(deps, accepted.requestId);
      const answer = waitForBroadcast(deps, accepted, begun);
      await new Promise(setImmediate);
      expect(steps).toEqual([`listen for ${accepted.requestId}`]);
      notify();
      expect(await answer).toMatchObject({ state: "broadcast" });
      expect(steps).toEqual([1, 2].map(() => `listen for ${accepted.requestId}`).concat("read"));
    });

    it("misses no change before the wait for it", async () => {
      const deps = early();
      const begun = beginWait(deps, accepted.requestId);
      notify();
      expect(await waitForBroadcast(deps, accepted, begun)).toMatchObject({ state: "broadcast" });
    });

    it("reads at once where another request stands for the call", async () => {
      const deps = early();
      const begun = beginWait(deps, "another");
      expect(await waitForBroadcast(deps, accepted, begun)).toMatchObject({ state: "broadcast" });
    });

    it("listens for a second, and no longer than the caller waits", () => {
      const waits: number[] = [];
      const { broadcastWaitMs: _, ...deps } = early();
      const wait = async (_key: string, ms: number) => void waits.push(ms);
      const notifications = { ...deps.notifications, wait };
      beginWait({ ...deps, notifications }, "id");
      beginWait({ ...deps, notifications, broadcastWaitMs: 300 }, "id");
      expect(waits).toEqual([1_000, 300]);
    });

    it("is none where nothing is notified, or nobody waits", () => {
      const { notifications: _, ...silent } = early();
      expect(beginWait(silent, "id")).toBeNull();
      expect(beginWait({ ...early(), broadcastWaitMs: 0 }, "id")).toBeNull();
      expect(steps).toEqual([]);
    });
  });

  it("reads requests that are notified together in one statement", async () => {
    const ids = ["1", "2", "3"].map((digit) => rawSend().requestId.replace(/^./, digit));
    const asked: unknown[] = [];
    const { deps } = waiting(() => rawSend());
    const pool = fakePool((_text, [requestIds]) => {
      asked.push(requestIds);
      return ids.map((requestId) => rawSend({ requestId, state: "broadcast" }));
    });
    const rows = ids.map((requestId) => toSendRow(rawSend({ requestId })));
    const found = await Promise.all(rows.map((row) => waitForBroadcast({ ...deps, pool }, row)));
    expect(found.map(({ requestId }) => requestId)).toEqual(ids);
    expect(asked).toEqual([ids]);
  });

  it("answers what is known where the database fails", async () => {
    const { deps } = waiting(() => {
      throw new Error("gone");
    });
    const accepted = toSendRow(rawSend());
    expect(await waitForBroadcast(deps, accepted)).toBe(accepted);
  });
});
