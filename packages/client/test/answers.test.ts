import { describe, expect, it } from "@jest/globals";
import { ApiError, AuthenticationError, ConnectionError, PartnerTradingError } from "../src/index.ts";
import { failure, startFakeService, success, UUID, unauthorized } from "./fake-service.ts";

const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an answer", () => {
  it("is a promise of its data, and has beside it what the service says", async () => {
    const headers = {
      "x-indexed-block": "48210377",
      "x-event-cursor": "WzE3XQ",
      "ratelimit-remaining": "4998",
    };
    const { trading } = startFakeService([success({ chainId: 1 }, headers)]);
    const call = trading.config.get();
    expect(await Promise.all([call, call.finally(() => undefined)])).toEqual([
      { chainId: 1 },
      { chainId: 1 },
    ]);
    const { headers: seen, t, ...rest } = await call.withMeta();
    expect(rest).toEqual({
      data: { chainId: 1 },
      uuid: UUID,
      indexedBlock: 48210377,
      eventCursor: "WzE3XQ",
      keyExpiresAt: null,
      rateLimitRemaining: 4998,
    });
    expect([seen.get("x-indexed-block"), typeof t]).toEqual(["48210377", "number"]);
    const bare = await trading.request("GET", "/key", { minBlock: 7 });
    expect(bare.data).toEqual({ chainId: 1 });
  });

  it("is of the path and the parameters that were asked for, and of no header that has no value", async () => {
    const { trading, sent } = startFakeService([success({})]);
    await trading.orders.get("0x1");
    await trading.request("GET", "/orders/0x1/send", { query: { a: null, b: undefined, c: 0 } });
    await trading.request("POST", "/orders/calldata", { body: { a: 1 } });
    expect(sent.map(({ url }) => url.pathname + url.search)).toEqual([
      "/api/v1/orders/0x1",
      "/api/v1/orders/0x1/send?c=0",
      "/api/v1/orders/calldata",
    ]);
    const names = ["content-type", "idempotency-key", "x-min-block"];
    expect(sent.map(({ headers }) => names.map((name) => headers.get(name)))).toEqual([
      [null, null, null],
      [null, null, null],
      ["application/json", null, null],
    ]);
  });

  it("is of no path that leads elsewhere, or names a parameter twice", async () => {
    const { trading, sent } = startFakeService([success({})]);
    for (const id of ["", ".", "..", "a/b", undefined as never])
      expect(() => trading.orders.get(id)).toThrow(
        `${JSON.stringify(id) ?? "undefined"} cannot stand in a path`,
      );
    for (const id of ["...", "a.", "..a"]) await trading.orders.get(id);
    expect(sent).toHaveLength(3);
    await expect(trading.request("GET", "/orders?a=1&a=2")).rejects.toThrow("names a parameter twice");
  });

  it("waits for a block where the caller names one", async () => {
    const { trading, sent } = startFakeService([success({})]);
    await trading.config.get({ minBlock: 7 });
    expect(sent[0]?.headers.get("x-min-block")).toBe("7");
  });

  it("shows how far this clock is from the server's", async () => {
    const { trading } = startFakeService([success({})], { clock: () => Date.now() - 60_000 });
    expect(trading.clockSkewMs).toBeNull();
    await trading.config.get();
    expect(Math.abs((trading.clockSkewMs ?? 0) - 60_000)).toBeLessThan(5_000);
  });
});

describe("a failure", () => {
  it("is a typed error with all that the answer says", async () => {
    const docUrl = "https://docs.example.com/errors/CHAIN_REVERT.md";
    const { trading } = startFakeService([
      failure("CHAIN_REVERT", { param: "price", revert: "PriceTooHigh", docUrl }),
      failure("CURSOR_EXPIRED", { oldestCursor: "WzFd" }),
    ]);
    const error = await thrownBy(trading.orders.get("0x1"));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: "ApiError",
      errCode: "CHAIN_REVERT",
      code: 10003,
      status: 400,
      param: "price",
      retryable: false,
      revert: "PriceTooHigh",
      docUrl,
      uuid: UUID,
      message: `CHAIN_REVERT: The chain refuses the call (param price, revert PriceTooHigh, uuid ${UUID}); see ${docUrl}`,
    });
    expect(await thrownBy(trading.events.list())).toMatchObject({
      oldestCursor: "WzFd",
      docUrl: null,
      revert: null,
    });
  });

  it("of authentication names the cause where a sandbox does, the clock where it is wrong, else what to check", async () => {
    const { trading } = startFakeService([
      unauthorized(Date.now(), { "x-sandbox-auth-cause": "signature wrong" }),
      unauthorized(Date.now() + 60_000),
      unauthorized(),
    ]);
    const errors = [];
    for (let count = 0; count < 3; count += 1) errors.push(await thrownBy(trading.config.get()));
    const [named, late, unnamed] = errors;
    expect(errors.filter((error) => !(error instanceof AuthenticationError))).toEqual([]);
    expect(errors.filter((error) => !(error instanceof PartnerTradingError))).toEqual([]);
    expect(named).toMatchObject({ sandboxCause: "signature wrong", uuid: UUID, code: 401, status: 400 });
    expect(String(named)).toContain("signature wrong");
    expect(String(late)).toMatch(/60 s behind/);
    expect(unnamed).toMatchObject({ sandboxCause: null, message: expect.stringContaining("apiSecret") });
  });

  it("of authentication says which way the clock is wrong, and nothing of one within the window", async () => {
    const { trading } = startFakeService([
      unauthorized(Date.now() - 60_000),
      unauthorized(Date.now() + 30_000),
      unauthorized(Date.now() - 30_000),
    ]);
    const texts = [];
    for (let count = 0; count < 3; count += 1) texts.push(String(await thrownBy(trading.config.get())));
    expect(texts).toEqual([
      expect.stringContaining("this clock is 60 s ahead of the server's"),
      expect.stringContaining("check apiKey"),
      expect.stringContaining("check apiKey"),
    ]);
  });

  it("is one also where the body says success and the status does not, or the other way round", async () => {
    const success200 = { code: 200, errMsg: "", data: {}, uuid: UUID, t: Date.now() };
    const { trading } = startFakeService(
      [
        Response.json(success200, { status: 500 }),
        Response.json({ ...success200, code: 500, errMsg: "a failure" }, { status: 200 }),
      ],
      { retries: 0 },
    );
    expect(await thrownBy(trading.config.get())).toMatchObject({
      name: "ApiError",
      status: 500,
      errCode: "",
    });
    expect(await thrownBy(trading.config.get())).toMatchObject({
      name: "ApiError",
      code: 500,
      retryable: false,
      message: `a failure (uuid ${UUID})`,
    });
  });

  it("has no pause where Retry-After is no number of seconds", async () => {
    const { trading } = startFakeService(
      [
        failure("RATE_LIMITED", {}, { "retry-after": "7" }),
        failure("RATE_LIMITED", {}, { "retry-after": "Sun, 22 Nov 2026 10:00:10 GMT" }),
        failure("RATE_LIMITED", {}, { "retry-after": "7 s" }),
        failure("RATE_LIMITED", {}, { "retry-after": "x7" }),
        failure("RATE_LIMITED"),
      ],
      { retries: 0 },
    );
    const pauses = [];
    for (let count = 0; count < 5; count += 1)
      pauses.push(((await thrownBy(trading.config.get())) as ApiError).retryAfterSeconds);
    expect(pauses).toEqual([7, null, null, null, null]);
  });

  it.each([
    ["a page", new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["JSON of something else", Response.json({ jsonrpc: "2.0", id: 1 })],
    ["a code alone", Response.json({ code: 200, data: {} })],
    ["a uuid alone", Response.json({ uuid: UUID, data: {} })],
    ["null", Response.json(null)],
    ["nothing", new Response(null, { status: 204 })],
  ])("of something else that answers, with %s, says so", async (_what, reply) => {
    const { trading, sent } = startFakeService([reply]);
    const error = await thrownBy(trading.config.get());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: reply.status, message: expect.stringMatching(/baseUrl/) });
    expect(sent).toHaveLength(1);
  });

  it("of nobody's interest is an unhandled rejection of one promise, and not of several", async () => {
    const { trading } = startFakeService([failure("ORDER_NOT_FOUND")]);
    const call = trading.orders.get("0x1");
    await expect(call.catch(({ errCode }) => errCode)).resolves.toBe("ORDER_NOT_FOUND");
    await expect(call.withMeta()).rejects.toThrow(ApiError);
  });
});

describe("a list", () => {
  const page = (rows: number[], nextCursor: string | null) => success({ rows, nextCursor, total: null });

  it("is read page after page by its cursor, from the first page that was asked for", async () => {
    const { trading, sent } = startFakeService([page([1, 2], "c1"), page([], "c2"), page([3], null)]);
    const rows: unknown[] = [];
    for await (const row of trading.orders.list({ status: "New", page: 1 })) rows.push(row);
    expect(rows).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => url.search)).toEqual([
      "?page=1&status=New",
      "?cursor=c1&status=New",
      "?cursor=c2&status=New",
    ]);
  });

  it("asks for no page that nobody reads, and is awaited for one", async () => {
    const { trading, sent } = startFakeService([page([1, 2], "c1")]);
    for await (const row of trading.orders.list()) if (Number(row) === 2) break;
    expect(await trading.orders.list()).toMatchObject({ rows: [1, 2] });
    expect(sent).toHaveLength(2);
  });

  it("of events ends where its cursor stays", async () => {
    const { trading, sent } = startFakeService([page([1], "c1"), page([], "c2"), page([], "c2")]);
    const pages: number[] = [];
    for await (const { rows } of trading.events.list({ types: "order.*" }).pages()) pages.push(rows.length);
    expect(pages).toEqual([1, 0, 0]);
    expect(sent.map(({ url }) => url.searchParams.get("after"))).toEqual([null, "c1", "c2"]);
  });

  it("fails with the page that fails", async () => {
    const { trading } = startFakeService([
      page([1], "c1"),
      failure("VALIDATION_FAILED", { param: "cursor" }),
    ]);
    const rows: unknown[] = [];
    const all = async () => {
      for await (const row of trading.orders.list()) rows.push(row);
    };
    await expect(all()).rejects.toMatchObject({ param: "cursor" });
    expect(rows).toEqual([1]);
  });
});
