import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { type Receiver, startReceiver, verify } from "../../../../test/webhooks/receiver.ts";
import { type Attempt, forward, readDestination, secretOf } from "../../src/cli/listen/forward.ts";
import { presentEvent } from "../../src/cli/listen.ts";
import type { TradingEvent } from "../../src/index.ts";

const EVENT = {
  eventId: "3d9f6a1e-0000-4000-8000-000000000001",
  sequence: 17,
  type: "order.filled",
  resource: "orders",
  createdAt: 1_795_226_400,
  blockNumber: 458,
  txHash: "0xabc",
  retracts: null,
  data: {
    orderId: "0xd363",
    openOrder: null,
    historyOrder: { side: "Buy", symbol: "AAPL", notional: "100" },
  },
} as unknown as TradingEvent;
const SECRET = secretOf("sk_of_a_key");
let receiver: Receiver;
let attempts: Attempt[];

beforeEach(async () => {
  receiver = await startReceiver();
  attempts = [];
});
afterEach(() => receiver.close());

const post = (pausesMs: number[], signal = new AbortController().signal) =>
  forward(
    EVENT,
    { ...readDestination(receiver.url, SECRET), pausesMs },
    {
      signal,
      onAttempt: (attempt) => attempts.push(attempt),
    },
  );

it("posts an event until it is taken, signed as webhooks are, under one id", async () => {
  receiver.answer = (_request, response) => {
    response.statusCode = receiver.received.length < 3 ? 500 : 204;
    response.end();
  };
  await post([1, 1, 1, 1]);
  expect(attempts.map(({ result }) => result)).toEqual(["500", "500", "204"]);
  expect(receiver.received).toHaveLength(3);
  for (const request of receiver.received) {
    expect(verify(SECRET, request)).toEqual(EVENT);
    expect(request.headers["webhook-id"]).toBe(EVENT.eventId);
  }
});

it("gives up after the last attempt, also where nothing listens", async () => {
  await receiver.close();
  await post([1, 1]);
  expect(attempts).toHaveLength(3);
  expect(attempts.at(-1)).toMatchObject({
    isDelivered: false,
    result: expect.stringContaining("ECONNREFUSED"),
  });
});

it("follows no redirect", async () => {
  receiver.answer = (_request, response) => {
    response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
  };
  await post([]);
  expect(attempts).toMatchObject([{ isDelivered: false, result: "307" }]);
  expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
});

it("stops between two attempts when it is interrupted", async () => {
  const interrupted = new AbortController();
  receiver.answer = (_request, response) => {
    response.writeHead(500).end();
    interrupted.abort();
  };
  await post([60_000], interrupted.signal);
  expect(receiver.received).toHaveLength(1);
});

it("makes the same secret for a key each time, and another for another key, which say nothing of the API secret", () => {
  expect(secretOf("sk_of_a_key")).toBe(SECRET);
  expect(secretOf("sk_of_another")).not.toBe(SECRET);
  expect(Buffer.from(SECRET.slice("whsec_".length), "base64")).toHaveLength(32);
  expect(SECRET).not.toContain("sk_of_a_key");
});

it("takes a host alone as a URL, and refuses what is none, and a secret that is malformed", () => {
  expect(readDestination("localhost:3000/hooks", SECRET).url).toBe("http://localhost:3000/hooks");
  expect(() => readDestination("http://[", SECRET)).toThrow("takes a URL");
  expect(() => readDestination("localhost:3000", "secret")).toThrow("whsec_");
});

it("prints an event on one line", () => {
  const plain = (_style: unknown, text: string) => text;
  expect(presentEvent(EVENT, plain)).toBe("02:00:00     17  order.filled           Buy AAPL 100 0xd363");
  expect(presentEvent({ ...EVENT, retracts: "e1" }, plain)).toContain("retracts e1");
});
