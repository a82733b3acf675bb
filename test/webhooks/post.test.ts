import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { z } from "zod";
import { sealSecret } from "../../src/auth/secrets.ts";
import { ROOT } from "../../src/config/root.ts";
import { attempt } from "../../src/webhooks/attempt.ts";
import { type Answer, parseRetryAfter, post } from "../../src/webhooks/post.ts";
import { newWebhookSecret } from "../../src/webhooks/sign.ts";
import { present, until } from "../support/assert/until.ts";
import { type Receiver, startReceiver, verify } from "./receiver.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received.length = 0;
});

const send = (timeoutMs = 5_000, url = receiver.url) =>
  post({ url: new URL(url), addresses: ["127.0.0.1"] }, { headers: { "x-a": "b" }, body: "{}", timeoutMs });

const EARLY_HINTS = Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(500));

describe("an answer", () => {
  it("counts by its status", async () => {
    for (const [statusCode, error] of [
      [200, null],
      [204, null],
      [300, "answered 300: redirects are not followed"],
      [302, "answered 302: redirects are not followed"],
      [304, "answered 304: redirects are not followed"],
      [400, "answered 400"],
      [410, "answered 410"],
      [500, "answered 500"],
    ] as const) {
      receiver.answer = (_request, response) => {
        response.writeHead(statusCode, { location: `${receiver.url}/elsewhere` }).end("body");
      };
      expect(await send()).toMatchObject({ statusCode, error, retryAfterMs: null });
    }
    expect(receiver.received.map(({ path }) => path)).toEqual(Array(8).fill("/hook"));
    expect(receiver.received[0]).toMatchObject({
      body: "{}",
      headers: { "x-a": "b", "content-length": "2" },
    });
  });

  it("may ask for a pause where it is 429 or 503", async () => {
    for (const [statusCode, retryAfterMs] of [
      [429, 7_000],
      [503, 7_000],
      [500, null],
    ] as const) {
      receiver.answer = (_request, response) =>
        void response.writeHead(statusCode, { "retry-after": "7" }).end();
      expect(await send()).toMatchObject({ statusCode, retryAfterMs });
    }
    expect(parseRetryAfter("Sun, 22 Nov 2026 10:00:10 GMT", Date.parse("2026-11-22T10:00:00Z"))).toBe(10_000);
    expect(parseRetryAfter("120")).toBe(120_000);
    const others = [undefined, "soon", "-1x", "12x", "x7", "1234567890"];
    expect({ pauses: others.map((value) => parseRetryAfter(value)) }).toEqual({
      pauses: others.map(() => null),
    });
  });

  it("says how long it took", async () => {
    receiver.answer = (_request, response) => void response.end();
    const beganAt = performance.now();
    const { durationMs } = await send();
    expect(durationMs).toBeLessThanOrEqual(Math.ceil(performance.now() - beganAt));
  });

  it("counts once 16 KiB of its body came, although no more does", async () => {
    receiver.answer = (_request, response) => void response.writeHead(200).write(Buffer.alloc(20_000));
    expect(await send()).toMatchObject({ statusCode: 200, error: null });
  });

  it("that never ends is cut where it has been long enough, and counts by its status", async () => {
    let written = 0;
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed) return;
        written += 8_192;
        response.write(Buffer.alloc(8_192), () => setImmediate(more));
      };
      more();
    };
    expect(await send()).toMatchObject({ statusCode: 200, error: null });
    // Limited by the buffers of the sockets between the two.
    expect(written).toBeLessThan(50_000_000);
  });

  it("is preceded by eight informational ones at most, however quickly they come", async () => {
    receiver.answer = (_request, response) => {
      for (let n = 0; n < 8; n++) response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.writeHead(200).end();
    };
    expect(await send()).toMatchObject({ statusCode: 200, error: null });
    let written = 0;
    receiver.answer = (_request, response) => {
      const { socket } = response;
      const more = (): void => {
        if (!socket || socket.destroyed) return;
        written += EARLY_HINTS.length;
        socket.write(EARLY_HINTS, () => setImmediate(more));
      };
      more();
    };
    expect(await send()).toMatchObject({ statusCode: null, error: "too many informational answers" });
    expect(written).toBeLessThan(50_000_000);
  });

  it("of more than 64 KiB in all is cut: headers, framing of chunks, or what no status precedes", async () => {
    const flood = (head: string, part: string) => async (): Promise<{ answer: Answer; cut: boolean }> => {
      let closed = false;
      receiver.answer = (_request, response) => {
        const { socket } = response;
        socket?.on("close", () => {
          closed = true;
        });
        socket?.write(head);
        const more = (): void => {
          if (!socket?.destroyed) socket?.write(part.repeat(1_000), () => setImmediate(more));
        };
        more();
      };
      const answer = await send();
      await until("the connection is cut", () => closed || undefined);
      return { answer, cut: closed };
    };
    // Chunks of one byte: 10,000 of them are 60,000 bytes, and 10,000 of the body.
    const chunks = flood(
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
      "1;extension=of-a-chunk\r\n.\r\n",
    );
    expect(await chunks()).toMatchObject({ answer: { statusCode: 200, error: null } });
    const trailers = flood(
      "HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n1\r\n.\r\n0\r\n",
      "a: b\r\n",
    );
    expect(await trailers()).toMatchObject({ answer: { statusCode: 500 } });
    const headers = flood("HTTP/1.1 200 OK\r\n", "a: b\r\n");
    expect(await headers()).toMatchObject({ answer: { statusCode: null, error: "the answer is no HTTP" } });
    // Seven informational answers of 14 KiB each: each is short enough, and so is their number.
    const long = `HTTP/1.1 103 Early Hints\r\na: ${"b".repeat(14_000)}\r\n\r\n`.repeat(7);
    receiver.answer = (_request, response) => void response.socket?.write(long);
    expect(await send()).toMatchObject({ statusCode: null, error: "no answer within 64 KiB" });
  });

  it("that never begins, or comes drop by drop, ends with the time", async () => {
    receiver.answer = () => undefined;
    expect(await send(60)).toMatchObject({ statusCode: null, error: "no complete answer in time" });
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("."), 10);
      response.on("close", () => clearInterval(drip));
    };
    expect(await send(60)).toMatchObject({ error: "no complete answer in time" });
  });

  it("that is none says so, and nothing of what was received", async () => {
    receiver.answer = (_request, response) => void response.socket?.destroy();
    expect(await send()).toMatchObject({
      statusCode: null,
      error: "the connection was closed before the answer was complete",
    });
    receiver.answer = (_request, response) => void response.socket?.end("secret of the inside\r\n\r\n");
    expect(await send()).toMatchObject({ statusCode: null, error: "the answer is no HTTP" });
    expect(await send(5_000, "http://127.0.0.1:1/")).toMatchObject({ error: "the connection was refused" });
    const overTls = await send(5_000, receiver.url.replace("http:", "https:"));
    expect(overTls).toMatchObject({ error: "no TLS connection could be made" });
  });
});

it("over TLS: the name of the certificate is checked, and its bytes count", async () => {
  const pem = fileURLToPath(new URL("self-signed.pem", import.meta.url));
  const names: (string | false | null)[] = [];
  const server = createTlsServer({ key: readFileSync(pem), cert: readFileSync(pem) }, (socket) => {
    names.push(socket.servername);
    socket.on("error", () => undefined);
    socket.once("data", (request: Buffer) => {
      if (!request.includes("/endless")) return socket.end("HTTP/1.1 204 No Content\r\n\r\n");
      const more = (): void => {
        if (!socket.destroyed) socket.write(EARLY_HINTS, () => setImmediate(more));
      };
      return more();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const urls = ["hooks.example", "127.0.0.1", "other.example", "hooks.example/endless"].map((text) => {
    const url = new URL(`https://${text}`);
    url.port = String(port);
    return url.href;
  });
  // A separate process: certificates are trusted at its start.
  const script = `
    const { post } = await import(${JSON.stringify(new URL("../../src/webhooks/post.ts", import.meta.url).href)});
    const answers = [];
    for (const url of ${JSON.stringify(urls)})
      answers.push(await post({ url: new URL(url), addresses: ["127.0.0.1"] }, { headers: {}, body: "{}", timeoutMs: 60_000 }));
    console.log(JSON.stringify(answers));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: "", NODE_EXTRA_CA_CERTS: pem } },
  );
  expect(JSON.parse(stdout)).toMatchObject([
    { statusCode: 204, error: null },
    { statusCode: 204, error: null },
    { statusCode: null, error: "the certificate is not for this host" },
    { statusCode: null, error: "too many informational answers" },
  ]);
  expect(names.filter((name) => name === "hooks.example")).toHaveLength(2);
  await new Promise((resolve) => server.close(resolve));
}, 60_000);

it("a receiver whose certificate nobody vouches for is told nothing", async () => {
  // Key and certificate of hooks.example and 127.0.0.1, used here alone.
  const pem = readFileSync(new URL("self-signed.pem", import.meta.url));
  let requests = 0;
  const server = createServer({ key: pem, cert: pem }, (_request, response) => {
    requests++;
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  for (const host of ["hooks.example", "127.0.0.1"])
    expect({ host, outcome: await send(5_000, `https://${host}:${port}/`) }).toMatchObject({
      host,
      outcome: {
        statusCode: null,
        error: "the certificate is self-signed",
      },
    });
  expect(requests).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});

describe("an attempt", () => {
  const keys = [{ id: "w1", key: Buffer.alloc(32, 1) }];
  const webhookId = "7c1f3b52-9d64-4b0e-9a7e-2f8d5c6b1a90";
  const secret = newWebhookSecret();
  const event = { type: "order.filled", sequence: 1 };
  const lookUps: string[] = [];
  let answers: string[][] = [];
  const resolve = async (host: string) => {
    lookUps.push(host);
    return present(answers.shift(), "an answer of DNS");
  };
  const run = (options: { secrets?: string[]; timeoutMs?: number } = {}) => {
    const { secrets = [secret], ...more } = options;
    const deps = { webhooks: { keys, allowLoopback: true, resolve }, now: Date.now };
    const sealed = secrets.map((each) => sealSecret(keys, webhookId, each));
    const url = `http://receiver.test:${receiver.port}/hook`;
    return attempt(deps, { webhookId, url, secrets: sealed, id: "the-id", event, ...more });
  };
  beforeEach(() => {
    lookUps.length = 0;
    receiver.answer = (_request, response) => void response.end();
  });

  it("connects to the address that was checked, under the host's name, and looks it up once", async () => {
    answers = [["127.0.0.1"]];
    expect(await run()).toMatchObject({ statusCode: 200, error: null });
    expect(lookUps).toEqual(["receiver.test"]);
    const [got] = receiver.received;
    expect(got?.headers.host).toBe(`receiver.test:${receiver.port}`);
    expect(verify(secret, present(got, "the request"))).toEqual(event);
  });

  it("refuses a host whose addresses have become private since", async () => {
    answers = [["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1", "169.254.169.254"]];
    expect(await run()).toMatchObject({ error: null });
    const refused = { statusCode: null, error: expect.stringContaining("not all public: receiver.test") };
    expect(await run()).toMatchObject(refused);
    expect(await run()).toMatchObject(refused);
    expect(receiver.received).toHaveLength(1);
  });

  it("is signed with every secret while a rotation lasts", async () => {
    answers = [["127.0.0.1"]];
    const older = newWebhookSecret();
    await run({ secrets: [secret, older] });
    const got = present(receiver.received[0], "the request");
    expect(got.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/);
    expect({ bySecret: verify(secret, got), byOlder: verify(older, got) }).toEqual({
      bySecret: event,
      byOlder: event,
    });
    expect(() => verify(newWebhookSecret(), got)).toThrow("No matching signature");
    expect(() => verify(secret, { ...got, body: `${got.body} ` })).toThrow("No matching signature");
    expect(got.headers).toMatchObject({ "webhook-id": "the-id", "content-type": "application/json" });
  });

  it("is not made where a secret cannot be opened", async () => {
    const other = sealSecret([{ id: "w2", key: Buffer.alloc(32, 2) }], webhookId, secret);
    const deps = { webhooks: { keys, allowLoopback: true, resolve }, now: Date.now };
    const options = { webhookId, url: receiver.url, id: "x", event };
    await expect(attempt(deps, { ...options, secrets: [other] })).rejects.toThrow("w2 is not configured");
    await expect(attempt(deps, { ...options, secrets: [] })).rejects.toThrow("without a secret");
    expect(receiver.received).toEqual([]);
  });

  it("ends with the time also where DNS does not answer", async () => {
    const deps = {
      webhooks: { keys, allowLoopback: true, resolve: () => new Promise<string[]>(() => undefined) },
      now: Date.now,
    };
    const url = "http://receiver.test:8000/";
    const secrets = [sealSecret(keys, webhookId, secret)];
    expect(await attempt(deps, { webhookId, url, secrets, id: "x", event, timeoutMs: 20 })).toMatchObject({
      statusCode: null,
      error: "the host was not found within 0.02 s",
    });
  });

  it("has the time for its answer that DNS has left", async () => {
    let nowMs = 60_000;
    let lookUpMs = 1_000;
    const time = jest.spyOn(performance, "now").mockImplementation(() => nowMs);
    const slowly = async () => {
      nowMs += lookUpMs;
      return ["127.0.0.1"];
    };
    receiver.answer = (_request, response) => void setTimeout(() => response.end(), 100);
    const deps = { webhooks: { keys, allowLoopback: true, resolve: slowly }, now: Date.now };
    const options = { webhookId, url: `http://receiver.test:${receiver.port}/`, id: "x", event };
    const secrets = [sealSecret(keys, webhookId, secret)];
    expect(await attempt(deps, { ...options, secrets, timeoutMs: 5_000 })).toMatchObject({ statusCode: 200 });
    lookUpMs = 5_000;
    expect(await attempt(deps, { ...options, secrets, timeoutMs: 5_000 })).toMatchObject({
      error: "no complete answer in time",
    });
    time.mockRestore();
  });

  it("uses no proxy of the environment", async () => {
    answers = [["127.0.0.1"]];
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1" });
    try {
      expect(await run()).toMatchObject({ error: null });
    } finally {
      process.env = before;
    }
  });
});
