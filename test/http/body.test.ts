import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { createBodyReader, hasBody, RequestAborted } from "../../src/http/body.ts";

const MAX = 64 * 1024;
/** A body takes memory in blocks. */
const BLOCK = 4 * 1024;
/** Bodies of the maximum size that are read at once, at most. */
const WHOLE = 128;
const CHUNKED = { "transfer-encoding": "chunked" };

/** Returns a request whose body the test writes, and whose socket is its name. */
function request(headers: Record<string, string>, socket = "socket") {
  const body = new PassThrough({ highWaterMark: 2 * MAX });
  return { body, incoming: Object.assign(body, { headers, socket }) as unknown as IncomingMessage };
}

/** Returns a reader of bodies, and the sockets that it closed. */
function start() {
  const closed: unknown[] = [];
  return { read: createBodyReader((socket) => void closed.push(socket)), closed };
}

/** Lets streams hand on what was written. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const refused = (headers: Record<string, string>) => start().read(request(headers).incoming);

describe("a body", () => {
  it.each([
    [{}, false],
    [{ "content-length": "0" }, false],
    [{ "content-length": "2" }, true],
    [CHUNKED, true],
  ])("is announced by its headers: %j", async (headers, expected) => {
    const { incoming, body } = request(headers);
    expect(hasBody(incoming)).toBe(expected);
    const reading = start().read(incoming);
    body.end("{}");
    expect((await reading).toString()).toBe(expected ? "{}" : "");
  });

  it("is the bytes that were sent, in pieces of any size, and leaves no listener", async () => {
    const bytes = Buffer.from(Array.from({ length: MAX }, (_, index) => (index * 7 + (index >> 8)) % 256));
    for (const size of [1_000, 4_096, 5_000, MAX]) {
      const { incoming, body } = request({ ...CHUNKED, "content-encoding": "Identity" });
      const before = incoming.eventNames().map((name) => [name, incoming.listenerCount(name)]);
      const reading = start().read(incoming);
      for (let at = 0; at < MAX; at += size) {
        body.write(bytes.subarray(at, at + size));
        await settled();
      }
      body.end();
      expect((await reading).equals(bytes)).toBe(true);
      expect(incoming.eventNames().map((name) => [name, incoming.listenerCount(name)])).toEqual(before);
    }
  });

  it("of 64 KiB is taken, and none of a byte more, however it is announced", async () => {
    const whole = request({ "content-length": String(MAX) });
    const reading = start().read(whole.incoming);
    whole.body.end(Buffer.alloc(MAX));
    expect(await reading).toHaveLength(MAX);
    await expect(refused({ "content-length": String(MAX + 1) })).rejects.toMatchObject({
      errCode: "BODY_TOO_LARGE",
    });
    const larger = request(CHUNKED);
    const growing = start().read(larger.incoming);
    larger.body.write(Buffer.alloc(MAX));
    larger.body.write("x");
    await expect(growing).rejects.toMatchObject({ errCode: "BODY_TOO_LARGE" });
    expect(larger.incoming.isPaused()).toBe(true);
  });

  it("is refused unread where it is compressed", async () => {
    await expect(refused({ ...CHUNKED, "content-encoding": "gzip" })).rejects.toMatchObject({
      errCode: "VALIDATION_FAILED",
      param: "content-encoding",
    });
  });

  it.each(["close", "error"])(
    "that ends by %s has no caller, and no error that nobody handles",
    async (event) => {
      const { incoming } = request(CHUNKED);
      const reading = start().read(incoming);
      incoming.emit(event, new Error("reset"));
      await expect(reading).rejects.toThrow(RequestAborted);
      expect(() => incoming.emit("error", new Error("reset"))).not.toThrow();
    },
  );
});

describe("incomplete bodies", () => {
  it("count until they are read", async () => {
    const { read, closed } = start();
    for (let index = 0; index < 2 * WHOLE; index++) {
      const { incoming, body } = request(CHUNKED);
      const reading = read(incoming);
      body.end(Buffer.alloc(MAX));
      await reading;
    }
    expect(closed).toEqual([]);
  });

  it("have 8 MiB in all, beyond which the oldest ends, and counts no more", async () => {
    const { read, closed } = start();
    const begin = async (socket: string, bytes = MAX - 1) => {
      const { incoming, body } = request(CHUNKED, socket);
      void read(incoming).catch(() => undefined);
      body.write(Buffer.alloc(bytes));
      await settled();
      return body;
    };
    const [first] = [await begin("first", MAX - BLOCK), await begin("second")];
    for (let index = 2; index < WHOLE; index++) await begin(`${index}`);
    const next = await begin("next", 1);
    expect(closed).toEqual([]);
    next.write(Buffer.alloc(BLOCK));
    await settled();
    expect(closed).toEqual(["first"]);
    // Bytes that a closed connection still sends take no block of the others.
    first.write("x");
    first.destroy();
    await settled();
    next.write(Buffer.alloc(MAX - 1 - BLOCK - 1));
    await settled();
    expect(closed).toEqual(["first"]);
    await begin("last");
    expect(closed).toEqual(["first", "second"]);
  });
});
