import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { encodeEventCursor } from "../../src/context/input/event-cursor.ts";
import { createReplicaState } from "../../src/db/replica-state.ts";
import { replicaChecks } from "../../src/http/readiness.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { hex } from "../support/assert/sample.ts";
import { until } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { openPool } from "../support/db/pool.ts";
import {
  ORDER,
  ORDER_PATH,
  ORDER_TX,
  type ReadingApi,
  type Replicated,
  startReplicated,
  stateOf,
  stopAll,
  untilServed,
} from "../support/db/replicated.ts";
import type { Standby } from "../support/db/standby.ts";
import { CHAIN_ID, PRODUCT } from "../support/http/api.ts";
import type { PartnerKey } from "../support/http/partner.ts";

// Reads from a real streaming standby: whatever it lacks, no answer shows (docs/decisions/2026-11-23-read-replicas.md).

let cluster: Replicated;
let standby: Standby;
/** Reads from the primary alone. */
let reader: ReadingApi;
let api: ReadingApi;
/** Keeps answers. */
let keeping: ReadingApi;
let key: PartnerKey & { keyId: string };
let other: PartnerKey & { keyId: string };

beforeAll(async () => {
  cluster = await startReplicated(1);
  [standby] = cluster.standbys as [Standby];
  [reader, api, keeping] = await Promise.all([
    cluster.startApi([]),
    cluster.startApi([standby]),
    cluster.startApi([standby], { KEPT_ANSWERS_MB: "1" }),
  ]);
  [key, other] = await Promise.all([cluster.makeOwner(), cluster.env.makeKey()]);
  await createClaim(cluster.env.pool, key, { clientOrderId: "mine", source: "send" });
  await cluster.project();
});

afterAll(async () => {
  await stopAll([reader, api, keeping]);
  await cluster?.stop();
});

const untilStandbyServes = (path = ORDER_PATH, by = api): Promise<void> =>
  untilServed(by, standby, key, path);

beforeEach(async () => {
  await cluster.project();
  await untilStandbyServes();
});

const PATHS: Record<string, string> = {
  "/orders/:orderId": ORDER_PATH,
  "/orders/tx/:txHash": `/orders/tx/${ORDER_TX}`,
  "/orders/client/:clientOrderId": "/orders/client/mine",
  "/orders": "/orders",
};
const LISTS = ["/cash/deposits", "/cash/withdrawals", "/stock/deposits", "/stock/withdrawals"];

describe("what a standby may answer", () => {
  it("is what the descriptors say, of which no other exists", () => {
    const said = ENDPOINTS.filter(({ readsRows }) => readsRows).map(({ path }) => path);
    const details = LISTS.map((path) => `${path}/:operationId`);
    expect(said.sort()).toEqual([...Object.keys(PATHS), ...LISTS, ...details].sort());
  });

  it("is the same as the primary's", async () => {
    for (const path of [...Object.values(PATHS), ...LISTS]) {
      await untilStandbyServes(path);
      expect({ path, answer: await api.get(key, path) }).toEqual({
        path,
        answer: await reader.get(key, path),
      });
    }
    // A busy machine may be late to connect; a statement that is not for replicas is a mistake.
    const failures = api.lines.filter((line) => line.includes("a read replica failed"));
    expect(failures.filter((line) => !line.includes("timeout"))).toEqual([]);
  });

  it("is kept by its version, and served from memory while that holds", async () => {
    await untilStandbyServes(ORDER_PATH, keeping);
    const reads = await keeping.reads(standby, "served");
    const kept = await keeping.get(key, ORDER_PATH);
    expect({ status: kept.status, served: await keeping.reads(standby, "served") }).toEqual({
      status: 200,
      served: reads,
    });
    await cluster.publish(2, 21n);
    expect(stateOf(await keeping.get(key, ORDER_PATH))).toBe(2);
  });

  it("is no order of another key", async () => {
    await createClaim(cluster.env.pool, other, { txHash: hex(32, 0x5005) });
    await untilStandbyServes();
    for (const path of [ORDER_PATH, `/orders/tx/${ORDER_TX}`])
      expect({ path, answer: await api.get(other, path) }).toMatchObject({
        path,
        answer: { body: { code: 10001, data: null } },
      });
    expect((await api.get(other, "/orders")).body.data).toMatchObject({ total: 1 });
  });
});

describe("while the standby's replay is paused", () => {
  beforeEach(() => standby.pauseReplay());
  afterEach(() => standby.resumeReplay());

  it("a caller finds what they recorded", async () => {
    const txHash = hex(32, 0x2001);
    await createClaim(cluster.env.pool, key, { txHash });
    const served = await api.reads(standby, "served");
    expect(await api.get(key, `/orders/tx/${txHash}`)).toMatchObject({ status: 200 });
    expect(await api.reads(standby, "served")).toBe(served);
    await standby.resumeReplay();
    await untilStandbyServes(`/orders/tx/${txHash}`);
  });

  it("what it has of a key is served while another key's rows change, which it lacks", async () => {
    const state = stateOf(await reader.get(key, ORDER_PATH));
    const txHash = hex(32, 0x6006);
    await createClaim(cluster.env.pool, other, { txHash });
    await cluster.project();
    const served = await api.reads(standby, "served");
    await until(
      "it serves",
      async () => {
        expect(stateOf(await api.get(key, ORDER_PATH))).toBe(state);
        return (await api.reads(standby, "served")) > served;
      },
      10_000,
    );
    expect(await api.get(other, `/orders/tx/${txHash}`)).toMatchObject({ status: 200 });
  });

  it("an order is shown as the primary has it, also where a block took the place of another", async () => {
    for (const state of [5, 6, 5, 7]) {
      await cluster.publish(state, 30n);
      expect(stateOf(await api.get(key, ORDER_PATH))).toBe(state);
    }
    expect(await api.reads(standby, "behind")).toBeGreaterThan(0);
  });

  it("an order that only the primary has is found", async () => {
    const orderId = hex(32, 0xfff001);
    const txHash = hex(32, 0xfff002);
    await cluster.onchain.insert("stockOrder", { ...ORDER, orderId, txHash });
    await createClaim(cluster.env.pool, key, { txHash });
    await cluster.project();
    expect(await api.get(key, `/orders/${orderId}`)).toMatchObject({ status: 200 });
  });

  it("a block that a caller asks for is waited for at the primary, and shown", async () => {
    await cluster.publish(8, 31n);
    const next = api.get(key, ORDER_PATH, { "x-min-block": "32" });
    await cluster.publish(9, 32n);
    const answer = await next;
    expect({ state: stateOf(answer), block: answer.block }).toEqual({ state: 9, block: 32 });
    await standby.resumeReplay();
    await standby.catchUp();
    await until("the standby serves a request with x-min-block", async () => {
      const before = await api.reads(standby, "served");
      expect((await api.get(key, ORDER_PATH, { "x-min-block": "32" })).block).toBe(32);
      return (await api.reads(standby, "served")) > before;
    });
  });

  it("a list names no place in the log of events that the primary does not have", async () => {
    const { pool } = cluster.env;
    const scope = [other.keyId, CHAIN_ID, PRODUCT];
    await standby.resumeReplay();
    await pool.query(
      `INSERT INTO app.event_head (key_id, chain_id, product_type, sequence, version) VALUES ($1, $2, $3, 5, 1)
       ON CONFLICT (key_id, chain_id, product_type) DO UPDATE SET sequence = 5`,
      scope,
    );
    await untilServed(api, standby, other, "/orders");
    await standby.pauseReplay();
    // Like after a failover that lost events: versions are not reused.
    await pool.query("UPDATE app.event_head SET sequence = 3, version = version + 1 WHERE key_id = $1", [
      other.keyId,
    ]);
    const served = await api.reads(standby, "served");
    const { eventCursor } = await api.get(other, "/orders");
    expect(eventCursor).toBe(encodeEventCursor({ ...other, chainId: CHAIN_ID, productType: PRODUCT }, 3));
    expect(await api.reads(standby, "served")).toBe(served);
  });

  it("it is passed over after a moment, which one line of the log says", async () => {
    await cluster.publish(10, 33n);
    const lines = () => api.lines.filter((line) => line.includes("a read replica is behind"));
    const before = lines().length;
    await until("it is passed over", async () => {
      await api.get(key, ORDER_PATH);
      return lines().length > before;
    });
    expect((await fetch(`${api.operatorUrl}/readyz`)).status).toBe(
      (await fetch(`${reader.operatorUrl}/readyz`)).status,
    );
    const behind = await api.reads(standby, "behind");
    const startedMs = performance.now();
    for (let n = 0; n < 20; n++)
      expect({ n, state: stateOf(await api.get(key, ORDER_PATH)) }).toEqual({ n, state: 10 });
    const seconds = (performance.now() - startedMs) / 1_000;
    // One read tries it each second.
    expect((await api.reads(standby, "behind")) - behind).toBeLessThanOrEqual(1 + seconds);
    expect(lines()).toHaveLength(before + 1);
    expect(lines().join()).not.toContain(new URL(cluster.primary.adminUrl).password);
  });
});

it("readiness names a replica that does not answer, or is behind", async () => {
  const { pool } = cluster.env;
  const name = "one:5432";
  const state = createReplicaState({ name, log: createLog("test", "silent"), now: () => clock.now });
  const clock = { now: 0 };
  const dead = openPool({ connectionString: "postgresql://127.0.0.1:1/none" });
  const run = (of: pg.Pool) => replicaChecks([{ name, pool: of, state }])[0]?.run();
  await expect(run(pool)).resolves.toBeUndefined();
  await expect(run(dead)).rejects.toThrow();
  for (clock.now of [0, 300]) state.take()?.report("behind");
  await expect(run(pool)).rejects.toThrow("behind");
});

it("what is projected comes from it also while the index is not ready", async () => {
  const meta = (value: object) =>
    cluster.env.pool.query("UPDATE onchain._ponder_meta SET value = $1", [value]);
  await meta({ is_ready: 0 });
  await untilStandbyServes();
  await meta({ is_ready: 1 });
});

it.each(["/orders?symbol=S0", `/orders?txHash=${ORDER_TX}`, `/cash/deposits?txHash=${ORDER_TX}`])(
  "a list that the version of the rows does not cover is the primary's: %s",
  async (path) => {
    const counts = () =>
      Promise.all((["served", "behind", "failed"] as const).map((o) => api.reads(standby, o)));
    const [before, refused] = [await counts(), await api.reads(standby, "refused")];
    expect(await api.get(key, path)).toEqual(await reader.get(key, path));
    expect({ counts: await counts(), refused: await api.reads(standby, "refused") }).toEqual({
      counts: before,
      refused: refused + 1,
    });
  },
);

it("answers nothing of a key from it while the rows of the chain are not complete", async () => {
  const fill = (filled: boolean) =>
    cluster.env.pool.query("UPDATE app.event_chain SET filled = $1", [filled]);
  await standby.catchUp();
  await standby.pauseReplay();
  await fill(false);
  const served = await api.reads(standby, "served");
  for (const path of [ORDER_PATH, "/orders", `/orders/${hex(32, 0xabcdef)}`])
    expect({ path, answer: await api.get(key, path) }).toMatchObject({
      path,
      answer: { status: 503, body: { errCode: "INDEXER_BEHIND" } },
    });
  expect(await api.reads(standby, "served")).toBe(served);
  await fill(true);
  await standby.resumeReplay();
  await untilStandbyServes();
});
