import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { parseEther, parseEventLogs } from "viem";
import { AUTH_TIMEOUT_MS } from "../../src/auth/key-store.ts";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { CHECK_TIMEOUT_MS } from "../../src/http/health.ts";
import { historyFaults } from "../support/assert/history/check.ts";
import { recordHistory } from "../support/assert/history/record.ts";
import { takenOrders } from "../support/assert/history/sends.ts";
import { allowedMs, slowestOf, type Timed, timed } from "../support/assert/running-time.ts";
import { present, until } from "../support/assert/until.ts";
import { placedOrders } from "../support/chain/placed-orders.ts";
import { allLogs } from "../support/chain/product.ts";
import type { PostgresServer } from "../support/db/postgres.ts";
import { startTcpProxy } from "../support/db/tcp-proxy.ts";
import type { Send } from "../support/http/answers.ts";
import { type Answer, createPartner, type Partner } from "../support/http/partner.ts";
import { finalAnswers } from "../support/sender/final-answers.ts";
import { enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/** docs/faults.md, rows 23 to 26 and 30: what a database does to a service that keeps everything in it. */
let stack: Stack;
let server: PostgresServer;
let api: Started;
let partner: Partner;

/** docs/faults.md, row 75: every call of this file, with its answer. */
const history = recordHistory();

beforeAll(async () => {
  stack = await startStack({ ownServer: true, blockTimeSeconds: 1 });
  server = present(stack.server, "a server of its own");
  [api] = await Promise.all([stack.startApi(), stack.startWorker()]);
  await untilReady(api.url);
  partner = await enableUser(stack.sending, api.url, present(stack.product.users[0], "a user"));
});
afterAll(() => stack?.close());

const statusOf = (url: string) => timed(fetch(url).then(({ status }) => status));
const livez = () => statusOf(`${api.url}/livez`);

/** Makes calls at once, and asks for the program's life while they wait. */
async function callAtOnce(url: string, calls: () => Promise<Answer>[]) {
  const waiting = calls().map(timed);
  const alive = await statusOf(`${url}/livez`);
  expect({ url, livez: alive.answer }).toEqual({ url, livez: 200 });
  return { alive, waiting };
}

/** Measures the same calls at rest: the slowest of them, and the program's life beside them. */
async function callAtRest(url: string, calls: () => Promise<Answer>[]) {
  // The first ones open connections.
  await Promise.all(calls());
  return until("all are answered at once", async () => {
    const { alive, waiting } = await callAtOnce(url, calls);
    const answers = await Promise.all(waiting);
    if (answers.some(({ answer }) => answer.status !== 200)) return undefined;
    return { aliveMs: alive.ms, callMs: slowestOf(answers) };
  });
}

function expectInTime(what: string, { ms }: { ms: number }, msMax: number): void {
  expect({ what, ms, msMax, isInTime: ms < msMax }).toEqual({ what, ms, msMax, isInTime: true });
}

/** Expects refusals within the time that authentication waits for the database at most. */
async function expectRefused(waiting: readonly Promise<Timed<Answer>>[], restMs: number): Promise<void> {
  for (const { answer, ms } of await Promise.all(waiting)) {
    expect(answer).toMatchObject({ status: 503, body: { errCode: "DATABASE_UNAVAILABLE", retryable: true } });
    expectInTime("refusal", { ms }, allowedMs(restMs, AUTH_TIMEOUT_MS));
  }
}

interface Sent {
  body: ReturnType<typeof marketBuy>;
  idempotencyKey: string;
  requestId: string | null;
}

/** Between two orders of a caller: the load leaves the processor to those that it tests. */
const PAUSE_MS = 100;

/** Sends one order after the other, each again until it is acknowledged. */
async function sendOn(prefix: number, sent: Sent[], over: () => boolean): Promise<void> {
  for (let count = 10; !over(); count++) {
    const body = marketBuy(stack.sending, `${prefix}.${count}`);
    const one: Sent = { body, idempotencyKey: randomUUID(), requestId: null };
    sent.push(one);
    one.requestId = await until("an order is taken", async () => {
      const answer = await partner.post<Send>("/orders/send", body, withKey(one.idempotencyKey));
      if (answer.body.code === 200) return answer.body.data.requestId;
      expect(answer.body).toMatchObject({ retryable: true });
      return undefined;
    });
    await sleep(PAUSE_MS);
  }
}

it("rows 23 and 30: a database killed under load has lost nothing that was acknowledged, and no spent nonce", async () => {
  const sent: Sent[] = [];
  let over = false;
  const load = Promise.all(Array.from({ length: 4 }, (_, index) => sendOn(10 + index, sent, () => over)));
  const acknowledged = () => sent.filter(({ requestId }) => requestId !== null);
  try {
    await until("orders are taken", () => (acknowledged().length >= 12 ? true : undefined));
    const nonce = randomUUID();
    const config = () => partner.get("/config", {}, { nonce });
    expect((await config()).body).toMatchObject({ code: 200, errMsg: "" });
    await server.kill();
    expect((await partner.get("/config")).body).toMatchObject({ code: 503, errCode: "DATABASE_UNAVAILABLE" });
    expect({ livez: (await livez()).answer }).toEqual({ livez: 200 });
    await server.restart();
    await untilReady(api.url);
    expect((await config()).body).toMatchObject({ code: 401, errMsg: "Unauthorized" });
  } finally {
    over = true;
  }
  await load;
  const finals = await finalAnswers(stack.chain, partner, sent);
  for (const [index, { requestId }] of sent.entries()) {
    expect(finals[index]).toMatchObject({ requestId, status: "confirmed" });
  }
  const logs = await allLogs(stack.product);
  const placed = parseEventLogs({ abi: stockAbi, eventName: "MarketOrderPlaced", logs });
  expect(placed.map(({ args }) => args.amount).sort()).toEqual(
    sent.map(({ body }) => parseEther(body.notional)).sort(),
  );
});

it("row 24: a database that falls silent is a 503 within bounds, and all heals when it speaks again", async () => {
  const calls = () => Array.from({ length: 30 }, () => partner.get("/orders"));
  const rest = await callAtRest(api.url, calls);
  const thaw = server.freeze();
  try {
    const { alive, waiting } = await callAtOnce(api.url, calls);
    expectInTime("livez", alive, allowedMs(rest.aliveMs));
    await expectRefused(waiting, rest.callMs);
    const ready = await statusOf(`${api.url}/readyz`);
    expect({ readyz: ready.answer }).toEqual({ readyz: 503 });
    expectInTime("readyz", ready, allowedMs(rest.aliveMs, CHECK_TIMEOUT_MS));
  } finally {
    thaw();
  }
  await untilReady(api.url);
  expect((await partner.get("/orders")).body).toMatchObject({ code: 200, errMsg: "" });
  const sent = await partner.post<Send>("/orders/send", marketBuy(stack.sending, "30"), withKey("healed"));
  expect(sent.body).toMatchObject({ code: 200, errMsg: "" });
});

/** Returns how many connections of this name wait for a lock. */
async function countWaiting(name: string): Promise<number> {
  const { rowCount } = await stack.pool.query(
    "SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
    [name],
  );
  return rowCount ?? 0;
}

it("row 25: with every connection taken, requests are a 503 within bounds and health still answers", async () => {
  const databaseUrl = new URL(stack.databaseUrl);
  databaseUrl.searchParams.set("application_name", "small");
  const small = await stack.startApi({ DATABASE_URL: databaseUrl.href, DATABASE_POOL_MAX: "2" });
  await untilReady(small.url);
  const client = createPartner(small.url, partner.key);
  const calls = () => Array.from({ length: 40 }, () => client.get("/orders"));
  const rest = await callAtRest(small.url, calls);
  const holder = new pg.Client({ connectionString: stack.databaseUrl });
  await holder.connect();
  let held: Promise<Answer> | undefined;
  try {
    // A list that waits for its rows and their count keeps two connections, longer than any check or claim waits for one.
    await holder.query("BEGIN; LOCK TABLE app.key_order IN ACCESS EXCLUSIVE MODE");
    held = client.get("/orders", { limit: 1 });
    await until("both connections wait", async () => (await countWaiting("small")) === 2);
    const { alive, waiting } = await callAtOnce(small.url, calls);
    expectInTime("livez", alive, allowedMs(rest.aliveMs));
    // An answer of /readyz is used again for a moment.
    const notReady = await timed(
      until("it is not ready", async () => (await fetch(`${small.url}/readyz`)).status === 503 || undefined),
    );
    expectInTime("readyz", notReady, allowedMs(rest.aliveMs, CHECK_TIMEOUT_MS));
    await expectRefused(waiting, rest.callMs);
  } finally {
    await holder.end();
    await held;
  }
  await untilReady(small.url);
  expect((await client.get("/orders")).body).toMatchObject({ code: 200, errMsg: "" });
});

/** Returns the names of the statements that a client prepares in a chunk of bytes (PostgreSQL's protocol, message Parse). */
function preparedIn(data: Buffer): string[] {
  const names: string[] = [];
  // A connection's first message, which has no type, begins with a zero.
  for (let at = 0; at + 5 <= data.length && data[at] !== 0; at += 1 + data.readUInt32BE(at + 1)) {
    if (data[at] === "P".charCodeAt(0)) names.push(data.toString("utf8", at + 5, data.indexOf(0, at + 5)));
  }
  return names;
}

it("row 26: told so, api and worker prepare no named statement and listen elsewhere, as PgBouncer in transaction mode requires", async () => {
  const tcp = await startTcpProxy(server.port);
  const prepared: string[] = [];
  let listens = 0;
  tcp.cutAfter = (data) => {
    prepared.push(...preparedIn(data));
    if (data.includes("LISTEN")) listens += 1;
    return false;
  };
  try {
    const url = new URL(stack.databaseUrl);
    url.port = String(tcp.port);
    const env = {
      DATABASE_URL: url.href,
      DATABASE_LISTEN_URL: stack.databaseUrl,
      DATABASE_PREPARED_STATEMENTS: "off",
    };
    const [pooled, worker] = await Promise.all([stack.startApi(env), stack.startWorker(env)]);
    await untilReady(pooled.url);
    const client = createPartner(pooled.url, partner.key);
    const body = marketBuy(stack.sending, "31");
    expect((await client.post<Send>("/orders/send", body, withKey("pooled"))).body).toMatchObject({
      code: 200,
      errMsg: "",
    });
    for (const path of ["/orders", "/config", "/cash/deposits", "/1ct/status"]) {
      expect({ path, body: (await client.get(path)).body }).toMatchObject({
        path,
        body: { code: 200, errMsg: "" },
      });
    }
    expect({ prepared, areMany: prepared.length > 20 }).toEqual({ prepared, areMany: true });
    expect([...new Set(prepared)]).toEqual([""]);
    expect({ listens }).toEqual({ listens: 0 });
    for (const { program } of [pooled, worker]) program.kill("SIGTERM");
    await Promise.all([pooled, worker].map(({ program }) => program.exited));
  } finally {
    await tcp.close();
  }
});

it("row 75: one order of events explains every answer of all this, together with the chain", async () => {
  await finalAnswers(stack.chain, partner, takenOrders(history));
  const user = present(stack.product.users[0], "a user").address.toLowerCase();
  const orders = await placedOrders(stack.product);
  expect(orders.length).toBeGreaterThan(0);
  expect(historyFaults(history, { orders, users: new Map([[partner.key.apiKey, user]]) })).toEqual([]);
});
