import { createServer, type Server, type ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { z } from "zod";
import { PartnerTrading } from "../../src/client/index.ts";
import { until } from "../support/assert/until.ts";

/** Bodies that begin and then stall, while Node.js collects garbage: it then forgets the signal that `fetch` was given. */
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
const HEARTBEAT = 'id: c0\nevent: heartbeat\ndata: {"indexedBlock":1,"t":1}\n\n';

let server: Server;
let responses: ServerResponse[];
let trading: PartnerTrading;

beforeEach(async () => {
  responses = [];
  server = createServer(({ url }, response) => {
    responses.push(response);
    const isStream = url?.includes("/events/stream") ?? false;
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.write(isStream ? HEARTBEAT : '{"code":');
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const key = { apiKey: "pk_test", apiSecret: "sk_test_5f1d9c0b", chainId: 1, productType: "Stocks" };
  trading = new PartnerTrading({ ...key, baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** How often garbage is collected: each time takes a second in a large process. */
const COLLECTIONS = 5;
const WITHIN_MS = 30_000;

/** Returns a probe that collects garbage some times, until something has settled. */
function settled(work: Promise<unknown>) {
  let isSettled = false;
  let collections = 0;
  void work.catch(() => undefined).finally(() => (isSettled = true));
  return () => {
    if (collections++ < COLLECTIONS) collectGarbage();
    return isSettled || undefined;
  };
}

it("a stream ends with its signal", async () => {
  const controller = new AbortController();
  const stream = trading.events.stream({}, { signal: controller.signal });
  const events = stream.follow();
  await events.next();
  const next = events.next();
  for (let count = 0; count < COLLECTIONS; count += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  controller.abort();
  await until("it ends", settled(next), WITHIN_MS);
  expect(await next).toEqual({ done: true, value: undefined });
});

it("a silent stream connects again", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const events = trading.events.stream({}, { signal, silenceMs: 300 }).follow();
  await events.next();
  await until("the next connection's heartbeat", settled(events.next()), WITHIN_MS);
  expect(responses).toHaveLength(2);
  controller.abort();
  await events.return();
});

it("a call ends at its time limit", async () => {
  const call = trading.key.get({ timeoutMs: 300 });
  await until("it ends", settled(call), WITHIN_MS);
  await expect(call).rejects.toThrow("No answer in time");
});
