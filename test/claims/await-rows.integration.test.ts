import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { recordTransaction } from "../../src/claims/record.ts";
import { CHANNELS, listen } from "../../src/db/notifications.ts";
import { findOrder, findOrderByTransaction } from "../../src/orders/find.ts";
import { start as startWorker } from "../../src/worker.ts";
import { useLog } from "../events/log-fixture.ts";
import { orderOf, publisher, TX } from "../events/rows-fixture.ts";
import { hex } from "../support/assert/sample.ts";
import { present, until } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { CHAIN_ID } from "../support/db/random-chain.ts";
import type { OrderList } from "../support/http/answers.ts";
import { makeEnv, PRODUCT, startTestApi } from "../support/http/api.ts";
import { createPartner } from "../support/http/partner.ts";
import { listOrders } from "../support/http/verbs.ts";

// After a caller records an indexed transaction, their next request returns its order (docs/projection.md#reads).

const { features, onchain, deps, callers, write } = await useLog();
const { pool } = features.deps;
const caller = present(callers[0], "a caller");
const publish = publisher(onchain);
/** The test ends in time only where nothing is waited for. */
const LONG_MS = 600_000;

const asked: (string | null)[] = [];
/** Answers to what is asked for, as a worker does. */
let onAsked: () => Promise<void>;
const notifications = listen(features.databaseUrl, CHANNELS.due, deps.log);
notifications.subscribe((payload) => {
  asked.push(payload);
  if (payload === String(CHAIN_ID)) void onAsked();
});
afterAll(() => notifications.close());

/** Notifications come in their order: what was sent before this one has come. */
async function allAsked(): Promise<(string | null)[]> {
  await until("the end", async () => {
    await pool.query("SELECT pg_notify($1, 'end')", [CHANNELS.due]);
    return asked.includes("end");
  });
  return asked.filter((payload) => payload !== "end" && payload !== null);
}

// It listens before anything is asked.
beforeAll(async () => {
  await allAsked();
});

beforeEach(async () => {
  onAsked = async () => undefined;
  await publish(20n, { stockOrder: [orderOf(0, 11n)] });
  await write();
  asked.length = 0;
});

const record = (rowsWaitMs: number, txHash = TX) =>
  recordTransaction({ ...deps, rowsWaitMs }, caller, "trade", { txHash });
const statusByTransaction = async () =>
  (await findOrderByTransaction(deps, caller, TX))?.data.order.status ?? null;

describe("the record of an indexed transaction", () => {
  beforeEach(() => createClaim(pool, caller, { txHash: TX }));

  it("is answered when its order is in every list and look-up", async () => {
    onAsked = write;
    expect(await statusByTransaction()).toBe("Init");
    const { block, data } = await record(LONG_MS);
    expect(block).not.toBe(null);
    const orderId = present(orderOf(0, 11n).orderId, "an id");
    const list = await listOrders(deps, caller, {});
    expect(list.data.rows).toMatchObject([
      { orderId, status: "New", mapping: { mappingId: data.mappingId } },
    ]);
    expect(await statusByTransaction()).toBe("New");
    expect((await findOrder(deps, caller, orderId))?.data.order).toEqual(list.data.rows[0]);
    expect(await allAsked()).toEqual([String(CHAIN_ID)]);
  });

  it("is answered at once where its order is there", async () => {
    await write();
    await record(LONG_MS);
    expect(await allAsked()).toEqual([]);
  });

  it("is answered at once where its rows wait for the name of a token", async () => {
    await pool.query("UPDATE app.event_due SET waits_for = '0x1'");
    await record(LONG_MS);
    expect(await allAsked()).toEqual([]);
  });

  it("waits for the rows of its own claim alone", async () => {
    await write();
    await createClaim(pool, caller, { txHash: hex(32, 0x9009) });
    await record(LONG_MS);
    expect(await allAsked()).toEqual([]);
  });

  it("is answered all the same where no worker runs, and its order is there after the next step", async () => {
    expect((await record(100)).data).toMatchObject({ txHash: TX });
    expect(await statusByTransaction()).toBe("Init");
    await write();
    expect(await statusByTransaction()).toBe("New");
  });

  it("waits for nothing where that is turned off", async () => {
    await record(0);
    expect(await allAsked()).toEqual([]);
  });
});

it("the record of a transaction that is not indexed waits for nothing: its claim has written its row", async () => {
  const txHash = hex(32, 0x9009);
  await createClaim(pool, caller, { txHash });
  expect((await record(LONG_MS, txHash)).block).toBe(null);
  expect(await allAsked()).toEqual([]);
  expect((await findOrderByTransaction(deps, caller, txHash))?.data.order.status).toBe("Init");
});

describe("a worker that runs", () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  });

  it("writes what is recorded when it is asked to, and not a second later", async () => {
    const database = await createDatabase();
    stops.push(() => database.drop());
    const env = makeEnv(database.url, "http://127.0.0.1:1", {
      RATE_LIMIT_READS: "0",
      RATE_LIMIT_WRITES: "0",
    });
    stops.push(() => env.dispose());
    const index = await createOnchain(env.pool);
    const orders = Array.from({ length: RECORDS }, (_, n) => ({ ...orderOf(n, 11n), productType: PRODUCT }));
    await publisher(index)(20n, { stockOrder: orders });
    const worker = await startWorker(env.env, { logTo: { write: () => undefined } });
    stops.push(worker.stop);
    const api = await startTestApi(env.env);
    stops.push(api.stop);
    const key = await env.makeKey();
    const partner = createPartner(api.url, key);
    await until("the rows are complete", async () => (await partner.get("/orders")).status === 200);
    const startedMs = performance.now();
    for (const { orderId, txHash = "" } of orders) {
      await createClaim(env.pool, key, { txHash });
      await partner.must(partner.post("/orders/tx", { txHash }));
      const { rows } = await partner.must(partner.get<OrderList>("/orders", { limit: "1" }));
      expect(rows).toMatchObject([{ orderId, status: "New" }]);
      expect({ orderId, body: (await partner.get(`/orders/${orderId}`)).body }).toMatchObject({
        orderId,
        body: { data: rows[0] },
      });
    }
    // Each would wait for the next round of the worker, a second later.
    expect(performance.now() - startedMs).toBeLessThan(RECORDS * 500);
  });
});
const RECORDS = 20;
