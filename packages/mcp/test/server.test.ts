import { afterEach, describe, expect, it } from "@jest/globals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  API_SECRET,
  failure,
  startFakeService,
  success,
  UUID,
  unauthorized,
  unreachable,
} from "../../client/test/fake-service.ts";
import { createMcpServer } from "../src/server.ts";

const ORDER = { symbol: "AAPL", side: "Buy", type: "Market", notional: "100.50", deadline: 1_924_992_000 };
const open: Client[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

/** Connects the SDK's client to a server whose service gives these replies. */
async function connect(replies: Parameters<typeof startFakeService>[0], isTrading = true) {
  const { trading, sent } = startFakeService(replies, { retries: 0 });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createMcpServer(trading, { isTrading, apiSecret: API_SECRET }).connect(far);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  open.push(client);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [{ text }] = content as [{ text: string }];
    return { isError: isError === true, text, answer: JSON.parse(text) };
  };
  return { client, sent, call };
}

describe("the tools that a server offers", () => {
  it("read alone by default, and write where that is asked for", async () => {
    const [reading, trading] = [await connect([], false), await connect([])];
    const read = (await reading.client.listTools()).tools;
    const all = (await trading.client.listTools()).tools;
    expect(read.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["symbols", "order", "balance", "status"]),
    );
    const writing = read.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    expect(writing).toEqual([]);
    expect(read.some(({ name }) => /Send|Enable|Disable|Delete|record|Calldata/.test(name))).toBe(false);
    expect(all.length - read.length).toBe(30);
    const hints = Object.fromEntries(all.map(({ name, annotations }) => [name, annotations]));
    expect(hints).toMatchObject({
      orderSend: { readOnlyHint: false, destructiveHint: true },
      delegationDisable: { destructiveHint: true },
      webhookDelete: { destructiveHint: true },
      orderCalldata: { readOnlyHint: true, destructiveHint: false },
    });
  });

  it("refuse to write where the server reads alone, and send nothing", async () => {
    const { call, sent } = await connect([success({})], false);
    expect(await call("orderSend", ORDER)).toMatchObject({
      isError: true,
      answer: { message: "orderSend writes, and this server reads alone" },
    });
    expect(await call("orderFly")).toMatchObject({
      isError: true,
      answer: { message: "there is no tool orderFly" },
    });
    expect(sent).toEqual([]);
  });
});

describe("a call of a tool", () => {
  it("sends arguments in the path and the query, and answers the data", async () => {
    const headers = { "x-indexed-block": "7", "x-event-cursor": "WzE2XQ" };
    const { call, sent } = await connect([success([{ close: "180.50" }], headers)], false);
    const { isError, answer } = await call("priceHistory", {
      symbol: "BRK.B",
      interval: "1d",
      limit: 5,
      minBlock: "3",
    });
    expect({ isError, answer }).toEqual({
      isError: false,
      answer: { data: [{ close: "180.50" }], uuid: UUID, indexedBlock: 7, eventCursor: "WzE2XQ" },
    });
    expect(sent[0]).toMatchObject({ method: "GET", body: "" });
    expect(sent[0]?.url.pathname + String(sent[0]?.url.search)).toBe(
      "/api/v1/prices/BRK.B/history?interval=1d&limit=5",
    );
    expect(sent[0]?.headers.get("x-min-block")).toBe("3");
  });

  it("sends amounts as they are written, once, under a key of its own that it answers", async () => {
    const { call, sent } = await connect([success({ status: "submitted" })]);
    const { answer } = await call("orderSend", ORDER);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual(ORDER);
    expect(answer.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent[0]?.headers.get("idempotency-key")).toBe(answer.idempotencyKey);
    const again = await call("orderSend", { ...ORDER, idempotencyKey: answer.idempotencyKey });
    expect(again.answer.idempotencyKey).toBe(answer.idempotencyKey);
    expect(sent.map(({ headers }) => headers.get("idempotency-key"))).toEqual([
      answer.idempotencyKey,
      answer.idempotencyKey,
    ]);
  });

  it("sends a DELETE with a body where it has fields, and without where not", async () => {
    const orderId = `0x${"1".repeat(64)}`;
    const { call, sent } = await connect([success({})]);
    await call("orderCancelSend", { orderId });
    await call("orderCancelSend", { orderId, gasLimit: 200_000 });
    expect(sent.map(({ method, body }) => [method, body])).toEqual([
      ["DELETE", ""],
      ["DELETE", '{"gasLimit":200000}'],
    ]);
    expect(sent[0]?.url.pathname).toBe(`/api/v1/orders/${orderId}/send`);
  });

  it("refuses an amount that is a number, and a path without its part, before anything is sent", async () => {
    const { call, sent } = await connect([success({})]);
    expect(await call("orderSend", { ...ORDER, notional: 100.5 })).toMatchObject({
      isError: true,
      answer: {
        errCode: "VALIDATION_FAILED",
        param: "notional",
        message: expect.stringContaining("decimal strings"),
      },
    });
    expect(await call("order", {})).toMatchObject({ isError: true, answer: { param: "orderId" } });
    for (const orderId of ["..", "a/../../key", "%2e%2e"])
      expect({ orderId, ...(await call("order", { orderId })) }).toMatchObject({ orderId, isError: true });
    expect(sent).toEqual([]);
  });

  it("leaves what else is wrong to the service", async () => {
    const { call, sent } = await connect([failure("VALIDATION_FAILED", { param: "sideways" })]);
    const { isError } = await call("orders", { sideways: "Buy" });
    expect({ isError, search: sent[0]?.url.search }).toEqual({ isError: true, search: "?sideways=Buy" });
  });
});

describe("a failure", () => {
  it("has code, field, uuid and what to do", async () => {
    const docUrl = "https://api.example.com/docs/errors/TOO_MANY_DECIMALS";
    const { call } = await connect([failure("TOO_MANY_DECIMALS", { param: "notional", docUrl })]);
    const { isError, answer } = await call("orderSend", ORDER);
    expect({ isError, answer }).toMatchObject({
      isError: true,
      answer: {
        errCode: "TOO_MANY_DECIMALS",
        code: 10000,
        param: "notional",
        uuid: UUID,
        retryable: false,
        docUrl,
        whatToDo: "The same call would fail again: change notional. docUrl explains it.",
        idempotencyKey: expect.any(String),
      },
    });
  });

  it("that passes says when to call again", async () => {
    const { call } = await connect([failure("RATE_LIMITED", {}, { "retry-after": "4" })]);
    expect((await call("symbols")).answer).toMatchObject({ retryable: true, whatToDo: "Call again in 4 s." });
    expect((await call("orderSend", ORDER)).answer.whatToDo).toBe(
      "Call again in 4 s with this idempotencyKey.",
    );
  });

  it("without an answer has the key under which nothing is sent twice", async () => {
    const { call } = await connect([unreachable()]);
    expect(await call("orderSend", ORDER)).toMatchObject({
      isError: true,
      answer: {
        idempotencyKey: expect.any(String),
        whatToDo: expect.stringContaining("nothing is sent twice"),
      },
    });
  });

  it("of authentication says who can help", async () => {
    const { call } = await connect([unauthorized()]);
    expect((await call("key")).answer).toMatchObject({
      code: 401,
      uuid: UUID,
      whatToDo: expect.stringContaining("key"),
    });
  });
});

describe("the API secret", () => {
  it("is in no answer, whatever stands between server and service", async () => {
    const leaking = [
      success({ echo: API_SECRET }),
      failure("VALIDATION_FAILED", { errMsg: `bad ${API_SECRET}`, param: API_SECRET }),
      unauthorized(Date.now(), { "x-sandbox-auth-cause": API_SECRET }),
      new TypeError(`fetch failed with ${API_SECRET}`),
      new Error(API_SECRET),
    ];
    for (const [index, reply] of leaking.entries()) {
      const { call } = await connect([reply]);
      const { text } = await call("key");
      expect({ index, hasSecret: text.includes(API_SECRET) }).toEqual({ index, hasSecret: false });
    }
  });
});
