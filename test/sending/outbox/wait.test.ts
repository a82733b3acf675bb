import { describe, expect, it } from "@jest/globals";
import { type RawSendRow, toSendRow } from "../../../src/sending/outbox/rows.ts";
import { waitForBroadcast } from "../../../src/sending/outbox/wait.ts";
import { fakeOutboxDeps, fakePool, rawSend } from "../../support/sender/fake-outbox.ts";

/** Waits for a request; the database answers `read`, which may move the clock, and at most ten times. */
function waiting(read: (clock: { nowMs: number }) => RawSendRow) {
  const asked: string[] = [];
  const waits: number[] = [];
  const { deps, clock } = fakeOutboxDeps((text) => {
    asked.push(text);
    if (asked.length > 10) throw new Error("asked the database too often");
    return [read(clock)];
  });
  const notifications = {
    wait: async (_key: string, ms: number) => {
      waits.push(ms);
      if (waits.length > 20) throw new Error("waited too often");
      clock.nowMs += ms;
    },
    close: async () => undefined,
  };
  return { deps: { ...deps, notifications, broadcastWaitMs: 500 }, asked, waits };
}

describe("waiting for a broadcast", () => {
  it("asks nothing of a request that is broadcast already", async () => {
    const { deps, asked, waits } = waiting(() => rawSend({ state: "failed" }));
    const broadcast = toSendRow(rawSend({ state: "broadcast" }));
    expect(await waitForBroadcast(deps, broadcast)).toBe(broadcast);
    expect([asked, waits]).toEqual([[], []]);
  });

  it("asks nothing where there is no time", async () => {
    const { deps, asked, waits } = waiting(() => rawSend({ state: "broadcast" }));
    const accepted = toSendRow(rawSend());
    expect(await waitForBroadcast({ ...deps, broadcastWaitMs: 0 }, accepted)).toBe(accepted);
    expect([asked, waits]).toEqual([[], []]);
  });

  it("ends where the time is over once the request was read", async () => {
    const { deps, asked, waits } = waiting((clock) => {
      clock.nowMs += 500;
      return rawSend({ state: "signed" });
    });
    expect(await waitForBroadcast(deps, toSendRow(rawSend()))).toMatchObject({ state: "signed" });
    expect([asked.length, waits]).toEqual([1, []]);
  });

  it("waits no longer than is left, and reads in between", async () => {
    const { deps, asked, waits } = waiting(() => rawSend());
    expect(await waitForBroadcast(deps, toSendRow(rawSend()))).toMatchObject({ state: "accepted" });
    expect([asked.length, waits]).toEqual([3, [200, 200, 100]]);
  });

  it("answers what is known where the database fails", async () => {
    const { deps } = waiting(() => rawSend());
    const pool = fakePool(() => {
      throw new Error("gone");
    });
    const accepted = toSendRow(rawSend());
    expect(await waitForBroadcast({ ...deps, pool }, accepted)).toBe(accepted);
  });
});
