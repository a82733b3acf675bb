import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import type { Call, Job } from "./job.ts";
import { runJob } from "./run.ts";

const KEY = { apiKey: "pk_1", apiSecret: "sk_1", chainId: 1, productType: "Sandbox" };
const CALL: Call = { method: "GET", path: "/orders/1", key: 0, status: 200, includes: ['"orderId":"1"'] };
const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
}

const job = (url: string, more: Partial<Job> = {}): Job => ({
  url,
  connections: 3,
  seconds: 10,
  calls: [CALL],
  keys: [KEY],
  requests: 50,
  ...more,
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

describe("the bench's load generator", () => {
  it("sends every signed request once, with a nonce of its own, and counts the right answers", async () => {
    const nonces = new Set<unknown>();
    const url = await serve((request, response) => {
      nonces.add(request.headers["x-api-nonce"]);
      response.end('{"data":{"orderId":"1"}}');
    });
    const outcome = await runJob(job(url));
    expect(outcome).toMatchObject({ answers: 50, unavailable: 0 });
    expect(nonces.size).toBe(50);
  });

  it("reads answers that come in chunks and in pieces", async () => {
    const url = await serve((_request, response) => {
      response.write('{"data":');
      setImmediate(() => response.end('{"orderId":"1"}}'));
    });
    expect(await runJob(job(url))).toMatchObject({ answers: 50 });
  });

  it("sends requests on time, no more of them than are due", async () => {
    const url = await serve((_request, response) => response.end('{"data":{"orderId":"1"}}'));
    expect(await runJob(job(url, { perSecond: 100, seconds: 0.2 }))).toMatchObject({ answers: 20 });
  });

  it.each([
    ["another order", 200, '{"data":{"orderId":"2"}}', /"orderId":"1" is missing/],
    ["a refusal", 400, '{"code":401}', /status 400 in place of 200/],
    ["an outage", 503, "{}", /status 503 in place of 200/],
  ])("ends with the first wrong answer: %s", async (_name, status, body, problem) => {
    const url = await serve((_request, response) => response.writeHead(status).end(body));
    await expect(runJob(job(url))).rejects.toThrow(problem);
  });

  it("counts 503 apart where it is allowed", async () => {
    const url = await serve((_request, response) => response.writeHead(503).end("{}"));
    expect(await runJob(job(url, { allowUnavailable: true }))).toMatchObject({ answers: 0, unavailable: 50 });
  });

  it("ends with an error when the server closes a connection before it answers", async () => {
    const url = await serve((request) => request.socket.destroy());
    await expect(runJob(job(url))).rejects.toThrow(/closed the connection|ECONNRESET/);
  });

  it.each([
    ["a missing row", ["1", "2"], 1, /orders 1 in place of 1,2/],
    ["another total", ["1"], 7, /a total of 1 in place of 7/],
  ])("compares lists row by row: %s", async (_name, orderIds, total, problem) => {
    const url = await serve((_request, response) =>
      response.end('{"data":{"total":1,"rows":[{"orderId":"1"}]}}'),
    );
    const call = { ...CALL, includes: [], rows: { orderIds, total } };
    await expect(runJob(job(url, { calls: [call] }))).rejects.toThrow(problem);
  });
});
