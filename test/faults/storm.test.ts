import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { cashierAbi } from "../../src/contracts/abi/index.ts";
import { historyFaults } from "../support/assert/history/check.ts";
import { type Exchange, recordHistory } from "../support/assert/history/record.ts";
import { canary } from "../support/assert/logs.ts";
import { LONG } from "../support/assert/long.ts";
import { NotYetError, present, until, whenReachable } from "../support/assert/until.ts";
import { placedOrders } from "../support/chain/placed-orders.ts";
import type { Fault } from "../support/chain/rpc-proxy.ts";
import { type PgBouncer, startPgBouncer } from "../support/db/pgbouncer.ts";
import type { Send } from "../support/http/answers.ts";
import { foldOrders, type LoggedEvent, objectOf, readAllOrders, readLog } from "../support/http/event-log.ts";
import { createPartner, type Partner, type PartnerKey } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { PARTS } from "../support/program/parts.mjs";
import { minedFrom } from "../support/sender/chain-fixture.ts";
import { expireLeases } from "../support/sender/expire-leases.ts";
import { enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";
import { type Receiver, startReceiver, verify } from "../webhooks/receiver.ts";

/**
 * docs/faults.md, rows 2 and 3 together, and the promise itself: three apis, workers and deliverers on one database, orders sent
 * by clients who repeat what was not answered, while programs are killed at random instants and the node's line is cut.
 * docs/faults.md, row 1: 100 signed requests at once to all of these apis, 200 in the long form.
 * docs/faults.md, row 75: every call and answer is recorded, and one order of events explains them all, together with
 * the chain. docs/faults.md, row 26: on a machine that has PgBouncer, one api and one worker reach the database through
 * it. Of all this the log of each key has every event once, and says what its list says; a webhook's receiver has every
 * event at least once, those of one object in their order.
 */
/** Sizes of the storm; the long run sends more orders while more programs are killed. */
const {
  clients: CLIENTS,
  sendsEach: SENDS_EACH,
  lastsMs: LASTS_MS,
  kills: KILLS,
} = LONG
  ? { clients: 20, sendsEach: 25, lastsMs: 30_000, kills: 3 }
  : { clients: 4, sendsEach: 6, lastsMs: 4_000, kills: 2 };
/** Printed, so that a storm can be repeated. */
const SEED = Number(process.env.STORM_SEED ?? Date.now() % 1_000_000);
/** Events may be delivered to a receiver on this machine. */
const LOOPBACK = { WEBHOOK_LOOPBACK: "on", NODE_ENV: "development" };
/** No key's limit refuses what is sent at once. */
const UNLIMITED = { RATE_LIMIT_WRITES: "0", RATE_LIMIT_IN_FLIGHT: "0" };
const KINDS = ["worker", "deliverer", "api"] as const;
type Kind = (typeof KINDS)[number];
const NAMES = KINDS.flatMap((kind) => [1, 2, 3].map((n) => `${kind}-${n}`));
/** Signed sends at once, of all clients together. */
const AT_ONCE = LONG ? 200 : 100;
/** Minimum delay before a caller repeats a refused call. */
const RETRY_MS = 500;

let stack: Stack;
const running = new Map<string, Started>();
/** Environment variables of single programs, besides those of all. */
const environments = new Map<string, NodeJS.ProcessEnv>();
/** Receives the events of the first client's key. */
let receiver: Receiver;
let webhookSecret: string;
let receivingKey: string;
/** Events that the receiver accepted, in order. */
const delivered: LoggedEvent[] = [];
/** Every call of a storm, with its answer. */
let history: readonly Exchange[];
const keys: PartnerKey[] = [];
/** The user of each API key, lower case. */
const users = new Map<string, string>();

async function start(name: string): Promise<void> {
  const env = environments.get(name);
  const kind = present(name.split("-")[0], "a kind") as Kind;
  const started = { worker: stack.startWorker, deliverer: stack.startDeliverer, api: stack.startApi }[kind](
    env,
  );
  running.set(name, await started);
}

const throughPooler = ({ url }: PgBouncer) => ({ DATABASE_URL: url, DATABASE_PREPARED_STATEMENTS: "off" });

async function restart(name: string): Promise<void> {
  const before = running.get(name);
  running.delete(name);
  before?.program.kill("SIGKILL");
  await before?.program.exited;
  await start(name);
}

/** Numbers from 0 up to 1 that a seed decides. */
function random(seed: string): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${seed}/${count++}`).digest().readUInt32BE() / 2 ** 32;
}

function breeze(roll: () => number): () => Fault | undefined {
  return () => {
    const luck = roll();
    if (luck < 0.03) return "lose-reply";
    if (luck < 0.06) return "lose-request";
    if (luck < 0.07) return { status: 502, body: "<html>" };
    if (luck < 0.08) return { error: { code: -32603, message: "internal error" } };
    return undefined;
  };
}

/** Kills one program of a kind after the other, KILLS at least. */
async function kill(kind: Kind, over: () => boolean): Promise<void> {
  const roll = random(`${SEED}/${kind}`);
  const names = NAMES.filter((name) => name.startsWith(kind));
  for (let kills = 0; kills < KILLS || !over(); kills++) {
    await sleep(roll() * 2_000);
    await restart(present(names[Math.floor(roll() * names.length)], "a name"));
  }
}

/** Loses some of what is said to the node, and now and then all of it. */
async function cutLines(over: () => boolean): Promise<void> {
  const roll = random(`${SEED}/storm`);
  while (!over()) {
    stack.proxy.rule = roll() < 0.3 ? () => "lose-request" : breeze(roll);
    await sleep(300 + roll() * 2_000);
  }
  stack.proxy.rule = null;
}

/** Starts a webhook's receiver for a key. In the long run it refuses a third of the deliveries. */
async function receiveEvents(partner: Partner): Promise<void> {
  const roll = random(`${SEED}/receiver`);
  receiver.answer = (request, response) => {
    const takes = !LONG || roll() > 0.3;
    if (takes) delivered.push(verify(webhookSecret, request) as LoggedEvent);
    response.writeHead(takes ? 204 : 500).end();
  };
  const { secret } = await partner.must(partner.post<{ secret: string }>("/webhooks", { url: receiver.url }));
  webhookSecret = canary("webhook secret", secret);
}

/** Expects a gapless event log of a key that folds into its present list. */
async function expectLogged(partner: Partner): Promise<LoggedEvent[]> {
  return until("the log says what the list shows", async () => {
    const [list, log] = [await readAllOrders(partner), await readLog(partner)];
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
    if (!isDeepStrictEqual(foldOrders(log), list)) return undefined;
    expect({ orders: list.size }).toEqual({ orders: SENDS_EACH });
    return log;
  });
}

async function expectDelivered(log: readonly LoggedEvent[]): Promise<void> {
  // The user's delegation came before the webhook, every order after it.
  const wanted = log.filter(
    ({ resource, data }) => resource !== "1ct/status" && data.operation !== "1ct/enable",
  );
  const areMany = wanted.length > 2 * SENDS_EACH;
  expect({ types: log.map(({ type }) => type), areMany }).toEqual({
    types: expect.anything(),
    areMany: true,
  });
  // Workers were killed with deliveries under way.
  if (!LONG) await expireLeases(stack.pool);
  await until(
    "every event is delivered",
    () => {
      const ids = new Set(delivered.map(({ eventId }) => eventId));
      return wanted.every(({ eventId }) => ids.has(eventId)) || undefined;
    },
    120_000,
  );
  const first = delivered.filter(
    ({ eventId }, index) => delivered.findIndex((other) => other.eventId === eventId) === index,
  );
  for (const object of new Set(first.map(objectOf))) {
    const sequences = first.filter((event) => objectOf(event) === object).map(({ sequence }) => sequence);
    expect({ object, sequences }).toEqual({ object, sequences: [...sequences].sort((a, b) => a - b) });
  }
}

interface Call {
  partner: (url: string) => Partner;
  user: Hex;
  idempotencyKey: string;
  body: ReturnType<typeof marketBuy>;
}

/** Repeats a call on either api until somebody answers it. @throws Error where an answer says that no repeat succeeds */
function insist(call: Call, roll: () => number, enough: (answer: Send) => boolean = () => true) {
  return until(
    `an answer to ${call.user} for ${call.body.notional}, seed ${SEED}`,
    async () => {
      const apis = [...running].filter(([name]) => name.startsWith("api"));
      const [, api] = apis[Math.floor(roll() * apis.length)] ?? [];
      if (!api) return undefined;
      const partner = call.partner(api.url);
      const answer = partner.post<Send>("/orders/send", call.body, withKey(call.idempotencyKey));
      const told = await partner.must(whenReachable(answer));
      return enough(told) && told;
    },
    120_000,
  );
}

/** Returns each client's orders, all of different sizes. */
async function prepareCalls(): Promise<Call[][]> {
  const { sending } = stack;
  const url = present(running.get("api-1"), "an api").url;
  return Promise.all(
    sending.product.users.map(async (user, client) => {
      const { key } = await enableUser(sending, url, user);
      keys.push(key);
      if (client === 0) {
        receivingKey = key.apiKey;
        await receiveEvents(createPartner(url, key));
      }
      const user_ = user.address.toLowerCase() as Hex;
      users.set(key.apiKey, user_);
      return Array.from({ length: SENDS_EACH }, (_, index) => ({
        partner: (at: string) => createPartner(at, key),
        user: user_,
        idempotencyKey: `${client}-${index}`,
        body: marketBuy(sending, `${5 + index}.${String(client).padStart(2, "0")}`),
      }));
    }),
  );
}

/** Returns each user's mUSD wad on the chain: available, and locked by orders. */
async function balances(): Promise<Record<string, { available: bigint; locked: bigint }>> {
  const { client, deployment } = stack.product;
  const read = (functionName: "balanceWad" | "lockedWad", user: Hex) =>
    client.readContract({ address: deployment.cashier, abi: cashierAbi, functionName, args: [user] });
  const entries = [...users.values()].map(async (user) => {
    const [available, locked] = await Promise.all([
      read("balanceWad", user as Hex),
      read("lockedWad", user as Hex),
    ]);
    return [user, { available, locked }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Expects `count` orders on the chain, and contiguous nonces of the wallets: one per order, and one per client's delegation. */
async function expectPlacedOnce(count: number) {
  const orders = await placedOrders(stack.product);
  expect({ ordersOnChain: orders.length }).toEqual({ ordersOnChain: count });
  const mined = await Promise.all(stack.sending.wallets.map((wallet) => minedFrom(stack.chain, wallet)));
  for (const list of mined) expect(list.map(({ nonce }) => nonce)).toEqual(list.map((_, index) => index));
  expect({ transactionsOnChain: mined.flat().length }).toEqual({ transactionsOnChain: count + CLIENTS });
  return orders;
}

function allFinal(): Promise<true> {
  return until(
    "all are final",
    async (): Promise<true> => {
      const { rows } = await stack.pool.query(
        `SELECT r.state, w.state AS wallet, w.state_reason, count(*)::int AS n FROM app.send_request r
         JOIN app.delegatee_wallet w ON w.address = r.wallet WHERE r.state <> 'final' GROUP BY 1, 2, 3`,
      );
      if (rows.length > 0) throw new NotYetError(JSON.stringify(rows));
      return true;
    },
    180_000,
  );
}

// A storm takes minutes: where the second one can run, it covers both, except in the long run.
if (LONG || !PARTS.pgbouncer.isPresent()) describe("a storm on one database", () => storm());

describeWhere("pgbouncer", "a storm, half of it through PgBouncer pooling transactions", () =>
  storm({ pooled: ["api-2", "worker-2", "deliverer-2"] }),
);

/** @param options.pooled names of the programs that PgBouncer stands in front of */
function storm({ pooled = [] }: { pooled?: string[] } = {}): void {
  let pooler: PgBouncer | null = null;
  beforeAll(async () => {
    running.clear();
    users.clear();
    keys.length = 0;
    delivered.length = 0;
    receiver = await startReceiver();
    environments.clear();
    history = recordHistory();
    stack = await startStack({
      users: CLIENTS,
      wallets: 2,
      blockTimeSeconds: 1,
      env: { ...LOOPBACK, ...UNLIMITED },
    });
    pooler = pooled.length > 0 ? await startPgBouncer(stack.databaseUrl) : null;
    for (const name of pooled) environments.set(name, throughPooler(present(pooler, "PgBouncer")));
    await Promise.all(NAMES.map(start));
    const apis = NAMES.filter((name) => name.startsWith("api"));
    await Promise.all(apis.map((name) => untilReady(present(running.get(name), name).url)));
  });
  afterAll(async () => {
    await stack?.close();
    await pooler?.stop();
    await receiver?.close();
  });

  it(`puts every order on the chain once, whatever dies, and every client learns so by repeating its call (seed ${SEED})`, async () => {
    process.stdout.write(`storm: STORM_SEED=${SEED}\n`);
    const clients = await prepareCalls();
    const before = await balances();
    const endMs = Date.now() + LASTS_MS;
    let answered = false;
    const over = () => answered || Date.now() > endMs;
    const trouble = Promise.all([...KINDS.map((kind) => kill(kind, over)), cutLines(over)]);
    const roll = random(`${SEED}/clients`);
    const first = await Promise.all(
      clients.map(async (calls) => {
        const answers: [Call, Send][] = [];
        for (const call of calls) answers.push([call, await insist(call, roll)]);
        return answers;
      }),
    ).finally(() => {
      answered = true;
      return trouble;
    });
    await allFinal();

    const orders = await expectPlacedOnce(CLIENTS * SENDS_EACH);
    for (const [call, { requestId }] of first.flat()) {
      const last = await insist(call, roll, ({ mapping }) => present(mapping, "a mapping").orderId !== null);
      expect(last).toMatchObject({ requestId, status: "confirmed", final: true });
    }
    expect(historyFaults(history, { orders, users })).toEqual([]);
    const locked = (user: string) =>
      orders.filter((order) => order.user === user).reduce((sum, { lockedWad }) => sum + lockedWad, 0n);
    const expected = Object.entries(before).map(([user, { available }]) => [
      user,
      { available: available - locked(user), locked: locked(user) },
    ]);
    expect(await balances()).toEqual(Object.fromEntries(expected));
    const { url } = present(running.get("api-1"), "an api");
    // One after the other, because each is read again until it says what its list shows.
    const logs: LoggedEvent[][] = [];
    for (const key of keys) logs.push(await expectLogged(createPartner(url, key)));
    const own = keys.findIndex(({ apiKey }) => apiKey === receivingKey);
    await expectDelivered(present(logs[own], "the log of the key with the webhook"));
  }, 900_000);

  it(`row 1: ${AT_ONCE} signed sends at once, to every api, have contiguous nonces, and each is on the chain once`, async () => {
    const before = (await placedOrders(stack.product)).length;
    const apis = NAMES.filter((name) => name.startsWith("api")).map((name) =>
      present(running.get(name), name),
    );
    const calls = Array.from({ length: AT_ONCE }, (_, index) => {
      const { url } = present(apis[index % apis.length], "an api");
      const partner = createPartner(url, present(keys[index % keys.length], "a key"));
      const body = marketBuy(stack.sending, `6.${100 + index}`);
      return { partner, body, idempotencyKey: `at-once-${index}` };
    });
    // A node that has so much to simulate may not answer in time: such a call is repeated, after a pause that lets the node get on.
    const sendOne = (index: number, enough: (answer: Send) => boolean) => {
      const { partner, body, idempotencyKey } = present(calls[index], "a call");
      const ask = async () => {
        const answer = partner.post<Send>("/orders/send", body, withKey(idempotencyKey));
        const told = await partner.must(answer).catch(async (error: unknown) => {
          await sleep(RETRY_MS + (index % 10) * 100);
          throw error;
        });
        return enough(told) && told;
      };
      return until("an answer", ask, 180_000);
    };
    const first = await Promise.all(calls.map((_, index) => sendOne(index, () => true)));
    expect({ requests: new Set(first.map(({ requestId }) => requestId)).size }).toEqual({
      requests: AT_ONCE,
    });
    await allFinal();
    const last: Send[] = [];
    for (const index of calls.keys())
      last.push(await sendOne(index, ({ mapping }) => present(mapping, "a mapping").orderId !== null));
    expect(last.map(({ requestId }) => requestId)).toEqual(first.map(({ requestId }) => requestId));
    const orders = await expectPlacedOnce(before + AT_ONCE);
    const sizes = (notionals: string[]) => notionals.map(Number).sort();
    const placed = orders.slice(before).map(({ notional }) => notional);
    expect(sizes(placed)).toEqual(sizes(calls.map(({ body }) => body.notional)));
    expect(historyFaults(history, { orders, users })).toEqual([]);
  }, 600_000);
}
