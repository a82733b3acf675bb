import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { OrderEndedError, TimeoutError } from "../src/index.ts";
import {
  failure,
  HANGS,
  type Sent,
  startFakeService,
  success,
  unauthorized,
  unreachable,
} from "./fake-service.ts";

const ORDER_ID = `0x${"ab".repeat(32)}`;
const UNTIL_ABORTED = "";

const frame = (id: string, event: string, data: unknown) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const heartbeat = (id: string) => `retry: 1\n\n${frame(id, "heartbeat", { indexedBlock: 7, t: 1 })}`;
const event = (sequence: number, type = "order.placed", data: unknown = {}) =>
  frame(`c${sequence}`, type, { eventId: `e${sequence}`, sequence, type, data });

/** Returns a stream of these pieces that then ends; or, where the last one is UNTIL_ABORTED, stays open. */
function stream(...pieces: string[]) {
  return streamThen(() => undefined, ...pieces);
}

/** Returns the same stream, which calls `onWait` where it stays open and the client has taken all pieces. */
function streamThen(onWait: () => void, ...pieces: string[]) {
  return ({ signal }: Sent) => {
    const utf8 = new TextEncoder();
    const left = pieces.filter(Boolean);
    const body = new ReadableStream(
      {
        start: (controller) => {
          signal?.addEventListener("abort", () => controller.error(signal.reason));
        },
        pull: (controller) => {
          const piece = left.shift();
          if (piece !== undefined) controller.enqueue(utf8.encode(piece));
          else if (pieces.includes(UNTIL_ABORTED)) onWait();
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  };
}

/** Collects a number of events. */
async function take(events: AsyncIterable<{ sequence: number }>, count: number): Promise<number[]> {
  const sequences: number[] = [];
  for await (const { sequence } of events) if (sequences.push(sequence) === count) break;
  return sequences;
}

afterEach(() => {
  jest.useRealTimers();
});

/** Lets time pass in steps of 20 ms, one for each iteration of the event loop: a machine that stands still is no silence. */
const passSteadily = () => jest.useFakeTimers({ advanceTimers: true });

describe("a stream of prices", () => {
  const PATH = "/api/v1/prices/stream";
  const status = (session: string, stale: boolean) =>
    `retry: 1\nevent: status\ndata: ${JSON.stringify({ session, stale, t: 1 })}\n\n`;
  const price = (symbol: string, value: string) =>
    `event: price\ndata: ${JSON.stringify({ symbol, onChain: { price: value } })}\n\n`;

  it("has what each connection begins with, and the market as it was described last", async () => {
    const { trading, sent } = startFakeService([
      stream(status("regular", false), price("AAPL", "1"), price("MSFT", "2").slice(0, 20)),
      unreachable(),
      stream(
        status("regular", true),
        price("AAPL", "3"),
        "event: later\ndata: {}\n\n",
        price("AAPL", "4"),
        status("regular", false).replace("status", "heartbeat"),
        price("MSFT", "5"),
        UNTIL_ABORTED,
      ),
    ]);
    const prices = trading.prices.stream({ symbols: ["AAPL", "MSFT"] });
    expect(prices.market).toBeNull();
    const seen: unknown[] = [];
    for await (const { symbol, onChain } of prices) {
      seen.push([symbol, onChain.price, prices.market?.stale]);
      if (seen.length === 4) break;
    }
    expect(seen).toEqual([
      ["AAPL", "1", false],
      ["AAPL", "3", true],
      ["AAPL", "4", true],
      ["MSFT", "5", false],
    ]);
    expect(sent.map(({ url }) => url.pathname + url.search)).toEqual(
      Array(3).fill(`${PATH}?symbols=AAPL%2CMSFT`),
    );
    expect(sent.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, null, null]);
  });

  it("ends where its stock is not listed", async () => {
    const { trading } = startFakeService([failure("SYMBOL_NOT_FOUND", { param: "symbols" })]);
    await expect(async () => {
      for await (const _price of trading.prices.stream({ symbols: ["NOPE"] }));
    }).rejects.toMatchObject({ errCode: "SYMBOL_NOT_FOUND", param: "symbols" });
  });
});

describe("a stream of events", () => {
  it("goes on behind the last event where the connection breaks, and has each event once", async () => {
    const { trading, sent } = startFakeService([
      stream(heartbeat("c0"), event(1), "event: later\ndata: {}\n\n", event(2).slice(0, 20)),
      unreachable(),
      failure("TOO_MANY_STREAMS", {}, { "retry-after": "0" }),
      failure("INDEXER_BEHIND", {}, { "retry-after": "0" }),
      stream(heartbeat("c1"), event(1) + event(2), event(3), UNTIL_ABORTED),
    ]);
    const lost: unknown[] = [];
    const events = trading.events.stream(
      { after: "start", types: ["order.*", "send.failed"] },
      { onDisconnect: (error) => void lost.push(error) },
    );
    expect(events.cursor).toBe("start");
    expect(await take(events, 3)).toEqual([1, 2, 3]);
    expect([events.cursor, events.indexedBlock]).toEqual(["c3", 7]);
    expect(sent.map(({ url }) => url.search)).toEqual(
      Array(5).fill("?after=start&types=order.*%2Csend.failed"),
    );
    expect(sent.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "c1", "c1", "c1", "c1"]);
    expect(new Set(sent.map(({ headers }) => headers.get("x-api-nonce"))).size).toBe(5);
    expect(lost).toMatchObject([
      { name: "ConnectionError" },
      { name: "ConnectionError" },
      { errCode: "TOO_MANY_STREAMS" },
      { errCode: "INDEXER_BEHIND" },
    ]);
  });

  it("is connected again where nothing comes, be it before the answer or behind it", async () => {
    passSteadily();
    const { trading, sent } = startFakeService([
      HANGS,
      stream(heartbeat("c0"), event(1), UNTIL_ABORTED),
      stream(heartbeat("c1"), event(2), UNTIL_ABORTED),
    ]);
    const lost: unknown[] = [];
    const options = { silenceMs: 200, onDisconnect: (error: unknown) => void lost.push(error) };
    expect(await take(trading.events.stream({}, options), 2)).toEqual([1, 2]);
    expect(lost).toEqual([expect.any(TimeoutError), expect.any(TimeoutError)]);
    expect(sent).toHaveLength(3);
  });

  it("is connected again no sooner than the service asks for", async () => {
    const { trading } = startFakeService([
      stream("retry: 700\n\n", heartbeat("c0").replace("retry: 1\n", "")),
      stream(event(1), UNTIL_ABORTED),
    ]);
    const startedAt = Date.now();
    await take(trading.events.stream(), 1);
    // Without it, half a second at most. A timer may be a millisecond early.
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(690);
  });

  it("does not count the caller's own time as silence", async () => {
    passSteadily();
    const { trading, sent } = startFakeService([stream(heartbeat("c0"), event(1), event(2), UNTIL_ABORTED)]);
    const sequences: number[] = [];
    for await (const { sequence } of trading.events.stream({}, { silenceMs: 400 })) {
      sequences.push(sequence);
      if (sequence === 2) break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect([sequences, sent.length]).toEqual([[1, 2], 1]);
  });

  it("ends without an error where its signal is aborted", async () => {
    const controller = new AbortController();
    const { trading } = startFakeService([stream(heartbeat("c0"), event(1), UNTIL_ABORTED)]);
    const seen: string[] = [];
    for await (const { type } of trading.events.stream({}, { signal: controller.signal })) {
      seen.push(type);
      controller.abort();
    }
    expect(seen).toEqual(["order.placed"]);
  });

  it.each([
    ["its key is refused", unauthorized(), /Unauthorized/],
    ["its cursor is too old", failure("CURSOR_EXPIRED", { oldestCursor: "c9" }), /CURSOR_EXPIRED/],
  ])("ends with the error where %s", async (_what, reply, message) => {
    const { trading, sent } = startFakeService([stream(heartbeat("c0"), frame("c0", "closing", {})), reply]);
    await expect(take(trading.events.stream(), 1)).rejects.toThrow(message);
    expect(sent).toHaveLength(2);
  });

  it("gives up where it was never connected: a wrong baseUrl is no quiet market", async () => {
    const { trading, sent } = startFakeService([success("no stream")]);
    await expect(take(trading.events.stream(), 1)).rejects.toThrow(/answered with no stream of events/);
    expect(sent).toHaveLength(3);
    const headers = { "content-type": "text/event-stream" };
    const broken = startFakeService([new Response(event(1), { status: 500, headers })]).trading;
    await expect(take(broken.events.stream(), 1)).rejects.toMatchObject({
      name: "ConnectionError",
      status: 500,
    });
  });

  it("leaves nothing with the caller's signal once it is left", async () => {
    const { signal } = new AbortController();
    const { trading } = startFakeService([
      stream(heartbeat("c0")),
      stream(heartbeat("c0"), event(1), UNTIL_ABORTED),
    ]);
    expect(await take(trading.events.stream({}, { signal }), 1)).toEqual([1]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends with an error where a frame does not end", async () => {
    const { trading, sent } = startFakeService([stream(heartbeat("c0"), `data: ${"x".repeat(4_000_001)}`)]);
    await expect(take(trading.events.stream(), 1)).rejects.toThrow(/max buffer size of 4000000/);
    expect(sent).toHaveLength(1);
  });

  it("takes frames however they are cut, and lines however they end", async () => {
    const text = [heartbeat("c0"), ": a comment\n\n", event(1), event(2).replaceAll("\n", "\r\n")].join("");
    const pieces = [...text].map((char) => char);
    const { trading } = startFakeService([stream(...pieces, UNTIL_ABORTED)]);
    expect(await take(trading.events.stream(), 2)).toEqual([1, 2]);
  });
});

describe("waiting for an order", () => {
  const order = (status: string, more: object = {}) => ({
    orderId: ORDER_ID,
    txHash: `0x${"cd".repeat(32)}`,
    status,
    historyOrder: null,
    openOrder: null,
    mapping: { mappingId: "m1", clientOrderId: "mine", orderId: ORDER_ID },
    ...more,
  });
  const open = (...pieces: string[]) => stream(heartbeat("c0"), ...pieces, UNTIL_ABORTED);

  it("reads the order once the stream is open, and then follows the events about it alone", async () => {
    const other = order("Filled", { orderId: `0x${"ef".repeat(32)}` });
    const { trading, sent } = startFakeService([
      open(event(1, "order.filled", other), event(2, "order.filled", order("Filled"))),
      success(order("New")),
    ]);
    await expect(trading.orders.waitFor(ORDER_ID.toUpperCase().replace("X", "x"), "Filled")).resolves.toEqual(
      order("Filled"),
    );
    expect(sent.map(({ url }) => url.pathname.replace(/0x.*/i, "{orderId}") + url.search)).toEqual([
      "/api/v1/events/stream?types=order.*",
      "/api/v1/orders/{orderId}",
    ]);
  });

  it("takes what `send` answered, before the order is on the chain", async () => {
    const send = {
      requestId: "r1",
      mapping: { mappingId: "m1", orderId: null },
      status: "submitted",
      final: false,
    };
    const { trading } = startFakeService([open(event(1, "order.placed", order("New"))), success(send)]);
    await expect(trading.orders.waitFor(send as never, ["New", "Filled"])).resolves.toEqual(order("New"));
  });

  it("takes a transaction that is not indexed yet, and the caller's own identifier", async () => {
    const { txHash } = order("New");
    const byHash = startFakeService([
      open(event(1, "order.filled", order("Filled"))),
      failure("TRANSACTION_NOT_FOUND"),
    ]);
    await expect(byHash.trading.orders.waitFor({ txHash }, "Filled")).resolves.toEqual(order("Filled"));
    const byOwn = startFakeService([open(event(1, "order.filled", order("Filled"))), success(order("Init"))]);
    await expect(byOwn.trading.orders.waitFor({ clientOrderId: "mine" }, "Filled")).resolves.toEqual(
      order("Filled"),
    );
  });

  it("takes what `send` answered, once its order is on the chain, and no order of another", async () => {
    const send = (more: object) => ({
      requestId: "r1",
      mapping: { mappingId: "m1", orderId: null },
      ...more,
    });
    const placed = { mapping: { mappingId: "m1", orderId: ORDER_ID }, status: "mined", final: false };
    const onChain = startFakeService([open(), success(send(placed)), success(order("Filled"))]);
    await expect(onChain.trading.orders.waitFor(send({}) as never, "Filled")).resolves.toEqual(
      order("Filled"),
    );
    expect(onChain.sent.at(-1)?.url.pathname).toBe(`/api/v1/orders/${ORDER_ID}`);
    const others = order("Filled", { mapping: { mappingId: "m2" } });
    for (const state of [
      { status: "failed", final: false },
      { status: "mined", final: true },
    ]) {
      const { trading } = startFakeService([
        open(event(1, "order.filled", others), event(2, "order.filled", order("Filled"))),
        success(send(state)),
      ]);
      await expect(trading.orders.waitFor(send({}) as never, "Filled")).resolves.toEqual(order("Filled"));
    }
  });

  it("takes a transaction's hash in capitals, and follows no order of another", async () => {
    const others = order("Filled", { txHash: `0x${"ef".repeat(32)}`, mapping: { clientOrderId: "other" } });
    const replies = () => [
      open(event(1, "order.filled", others), event(2, "order.filled", order("Filled"))),
      failure("TRANSACTION_NOT_FOUND"),
    ];
    const txHash = `0x${"CD".repeat(32)}`;
    await expect(startFakeService(replies()).trading.orders.waitFor({ txHash }, "Filled")).resolves.toEqual(
      order("Filled"),
    );
    const [opened] = replies();
    const byOwn = startFakeService([opened as never, success(order("Init"))]).trading.orders;
    await expect(byOwn.waitFor({ clientOrderId: "mine" }, "Filled")).resolves.toEqual(order("Filled"));
    const refused = startFakeService([open(), failure("VALIDATION_FAILED")]).trading.orders;
    await expect(refused.waitFor({ txHash }, "Filled")).rejects.toMatchObject({
      errCode: "VALIDATION_FAILED",
    });
  });

  it("leaves nothing with the caller's signal", async () => {
    const { signal } = new AbortController();
    const { orders } = startFakeService([open(), success(order("Filled"))]).trading;
    await orders.waitFor(ORDER_ID, "Filled", { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("says of an order that it never saw that it is not indexed", async () => {
    jest.useFakeTimers();
    const opened = streamThen(() => jest.advanceTimersByTime(50), heartbeat("c0"), UNTIL_ABORTED);
    const { orders } = startFakeService([opened, failure("TRANSACTION_NOT_FOUND")]).trading;
    const waiting = orders.waitFor({ txHash: order("New").txHash }, ["New", "Filled"], { timeoutMs: 50 });
    await expect(waiting).rejects.toThrow("The order is not indexed after 50 ms, not New or Filled");
  });

  it("takes no longer where reading the order does", async () => {
    const { orders } = startFakeService([open(), HANGS]).trading;
    await expect(orders.waitFor(ORDER_ID, "Filled", { timeoutMs: 20 })).rejects.toThrow(
      "The order is not indexed after 20 ms, not Filled",
    );
  });

  it("fails where the order ends otherwise, or its transaction was never sent", async () => {
    const rejected = order("Rejected", { historyOrder: { failReason: "halted" } });
    const ended = startFakeService([open(), success(rejected)]).trading.orders.waitFor(ORDER_ID, "Filled");
    const error = await ended.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OrderEndedError);
    expect(error).toMatchObject({
      status: "Rejected",
      order: rejected,
      message: expect.stringContaining("halted"),
    });
    const send = { requestId: "r1", mapping: null, status: "failed", final: true, errCode: "CHAIN_REVERT" };
    const never = startFakeService([open(), success(send)]).trading.orders.waitFor(send as never, "Filled");
    await expect(never).rejects.toMatchObject({ name: "OrderEndedError", status: "Failed", order: null });
  });

  it("fails where it takes too long, where the caller ends it, and where the order is not the key's", async () => {
    jest.useFakeTimers();
    // The client waits for the next event once it has read the order.
    const opened = streamThen(() => jest.advanceTimersByTime(50), heartbeat("c0"), UNTIL_ABORTED);
    const late = startFakeService([opened, success(order("New"))]).trading.orders;
    await expect(late.waitFor(ORDER_ID, "Filled", { timeoutMs: 50 })).rejects.toThrow(
      /is New after 50 ms, not Filled/,
    );
    jest.useRealTimers();
    const waiting = () => startFakeService([open(), success(order("New"))]).trading.orders;
    const controller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), 20);
    await expect(waiting().waitFor(ORDER_ID, "Filled", { signal: controller.signal })).rejects.toBe(reason);
    const { trading } = startFakeService([open(), failure("ORDER_NOT_FOUND")]);
    await expect(trading.orders.waitFor(ORDER_ID, "Filled")).rejects.toMatchObject({
      errCode: "ORDER_NOT_FOUND",
    });
  });
});
