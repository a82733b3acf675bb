import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { describe, expect, it, jest } from "@jest/globals";
import { ERROR_CATALOGUE } from "../../../src/protocol/errors.ts";
import { ApiError, ConnectionError, TimeoutError } from "../src/index.ts";
import { backoff, pause, pauseBefore } from "../src/retry.ts";
import {
  API_SECRET,
  failure,
  HANGS,
  startFakeService,
  success,
  UUID,
  unauthorized,
  unreachable,
} from "./fake-service.ts";

const order = {
  symbol: "AAPL",
  side: "Buy",
  type: "Market",
  notional: "100",
  deadline: 1_924_992_000,
} as const;
/** Is repeated at once. */
const behind = () => failure("INDEXER_BEHIND", {}, { "retry-after": "0" });

describe("a call that may succeed later", () => {
  it("is repeated, signed anew each time, under one Idempotency-Key", async () => {
    const { trading, sent } = startFakeService([behind(), behind(), success({ requestId: UUID })]);
    await expect(trading.orders.send(order)).resolves.toEqual({ requestId: UUID });
    const each = (name: string) => new Set(sent.map(({ headers }) => headers.get(name)));
    expect(sent).toHaveLength(3);
    expect(each("x-api-nonce").size).toBe(3);
    expect(each("x-api-sign").size).toBe(3);
    expect([...each("idempotency-key")]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(new Set(sent.map(({ body }) => body))).toEqual(new Set([JSON.stringify(order)]));
  });

  it("is given up after `retries` repetitions, of the client or of the call", async () => {
    const { trading, sent } = startFakeService([behind()]);
    await expect(trading.config.get()).rejects.toMatchObject({ errCode: "INDEXER_BEHIND", retryable: true });
    expect(sent).toHaveLength(3);
    await expect(trading.config.get({ retries: 0 })).rejects.toThrow(ApiError);
    expect(sent).toHaveLength(4);
  });

  it("is repeated after a network error, and the error that is left names the address and the Idempotency-Key", async () => {
    const { trading, sent } = startFakeService([unreachable(), success({ requestId: UUID })]);
    await expect(trading.orders.send(order, { idempotencyKey: "mine" })).resolves.toEqual({
      requestId: UUID,
    });
    expect(sent.map(({ headers }) => headers.get("idempotency-key"))).toEqual(["mine", "mine"]);
    const gone = startFakeService([unreachable()], { retries: 0 }).trading;
    const error = await gone.orders.send(order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(String(error)).toMatch(/POST https:\/\/api\.example\.com\/api\/v1\/orders\/send \(ECONNREFUSED\)/);
  });
});

describe("a call that could act twice", () => {
  const url = "https://partner.example/hook";

  it.each<[string, Parameters<typeof startFakeService>[0][number]]>([
    ["a network error", unreachable()],
    ["no answer in time", HANGS],
    ["a failure of the service", failure("INTERNAL", {}, { "retry-after": "0" })],
    ["a proxy's answer", new Response("bad gateway", { status: 502 })],
  ])("is not repeated after %s", async (_what, reply) => {
    const { trading, sent } = startFakeService([reply], { timeoutMs: 5 });
    await expect(trading.webhooks.create({ url })).rejects.toMatchObject({ idempotencyKey: null });
    expect(sent).toHaveLength(1);
  });

  it("says of a lost answer that it may have acted, and names no code that the system does not give", async () => {
    const create = (reply: Error | typeof HANGS, options = {}) =>
      startFakeService([reply], options).trading.webhooks.create({ url });
    const target = "POST https://api.example.com/api/v1/webhooks";
    const advice = "; it may have been carried out all the same";
    await expect(create(new TypeError("fetch failed"))).rejects.toMatchObject({
      message: `No answer to ${target}: is baseUrl right, and the service up?${advice}`,
    });
    await expect(create(HANGS, { timeoutMs: 5 })).rejects.toMatchObject({
      message: `No answer in time to ${target}${advice}`,
    });
    const { trading } = startFakeService([HANGS], { timeoutMs: 5, retries: 0 });
    await expect(trading.config.get()).rejects.toThrow(/^No answer in time to [^;]*$/);
  });

  it("is repeated after no error but one that refused it unseen", () => {
    const codes = Object.keys(ERROR_CATALOGUE) as (keyof typeof ERROR_CATALOGUE)[];
    const errors = [
      new TimeoutError("no answer in time"),
      new ConnectionError("nothing answered"),
      ...[408, 429, 502, 503, 504].map((status) => new ConnectionError("no envelope", { status })),
      ...codes.map(
        (errCode) => new ApiError({ ...ERROR_CATALOGUE[errCode], errCode, errMsg: "", uuid: UUID }),
      ),
    ];
    const isRepeated = (isRepeatable: boolean) =>
      errors.filter((error) => pauseBefore(error, 0, isRepeatable) !== null);
    const unseen = errors.filter((error) => error instanceof ApiError && error.status === 429);
    expect(isRepeated(false)).toEqual(unseen);
    const passing = errors.filter((error) => !(error instanceof ApiError) || error.retryable);
    expect(isRepeated(true)).toEqual(passing);
    expect([unseen.length, passing.length]).toEqual([2, expect.any(Number)]);
  });

  it("is repeated where it was refused unseen", async () => {
    const { trading, sent } = startFakeService([
      failure("RATE_LIMITED", {}, { "retry-after": "0" }),
      success({ secret: null }),
    ]);
    await trading.webhooks.create({ url });
    expect(sent).toHaveLength(2);
  });

  it("is not one where it only builds or records", async () => {
    const { trading, sent } = startFakeService([behind(), success({}), behind(), success({})]);
    await trading.orders.calldata(order);
    await trading.orders.record({ txHash: `0x${"ab".repeat(32)}` });
    expect(sent).toHaveLength(4);
  });
});

describe("a call that fails for good", () => {
  it("is not repeated", async () => {
    const { trading, sent } = startFakeService([failure("BALANCE_INSUFFICIENT"), unauthorized()]);
    await expect(trading.orders.send(order, { idempotencyKey: "mine" })).rejects.toMatchObject({
      errCode: "BALANCE_INSUFFICIENT",
      idempotencyKey: "mine",
    });
    await expect(trading.config.get()).rejects.toMatchObject({ code: 401 });
    expect(sent).toHaveLength(2);
  });

  it("believes the answer's `retryable` rather than its status", async () => {
    const { trading, sent } = startFakeService([failure("DATABASE_UNAVAILABLE", { retryable: false })]);
    await expect(trading.orders.send(order)).rejects.toMatchObject({ status: 503, retryable: false });
    expect(sent).toHaveLength(1);
  });
});

describe("time", () => {
  it("ends a try that is not answered, with the Idempotency-Key of what may have been sent", async () => {
    const { trading } = startFakeService([HANGS], { retries: 0, timeoutMs: 5 });
    const error = await trading.orders.send(order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it("is given anew to each try", async () => {
    // Each iteration of the event loop is 20 ms: a machine that stands still takes no time.
    jest.useFakeTimers({ advanceTimers: true });
    try {
      const { trading, sent } = startFakeService([HANGS, success({ requestId: UUID })], { timeoutMs: 200 });
      await expect(trading.orders.send(order)).resolves.toEqual({ requestId: UUID });
      expect(sent).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
  });

  it("is the caller's to end: the call rejects with the signal's reason, also between two tries", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { trading, sent } = startFakeService([
      () => {
        controller.abort(reason);
        return failure("INDEXER_BEHIND", {}, { "retry-after": "30" });
      },
    ]);
    await expect(trading.config.get({ signal: controller.signal })).rejects.toBe(reason);
    await expect(trading.config.get({ signal: controller.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
    const hanging = startFakeService([HANGS], { retries: 0 }).trading;
    await expect(hanging.config.get({ signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
      name: "TimeoutError",
      code: 23,
    });
  });

  it("leaves nothing with the caller's signal once the call is over", async () => {
    const { signal } = new AbortController();
    const { trading } = startFakeService([behind(), success({})]);
    await trading.config.get({ signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("between tries doubles, is spread, and is what Retry-After says", () => {
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const longest = Math.min(500 * 2 ** attempt, 8_000);
      const pauseMs = backoff(attempt);
      expect(pauseMs).toBeGreaterThanOrEqual(longest / 2);
      expect(pauseMs).toBeLessThanOrEqual(longest);
    }
    const limited = (retryAfterSeconds: number) =>
      new ApiError({ ...ERROR_CATALOGUE.RATE_LIMITED, errMsg: "", uuid: UUID, retryAfterSeconds });
    expect(pauseBefore(limited(3), 0, false)).toBeGreaterThanOrEqual(3_000);
    expect(pauseBefore(limited(3), 0, false)).toBeLessThanOrEqual(3_600);
    expect(pauseBefore(limited(60), 0, true)).toBeGreaterThanOrEqual(60_000);
    expect(pauseBefore(limited(61), 0, true)).toBeNull();
    expect(pauseBefore(limited(3_600), 0, true)).toBeNull();
  });
});

describe("a pause", () => {
  it("is doubled each time where the service names none", () => {
    const behind = new ApiError({ ...ERROR_CATALOGUE.INDEXER_BEHIND, errMsg: "", uuid: UUID });
    expect(pauseBefore(behind, 3, true)).toBeGreaterThanOrEqual(2_000);
  });

  it("takes its time, and ends with its signal, before it begins, too", async () => {
    jest.useFakeTimers();
    try {
      const steps: string[] = [];
      const controller = new AbortController();
      void pause(1_000).then(() => steps.push("over"));
      const aborted = pause(1_000, controller.signal).catch((reason: unknown) => steps.push(String(reason)));
      await jest.advanceTimersByTimeAsync(999);
      expect(steps).toEqual([]);
      controller.abort("enough");
      await aborted;
      await jest.advanceTimersByTimeAsync(1);
      expect(steps).toEqual(["enough", "over"]);
      await expect(pause(1_000, controller.signal)).rejects.toBe("enough");
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe("the secret", () => {
  it("is in nothing that the client shows", async () => {
    const { trading } = startFakeService([unreachable()], { retries: 0 });
    const error = await trading.config.get().catch((thrown: unknown) => thrown);
    const shown = [trading, trading.orders, error].flatMap((value) => [
      inspect(value, { depth: 20, showHidden: true }),
      JSON.stringify(value),
      String(value),
    ]);
    expect(shown.join()).not.toContain(API_SECRET);
    expect(Object.keys(trading)).not.toContain("apiSecret");
  });

  it("is named in no complaint about options", () => {
    const secret = "sk_test_that_stands_in_the_wrong_place";
    for (const options of [
      { baseUrl: secret },
      { baseUrl: `https://x:${secret}@host` },
      { chainId: secret as never },
    ])
      expect(() => startFakeService([], options)).toThrow(
        expect.objectContaining({ name: "TypeError", message: expect.not.stringContaining(secret) }),
      );
  });
});
