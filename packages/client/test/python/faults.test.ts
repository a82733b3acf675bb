import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeWhere } from "../../../../test/support/program/describe-where.ts";
import { type Python, type Settings, startPython } from "./driver.ts";
import { answer, cut, cutWithin, type FaultyServer, startFaultyServer, stream } from "./faulty-server.ts";

const SECRET = "sk_secret_of_the_client";
const failure = (status: number, errCode: string, headers = {}) =>
  answer(status, { errCode, errMsg: "text", retryable: true }, headers);
const ok = answer(200, { data: { fine: true } });
const SEND = { symbol: "AAPL", side: "Buy" };

describeWhere("python3", "the Python client, before a server that misbehaves", () => {
  let python: Python;
  let server: FaultyServer;
  let settings: Settings;

  beforeAll(async () => {
    python = startPython();
    server = await startFaultyServer();
    settings = {
      base_url: `${server.url}/api/v1/`,
      api_key: "pk",
      api_secret: SECRET,
      chain_id: 1,
      product_type: "P",
    };
  });
  afterAll(() => {
    python.close();
    server.close();
  });

  it("repeats a send after 429, 503 and a cut connection under one Idempotency-Key, each try signed anew", async () => {
    const received = server.expect(failure(429, "RATE_LIMITED", { "retry-after": "1" }), cut, ok);
    const before = Date.now();
    expect(await python.ask("post", settings, "/orders/send", SEND)).toEqual({ value: { fine: true } });
    expect(Date.now() - before).toBeGreaterThanOrEqual(1000);
    expect(received).toHaveLength(3);
    const distinct = (name: string) => new Set(received.map(({ headers }) => headers[name])).size;
    expect(distinct("idempotency-key")).toBe(1);
    expect(received[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect({ nonces: distinct("x-api-nonce"), signatures: distinct("x-api-sign") }).toEqual({
      nonces: 3,
      signatures: 3,
    });
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set([JSON.stringify(SEND)]));
  });

  it("repeats reads, and calls that act once however often they are made", async () => {
    const unavailable = failure(503, "DATABASE_UNAVAILABLE");
    for (const path of ["/orders/calldata", "/orders/tx", "/1ct/prepare"]) {
      const received = server.expect(cut, unavailable, ok);
      expect({ path, answer: await python.ask("post", settings, path, {}) }).toEqual({
        path,
        answer: { value: { fine: true } },
      });
      // Only sends take one.
      const keys = received.map(({ headers }) => headers["idempotency-key"] ?? null);
      expect({ path, keys }).toEqual({ path, keys: [null, null, null] });
    }
    const received = server.expect(cutWithin, failure(503, "INDEXER_BEHIND"), ok);
    const outcome = await python.ask("request", settings, "get", "/symbols");
    expect(outcome).toMatchObject({ value: { data: { fine: true }, uuid: "u-1" } });
    expect(received.map(({ uri }) => uri)).toEqual(Array(3).fill("/api/v1/symbols"));
    const canceled = server.expect(cut, ok);
    expect(await python.ask("delete", settings, "/orders/0xaa/send")).toEqual({ value: { fine: true } });
    expect(new Set(canceled.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  it.each(["/webhooks", "/webhooks/w/rotate", "/1ct/disable", "/webhooks/w/deliveries/d/redeliver"])(
    "never repeats POST %s where it may have acted",
    async (path) => {
      const received = server.expect(cut, ok);
      expect(await python.ask("post", settings, path, {})).toMatchObject({
        error: "NetworkError",
        unsent: false,
        message: expect.stringContaining("the call may have acted"),
      });
      expect(received).toHaveLength(1);
      const refused = server.expect(failure(500, "INTERNAL"), ok);
      expect(await python.ask("post", settings, path, {})).toMatchObject({ err_code: "INTERNAL" });
      expect(refused).toHaveLength(1);
      const limited = server.expect(failure(429, "RATE_LIMITED"), ok);
      expect(await python.ask("post", settings, path, {})).toEqual({ value: { fine: true } });
      expect(limited).toHaveLength(2);
    },
  );

  it("repeats whatever was never sent, and says so in the end", async () => {
    const nobody = await startFaultyServer();
    nobody.close();
    const outcome = await python.ask(
      "post",
      { ...settings, base_url: nobody.url, retries: 1 },
      "/webhooks",
      {},
    );
    expect(outcome).toMatchObject({ error: "NetworkError", unsent: true });
    expect(outcome.message).toContain(`no complete answer from ${nobody.url}: `);
    expect(outcome.message).toContain("nothing was sent");
  });

  it("gives up after its retries, and hands out the key of the send", async () => {
    const received = server.expect(cut, cut, cut, ok);
    const outcome = await python.ask("request", settings, "POST", "/orders/send", null, SEND, "mine-1");
    expect(outcome).toMatchObject({ error: "NetworkError", idempotency_key: "mine-1" });
    expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["mine-1", "mine-1", "mine-1"]);
  });

  it("leaves a long Retry-After to the caller", async () => {
    const received = server.expect(failure(429, "RATE_LIMITED", { "retry-after": "3600" }), ok);
    const outcome = await python.ask("request", settings, "GET", "/symbols");
    expect(outcome).toMatchObject({ error: "ApiError", retry_after: 3600 });
    expect(received).toHaveLength(1);
  });

  it("reports a refusal with its fields, and does not repeat it", async () => {
    const fields = { code: 10003, errCode: "CHAIN_REVERT", errMsg: "The chain refuses the call" };
    const more = { revert: "Paused", param: "side", docUrl: "/docs/errors/CHAIN_REVERT", retryable: false };
    const received = server.expect(answer(400, { ...fields, ...more }), ok);
    expect(await python.ask("post", settings, "/orders/send", SEND)).toMatchObject({
      error: "ApiError",
      status: 400,
      code: 10003,
      err_code: "CHAIN_REVERT",
      revert: "Paused",
      param: "side",
      retryable: false,
      uuid: "u-1",
      doc_url: "/docs/errors/CHAIN_REVERT",
      idempotency_key: received[0]?.headers["idempotency-key"],
      message: expect.stringMatching(/^CHAIN_REVERT: The chain refuses the call \(HTTP 400, param side, /),
    });
    expect(received).toHaveLength(1);
  });

  it("says after a 401 what to check: the sandbox's cause, or the clock", async () => {
    const header = { "x-sandbox-auth-cause": "signature" };
    server.expect(answer(400, { code: 401, errMsg: "Unauthorized" }, header));
    const told = await python.ask("request", settings, "GET", "/key");
    expect(told).toMatchObject({ error: "AuthenticationError", cause: "signature", code: 401 });
    server.expect(answer(400, { code: 401, errMsg: "Unauthorized", t: Date.now() - 90_000 }));
    const late = await python.ask("request", settings, "GET", "/key");
    expect(late.message).toContain("clock is 90 s off");
    expect(JSON.stringify([told, late])).not.toContain(SECRET);
  });

  it("follows no redirect, and takes no page of a proxy for an answer", async () => {
    const elsewhere = answer(302, {}, { location: `${server.url}/elsewhere` });
    const received = server.expect(elsewhere, ok);
    const outcome = await python.ask("request", settings, "GET", "/key");
    expect(outcome).toMatchObject({ error: "ApiError", status: 302 });
    expect(received).toHaveLength(1);
    server.expect((response) => void response.writeHead(404).end("<html>"));
    const page = await python.ask("request", settings, "GET", "/key");
    expect(page.message).toContain("check base_url");
  });

  it("refuses floats, and writes Decimals as they are", async () => {
    server.expect(ok);
    const body = { quantity: 1.5 };
    const outcome = await python.ask("post", settings, "/orders/send", body);
    expect(outcome).toMatchObject({ error: "TypeError", message: expect.stringContaining("body.quantity") });
    const received = server.expect(answer(200, { data: { price: 0.1 } }));
    // As JSON the driver writes a Decimal as a string, a float as a number.
    expect(await python.ask("get_decimal", settings, "/symbols", "1E+2")).toEqual({
      value: { price: "0.1" },
    });
    expect(received[0]?.uri).toBe("/api/v1/symbols?limit=100");
  });

  it("shows its secret nowhere", async () => {
    const { value } = await python.ask("shown", settings);
    expect(value).toContain("api_key");
    expect(value).not.toContain(SECRET);
  });

  const frame = (id: string, sequence: number) =>
    `id: ${id}\nevent: order.filled\ndata: ${JSON.stringify({ sequence, type: "order.filled" })}\n\n`;
  const BEAT = "retry: 5\n\nid: c0\nevent: heartbeat\ndata: {}\n\n";

  it("connects a stream again with the last id, and hands out each event once", async () => {
    const received = server.expect(
      stream(`${BEAT}${frame("c1", 1)}${frame("c2", 2).slice(0, -12)}`, "cut"),
      failure(503, "DATABASE_UNAVAILABLE"),
      // Sent again, as by a server that got an older id.
      stream(
        `${frame("c1", 1)}${frame("c2", 2)}id: c3\nevent: closing\ndata: {"reason":"shutdown"}\n\n`,
        "cut",
      ),
      stream(frame("c4", 4), "open"),
    );
    const { value } = await python.ask("events", settings, null, ["order.*", "send.*"], 3);
    expect(value).toMatchObject([
      { cursor: "c1", sequence: 1 },
      { cursor: "c2", sequence: 2 },
      { cursor: "c4", sequence: 4 },
    ]);
    expect(received.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "c1", "c1", "c3"]);
    expect(new Set(received.map(({ uri }) => uri))).toEqual(
      new Set(["/api/v1/events/stream?types=order.%2A%2Csend.%2A"]),
    );
  });

  it("connects again where a stream falls silent, and after a Retry-After", async () => {
    const full = failure(429, "TOO_MANY_STREAMS", { "retry-after": "1" });
    const received = server.expect(stream(BEAT, "open"), full, stream(frame("c1", 1), "open"));
    const before = Date.now();
    const outcome = await python.ask("events_of_silent_stream", 0.2, settings, null, null, 1);
    expect(outcome).toMatchObject({ value: [{ cursor: "c1" }] });
    expect(received.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "c0", "c0"]);
    expect(Date.now() - before).toBeGreaterThanOrEqual(1200);
  });

  it("connects a stream of prices again, which begins anew", async () => {
    const status = (stale: boolean) => `retry: 5\nevent: status\ndata: ${JSON.stringify({ stale })}\n\n`;
    const price = (symbol: string) => `event: price\ndata: ${JSON.stringify({ symbol })}\n\n`;
    const received = server.expect(
      stream(`${status(false)}${price("AAPL")}${price("MSFT").slice(0, -9)}`, "cut"),
      stream(`${status(true)}${price("AAPL")}event: heartbeat\ndata: {"stale":true}\n\n`, "open"),
    );
    const { value } = await python.ask("prices", settings, ["AAPL", "MSFT"], 2);
    expect(value).toEqual([
      { symbol: "AAPL", market: { stale: false } },
      { symbol: "AAPL", market: { stale: true } },
    ]);
    expect(received.map(({ uri }) => uri)).toEqual(
      Array(2).fill("/api/v1/prices/stream?symbols=AAPL%2CMSFT"),
    );
    expect(received.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, undefined]);
  });

  it("ends a stream at what no new connection mends", async () => {
    const expired = { errCode: "CURSOR_EXPIRED", retryable: false, oldestCursor: "c9", code: 10000 };
    server.expect(stream(BEAT, "cut"), answer(400, expired));
    const outcome = await python.ask("events", settings, "c0", null, 1);
    expect(outcome).toMatchObject({ error: "ApiError", err_code: "CURSOR_EXPIRED", oldest_cursor: "c9" });
  });

  const change = (sequence: number, data: object) =>
    `id: c${sequence}\nevent: order.placed\ndata: ${JSON.stringify({ sequence, resource: "orders", data })}\n\n`;
  const order = (status: string) => ({ orderId: "0xaa", status });

  it("waits for an order on the stream", async () => {
    const changes =
      change(1, { orderId: "0xbb", status: "Filled" }) + change(2, order("New")) + change(3, order("Filled"));
    server.expect(stream(BEAT + changes, "open"), answer(200, { data: order("Pending") }));
    expect(await python.ask("wait_for_order", settings, "0xaa", "Filled", 30)).toEqual({
      value: order("Filled"),
    });
  });

  it("ends the wait where the order ends otherwise, or the time is over", async () => {
    server.expect(stream(change(1, order("Rejected")), "open"), answer(200, { data: order("New") }));
    expect(await python.ask("wait_for_order", settings, "0xaa", "Filled", 30)).toMatchObject({
      error: "OrderEndedError",
      message: "order 0xaa ended as Rejected",
    });
    server.expect(stream(BEAT, "open"), answer(200, { data: order("New") }));
    expect(await python.ask("wait_for_order", settings, "0xAA", "Filled", 0.2)).toMatchObject({
      error: "WaitTimeoutError",
      message: "the order is still New",
    });
  });

  const sent = {
    requestId: "r1",
    status: "submitted",
    final: false,
    mapping: { mappingId: "m1", orderId: null },
  };
  const notIndexed = answer(400, { code: 10001, errCode: "TRANSACTION_NOT_FOUND" });

  it.each([
    ["a send", sent, "/api/v1/sends/r1", answer(200, { data: sent })],
    [
      "a caller's id",
      { clientOrderId: "c1" },
      "/api/v1/orders/client/c1",
      answer(200, { data: order("New") }),
    ],
    ["a transaction", { txHash: "0xBB" }, "/api/v1/orders/tx/0xBB", notIndexed],
  ])("waits for an order that is named by %s", async (_name, reference, uri, found) => {
    const mapping = { mappingId: "m1", clientOrderId: "c1" };
    const filled = { ...order("Filled"), txHash: "0xbb", mapping };
    const other = { ...filled, txHash: "0xcc", mapping: { mappingId: "m2", clientOrderId: "c2" } };
    const received = server.expect(stream(change(1, other) + change(2, filled), "open"), found);
    expect(await python.ask("wait_for_order", settings, reference)).toEqual({ value: filled });
    expect(received[1]?.uri).toBe(uri);
  });

  it("ends the wait for a send that placed no order, known before or told on the stream", async () => {
    const failed = { ...sent, status: "failed", final: true, errCode: "CHAIN_REVERT" };
    const ended = { error: "OrderEndedError", message: "the order was not placed: CHAIN_REVERT" };
    server.expect(stream(BEAT, "open"), answer(200, { data: failed }));
    expect(await python.ask("wait_for_order", settings, sent)).toMatchObject(ended);
    const data = JSON.stringify({ sequence: 1, resource: "sends", data: failed });
    const told = `id: c1\nevent: send.failed\ndata: ${data}\n\n`;
    server.expect(stream(BEAT + told, "open"), answer(200, { data: sent }));
    expect(await python.ask("wait_for_order", settings, sent)).toMatchObject(ended);
  });
});
