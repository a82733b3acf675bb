import { afterEach, describe, expect, it } from "@jest/globals";
import express from "express";
import { createMetrics } from "../../src/http/metrics.ts";
import { createHttpServer, type HttpServer, type Timeouts } from "../../src/http/server.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { until } from "../support/assert/until.ts";
import { openRaw, parseRaw } from "../support/http/raw-http.ts";

const NEVER_MS = 600_000;
const servers: HttpServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

/** Returns a server that answers GET /held, and ends its answer to GET /begun, once `release` is called; and every other path at once. */
async function start(timeouts: Partial<Timeouts>, host = "127.0.0.1", port = 0) {
  const app = express();
  let release = (): void => undefined;
  let isHeld = false;
  let drains = 0;
  app.get(["/held", "/begun"], (request, response) => {
    isHeld = true;
    if (request.path === "/begun") response.write("begun and ");
    release = () => void response.end("released");
  });
  app.use((_request, response) => void response.end("ok"));
  const server = createHttpServer({
    log: createLog("test", "error", { write: () => undefined }),
    metrics: createMetrics(() => new Map()),
    now: Date.now,
    prefix: "",
    timeouts: { shutdownDelay: 0, ...timeouts },
    onDrain: () => {
      drains += 1;
    },
    app,
  });
  servers.push(server);
  const baseUrl = await server.listen(port, host);
  const hold = async (path = "/held") => {
    const connection = await openRaw(baseUrl);
    connection.socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until("the request is held", () => isHeld);
    return connection;
  };
  return { baseUrl, server, hold, release: () => release(), drains: () => drains };
}

describe("listen", () => {
  it("returns the base URL, of an IPv6 address in brackets", async () => {
    expect((await start({})).baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { baseUrl } = await start({}, "::1");
    expect(baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await (await fetch(baseUrl)).text()).toBe("ok");
  });

  it("rejects where the port is taken", async () => {
    const { baseUrl } = await start({});
    await expect(start({}, "127.0.0.1", Number(new URL(baseUrl).port))).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});

describe("stop", () => {
  it("waits for answers under way, and asks the callers of all that it answers to close the connection", async () => {
    const { baseUrl, hold, server, release, drains } = await start({ drain: NEVER_MS });
    // Its request is not whole yet, so the server keeps the connection.
    const late = await openRaw(baseUrl);
    late.socket.write("GET / HTTP/1.1\r\n");
    const held = await hold();
    const stopped = server.stop();
    await until("it waits for answers", () => drains() === 1);
    late.socket.write("host: x\r\n\r\n");
    await late.closed;
    release();
    await stopped;
    await held.closed;
    for (const [connection, body] of [
      [late, "ok"],
      [held, "released"],
    ] as const) {
      const answer = parseRaw(connection.text());
      expect({ body: answer.body, connection: answer.headers.get("connection") }).toEqual({
        body,
        connection: "close",
      });
    }
  });

  it("waits for an answer that has begun", async () => {
    const { hold, server, release } = await start({ drain: NEVER_MS });
    const begun = await hold("/begun");
    const stopped = server.stop();
    release();
    await stopped;
    await begun.closed;
    expect(begun.text()).toMatch(/begun and .*released/s);
  });

  it("drains at once, or after the delay in which callers leave", async () => {
    const quick = await start({});
    const slow = await start({ shutdownDelay: 1 });
    const stopped = [quick.server.stop(), slow.server.stop()];
    expect({ quick: quick.drains(), slow: slow.drains() }).toEqual({ quick: 1, slow: 0 });
    await Promise.all(stopped);
    expect(slow.drains()).toBe(1);
  });

  it("cuts an answer that takes longer than may be waited for", async () => {
    const { hold, server } = await start({ drain: 1 });
    const held = await hold();
    await server.stop();
    await held.closed;
    expect(held.text()).toBe("");
  });

  it("has nothing to wait for where the server does not listen", async () => {
    const { server, drains } = await start({});
    await server.stop();
    await server.stop();
    expect(drains()).toBe(1);
  });
});
