import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { signedHeaders } from "../../packages/client/src/signed-headers.ts";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { costMax, HISTORY_COST } from "../../src/protocol/costs.ts";
import { allowedMs, percentileOf, timed } from "../support/assert/running-time.ts";
import { until } from "../support/assert/until.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { project, projectorOf } from "../support/db/projected.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";
import type { PartnerKey } from "../support/http/partner.ts";
import { openRaw } from "../support/http/raw-http.ts";
import { type Program, startProgram, urlOf } from "../support/program/program.ts";

/** docs/faults.md, rows 57 and 60: what other callers notice of one who costs as much as they can. */

// A program of its own, so that memory and processor are the server's.
let database: TestDatabase;
let env: TestEnv;
let feed: Server;
let program: Program;
let url: string;
let operatorUrl: string;
beforeAll(async () => {
  const port = await freePort();
  [database, feed] = await Promise.all([createDatabase(), startBars()]);
  const { port: feedPort } = z.object({ port: z.number() }).parse(feed.address());
  env = makeEnv(database.url, "http://127.0.0.1:1", {
    MARKET_DATA_URL: `http://127.0.0.1:${feedPort}`,
    RATE_LIMIT_IN_FLIGHT: String(IN_FLIGHT),
  });
  const onchain = await createOnchain(env.pool);
  await onchain.setBlock(31337, { number: 5n, timestamp: 1_799_000_000n });
  await project(projectorOf(env));
  program = startProgram("src/bin/api.ts", { ...env.env, OPERATOR_PORT: String(port) });
  operatorUrl = `http://127.0.0.1:${port}`;
  url = await urlOf(program);
});
afterAll(async () => {
  program?.kill("SIGTERM");
  await program?.exited;
  feed?.closeAllConnections();
  feed?.close();
  await env?.dispose();
  await database?.drop();
});

/** Starts a feed that has the maximum number of bars of an answer for any stock. */
async function startBars(): Promise<Server> {
  const bars = Array.from({ length: HISTORY_COST.maxRows }, (_, n) => ({
    timestamp: 1_700_000_000 + 60 * n,
    open: "101.25",
    high: "103.5",
    low: "99.75",
    close: "102.125",
    volume: "123456",
  }));
  const quote = {
    symbol: "AAPL",
    name: "AAPL",
    price: "100",
    bid: null,
    ask: null,
    bidSize: null,
    askSize: null,
    open: null,
    high: null,
    low: null,
    previousClose: null,
    volume: null,
    change24H: null,
    change24HPercent: null,
    session: "regular",
    timestamp: 1_800_000_000,
    stale: false,
    source: "test",
  };
  const answers = { bars: JSON.stringify(bars), quotes: JSON.stringify(quote), actions: "[]" };
  const server = createServer((request, response) => {
    const [, , what = ""] = (request.url ?? "").split(/[/?]/);
    response.setHeader("content-type", "application/json");
    response.end(Reflect.get(answers, what));
  });
  // A connection that the feed closes as the api takes it again is a 503.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Makes a signed GET and reads its answer, without looking at it: the test's own work is no part of what is measured. */
async function get(key: PartnerKey, path: string): Promise<number> {
  const uri = `/api/v1${path}`;
  const parts = { method: "GET", uri, timestamp: String(Date.now()), nonce: randomUUID() };
  const response = await fetch(url + uri, {
    headers: await signedHeaders({ ...key, chainId: String(key.chainId) }, parts, ""),
  });
  await response.arrayBuffer();
  return response.status;
}

async function readMetric(name: string): Promise<number> {
  const text = await (await fetch(`${operatorUrl}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(name));
  return Number(line?.split(" ").at(-1) ?? 0);
}

/** Calls of another caller, one after the other, at least. */
const CALLS = 100;
/** Pause between two calls. */
const PAUSE_MS = 5;
/** After this long, milliseconds, fewer samples suffice. */
const LASTS_MS_MAX = 20_000;

/** Returns what calls of another caller take, at least CALLS of them and until something is over. */
async function durations(key: PartnerKey, isOver: () => boolean = () => true): Promise<number[]> {
  const taken: number[] = [];
  const endMs = performance.now() + LASTS_MS_MAX;
  while ((taken.length < CALLS || !isOver()) && performance.now() < endMs) {
    const { answer, ms } = await timed(get(key, "/orders?limit=1"));
    expect({ call: taken.length, status: answer }).toEqual({ call: taken.length, status: 200 });
    taken.push(ms);
    await sleep(PAUSE_MS);
  }
  return taken;
}

const p99 = (taken: readonly number[]) => percentileOf(taken, 0.99);

async function p99AtRest(key: PartnerKey): Promise<number> {
  // The first calls to a program take longer.
  for (let calls = 0; calls < 30; calls++) await get(key, "/orders?limit=1");
  return p99(await durations(key));
}

const CONNECTIONS = 10;
const MIB = 1024 * 1024;

it("row 57: readers who pipeline 1,500 GETs of the OpenAPI document and read nothing cost little memory, and no other caller's time", async () => {
  const key = await env.makeKey();
  const restMs = await p99AtRest(key);
  const before = await readMetric("process_resident_memory_bytes");
  const request = `GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n`;
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openRaw(url)));
  for (const { socket } of connections) {
    socket.pause();
    socket.write(request.repeat(1_500));
  }
  let closed = false;
  const [taken] = await Promise.all([
    durations(key, () => closed),
    until("all are closed", async () => {
      closed = (await readMetric("http_connections_closed_total")) === CONNECTIONS;
      return closed;
    }),
  ]);
  expect(p99(taken)).toBeLessThan(allowedMs(restMs));
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  // Copies of all answers of one connection alone would be 750 MiB.
  expect((await readMetric("process_resident_memory_bytes")) - before).toBeLessThan(150 * MIB);
  for (const { socket } of connections) socket.destroy();
});

/** Number of concurrent callers of the greedy key: without limits, all of their calls would be answered together. */
const LOOPS = 40;
const IN_FLIGHT = 500;

it("row 60: the dearest read in loops of one key is limited by what it costs, and others wait for a few of these reads at most", async () => {
  const [other, greedy] = await Promise.all([env.makeKey(), env.makeKey({ access: "READ_ONLY" })]);
  let count = 0;
  /** Reads a different history each time: equal ones would share an answer of the feed. */
  const readDearest = () => {
    const endTime = 1_790_000_000 + count++;
    return get(greedy, `/prices/AAPL/history?endTime=${endTime}&interval=1m&limit=${HISTORY_COST.maxRows}`);
  };
  const restMs = await p99AtRest(other);
  const alone = [];
  for (let calls = 0; calls < 5; calls++) alone.push(await timed(readDearest()));
  expect({ statuses: alone.map(({ answer }) => answer) }).toEqual({ statuses: [200, 200, 200, 200, 200] });
  const dearestMs = percentileOf(
    alone.map(({ ms }) => ms),
    0.5,
  );
  let isOver = false;
  const statuses = new Map<number, number>();
  const loops = Array.from({ length: LOOPS }, async () => {
    while (!isOver) {
      const status = await readDearest();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) await sleep(200);
    }
  });
  const taken = await durations(other);
  isOver = true;
  await Promise.all(loops);
  const atOnce = Math.floor(IN_FLIGHT / costMax(HISTORY_COST));
  expect(p99(taken)).toBeLessThan(allowedMs(restMs + atOnce * dearestMs));
  // The feed shares the loops' process: on a busy machine a read may pass the time that a feed has, which is a 503.
  statuses.delete(503);
  expect({ statuses: [...statuses.keys()].sort() }).toEqual({ statuses: [200, 429] });
});
