import { describe, expect, it } from "@jest/globals";
import { callAt, isNewPeriod, nextTick } from "../../../src/sending/sender/shared-time.ts";

describe("the next tick", () => {
  it("is a multiple, and never later than a wait of its own would end", () => {
    expect(nextTick(0, 1_000)).toBe(1_000);
    expect(nextTick(1_000.4, 1_000)).toBe(2_000);
    expect(nextTick(1_960, 1_000)).toBe(2_000);
  });

  it("is not the one that a timer was early for", () => {
    expect(nextTick(1_999.2, 1_000)).toBe(3_000);
  });
});

describe("a period", () => {
  it("ends at the multiples of its length, for whatever was done in it", () => {
    expect(isNewPeriod(5_000, 9_999, 5_000)).toBe(false);
    expect(isNewPeriod(5_000, 10_000, 5_000)).toBe(true);
    expect(isNewPeriod(9_999, 10_000, 5_000)).toBe(true);
  });

  it("ends where a clock is set back", () => {
    expect(isNewPeriod(5_000, 4_999, 5_000)).toBe(true);
  });
});

describe("a call at a time", () => {
  it("comes together with all others of its time, and in their order", async () => {
    const called: number[] = [];
    const atMs = performance.now() + 5;
    callAt(atMs, () => called.push(1));
    await new Promise<void>((resolve) => {
      callAt(atMs, () => {
        called.push(2);
        process.nextTick(resolve);
      });
      callAt(atMs, () => called.push(3));
    });
    expect({ called }).toEqual({ called: [1, 2, 3] });
  });

  it("does not come once it is canceled, and the others do", async () => {
    const called: number[] = [];
    const atMs = performance.now() + 5;
    const cancel = callAt(atMs, () => called.push(1));
    const other = new Promise<void>((resolve) => callAt(atMs, resolve));
    cancel();
    await other;
    expect(called).toEqual([]);
  });

  it("comes for who waits for the same time again, whatever is canceled late", async () => {
    const atMs = performance.now() + 20;
    const cancel = callAt(atMs, () => undefined);
    cancel();
    const again = new Promise<void>((resolve) => callAt(atMs, resolve));
    cancel();
    await again;
  });
});
