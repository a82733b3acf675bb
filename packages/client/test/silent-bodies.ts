// A program: calls of a service whose bodies begin and then stall, while Node.js collects garbage. Prints the outcome of each
// call as a line of JSON. It is a separate process because a collection takes a second where many tests have run.
import { createServer, type ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { until } from "../../../test/support/assert/until.ts";
import { PartnerTrading } from "../src/index.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
const COLLECTIONS = 5;
const WITHIN_MS = 30_000;
const HEARTBEAT = 'id: c0\nevent: heartbeat\ndata: {"indexedBlock":1,"t":1}\n\n';

const CALLS = { endedBySignal, reconnected, endedByTimeLimit };

for (const call of Object.values(CALLS)) {
  const responses: ServerResponse[] = [];
  const server = createServer(({ url }, response) => {
    responses.push(response);
    const isStream = url?.includes("/events/stream") ?? false;
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.write(isStream ? HEARTBEAT : '{"code":');
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const key = { apiKey: "pk_test", apiSecret: "sk_test_5f1d9c0b", chainId: 1, productType: "Stocks" };
  const trading = new PartnerTrading({ ...key, baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
  const result = await call(trading).catch(String);
  process.stdout.write(`${JSON.stringify({ call: call.name, result, connections: responses.length })}\n`);
  server.closeAllConnections();
  server.close();
}
// A call that has not ended would keep the process.
process.exit();

async function endedBySignal(trading: PartnerTrading) {
  const controller = new AbortController();
  const events = trading.events.stream({}, { signal: controller.signal }).follow();
  await events.next();
  const next = events.next();
  for (let count = 0; count < COLLECTIONS; count += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  controller.abort();
  await until("it ends", settled(next), WITHIN_MS);
  return await next;
}

async function reconnected(trading: PartnerTrading) {
  const controller = new AbortController();
  const { signal } = controller;
  const events = trading.events.stream({}, { signal, silenceMs: 300 }).follow();
  await events.next();
  const next = events.next();
  await until("the next connection's heartbeat", settled(next), WITHIN_MS);
  const { done } = await next;
  controller.abort();
  await events.return();
  return { done };
}

async function endedByTimeLimit(trading: PartnerTrading) {
  const call = trading.key.get({ timeoutMs: 1_000 });
  await until("it ends", settled(call), WITHIN_MS);
  return await call;
}

/** Returns a probe that collects garbage, until a promise has settled. */
function settled(work: Promise<unknown>) {
  let isSettled = false;
  void work.catch(() => undefined).finally(() => (isSettled = true));
  return () => {
    collectGarbage();
    return isSettled || undefined;
  };
}
