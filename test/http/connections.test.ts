import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import express from "express";
import { serveFiles } from "../../src/http/static-files.ts";
import { until } from "../support/assert/until.ts";
import { type SmallOptions, type SmallServer, startSmallServer } from "../support/http/http.ts";
import { openRaw, type RawConnection } from "../support/http/raw-http.ts";

// Callers who hold connections and answers, over real sockets. What is bounded is counted, never timed.
const servers: SmallServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map(({ server }) => server.stop()));
});

async function start(options: SmallOptions): Promise<SmallServer> {
  const small = await startSmallServer(options);
  servers.push(small);
  return small;
}

async function open(small: SmallServer): Promise<RawConnection> {
  const connection = await openRaw(small.baseUrl);
  sockets.push(connection.socket);
  return connection;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const ok = async (small: SmallServer) =>
  (await fetch(`${small.baseUrl}/api/v1/echo?word=hi`, { signal: AbortSignal.timeout(20_000) })).status;
const metric = async (small: SmallServer, cause: string) => {
  const found = await small.metrics.registry.getSingleMetric("http_connections_closed_total")?.get();
  return found?.values.find(({ labels }) => labels.cause === cause)?.value ?? 0;
};

/** A few of them are more than what the system buffers between two sockets. */
const LARGE = 4 * 1024 * 1024;

const WORDS = Array.from({ length: 20 }, (_, index) => `w${index}-`);
/** Collects the words that a socket receives from now on. */
function wordsIn(socket: Socket): string[] {
  const words: string[] = [];
  let rest = "";
  socket.on("data", (chunk) => {
    const text = rest + chunk.toString("latin1");
    rest = text.slice(-10);
    for (const [word] of text.slice(0, -10).matchAll(/w\d+-/g)) if (!words.includes(word)) words.push(word);
  });
  return words;
}

describe("a caller who sends requests and reads no answer", () => {
  it("has eight of them answered at a time, and all in order once they read", async () => {
    const small = await start({ resolve: (_field, { word }) => String(word).padEnd(LARGE, ".") });
    const connection = await open(small);
    connection.socket.pause();
    connection.socket.write(WORDS.map((word) => get(`/api/v1/echo?word=${word}`)).join(""));
    await until("eight are asked for", () => small.authentications() >= 8 || undefined);
    expect(await ok(small)).toBe(200);
    // The eight, the other caller's, and as many as the system has taken whole.
    expect(small.authentications()).toBeLessThan(15);
    const received = wordsIn(connection.socket);
    connection.socket.resume();
    await until("all are answered", () => received.length === WORDS.length || undefined, 60_000);
    expect(received).toEqual(WORDS);
  });

  it("loses the connection beyond a hundred, and nothing is left of it", async () => {
    const content = { plain: Buffer.alloc(LARGE, "x") };
    const large = { path: "/large", type: "text/plain", cacheControl: "no-store", content: () => content };
    const small = await start({ routers: [serveFiles([large])], paths: ["/large"] });
    const connection = await open(small);
    connection.socket.pause();
    connection.socket.write(get("/large").repeat(1_500));
    await until(
      "it is closed",
      async () => (await metric(small, "too many requests in flight")) || undefined,
    );
    expect(await metric(small, "too many requests in flight")).toBe(1);
    expect(await ok(small)).toBe(200);
    // Each answer that was begun has its line, and hardly any was begun.
    const lines = () => small.lines.filter((line) => line.includes('"route":"/large"'));
    await until("answers are given up", () => lines().length >= 8 || undefined);
    expect(lines().length).toBeLessThan(15);
    expect(lines().filter((line) => line.includes("request abandoned")).length).toBeGreaterThan(0);
  });

  it("is cut also where authentication refuses each of them", async () => {
    const small = await start({
      authenticate: () => new Promise(() => undefined),
    });
    const connection = await open(small);
    connection.socket.write(get("/api/v1/echo").repeat(1_500));
    await connection.closed;
    expect(small.authentications()).toBe(8);
  });
});

describe("more connections than there may be", () => {
  const MAX = 20;

  it.each([
    ["silent", ""],
    ["slow in their headers", "GET /api/v1/echo HTTP/1.1\r\nhost: x\r\n"],
    ["slow in their body", "POST /api/v1/make HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"],
    ["kept alive", get("/api/v1/nothing")],
  ])("that are %s are bounded, and whoever sends a request is served", async (_name, bytes) => {
    const small = await start({ connectionsMax: MAX });
    const held = await open(small);
    held.socket.write(get("/api/v1/hold"));
    await small.held;
    let isOpen = 0;
    for (let index = 0; index < 10 * MAX; index++) {
      const { socket } = await open(small);
      isOpen += 1;
      socket.once("close", () => {
        isOpen -= 1;
      });
      if (bytes) socket.write(bytes);
      if (index % MAX === 0) expect({ index, status: await ok(small) }).toEqual({ index, status: 200 });
    }
    await until("no more are open than may be", () => isOpen <= MAX || undefined);
    expect(await ok(small)).toBe(200);
    expect(await metric(small, "too many connections")).toBeGreaterThanOrEqual(9 * MAX);
    // The request that was being answered all the while.
    small.release();
    await until("its answer", () => held.text().includes("released") || undefined);
  });

  it("are closed first where they carried no authenticated request", async () => {
    const small = await start({ connectionsMax: 4 });
    const [partner, stranger] = [await open(small), await open(small)];
    partner.socket.write(get("/api/v1/echo?word=hi"));
    stranger.socket.write(get("/api/v1/nothing"));
    for (const { text } of [partner, stranger])
      await until("its answer", () => text().includes("HTTP/1.1") || undefined);
    for (let index = 0; index < 4; index++) await open(small);
    await stranger.closed;
    expect(partner.socket.readyState).toBe("open");
  });

  it("whose answers are not read are closed before one that is at work", async () => {
    const content = { plain: Buffer.alloc(LARGE, "x") };
    let begun = 0;
    const router = express.Router().get("/large", (_request, response) => {
      begun += 1;
      response.end(content);
    });
    const small = await start({ connectionsMax: MAX, routers: [router] });
    const held = await open(small);
    held.socket.write(get("/api/v1/hold"));
    await small.held;
    for (let index = 0; index < MAX; index++) {
      const { socket } = await open(small);
      socket.pause();
      socket.write(get("/large").repeat(20));
    }
    await until("eight answers a connection", () => begun >= (MAX - 1) * 8 || undefined);
    expect(await ok(small)).toBe(200);
    small.release();
    await until("its answer", () => held.text().includes("released") || undefined);
  });
});
