import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import express from "express";
import { until } from "../support/assert/until.ts";
import { type SmallServer, startSmallServer } from "../support/http/http.ts";
import { openRaw, parseRaw, type RawAnswer, type RawConnection, sendRaw } from "../support/http/raw-http.ts";

/** The HTTP side over real sockets: what a request may look like, and what is answered where it may not. */
let small: SmallServer;
let asked: number;
beforeAll(async () => {
  small = await startSmallServer();
});
afterAll(() => small.server.stop());
beforeEach(() => {
  asked = small.authentications();
});

const send = (bytes: string | Buffer) => sendRaw(small.baseUrl, bytes);
const head = (start: string, ...headers: string[]) =>
  [`${start} HTTP/1.1`, "host: x", "connection: close", ...headers, "", ""].join("\r\n");
const unasked = () => expect(small.authentications()).toBe(asked);

function expectFailure(answer: RawAnswer, status: number, errCode: string, param: string | null = null) {
  expect(answer.status).toBe(status);
  const body = JSON.parse(answer.body);
  expect(body).toEqual({
    code: status === 400 ? 10000 : status,
    errMsg: expect.any(String),
    data: null,
    uuid: answer.headers.get("x-request-id"),
    t: expect.any(Number),
    errCode,
    param,
    retryable: false,
  });
  expect(answer.headers.get("x-indexed-block")).toBeUndefined();
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
}

describe("a good request", () => {
  it("is answered in the envelope, with its uuid as header", async () => {
    const answer = await send(head("GET /api/v1/echo?word=hi"));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      code: 200,
      errMsg: "",
      data: { word: "hi" },
      uuid: answer.headers.get("x-request-id"),
      t: expect.any(Number),
    });
    expect(answer.headers.get("x-powered-by")).toBeUndefined();
    expect(answer.headers.get("server")).toBeUndefined();
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("is carried by express, which has no prototype to change", async () => {
    const isChange: boolean[] = [];
    const change = jest.spyOn(Object, "setPrototypeOf").mockImplementation((value, prototype) => {
      // Express gives its app to those of requests and responses.
      if (prototype && "app" in prototype) isChange.push(Object.getPrototypeOf(value) !== prototype);
      Reflect.setPrototypeOf(value, prototype);
      return value;
    });
    try {
      expect((await send(head("GET /api/v1/echo"))).status).toBe(200);
      expect({ isChange }).toEqual({ isChange: [false, false] });
    } finally {
      change.mockRestore();
    }
  });

  it("may send a body of exactly 64 KiB, also in chunks, and numbers keep their digits", async () => {
    const body = `{"price":1.10,"deep":"${"x".repeat(65_536 - 24)}"}`;
    expect(body).toHaveLength(65_536);
    const plain = await send(`${head("POST /api/v1/make", "content-length: 65536")}${body}`);
    const chunked = await send(
      `${head("POST /api/v1/make", "transfer-encoding: chunked")}8000\r\n${body.slice(0, 32_768)}\r\n8000\r\n${body.slice(32_768)}\r\n0\r\n\r\n`,
    );
    for (const answer of [plain, chunked]) expect(JSON.parse(answer.body).data.price).toBe("1.10");
  });

  it("may send a body of 64 KiB slowly, in segments and chunks as networks and clients make them", async () => {
    const body = `{"deep":"${"x".repeat(65_536 - 11)}"}`;
    const chunks = body.match(/.{1,1024}/g) ?? [];
    const chunked = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
    const bytes = `${head("POST /api/v1/make", "transfer-encoding: chunked")}${chunked}0\r\n\r\n`;
    const connection = await openRaw(small.baseUrl);
    connection.socket.setNoDelay(true);
    for (let at = 0; at < bytes.length; at += 536) {
      await new Promise((resolve) => connection.socket.write(bytes.slice(at, at + 536), resolve));
      await new Promise(setImmediate);
    }
    await connection.closed;
    const { data } = JSON.parse(parseRaw(connection.text()).body);
    expect(data).toEqual({ deep: JSON.parse(body).deep });
  });

  it("may send a small body in pieces of one byte", async () => {
    const body = `{"price":"1.10","deep":"${"x".repeat(60)}"}`;
    const chunked = [...body].map((byte) => `1\r\n${byte}\r\n`).join("");
    const answer = await send(
      `${head("POST /api/v1/make", "transfer-encoding: chunked")}${chunked}0\r\n\r\n`,
    );
    expect(JSON.parse(answer.body).data).toEqual(JSON.parse(body));
  });

  it.each([2, 65_536])("is sent 100-continue where its body of %d bytes is welcome", async (length) => {
    const connection = await openRaw(small.baseUrl);
    connection.socket.write(head("POST /api/v1/make", `content-length: ${length}`, "expect: 100-continue"));
    await until("100 Continue", () => connection.text().includes("100 Continue") || undefined);
    connection.socket.write("{}".padEnd(length));
    await connection.closed;
    expect(connection.text()).toContain('"code":200');
  });

  it("leaves its connection open for the next one, also behind a body", async () => {
    const connection = await openRaw(small.baseUrl);
    const answers = () => connection.text().match(/"code":200/g)?.length ?? 0;
    connection.socket.write("POST /api/v1/make HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}");
    await until("the first answer", () => answers() === 1);
    connection.socket.write(head("GET /api/v1/echo"));
    await connection.closed;
    expect({ answers: answers() }).toEqual({ answers: 2 });
  });
});

describe("a path or method that is not listed", () => {
  it.each([
    ["GET", "/api/v1/nothing"],
    ["GET", "/api/v1"],
    ["GET", "/api/v1/"],
    ["GET", "/api/v1/hidden"],
    ["GET", "/api/v1/echo/"],
    ["GET", "/api/v1/Echo"],
    ["GET", "/API/v1/echo"],
    ["GET", "/api/v2/echo"],
    ["GET", "/"],
    ["PUT", "/api/v1/echo"],
    ["OPTIONS", "/api/v1/echo"],
    ["TRACE", "/api/v1/echo"],
    ["POST", "/api/v1/webhook"],
    ["GET", "/api/v1/docs"],
    ["GET", "/api/v1/openapi.json"],
    ["GET", "/docs"],
    ["GET", "/openapi.json"],
    ["POST", "/webhook"],
    ["CONNECT", "example.com:443"],
  ])("is 404 before anybody is authenticated: %s %s", async (method, path) => {
    expectFailure(await send(head(`${method} ${path}`)), 404, "ROUTE_NOT_FOUND");
    unasked();
  });

  it("is 404 without a body on HEAD", async () => {
    const answer = await send(head("HEAD /api/v1/echo"));
    expect(answer).toMatchObject({ status: 404, body: "" });
    unasked();
  });

  it("is 404 also with a large body, which is not read to its end", async () => {
    const answer = await send(
      `${head("POST /api/v1/nothing", "content-length: 99999999")}${"x".repeat(99_999)}`,
    );
    expectFailure(answer, 404, "ROUTE_NOT_FOUND");
  });
});

describe("a malformed target", () => {
  it.each([
    ["a dot segment", "/api/v1/./echo"],
    ["two dots", "/api/v1/x/../echo"],
    ["two dots above the root", "/../api/v1/echo"],
    ["an encoded dot segment", "/api/v1/%2e%2e/echo"],
    ["an encoded slash", "/api/v1%2Fecho"],
    ["an encoded zero", "/api/v1/echo%00"],
    ["absolute form", "http://x/api/v1/echo"],
    ["a fragment", "/api/v1/echo#a"],
    ["a fragment in the query", "/api/v1/echo?word=a#b"],
    ["a double slash", "//api/v1/echo"],
    ["a backslash", "/api/v1\\echo"],
    ["bytes above ASCII", "/api/v1/echo\u00e9"],
  ])("is refused: %s", async (_name, target) => {
    expectFailure(await send(head(`GET ${target}`)), 400, "VALIDATION_FAILED");
    unasked();
  });
});

describe("odd headers", () => {
  const get = "GET /api/v1/echo HTTP/1.1\r\n";
  it.each([
    ["no Host", `${get}connection: close\r\n\r\n`, "host"],
    ["two Hosts", `${get}host: x\r\nhost: y\r\nconnection: close\r\n\r\n`, "host"],
    ["two content types", head("GET /api/v1/echo", "content-type: a/b", "content-type: c/d"), "content-type"],
    ["two authorizations", head("GET /api/v1/echo", "authorization: a", "Authorization: b"), "authorization"],
    ["more than 100", head("GET /api/v1/echo", ...Array.from({ length: 101 }, (_, i) => `h${i}: x`)), null],
    ["a folded header", head("GET /api/v1/echo", "x-a: 1\r\n 2"), null],
    ["a folded header by tab", head("GET /api/v1/echo", "x-api-p: a\r\n\tb"), null],
    ["a blank before the colon", head("GET /api/v1/echo", "x-api-key : a"), null],
    ["a header without a colon", head("GET /api/v1/echo", "junk"), null],
    ["a zero byte", head("GET /api/v1/echo", "x-a: a\u0000b"), null],
    ["a bare line feed", "GET /api/v1/echo HTTP/1.1\nhost: x\n\n", null],
    ["16 KiB of headers", head("GET /api/v1/echo", `x-a: ${"a".repeat(17_000)}`), null],
    ["two lengths", head("POST /api/v1/make", "content-length: 2", "content-length: 3"), null],
    ["a signed length", head("POST /api/v1/make", "content-length: +2"), null],
    ["a negative length", head("POST /api/v1/make", "content-length: -2"), null],
    ["length and chunks", head("POST /api/v1/make", "content-length: 2", "transfer-encoding: chunked"), null],
    ["chunks and length", head("POST /api/v1/make", "transfer-encoding: chunked", "content-length: 2"), null],
    ["chunked not last", head("POST /api/v1/make", "transfer-encoding: chunked, identity"), null],
    ["an unknown coding", head("POST /api/v1/make", "transfer-encoding: xchunked"), null],
    ["a bad chunk size", `${head("POST /api/v1/make", "transfer-encoding: chunked")}zz\r\n`, null],
    ["no HTTP at all", "\u0016\u0003\u0001\u0000\r\n\r\n", null],
    ["an unknown version", "GET /api/v1/echo HTTP/9.9\r\nhost: x\r\n\r\n", null],
  ])("are refused: %s", async (_name, bytes, param) => {
    expectFailure(await send(bytes), 400, "VALIDATION_FAILED", param);
    unasked();
  });

  it("never reach 500, whatever bytes a value holds", async () => {
    const answer = await send(head("GET /api/v1/echo", "x-min-block: \u00ff\u00fe", "x-a: \u00e9\u0080"));
    expectFailure(answer, 400, "VALIDATION_FAILED", "x-min-block");
  });

  it("are not taken for an answer to the request before them", async () => {
    const connection = await openRaw(small.baseUrl);
    const held = "GET /api/v1/hold HTTP/1.1\r\nhost: x\r\n\r\n";
    connection.socket.write(`${held}broken\r\n\r\n`);
    await connection.closed;
    expect(connection.text()).toBe("");
  });
});

describe("a body that is not taken", () => {
  it.each([
    ["by its length, unread", `${head("POST /api/v1/make", "content-length: 65537")}`],
    ["by its length, sent", `${head("POST /api/v1/make", "content-length: 65537")}${"x".repeat(65_537)}`],
    ["by an absurd length", `${head("POST /api/v1/make", "content-length: 104857600")}${"x".repeat(99_999)}`],
    [
      "in chunks",
      `${head("POST /api/v1/make", "transfer-encoding: chunked")}${`4000\r\n${"x".repeat(16_384)}\r\n`.repeat(5)}0\r\n\r\n`,
    ],
    ["on a GET", `${head("GET /api/v1/echo", "content-length: 65537")}`],
  ])("is 413 before anybody is authenticated: %s", async (_name, bytes) => {
    const answer = await send(bytes);
    expectFailure(answer, 413, "BODY_TOO_LARGE");
    expect(answer.headers.get("connection")).toBe("close");
    unasked();
  });

  describe("since it comes in too many pieces", () => {
    const closed = async () => {
      const found = await small.metrics.registry.getSingleMetric("http_connections_closed_total")?.get();
      return found?.values.find(({ labels }) => labels.cause === "body in too many pieces")?.value ?? 0;
    };
    const chunked = (start: string) => head(start, "transfer-encoding: chunked");

    it.each([
      ["chunks of one byte", `${chunked("POST /api/v1/make")}${"1\r\nx\r\n".repeat(200)}`],
      ["chunks of 64 bytes", `${chunked("POST /api/v1/make")}${`40\r\n${"x".repeat(64)}\r\n`.repeat(200)}`],
      ["bytes that are no body", `${chunked("POST /api/v1/make")}${"0".repeat(1_100_000)}`],
    ])("is 413, and the connection closes: %s", async (_name, bytes) => {
      const before = await closed();
      expectFailure(await send(bytes), 413, "BODY_TOO_LARGE");
      expect(await closed()).toBe(before + 1);
      unasked();
    });

    it.each([
      ["after an early refusal", chunked("POST /api/v1/nothing")],
      [
        "behind a request that is being answered",
        `GET /api/v1/hold HTTP/1.1\r\nhost: x\r\n\r\n${chunked("POST /api/v1/make")}`,
      ],
    ])("closes the connection %s", async (_name, start) => {
      const before = await closed();
      const connection = await openRaw(small.baseUrl);
      connection.socket.write(`${start}${"1\r\nx\r\n".repeat(65_000)}`);
      await connection.closed;
      expect(await closed()).toBe(before + 1);
    });

    it("closes a connection whose answer needed no body", async () => {
      const router = express.Router().get("/plain", (_request, response) => void response.end("ok"));
      // Without it the connection would be closed with another answer, of a request that took too long.
      const plain = await startSmallServer({ routers: [router], timeouts: { headers: 300, request: 600 } });
      const connection = await openRaw(plain.baseUrl);
      connection.socket.write(
        "GET /plain HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n",
      );
      await connection.closed;
      expect(connection.text().match(/HTTP\/1.1 .*/g)).toEqual(["HTTP/1.1 200 OK"]);
      await plain.server.stop();
    });
  });

  it("is dropped where all incomplete ones have too many bytes, the oldest first", async () => {
    const bytes = `${head("POST /api/v1/make", "content-length: 65536")}${"x".repeat(65_000)}`;
    const connections: RawConnection[] = [];
    for (let index = 0; index < 140; index++) {
      const connection = await openRaw(small.baseUrl);
      await new Promise((resolve) => connection.socket.write(bytes, resolve));
      connections.push(connection);
    }
    await Promise.all(connections.slice(0, 10).map(({ closed }) => closed));
    expect(connections.at(-1)?.socket.readyState).toBe("open");
    expect((await send(`${head("POST /api/v1/make", "content-length: 2")}{}`)).status).toBe(200);
    for (const { socket } of connections) socket.destroy();
  });

  it("is not asked for where it is too large", async () => {
    const answer = await send(head("POST /api/v1/make", "content-length: 70000", "expect: 100-continue"));
    expectFailure(answer, 413, "BODY_TOO_LARGE");
  });

  it("costs no memory, however long it goes on", async () => {
    const connection = await openRaw(small.baseUrl);
    connection.socket.write(head("POST /api/v1/make", "transfer-encoding: chunked"));
    const chunk = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
    let sent = 0;
    const pump = () => {
      while (!connection.socket.destroyed && sent < 100 * 1024 * 1024 && connection.socket.write(chunk))
        sent += 65_536;
    };
    connection.socket.on("drain", pump);
    pump();
    await connection.closed;
    expectFailure(parseRaw(connection.text()), 413, "BODY_TOO_LARGE");
    expect(sent).toBeLessThan(20 * 1024 * 1024);
  });

  it.each(["gzip", "deflate", "br", "GZIP", "gzip, identity"])(
    "is refused compressed: %s",
    async (coding) => {
      const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
      const request = head(
        "POST /api/v1/make",
        `content-encoding: ${coding}`,
        `content-length: ${bomb.length}`,
      );
      const answer = await send(Buffer.concat([Buffer.from(request), bomb]));
      expectFailure(answer, 400, "VALIDATION_FAILED", "content-encoding");
      unasked();
    },
  );

  it.each([
    ["a query on POST", head("POST /api/v1/make?price=1", "content-length: 2"), "{}", "price"],
    ["an unknown field", head("POST /api/v1/make", "content-length: 11"), '{"prise":1}', "prise"],
    ["a key twice", head("POST /api/v1/make", "content-length: 21"), '{"price":1,"price":1}', "price"],
    ["no object", head("POST /api/v1/make", "content-length: 2"), "[]", null],
    [
      "deep nesting",
      head("POST /api/v1/make", "content-length: 57"),
      `{"deep":${"[".repeat(24)}${"]".repeat(24)}}`,
      null,
    ],
    ["an unknown parameter", head("GET /api/v1/echo?wird=1"), "", "wird"],
    ["an empty parameter", head("GET /api/v1/echo?word="), "", "word"],
    ["a body on GET", head("GET /api/v1/echo", "content-length: 2"), "{}", null],
  ])("is refused once the caller is known: %s", async (_name, request, body, param) => {
    expectFailure(await send(request + body), 400, "VALIDATION_FAILED", param);
    expect(small.authentications()).toBe(asked + 1);
  });
});

describe("a slow client", () => {
  let impatient: SmallServer;
  beforeAll(async () => {
    impatient = await startSmallServer({ timeouts: { headers: 300, request: 600 } });
  });
  afterAll(() => impatient.server.stop());

  /** Sends headers that never end, and expects the connection to be cut. */
  async function trickleHeaders(connection: RawConnection): Promise<void> {
    connection.socket.write("GET /api/v1/echo HTTP/1.1\r\nhost: x\r\n");
    const trickle = setInterval(() => connection.socket.write("x-a: 1\r\n"), 40);
    await connection.closed;
    clearInterval(trickle);
    expectFailure(parseRaw(connection.text()), 400, "VALIDATION_FAILED");
  }

  it("is cut while its headers trickle in", async () => {
    await trickleHeaders(await openRaw(impatient.baseUrl));
  });

  it("that has sent nothing yet is not late: it is answered, also when others of its time were cut", async () => {
    const unused = await openRaw(impatient.baseUrl);
    const late = await openRaw(impatient.baseUrl);
    late.socket.write("GET");
    await late.closed;
    unused.socket.write(head("GET /api/v1/echo?word=hi"));
    await unused.closed;
    expect(parseRaw(unused.text()).status).toBe(200);
  });

  it("that was late to begin is cut while its headers trickle in", async () => {
    const [unused, late] = [await openRaw(impatient.baseUrl), await openRaw(impatient.baseUrl)];
    late.socket.write("GET");
    await late.closed;
    await trickleHeaders(unused);
  });

  it("that sends nothing at all is cut without an answer once it was idle for too long", async () => {
    const hasty = await startSmallServer({ timeouts: { headers: 100, request: 200, idle: 600 } });
    const connection = await openRaw(hasty.baseUrl);
    await connection.closed;
    expect({
      answer: connection.text(),
      logged: hasty.lines.filter((line) => line.includes("malformed")),
    }).toEqual({
      answer: "",
      logged: [],
    });
    await hasty.server.stop();
  });

  it("is cut while its body trickles in, and nobody is authenticated", async () => {
    const before = impatient.authentications();
    const connection = await openRaw(impatient.baseUrl);
    connection.socket.write(head("POST /api/v1/make", "content-length: 1000"));
    const trickle = setInterval(() => connection.socket.write(" "), 40);
    await connection.closed;
    clearInterval(trickle);
    expectFailure(parseRaw(connection.text()), 400, "VALIDATION_FAILED");
    expect(impatient.authentications()).toBe(before);
  });

  it("that hangs up halfway is logged as gone, and hurts nobody", async () => {
    const connection = await openRaw(small.baseUrl);
    const before = small.lines.length;
    connection.socket.write(`${head("POST /api/v1/make", "content-length: 10")}{`);
    setImmediate(() => connection.socket.destroy());
    await until("the log line", () =>
      small.lines.slice(before).some((line) => line.includes("request abandoned")),
    );
    expect((await send(head("GET /api/v1/echo"))).status).toBe(200);
  });
});
