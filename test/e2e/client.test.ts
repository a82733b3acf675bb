import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { build } from "esbuild";
import { Webhook } from "standardwebhooks";
import {
  ApiError,
  AuthenticationError,
  isOrderEvent,
  OrderEndedError,
  type OrdersSendInput,
  PartnerTrading,
} from "../../packages/client/src/index.ts";
import { ROOT } from "../../src/config/root.ts";
import { present } from "../support/assert/until.ts";
import { newPage, startBrowser } from "../support/http/browser.ts";
import { createPartner } from "../support/http/partner.ts";
import { createSampleFolder } from "../support/program/samples.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** The client library, as a partner uses it against the running sandbox. */
const run = promisify(execFile);
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const options = { ...key, baseUrl: state.baseUrl };
const trading = new PartnerTrading(options);
const folder = createSampleFolder();
const buy = (more: Partial<OrdersSendInput> = {}): OrdersSendInput & { clientOrderId: string } => ({
  symbol: "AAPL",
  side: "Buy",
  type: "Market",
  notional: "25",
  deadline: Math.floor(Date.now() / 1000) + 3_600,
  ...more,
  clientOrderId: `client-${randomUUID()}`,
});

beforeAll(() => ensureDelegation(createPartner(state.baseUrl, key), state));

it("sends once although the answer is lost, waits until the order is filled, and streams it over broken connections", async () => {
  const keys: (string | null)[] = [];
  const losing = new PartnerTrading({
    ...options,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method !== "POST") return response;
      keys.push(new Headers(init.headers).get("idempotency-key"));
      if (keys.length > 1) return response;
      await response.text();
      throw new TypeError("the answer is lost");
    },
  });
  const { eventCursor } = await trading.orders.list({ limit: 1 }).withMeta();
  const order = buy();
  const sent = await losing.orders.send(order);
  expect(keys).toEqual([expect.any(String), keys[0]]);
  const filled = await trading.orders.waitFor(sent, "Filled");
  expect(filled.historyOrder?.fills.length).toBeGreaterThan(0);
  expect(await trading.orders.waitFor({ clientOrderId: order.clientOrderId }, "Filled")).toEqual(filled);
  expect(await trading.sends.list({ clientOrderId: order.clientOrderId })).toMatchObject({
    rows: [{ requestId: sent.requestId }],
  });

  const sequences: number[] = [];
  const later = buy();
  let isSeen = false;
  let isSent = false;
  /** Causes the next event after the silent connection was broken. */
  const onDisconnect = () => {
    if (!isSeen || isSent) return;
    isSent = true;
    void trading.orders.send(later);
  };
  // Shorter than any pause between heartbeats: it breaks again and again.
  const stream = trading.events.stream(
    { after: present(eventCursor, "a cursor") },
    { silenceMs: 1_500, onDisconnect },
  );
  for await (const event of stream) {
    sequences.push(event.sequence);
    if (!isOrderEvent(event) || event.type !== "order.filled") continue;
    if (event.data.mapping.clientOrderId === later.clientOrderId) break;
    isSeen ||= event.data.orderId === filled.orderId;
  }
  expect(sequences).toEqual(sequences.map((_sequence, index) => (sequences[0] ?? 0) + index));
  expect(isSent).toBe(true);
});

it("runs the first sample of its README as it stands", async () => {
  const [, block] = /```ts\n(.*?)```/s.exec(readFileSync(`${ROOT}packages/client/README.md`, "utf8")) ?? [];
  const [program = "", ...args] = await folder.typescript("readme", present(block, "a sample"));
  const { stdout } = await run(program, args, {
    env: {
      PARTNER_TRADING_BASE_URL: state.baseUrl,
      PARTNER_TRADING_API_KEY: key.apiKey,
      PARTNER_TRADING_API_SECRET: key.apiSecret,
      PARTNER_TRADING_CHAIN_ID: String(key.chainId),
      PARTNER_TRADING_PRODUCT: key.productType,
    },
  });
  expect(stdout).toMatch(/^bought \d+\.\d+ at \d+(\.\d+)?\n$/);
});

it("pages through a list: every order once, newest first", async () => {
  const whole = await trading.orders.list({ limit: 5 });
  expect(whole.rows.length).toBeGreaterThan(1);
  const ids: (string | null)[] = [];
  for await (const { orderId } of trading.orders.list({ limit: 1 })) {
    ids.push(orderId);
    if (ids.length === whole.rows.length) break;
  }
  expect(ids).toEqual(whole.rows.map(({ orderId }) => orderId));
});

it("fails with typed errors: refused, unauthorized, and ended otherwise", async () => {
  const refused = await trading.orders.send(buy({ notional: "0.000001" })).catch((error) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ errCode: "BELOW_MINIMUM", retryable: false, uuid: expect.any(String) });
  const stranger = new PartnerTrading({ ...options, apiSecret: "another-secret" });
  const unauthorized = await stranger.config.get().catch((error) => error);
  expect(unauthorized).toBeInstanceOf(AuthenticationError);
  expect(unauthorized).toMatchObject({ sandboxCause: "signature wrong" });

  const { price } = await trading.underlying.price("AAPL");
  const low = String(BigInt(present(price, "a price").split(".")[0] ?? "") / 2n);
  const sent = await trading.orders.send({
    symbol: "AAPL",
    side: "Buy",
    type: "Limit",
    timeInForce: "DAY",
    quantity: "1",
    price: low,
    deadline: buy().deadline,
  });
  const resting = await trading.orders.waitFor(sent, "New");
  await trading.orders.cancelSend(present(resting.orderId, "an id"));
  const ended = await trading.orders.waitFor(sent, "Filled").catch((error) => error);
  expect(ended).toBeInstanceOf(OrderEndedError);
  expect(ended).toMatchObject({ status: "Canceled", order: { orderId: resting.orderId } });
});

it("cancels all resting orders of a side at once, each on the chain, and answers them again under the same key", async () => {
  const idempotencyKey = randomUUID();
  const limit = {
    symbol: "AAPL",
    side: "Buy",
    type: "Limit",
    timeInForce: "DAY",
    quantity: "1",
    price: "1",
  } as const;
  const deadline = buy().deadline;
  const sends = await Promise.all([1, 2].map(() => trading.orders.send({ ...limit, deadline })));
  const resting = await Promise.all(sends.map((sent) => trading.orders.waitFor(sent, "New")));
  const ids = resting.map(({ orderId }) => present(orderId, "an id")).sort();
  const input = { symbol: "AAPL", side: "Buy" } as const;
  const canceled = await trading.orders.cancelMany.send(input, { idempotencyKey });
  const rows = canceled.rows.filter(({ orderId }) => ids.includes(orderId));
  expect(rows.map(({ send, errCode }) => ({ operation: send?.operation, errCode }))).toEqual(
    ids.map(() => ({ operation: "orders/cancel", errCode: null })),
  );
  const ended = await Promise.all(
    sends.map((sent) => trading.orders.waitFor(sent, "Filled").catch((error) => error)),
  );
  expect(ended.map((error) => ({ isEnd: error instanceof OrderEndedError, status: error.status }))).toEqual(
    ids.map(() => ({ isEnd: true, status: "Canceled" })),
  );
  const repeated = await trading.orders.cancelMany.send(input, { idempotencyKey });
  expect(repeated.rows.map(({ orderId, send }) => [orderId, send?.requestId])).toEqual(
    canceled.rows.map(({ orderId, send }) => [orderId, send?.requestId]),
  );
  const { rows: left } = await trading.orders.cancelMany.calldata(input);
  expect(left.filter(({ orderId }) => ids.includes(orderId))).toEqual([]);
});

let browser: Awaited<ReturnType<typeof startBrowser>>;
afterAll(async () => {
  folder.remove();
  await browser?.close();
});

it("runs in a browser: signs a call that the service takes, and verifies a webhook", async () => {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}packages/client/src/index.ts`],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "client",
    platform: "browser",
  });
  browser = await startBrowser();
  const { page, problems } = await newPage(browser);
  // A page of the service's own origin: it sends no CORS headers for others.
  await page.goto(`${state.baseUrl}/openapi.json`);
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const body = JSON.stringify({ sequence: 7 });
  const at = new Date();
  const headers = {
    "webhook-id": "d1",
    "webhook-timestamp": `${Math.floor(at.getTime() / 1000)}`,
    "webhook-signature": new Webhook(secret).sign("d1", at, body),
  };
  const script = `(async () => {
    ${outputFiles[0]?.text}
    const trading = new client.PartnerTrading(${JSON.stringify(options)});
    const { rows } = await trading.orders.list({ status: "Partial filled", limit: 5 });
    const event = await client.verifyWebhook(${JSON.stringify(secret)}, ${JSON.stringify(headers)}, ${JSON.stringify(body)});
    return { count: rows.length, chainId: (await trading.config.get()).chainId, event };
  })()`;
  expect(await page.evaluate(script)).toEqual({
    count: expect.any(Number),
    chainId: key.chainId,
    event: { sequence: 7 },
  });
  expect(problems).toEqual([]);
});
