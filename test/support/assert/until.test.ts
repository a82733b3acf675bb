import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { eventuallyEquals } from "./eventually-equals.ts";
import { NotYetError, until, whenReachable } from "./until.ts";

/** Answers one after the other; an Error is thrown. */
function sequence<T>(...answers: (T | Error)[]) {
  const left = [...answers];
  const probe = async (): Promise<T> => {
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next as T;
  };
  return { probe, left };
}

describe("until", () => {
  it.each<undefined | false>([undefined, false])("asks again after %s", async (notYet) => {
    expect(await until("the value", sequence<number | undefined | false>(notYet, notYet, 0).probe)).toBe(0);
  });

  it("asks again after a declared NotYetError", async () => {
    expect(await until("the value", sequence<string>(new NotYetError("soon"), "here").probe)).toBe("here");
  });

  it("fails at once with a failed assertion, which a later answer would have hidden", async () => {
    const { probe, left } = sequence<number | undefined>(500, 200);
    const wait = until("the answer", async () => {
      const status = await probe();
      expect(status).toBe(200);
      return status;
    });
    await expect(wait).rejects.toThrow("expect(");
    expect({ left }).toEqual({ left: [200] });
  });

  it("fails at once with any other error", async () => {
    const { probe, left } = sequence<string>(new TypeError("x is not a function"), "here");
    await expect(until("the value", probe)).rejects.toThrow(new TypeError("x is not a function"));
    expect(left).toEqual(["here"]);
  });

  it("reports what was awaited and seen last when time is up", async () => {
    const wait = until("the value", () => Promise.reject(new NotYetError("no row")), 0);
    await expect(wait).rejects.toThrow("the value: not within 0 ms; last: no row");
  });
});

describe("becomes", () => {
  it("waits until the value is equal", async () => {
    await expect(
      eventuallyEquals(sequence([1], [1, 2]).probe, [1, expect.any(Number)]),
    ).resolves.toBeUndefined();
  });

  it("fails at once where the value cannot be read", async () => {
    const { probe, left } = sequence<number>(new Error("no page"), 1);
    await expect(eventuallyEquals(probe, 1)).rejects.toThrow("no page");
    expect({ left }).toEqual({ left: [1] });
  });
});

describe("whenReachable", () => {
  it("declares a refused and a cut connection as not yet", async () => {
    const server = createServer((request) => request.socket.destroy());
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(whenReachable(fetch(url))).rejects.toThrow(NotYetError);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await expect(whenReachable(fetch(url))).rejects.toThrow(NotYetError);
  });

  it("passes every other error on", async () => {
    await expect(whenReachable(fetch("nonsense:"))).rejects.toMatchObject({ name: "TypeError" });
  });
});
