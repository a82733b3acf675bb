import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { LONG } from "../support/assert/long.ts";
import { until } from "../support/assert/until.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";
import { type ComposeProxy, startComposeProxy } from "../support/http/compose-proxy.ts";
import { type Piecemeal, type Senders, sendPiecemeal, slowestLivez } from "../support/http/piecemeal.ts";
import { readMetric } from "../support/http/read-metric.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { type Program, startProgram, urlOf } from "../support/program/program.ts";

// Callers without a key, who send a body in tiny pieces and never end it. The api is a program of its own with a small heap.
let database: TestDatabase;
let env: TestEnv;
let api: Program;
let url: string;
let operatorUrl: string;
let senders: Senders | null = null;
beforeAll(async () => {
  const port = await freePort();
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  const heap = { NODE_OPTIONS: "--max-old-space-size=256", OPERATOR_PORT: String(port) };
  api = startProgram("src/bin/api.ts", { ...env.env, ...heap });
  operatorUrl = `http://127.0.0.1:${port}`;
  url = await urlOf(api);
});
afterEach(async () => {
  await senders?.stop();
  senders = null;
});
afterAll(async () => {
  api?.kill("SIGTERM");
  await api?.exited;
  await env?.dispose();
  await database?.drop();
});

const MB = 1_000_000;
const CONNECTIONS = LONG ? 504 : 200;
const CHUNKED = "HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
const POST = `POST /api/v1/orders/tx ${CHUNKED}`;
const chunk = (size: number, extension = "") => `${size.toString(16)}${extension}\r\n${"x".repeat(size)}\r\n`;
const unauthenticated = "GET /api/v1/orders HTTP/1.1\r\nhost: x\r\nx-api-key: ak_none\r\n\r\n";

it.each<[string, Piecemeal, number?]>([
  ["of 1 byte", { head: POST, piece: chunk(1), pieces: 65_000 }],
  ["of 2 bytes", { head: POST, piece: chunk(2), pieces: 65_000 }],
  ["of 64 bytes", { head: POST, piece: chunk(64), pieces: 6_500 }],
  ["with extensions", { head: POST, piece: chunk(1, ";a=b"), pieces: 40_000 }],
  ["with one endless extension", { head: `${POST}1;`, piece: "a", pieces: 400_000 }],
  ["with an endless size", { head: POST, piece: "0", pieces: 2_000_000 }],
  ["with endless trailers", { head: `${POST}0\r\n`, piece: "a: b\r\n", pieces: 65_000 }],
  ["for no route", { head: `POST /api/v1/nothing ${CHUNKED}`, piece: chunk(1), pieces: 65_000 }],
  ["that /livez ignores", { head: `GET /livez ${CHUNKED}`, piece: chunk(1), pieces: 65_000 }],
  // Eight requests of one connection are answered at a time, and the body waits.
  [
    "behind other requests",
    { head: unauthenticated.repeat(8) + POST, piece: chunk(1), pieces: 65_000 },
    CONNECTIONS / 8,
  ],
])(
  "a body in chunks %s costs neither memory nor time, whoever sends it",
  async (_name, bytes, connections = CONNECTIONS) => {
    await attack(url, bytes, connections);
  },
);

/** Sends a body in pieces on many connections at once, and checks that the api stays responsive and its memory bounded. */
async function attack(target: string, bytes: Piecemeal, connections: number): Promise<void> {
  // The memory of as many connections with ordinary bodies belongs to the baseline.
  await sendPiecemeal(target, connections, { ...bytes, pieces: 1 }).then(({ stop }) => stop());
  const before = await readMetric(operatorUrl, "process_resident_memory_bytes");
  senders = await sendPiecemeal(target, connections, bytes);
  const livezMs = await slowestLivez(url, api.pid);
  const memory = (await readMetric(operatorUrl, "process_resident_memory_bytes")) - before;
  const seen = { target, livezMs, memory };
  expect({ ...seen, isQuick: livezMs < 1_000, isSmall: memory < 30 * MB, hasEnded: api.ended() }).toEqual({
    ...seen,
    isQuick: true,
    isSmall: true,
    hasEnded: false,
  });
}

const describeInLong: typeof describeWhere = LONG ? describeWhere : () => undefined;
describeInLong("haproxy", "deploy/compose/haproxy.cfg", () => {
  let proxy: ComposeProxy;
  beforeAll(async () => {
    proxy = await startComposeProxy(url, operatorUrl);
  });
  afterAll(() => proxy?.stop());

  it.each<[string, Piecemeal]>([
    ["of 1 byte", { head: POST, piece: chunk(1), pieces: 65_000 }],
    ["of 64 bytes", { head: POST, piece: chunk(64), pieces: 6_500 }],
    ["for no route", { head: `POST /api/v1/nothing ${CHUNKED}`, piece: chunk(1), pieces: 65_000 }],
  ])("shields no less from a body in chunks %s", async (_name, bytes) => {
    await attack(proxy.url, bytes, CONNECTIONS);
    // Its check of the api may have come too late meanwhile.
    await until("the proxy has an api", async () => (await fetch(`${proxy.url}/livez`)).ok);
  });
});
