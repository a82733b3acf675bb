import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { type Hex, parseEventLogs } from "viem";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { historyFaults } from "../support/assert/history/check.ts";
import { recordHistory } from "../support/assert/history/record.ts";
import { takenOrders } from "../support/assert/history/sends.ts";
import { present, until } from "../support/assert/until.ts";
import { placedOrders } from "../support/chain/placed-orders.ts";
import { allLogs } from "../support/chain/product.ts";
import type { Send } from "../support/http/answers.ts";
import { startBalancer } from "../support/http/balancer.ts";
import { createPartner, type Partner, type PartnerKey } from "../support/http/partner.ts";
import { enable, enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/**
 * docs/faults.md, rows 3, 20, 21, 27 to 29: several apis that callers repeat themselves to, that die, stop and are
 * replaced.
 */
const CRASHING = "test/support/sender/crashing-api.ts";

let stack: Stack;
let apis: Started[];
let worker: Started;
let key: PartnerKey;
/** The same key on each api. */
let partners: [Partner, Partner];

/** docs/faults.md, row 75: every call of this file, with its answer. */
const history = recordHistory();

beforeAll(async () => {
  stack = await startStack();
  [worker, ...apis] = await Promise.all([stack.startWorker(), stack.startApi(), stack.startApi()]);
  await Promise.all(apis.map(({ url }) => untilReady(url)));
  const [first, second] = apis.map(({ url }) => url);
  const one = await enableUser(
    stack.sending,
    present(first, "an api"),
    present(stack.product.users[0], "a user"),
  );
  key = one.key;
  partners = [one, createPartner(present(second, "an api"), key)];
});
afterAll(() => stack?.close());

const send = (partner: Partner, body: ReturnType<typeof marketBuy>, idempotencyKey: string) =>
  partner.post<Send>("/orders/send", body, withKey(idempotencyKey));

/** What the calls of this size placed on the chain. */
async function ordersOf(notional: bigint): Promise<Hex[]> {
  const logs = await allLogs(stack.product);
  const placed = parseEventLogs({ abi: stockAbi, eventName: "MarketOrderPlaced", logs });
  return placed.filter(({ args }) => args.amount === notional).map(({ args }) => args.orderId);
}
const wad = (notional: string) => BigInt(notional) * 10n ** 18n;

/** Repeats a call until its state is final, while blocks come. */
const finalAnswer = (partner: Partner, body: ReturnType<typeof marketBuy>, idempotencyKey: string) =>
  until("it is final", async () => {
    await stack.chain.mine({ blocks: 1 });
    const { data } = (await send(partner, body, idempotencyKey)).body;
    return data?.final ? data : undefined;
  });

/** Calls until the answer is more than that the order is taken: on a slow machine the api may not wait for as long. */
const submitted = (partner: Partner, body: ReturnType<typeof marketBuy>, idempotencyKey: string) =>
  until("it is submitted", async () => {
    const answer = send(partner, body, idempotencyKey);
    const { status } = await partner.must(answer);
    return status === "submitted" && answer;
  });

it("rows 20 and 21: 50 calls at once with one Idempotency-Key are one transaction and 50 equal answers", async () => {
  await stack.chain.setAutomine(false);
  const body = marketBuy(stack.sending, "20");
  const idempotencyKey = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      submitted(partners[index % 2 === 0 ? 0 : 1], body, idempotencyKey),
    ),
  );
  const [first] = answers;
  for (const { status, body: answer } of answers) {
    expect({ status, code: answer.code, data: answer.data }).toEqual({
      status: 200,
      code: 200,
      data: first?.body.data,
    });
  }
  for (const partner of partners) {
    const other = await send(partner, { ...body, notional: "21" }, idempotencyKey);
    expect(other.body).toMatchObject({ code: 10002, errCode: "IDEMPOTENCY_KEY_REUSED" });
  }
  await stack.chain.setAutomine(true);
  expect(await finalAnswer(partners[0], body, idempotencyKey)).toMatchObject({ status: "confirmed" });
  expect(await ordersOf(wad("20"))).toHaveLength(1);
  expect(await ordersOf(wad("21"))).toHaveLength(0);
});

it("row 29: a recorded request is let in once, by whichever api is asked first", async () => {
  const nonce = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => partners[index % 2 === 0 ? 0 : 1].get("/config", {}, { nonce })),
  );
  expect(answers.filter(({ body }) => body.code === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === 401)).toHaveLength(9);
});

it.each(["submit:before-commit", "submit:after-commit"])(
  "row 3: an api killed at %s: the same call to another one is sent once",
  async (point) => {
    const victim = await stack.startApi({ CRASH_AT: point }, CRASHING);
    await untilReady(victim.url);
    const body = marketBuy(stack.sending, point.includes("before") ? "30" : "31");
    const idempotencyKey = randomUUID();
    await expect(send(createPartner(victim.url, key), body, idempotencyKey)).rejects.toThrow();
    await victim.program.exited;
    const known = await stack.pool.query("SELECT 1 FROM app.send_request WHERE idempotency_key = $1", [
      idempotencyKey,
    ]);
    expect(known.rowCount).toBe(point.includes("before") ? 0 : 1);
    expect(await finalAnswer(partners[0], body, idempotencyKey)).toMatchObject({ status: "confirmed" });
    expect(await ordersOf(wad(body.notional))).toHaveLength(1);
  },
);

it("disable blocks /send at once on every api, also what is queued already", async () => {
  worker.program.kill("SIGKILL");
  await worker.program.exited;
  const body = marketBuy(stack.sending, "40");
  const queued = [randomUUID(), randomUUID(), randomUUID()];
  const answers = await Promise.all(queued.map((idempotencyKey) => send(partners[0], body, idempotencyKey)));
  for (const answer of answers) expect(answer.body.data).toMatchObject({ status: "accepted", txHash: null });
  const disabled = partners[0].post("/1ct/disable", {});
  expect(await partners[0].must(disabled)).toMatchObject({ status: "disabled" });
  for (const partner of partners) {
    expect((await send(partner, body, randomUUID())).body).toMatchObject({
      errCode: "DELEGATION_NOT_ENABLED",
    });
  }
  worker = await stack.startWorker();
  for (const idempotencyKey of queued) {
    const { body: answer } = await send(partners[1], body, idempotencyKey);
    expect(answer.data).toMatchObject({
      status: "failed",
      final: true,
      txHash: null,
      errCode: "DELEGATION_NOT_ENABLED",
    });
  }
  await until("the delegation has ended on the chain", async () => {
    const { rows } = await stack.pool.query(
      "SELECT state FROM app.send_request WHERE operation = '1ct/disable' AND state IN ('mined', 'final')",
    );
    return rows.length === 1 ? true : undefined;
  });
  expect(await ordersOf(wad("40"))).toEqual([]);
  const user = present(stack.product.users[0], "a user");
  expect((await enable(partners[0], user.address, user)).body.data).toMatchObject({ status: "enable" });
  expect((await send(partners[1], body, randomUUID())).body.code).toBe(200);
});

const loads: Load[] = [];
afterEach(() => Promise.all(loads.splice(0).map((load) => load.stop())));

interface Load {
  /** What was answered, by HTTP status. */
  statuses: Map<number, number>;
  /** Why requests got no answer. */
  failures: string[];
  stop(): Promise<void>;
}

/**
 * So many callers who ask again once they are answered; one who is asked to close the connection leaves.
 * @param pauseMs between an answer and the next call, so that what starts meanwhile has the processor too
 */
function startLoad(url: string, callers: number, pauseMs = 0): Load {
  const load: Load = { statuses: new Map(), failures: [], stop };
  const partner = createPartner(url, key);
  let stopped = false;
  async function call(): Promise<void> {
    while (!stopped) {
      try {
        const { status, headers } = await partner.get("/orders", { limit: 1 });
        load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1);
        if (headers.get("connection") === "close") return;
        if (pauseMs > 0) await sleep(pauseMs);
      } catch (error) {
        load.failures.push(inspect(error));
      }
    }
  }
  const running = Promise.all(Array.from({ length: callers }, call));
  loads.push(load);
  async function stop(): Promise<void> {
    stopped = true;
    await running;
  }
  return load;
}

const answered = (load: Load, count: number) =>
  until(`${count} answers`, () => ((load.statuses.get(200) ?? 0) >= count ? true : undefined));

it("row 27: SIGTERM under load: not ready at once, and no request that was taken is dropped", async () => {
  const victim = await stack.startApi();
  await untilReady(victim.url);
  const load = startLoad(victim.url, 20);
  await answered(load, 100);
  const body = marketBuy(stack.sending, "50");
  const idempotencyKey = randomUUID();
  const sent = send(createPartner(victim.url, key), body, idempotencyKey);
  victim.program.kill("SIGTERM");
  await until("it is not ready any more", async () => {
    const response = await fetch(`${victim.url}/readyz`).catch(() => null);
    return response?.status === 200 ? undefined : true;
  });
  expect(await victim.program.exited).toBe(0);
  await load.stop();
  expect(load.failures).toEqual([]);
  expect([...load.statuses.keys()]).toEqual([200]);
  expect((await sent).body.code).toBe(200);
  expect(await finalAnswer(partners[0], body, idempotencyKey)).toMatchObject({ status: "confirmed" });
});

it("row 28: a rolling restart behind a balancer shows callers no failure", async () => {
  const balancer = await startBalancer();
  try {
    const old = await Promise.all([stack.startApi(), stack.startApi()]);
    for (const { url } of old) balancer.backends.add(url);
    await untilReady(balancer.url);
    await Promise.all(old.map(({ url }) => untilReady(url)));
    const load = startLoad(balancer.url, 4, 25);
    for (const leaving of old) {
      await answered(load, (load.statuses.get(200) ?? 0) + 50);
      const next = await stack.startApi();
      await untilReady(next.url);
      balancer.backends.add(next.url);
      leaving.program.kill("SIGTERM");
      expect(await leaving.program.exited).toBe(0);
      balancer.backends.delete(leaving.url);
    }
    await answered(load, (load.statuses.get(200) ?? 0) + 50);
    await load.stop();
    expect(load.failures).toEqual([]);
    expect([...load.statuses.keys()]).toEqual([200]);
  } finally {
    await balancer.close();
  }
}, 240_000);

it("row 75: one order of events explains every answer of all this, together with the chain", async () => {
  for (const { body, idempotencyKey } of takenOrders(history))
    await finalAnswer(partners[0], body as ReturnType<typeof marketBuy>, idempotencyKey);
  const user = present(stack.product.users[0], "a user").address.toLowerCase();
  const orders = await placedOrders(stack.product);
  expect(orders.length).toBeGreaterThan(0);
  expect(historyFaults(history, { orders, users: new Map([[key.apiKey, user]]) })).toEqual([]);
});
