import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { formatEther, type Hex, parseEther, parseEventLogs } from "viem";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { describeWhere } from "../support/describe-where.ts";
import { LONG } from "../support/long.ts";
import { createPartner, type Partner } from "../support/partner.ts";
import { allLogs } from "../support/product.ts";
import type { Fault } from "../support/rpc-proxy.ts";
import { minedFrom } from "../support/sender-rig.ts";
import { enableUser, marketBuy, type SendAnswer, withKey } from "../support/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/stack.ts";
import { NotYetError, present, until, whenReachable } from "../support/until.ts";

/**
 * FAULTS 2 and 3 together, and the promise itself: two apis and two workers on one database, orders sent by clients
 * who repeat what was not answered, while programs are killed at random instants and the node's line is cut.
 * FAULTS 26: the same, shorter, with PgBouncer in between, on machines that have it.
 */
interface Storm {
  pooled: boolean;
  clients: number;
  sendsEach: number;
  lastsMs: number;
}
/** As large as given in the long run; else with fewer orders, sent while as many programs are killed, three of a kind. */
const sized = (clients: number, sendsEach: number, lastsMs: number) =>
  LONG
    ? { clients, sendsEach, lastsMs }
    : { clients: clients / 2, sendsEach: Math.ceil(sendsEach / 2), lastsMs: lastsMs / 2 };
/** Printed, so that the same storm can be had again. */
const SEED = Number(process.env.STORM_SEED ?? Date.now() % 1_000_000);
const NAMES = ["worker-1", "worker-2", "api-1", "api-2"];

let stack: Stack;
const running = new Map<string, Started>();
/** Answers that nobody should get: their call could not succeed later, either. */
const refused: unknown[] = [];

async function start(name: string): Promise<void> {
  running.set(name, await (name.startsWith("worker") ? stack.startWorker() : stack.startApi()));
}

async function restart(name: string): Promise<void> {
  const before = running.get(name);
  running.delete(name);
  before?.program.kill("SIGKILL");
  await before?.program.exited;
  await start(name);
}

/** Numbers from 0 up to 1 that a seed decides. */
function dice(seed: string): () => number {
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

/** Kills one program of a kind after the other, three at least. */
async function kill(kind: "worker" | "api", over: () => boolean): Promise<void> {
  const roll = dice(`${SEED}/${kind}`);
  const names = NAMES.filter((name) => name.startsWith(kind));
  for (let kills = 0; kills < 3 || !over(); kills++) {
    await sleep(roll() * 2_000);
    await restart(present(names[Math.floor(roll() * names.length)], "a name"));
  }
}

/** Loses some of what is said to the node, and now and then all of it. */
async function cutLines(over: () => boolean): Promise<void> {
  const roll = dice(`${SEED}/storm`);
  while (!over()) {
    stack.proxy.rule = roll() < 0.3 ? () => "lose-request" : breeze(roll);
    await sleep(300 + roll() * 2_000);
  }
  stack.proxy.rule = null;
}

interface Call {
  partner: (url: string) => Partner;
  user: Hex;
  idempotencyKey: string;
  body: ReturnType<typeof marketBuy>;
}

/** Repeats a call on either api until somebody answers it; what is not told to be repeated counts as refused. */
function insist(call: Call, roll: () => number, enough: (answer: SendAnswer) => boolean = () => true) {
  return until(
    `an answer to ${call.user} for ${call.body.notional}, seed ${SEED}`,
    async () => {
      const apis = [...running].filter(([name]) => name.startsWith("api"));
      const [, api] = apis[Math.floor(roll() * apis.length)] ?? [];
      if (!api) return undefined;
      const { body } = await whenReachable(
        call.partner(api.url).post<SendAnswer>("/orders/send", call.body, withKey(call.idempotencyKey)),
      );
      if (body.code === 200) return enough(body.data) && body.data;
      if (!body.retryable) refused.push(body);
      throw new NotYetError(JSON.stringify(body));
    },
    120_000,
  );
}

/** Each client's orders, all of other sizes. */
async function prepareCalls(sendsEach: number): Promise<Call[][]> {
  const { sending } = stack;
  const url = present(running.get("api-1"), "an api").url;
  return Promise.all(
    sending.product.users.map(async (user, client) => {
      const { key } = await enableUser(sending, url, user);
      const user_ = user.address.toLowerCase() as Hex;
      return Array.from({ length: sendsEach }, (_, index) => ({
        partner: (at: string) => createPartner(at, key),
        user: user_,
        idempotencyKey: `${client}-${index}`,
        body: marketBuy(sending, `${5 + index}.${String(client).padStart(2, "0")}`),
      }));
    }),
  );
}

const idOf = (user: Hex, notional: bigint) => `${user} ${formatEther(notional)}`;

/** Every order on the chain, by user and notional, each once. */
async function ordersOnChain(): Promise<Map<string, { txHash: Hex; orderId: Hex }>> {
  const placed = parseEventLogs({
    abi: stockAbi,
    eventName: "MarketOrderPlaced",
    logs: await allLogs(stack.product),
  });
  const found = new Map(
    placed.map(({ args, transactionHash }) => [
      idOf(args.user.toLowerCase() as Hex, args.amount),
      { txHash: transactionHash, orderId: args.orderId },
    ]),
  );
  expect(placed).toHaveLength(found.size);
  return found;
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

describe("a storm on one database", () => storm({ pooled: false, ...sized(20, 25, 30_000) }));

describeWhere("pgbouncer", "a storm through PgBouncer pooling transactions", () =>
  storm({ pooled: true, ...sized(10, 20, 15_000) }),
);

function storm({ pooled, clients: users, sendsEach, lastsMs }: Storm): void {
  beforeAll(async () => {
    running.clear();
    refused.length = 0;
    stack = await startStack({ users, wallets: 2, blockTimeSeconds: 1, pooled });
    await Promise.all(NAMES.map(start));
    const apis = NAMES.filter((name) => name.startsWith("api"));
    await Promise.all(apis.map((name) => untilReady(present(running.get(name), name).url)));
  });
  afterAll(() => stack?.close());

  it(`puts every order on the chain once, whatever dies, and every client learns so by repeating its call (seed ${SEED})`, async () => {
    process.stdout.write(`storm: STORM_SEED=${SEED}\n`);
    const clients = await prepareCalls(sendsEach);
    const endMs = Date.now() + lastsMs;
    let answered = false;
    const over = () => answered || Date.now() > endMs;
    const trouble = Promise.all([kill("worker", over), kill("api", over), cutLines(over)]);
    const roll = dice(`${SEED}/clients`);
    const first = await Promise.all(
      clients.map(async (calls) => {
        const answers: [Call, SendAnswer][] = [];
        for (const call of calls) answers.push([call, await insist(call, roll)]);
        return answers;
      }),
    ).finally(() => {
      answered = true;
      return trouble;
    });
    await allFinal();

    expect(refused).toEqual([]);
    const orders = await ordersOnChain();
    expect(orders.size).toBe(users * sendsEach);
    const mined = await Promise.all(stack.sending.wallets.map((wallet) => minedFrom(stack.chain, wallet)));
    for (const list of mined) expect(list.map(({ nonce }) => nonce)).toEqual(list.map((_, index) => index));
    // Beside the orders, each client's delegation.
    expect(mined.flat()).toHaveLength(users * (sendsEach + 1));
    for (const [call, { requestId }] of first.flat()) {
      const order = present(orders.get(idOf(call.user, parseEther(call.body.notional))), "the order");
      const last = await insist(call, roll, ({ mapping }) => mapping.orderId !== null);
      expect(last).toMatchObject({ requestId, status: "confirmed", final: true, txHash: order.txHash });
      expect(last.mapping.orderId).toBe(order.orderId);
    }
  }, 900_000);
}
