import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { historyFaults } from "../support/assert/history/check.ts";
import { recordHistory } from "../support/assert/history/record.ts";
import { present, until } from "../support/assert/until.ts";
import { expireHeartbeat, indexedUpTo } from "../support/chain/indexer.ts";
import { placedOrders } from "../support/chain/placed-orders.ts";
import { type Pair, startPair } from "../support/db/pair.ts";
import type { Send } from "../support/http/answers.ts";
import { readLog } from "../support/http/event-log.ts";
import { type EventStream, openStream } from "../support/http/event-stream.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { type SteadyReads, startSteadyReads } from "../support/http/steady-reads.ts";
import { operate } from "../support/program/command.ts";
import {
  type AcknowledgedLoad,
  type AcknowledgedSend,
  startAcknowledgedLoad,
  taken,
} from "../support/sender/acknowledged-load.ts";
import { minedFrom } from "../support/sender/chain-fixture.ts";
import { finalAnswers, type SentOrder } from "../support/sender/final-answers.ts";
import { enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/**
 * docs/faults.md, rows 78 and 80: the primary is stopped, and then killed, under load and its standby promoted, first one that is
 * synchronous, then, in the long form, one that lacks the last commits. docs/operations/failover.md describes all of it.
 */
/** Maximum time from the switch of the address to the new primary; the programs reconnect every half second. */
const RECOVERY_MS = 20_000;
const LOAD_BEFORE = 12;
const LOAD_AFTER = 6;

let pair: Pair;
let stack: Stack;
let api: Started;
/** Its replicas are both servers: one of them is the primary, the other its standby, or gone. */
let reader: Started;
let worker: Started;
let partner: Partner;
let stream: EventStream;

/** Acknowledged sends of all loads so far. */
const sent: AcknowledgedSend[] = [];
const history = recordHistory();

beforeAll(async () => {
  pair = await startPair();
  const { databaseUrl, close: stop } = pair;
  stack = await startStack({ blockTimeSeconds: 1, database: { server: pair.primary(), databaseUrl, stop } });
  await pair.setSynchronous(true);
  const replicas = [pair.standby().urlOf(databaseUrl), pair.primary().adminUrl].join(",");
  [api, reader, worker] = await Promise.all([
    stack.startApi(),
    stack.startApi({ DATABASE_READ_URLS: replicas }),
    stack.startWorker(),
  ]);
  await Promise.all([api, reader].map(({ url }) => untilReady(url)));
  partner = await enableUser(stack.sending, api.url, present(stack.product.users[0], "a user"));
  stream = await openStream(api.url, partner.key);
}, 240_000);
afterAll(async () => {
  stream?.cut();
  await stack?.close();
});

const startLoad = () => startAcknowledgedLoad(stack.sending, partner.key, [api.url, reader.url]);

const finalAnswer = async (one: SentOrder) =>
  present((await finalAnswers(stack.chain, partner, [one]))[0], "an answer");

const countOf = async (from: string, values: string[]) =>
  (await stack.pool.query(`SELECT FROM ${from} = ANY($1)`, [values])).rowCount;

/** Expects contiguous nonces of one wallet on the chain, with each send once. */
async function expectContiguous(): Promise<void> {
  for (const wallet of stack.sending.wallets) {
    const nonces = (await minedFrom(stack.chain, wallet)).map(({ nonce }) => nonce);
    expect({ wallet, nonces }).toEqual({ wallet, nonces: nonces.map((_, index) => index) });
  }
}

const chainId = () => String(partner.key.chainId);
const run = (...args: string[]) => operate(args, stack.sending.env);

/** Balances, locks and orders of the index are those of the contracts. */
async function expectReconciled(): Promise<void> {
  expect(await run("reconcile", "--chain", chainId())).toMatchObject({
    code: 0,
    out: expect.stringContaining("no difference"),
  });
}

it("row 78: a planned switchover and then a failover to a synchronous standby lose nothing that was acknowledged, and every program goes on", async () => {
  const load = startLoad();
  let acknowledged: string[] = [];
  try {
    await until("orders are taken", () => taken(load) >= LOAD_BEFORE);
    await switchOver(load);
    acknowledged = await failOver(load);
  } finally {
    await load.stop();
  }
  for (const [index, nonce] of acknowledged.slice(-4).entries()) {
    const asked = createPartner((index % 2 === 0 ? api : reader).url, partner.key);
    expect((await asked.get("/orders", { limit: 5 }, { nonce })).body).toMatchObject({ code: 401 });
  }
  await expectNothingLost(load);
}, 240_000);

/** Stops the primary, promotes the standby, and restarts the former primary as its standby. */
async function switchOver(load: AcknowledgedLoad): Promise<void> {
  await pair.primary().shutDown();
  expect((await partner.get("/config")).body).toMatchObject({ code: 503, errCode: "DATABASE_UNAVAILABLE" });
  await pair.promote();
  pair.switchOver();
  await untilTakenAgain(load);
  await pair.rejoin();
  await pair.setSynchronous(true);
  await untilTakenAgain(load);
  await Promise.all([api, reader].map(({ url }) => untilReady(url, RECOVERY_MS)));
}

/** Kills the primary and promotes its standby. @returns the nonces that were acknowledged before */
async function failOver(load: AcknowledgedLoad): Promise<string[]> {
  await pair.primary().kill();
  const acknowledged = [...load.nonces];
  expect((await partner.get("/config")).body).toMatchObject({ code: 503, errCode: "DATABASE_UNAVAILABLE" });
  pair.switchOver();
  expect((await partner.get("/config")).body).toMatchObject({ code: 503, errCode: "DATABASE_UNAVAILABLE" });
  await pair.promote();
  await untilTakenAgain(load);
  await Promise.all([api, reader].map(({ url }) => untilReady(url, RECOVERY_MS)));
  return acknowledged;
}

async function untilTakenAgain(load: AcknowledgedLoad): Promise<void> {
  const before = taken(load);
  await until("orders are taken again", () => taken(load) >= before + LOAD_AFTER, RECOVERY_MS);
}

/** Expects all that was acknowledged in the database and on the chain, once; index and stream to agree; no program to have ended. */
async function expectNothingLost(load: AcknowledgedLoad): Promise<void> {
  expect({
    nonces: await countOf("app.api_nonce WHERE nonce", load.nonces),
    claims: await countOf("app.transaction_claim WHERE tx_hash", load.recorded),
  }).toEqual({ nonces: load.nonces.length, claims: load.recorded.length });
  expect({ recorded: load.recorded }).not.toEqual({ recorded: [] });
  const finals = await finalAnswers(stack.chain, partner, load.sent);
  for (const [index, { requestId }] of load.sent.entries())
    expect(finals[index]).toMatchObject({ requestId, status: "confirmed" });
  await expectContiguous();
  sent.push(...load.sent);
  const orders = await placedOrders(stack.product);
  expect(orders.map(({ notional }) => Number(notional)).sort()).toEqual(
    sent.map(({ body }) => Number(body.notional)).sort(),
  );
  const ended = Object.entries({ api, reader, worker }).filter(([, { program }]) => program.ended());
  expect(ended.map(([name]) => name)).toEqual([]);
  await expectStreamed();
  await expectReconciled();
  const user = present(stack.product.users[0], "a user").address.toLowerCase();
  expect(historyFaults(history, { orders, users: new Map([[partner.key.apiKey, user]]) })).toEqual([]);
}

/** Expects the open stream to have received every event of the log since its begin, once. */
async function expectStreamed(): Promise<void> {
  const log = await readLog(partner);
  const streamed = () => stream.events().map(({ data }): string => JSON.parse(data ?? "{}").eventId);
  const missed = log.findIndex(({ eventId }) => eventId === streamed()[0]);
  const expected = log.slice(missed).map(({ eventId }) => eventId);
  await until("the stream has all of it", () => streamed().length >= expected.length);
  expect(streamed().slice(0, expected.length)).toEqual(expected);
  expect({ hasStreamEnded: stream.response.complete }).toEqual({ hasStreamEnded: false });
}

/** Reads all the time while the indexer starts again, and returns once its index is ready. */
async function readDuringRestart(orderId: string): Promise<SteadyReads> {
  const user = present(stack.product.users[0], "a user").address;
  const reads = startSteadyReads(partner, { orderId, user });
  await until("there are answers to compare with", () => reads.answered() > 10);
  await expireHeartbeat(stack.pool, stack.indexer());
  const { lines } = stack.restartIndexer();
  await until("the index is ready", () => lines.some(({ endpoint }) => endpoint === "/ready"));
  return reads;
}

it("rows 78 and 80: what an asynchronous standby lacks is lost, and the steps of the page find what was sent", async () => {
  await pair.addStandby();
  // Its block is not final: the indexer reverts it at its start, and indexes it again.
  await finalAnswer({ body: marketBuy(stack.sending, "76"), idempotencyKey: randomUUID() });
  const orderId = String(present((await placedOrders(stack.product)).at(-1), "an order").orderId);
  await until("it is indexed", async () => (await partner.get(`/orders/${orderId}`)).body.code === 200);
  await pair.standby().catchUp();
  await pair.disconnect();
  const [nonce, txHash] = [randomUUID(), `0x${randomBytes(32).toString("hex")}`];
  const body = marketBuy(stack.sending, "77");
  const idempotencyKey = randomUUID();
  expect((await partner.post("/orders/tx", { txHash }, { nonce })).body).toMatchObject({ code: 200 });
  const sent = await finalAnswer({ body, idempotencyKey });
  // The standby lacks these blocks.
  await indexedUpTo(stack.pool, stack.indexer(), partner.key.chainId, await stack.chain.getBlockNumber());
  await pair.primary().kill();

  for (const { program } of [api, reader, worker]) program.kill("SIGTERM");
  await Promise.all([api, reader, worker].map(({ program }) => program.exited));
  pair.switchOver();
  await pair.promote();
  // It was left running: it finds that the database lacks its last blocks.
  expect({ indexerExitCode: await stack.indexer().exited }).toEqual({ indexerExitCode: 1 });
  expect(await run("sending", "halt", "--chain", chainId(), "--reason", "failover")).toMatchObject({
    code: 0,
  });
  [api, worker] = await Promise.all([stack.startApi(), stack.startWorker()]);
  partner = createPartner(api.url, partner.key);
  const reads = await readDuringRestart(orderId);
  await untilReady(api.url);

  // Both were acknowledged. The first shows why the api stays down for a minute.
  expect((await partner.get("/config", {}, { nonce })).body).toMatchObject({ code: 200 });
  expect(await countOf("app.transaction_claim WHERE tx_hash", [txHash, String(sent.txHash)])).toBe(0);
  expect((await partner.post<Send>("/orders/send", body, withKey(idempotencyKey))).body).toMatchObject({
    errCode: "OPERATOR_UNAVAILABLE",
  });
  const [wallet] = stack.sending.wallets;
  const resumed = await until("the wallet is halted, and its last transaction is final", async () => {
    const outcome = await run("wallets", "resume", chainId(), String(wallet));
    return outcome.code === 0 && outcome;
  });
  expect(resumed.out).toMatch(new RegExp(`is re-created from ${sent.txHash}, nonce \\d+: orders/send of `));
  await expectReconciled();
  const repeated = (await partner.post<Send>("/orders/send", body, withKey(idempotencyKey))).body;
  expect(repeated).toMatchObject({ code: 200, data: { txHash: sent.txHash } });
  expect((await partner.post("/orders/tx", { txHash: sent.txHash })).body).toMatchObject({ code: 200 });
  expect(await run("sending", "resume", "--chain", chainId())).toMatchObject({ code: 0 });
  const next = { body: marketBuy(stack.sending, "78"), idempotencyKey: randomUUID() };
  expect(await finalAnswer(next)).toMatchObject({ status: "confirmed" });
  await expectContiguous();
  expect(await reads.stop()).toEqual([]);
}, 240_000);
