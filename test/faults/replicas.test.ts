import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { type Hex, parseEventLogs } from "viem";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { CHANNELS, listen, type NotificationStream } from "../../src/db/notifications.ts";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { historyFaults } from "../support/assert/history/check.ts";
import { recordHistory } from "../support/assert/history/record.ts";
import { takenOrders } from "../support/assert/history/sends.ts";
import { LONG } from "../support/assert/long.ts";
import { present, until } from "../support/assert/until.ts";
import { placedOrders } from "../support/chain/placed-orders.ts";
import { allLogs, send } from "../support/chain/product.ts";
import type { Send } from "../support/http/answers.ts";
import { DASHBOARD_TOKEN } from "../support/http/api.ts";
import { startBalancer } from "../support/http/balancer.ts";
import { newPage, startBrowser } from "../support/http/browser.ts";
import { openStream } from "../support/http/event-stream.ts";
import { createPartner, type Partner, type PartnerKey } from "../support/http/partner.ts";
import { answered, type ReadLoad, startReadLoad } from "../support/http/read-load.ts";
import { expireLeases } from "../support/sender/expire-leases.ts";
import { finalAnswers } from "../support/sender/final-answers.ts";
import { enable, enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/**
 * docs/faults.md, rows 3, 20, 21, 27 to 29: several apis that callers repeat themselves to, that die, stop and are
 * replaced. Row 77: the worker that reads a chain's changes dies. Row 124: a dashboard, while an api dies.
 */
const CRASHING = "test/support/sender/crashing-api.ts";

let stack: Stack;
let apis: Started[];
let worker: Started;
let key: PartnerKey;
/** Clients of one key, one for each api. */
let partners: [Partner, Partner];

/** docs/faults.md, row 75: every call of this file, with its answer. */
const history = recordHistory();

beforeAll(async () => {
  stack = await startStack();
  [worker, ...apis] = await Promise.all([stack.startWorker(), stack.startApi(), stack.startApi()]);
  await Promise.all(apis.map(({ url }) => untilReady(url)));
  const { url } = present(apis[0], "an api");
  ({ key } = await enableUser(stack.sending, url, present(stack.product.users[0], "a user")));
  partners = partnersOf(apis);
});
afterAll(() => stack?.close());

const partnersOf = (served: readonly Started[]) =>
  served.map(({ url }) => createPartner(url, key)) as [Partner, Partner];

const sendOrder = (partner: Partner, body: ReturnType<typeof marketBuy>, idempotencyKey: string) =>
  partner.post<Send>("/orders/send", body, withKey(idempotencyKey));

/** Returns the orders on the chain of this size. */
async function ordersOf(notional: bigint): Promise<Hex[]> {
  const logs = await allLogs(stack.product);
  const placed = parseEventLogs({ abi: stockAbi, eventName: "MarketOrderPlaced", logs });
  return placed.filter(({ args }) => args.amount === notional).map(({ args }) => args.orderId);
}
const wad = (notional: string) => BigInt(notional) * 10n ** 18n;

const finalAnswer = async (partner: Partner, body: ReturnType<typeof marketBuy>, idempotencyKey: string) =>
  present((await finalAnswers(stack.chain, partner, [{ body, idempotencyKey }]))[0], "an answer");

/** Calls until the answer is more than that the order is taken: on a slow machine the api may not wait for as long. */
const submitted = (partner: Partner, body: ReturnType<typeof marketBuy>, idempotencyKey: string) =>
  until("it is submitted", async () => {
    const answer = sendOrder(partner, body, idempotencyKey);
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
    const other = await sendOrder(partner, { ...body, notional: "21" }, idempotencyKey);
    expect(other.body).toMatchObject({ code: 10002, errCode: "IDEMPOTENCY_KEY_REUSED" });
  }
  await stack.chain.setAutomine(true);
  expect(await finalAnswer(partners[0], body, idempotencyKey)).toMatchObject({ status: "confirmed" });
  expect({ of20: await ordersOf(wad("20")), of21: await ordersOf(wad("21")) }).toEqual({
    of20: [expect.anything()],
    of21: [],
  });
});

it("row 29: a recorded request is let in once, by whichever api is asked first", async () => {
  const nonce = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => partners[index % 2 === 0 ? 0 : 1].get("/config", {}, { nonce })),
  );
  expect(answers.map(({ body }) => body.code).sort()).toEqual([200, ...Array(9).fill(401)]);
});

it.each(["submit:before-commit", "submit:after-commit"])(
  "row 3: an api killed at %s: the same call to another one is sent once",
  async (point) => {
    const victim = await stack.startApi({ CRASH_AT: point }, CRASHING);
    await untilReady(victim.url);
    const body = marketBuy(stack.sending, point.includes("before") ? "30" : "31");
    const idempotencyKey = randomUUID();
    await expect(sendOrder(createPartner(victim.url, key), body, idempotencyKey)).rejects.toThrow();
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
  const answers = await Promise.all(
    queued.map((idempotencyKey) => sendOrder(partners[0], body, idempotencyKey)),
  );
  for (const answer of answers) expect(answer.body.data).toMatchObject({ status: "accepted", txHash: null });
  const disabled = partners[0].post("/1ct/disable", {});
  expect(await partners[0].must(disabled)).toMatchObject({ status: "disabled" });
  for (const partner of partners) {
    expect((await sendOrder(partner, body, randomUUID())).body).toMatchObject({
      errCode: "DELEGATION_NOT_ENABLED",
    });
  }
  await expireLeases(stack.pool);
  worker = await stack.startWorker();
  for (const idempotencyKey of queued) {
    const { body: answer } = await sendOrder(partners[1], body, idempotencyKey);
    expect({ idempotencyKey, data: answer.data }).toMatchObject({
      idempotencyKey,
      data: {
        status: "failed",
        final: true,
        txHash: null,
        errCode: "DELEGATION_NOT_ENABLED",
      },
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
  expect((await sendOrder(partners[1], body, randomUUID())).body).toMatchObject({ code: 200, errMsg: "" });
});

const loads: ReadLoad[] = [];
afterEach(() => Promise.all(loads.splice(0).map((load) => load.stop())));

function startLoad(url: string, callers: number): ReadLoad {
  const load = startReadLoad(createPartner(url, key), callers);
  loads.push(load);
  return load;
}

it("row 28: a rolling restart behind a balancer shows callers no failure", async () => {
  const balancer = await startBalancer();
  try {
    for (const { url } of apis) balancer.backends.add(url);
    await untilReady(balancer.url);
    const load = startLoad(balancer.url, 4);
    for (const [index, leaving] of apis.entries()) {
      await answered(load, load.answered + 50);
      const next = await stack.startApi();
      await untilReady(next.url);
      balancer.backends.add(next.url);
      leaving.program.kill("SIGTERM");
      expect({ index, exitCode: await leaving.program.exited }).toEqual({ index, exitCode: 0 });
      balancer.backends.delete(leaving.url);
      apis[index] = next;
    }
    await answered(load, load.answered + 50);
    await load.stop();
    const { failures, refusals, unreached } = load;
    expect({ failures, refusals, unreached }).toEqual({ failures: [], refusals: [], unreached: 0 });
  } finally {
    await balancer.close();
  }
  partners = partnersOf(apis);
}, 240_000);

it("row 27: SIGTERM under load: not ready at once, and no request that was taken is dropped", async () => {
  const victim = present(apis[1], "an api that nobody needs any more");
  const load = startLoad(victim.url, 20);
  await answered(load, 100);
  const body = marketBuy(stack.sending, "50");
  const idempotencyKey = randomUUID();
  const sent = sendOrder(createPartner(victim.url, key), body, idempotencyKey);
  victim.program.kill("SIGTERM");
  await until("it is not ready any more", async () => {
    const response = await fetch(`${victim.url}/readyz`).catch(() => null);
    return response?.status === 200 ? undefined : true;
  });
  expect({ victimExitCode: await victim.program.exited }).toEqual({ victimExitCode: 0 });
  await load.stop();
  // A caller that the machine keeps from running for a second calls after the end, and is not taken.
  const { failures, refusals, left, unreached } = load;
  expect({ failures, refusals, left, unreached, isAnyLeft: left > 0 }).toEqual({
    failures: [],
    refusals: [],
    left,
    unreached: 20 - left,
    isAnyLeft: true,
  });
  expect((await sent).body).toMatchObject({ code: 200, errMsg: "" });
  expect(await finalAnswer(partners[0], body, idempotencyKey)).toMatchObject({ status: "confirmed" });
});

if (LONG)
  it("row 124: an api is killed: what the dashboard shows of its streams goes, and of others stays", async () => {
    const operatorPort = String(await freePort());
    const [watching, victim] = await Promise.all([
      stack.startApi({ OPERATOR_PORT: operatorPort }),
      stack.startApi(),
    ]);
    await Promise.all([watching, victim].map(({ url }) => untilReady(url)));
    const types = ["order.filled", "order.placed"];
    const streams = await Promise.all(
      [watching, victim].map(({ url }, index) =>
        openStream(url, key, { query: { types: present(types[index], "a type") } }),
      ),
    );
    const browser = await startBrowser();
    try {
      const { page, problems } = await newPage(browser);
      const { rows } = await stack.pool.query("SELECT key_id FROM app.api_key WHERE api_key = $1", [
        key.apiKey,
      ]);
      await page.goto(`http://127.0.0.1:${operatorPort}/dashboard`);
      await page.getByLabel("Dashboard token").fill(DASHBOARD_TOKEN);
      await page.keyboard.press("Enter");
      const go = async (view: string, title: string) => {
        await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
        await page.getByRole("heading", { name: title, exact: true }).waitFor();
      };
      /** Opens the key's page anew: by itself, it reads every half a minute. */
      const shows = (expected: readonly string[]) =>
        eventuallyEquals(async () => {
          await go("#/keys", "Keys");
          await go(`#/key/${rows[0]?.key_id}`, "Open streams");
          // Until the page is read again, it shows what the last visit read.
          await page.getByText("Loading…").first().waitFor({ state: "detached" });
          const filters = page.locator(
            'section[aria-label="Open streams"] td[data-title="Types or symbols"]',
          );
          return (await filters.allTextContents()).sort();
        }, expected);
      await shows(types);
      victim.program.kill("SIGKILL");
      await shows(types.slice(0, 1));
      streams[0]?.cut();
      await shows([]);
      expect(await page.getByText("No stream is open.").count()).toBe(1);
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      for (const stream of streams) stream.cut();
    }
    watching.program.kill("SIGTERM");
    await watching.program.exited;
  }, 240_000);

it("row 75: one order of events explains every answer of all this, together with the chain", async () => {
  await finalAnswers(stack.chain, partners[0], takenOrders(history));
  const user = present(stack.product.users[0], "a user").address.toLowerCase();
  const orders = await placedOrders(stack.product);
  expect(orders.length).toBeGreaterThan(0);
  expect(historyFaults(history, { orders, users: new Map([[key.apiKey, user]]) })).toEqual([]);
});

describe("row 77: what follows from a chain's changes", () => {
  let notifications: NotificationStream;
  let notified = 0;
  beforeAll(() => {
    notifications = listen(stack.databaseUrl, CHANNELS.index, pino({ level: "silent" }));
    notifications.subscribe(() => {
      notified += 1;
    });
  });
  afterAll(() => notifications.close());

  /** Places an order with the calldata of the api, whose suffix names the key, and waits until it is attributed. */
  async function placeAttributed(notional: string): Promise<void> {
    const user = present(stack.product.users[0], "a user");
    const { client, deployment } = stack.product;
    const order = { ...marketBuy(stack.sending, notional), userAddress: user.address };
    const { callData } = await partners[0].must(
      partners[0].post<{ callData: Hex }>("/orders/calldata", order),
    );
    const { transactionHash } = await send(client, user, deployment.stockRouter, callData);
    const query = "SELECT FROM app.transaction_claim WHERE source = 'attributed' AND tx_hash = $1";
    const isAttributed = async () => (await stack.pool.query(query, [transactionHash])).rowCount === 1;
    await until("the order is attributed", isAttributed);
  }

  const readLease = async () => {
    const { rows } = await stack.pool.query("SELECT lease_owner, lease_epoch FROM app.change_reader");
    return { owner: rows[0]?.lease_owner, epoch: Number(rows[0]?.lease_epoch) };
  };

  it("is done by one worker, and by another when it is killed", async () => {
    await placeAttributed("61");
    const held = await readLease();
    const second = await stack.startWorker();
    await placeAttributed("62");
    expect(await readLease()).toEqual(held);
    worker.program.kill("SIGKILL");
    await worker.program.exited;
    await expireLeases(stack.pool);
    await placeAttributed("63");
    expect(await readLease()).toMatchObject({ epoch: held.epoch + 1 });
    second.program.kill("SIGTERM");
    await second.program.exited;
    expect(await readLease()).toEqual({ owner: null, epoch: held.epoch + 1 });
  });

  it("is announced by Ponder with each block that it commits", async () => {
    const seen = notified;
    for (let count = 1; count <= 5; count++) {
      await stack.chain.mine({ blocks: 1 });
      await until("the block is notified", () => notified >= seen + count);
    }
  });
});
