import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import { reportExpiringKeys } from "../../src/events/expiry-store.ts";
import { listEvents } from "../../src/events/list.ts";
import { createEventChain } from "../../src/events/writer/chain-store.ts";
import { CONTRACTS } from "../support/assert/sample.ts";
import { until } from "../support/assert/until.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";

const CHAINS = [31337, 31338];

let features: Features;
beforeAll(async () => {
  features = await startFeatures(
    CHAINS.map((chainId) => ({
      deployment: { ...CONTRACTS, chainId },
      rpcUrls: ["http://127.0.0.1:1"],
    })),
  );
  // The log of one chain has begun, that of the other has not.
  await createEventChain(features.deps.pool, 31337, { safe: 1n });
});
beforeEach(() => features.deps.pool.query("UPDATE app.api_key SET expires_at = NULL"));
afterAll(() => features?.close());

const report = () => reportExpiringKeys(features.deps.pool, CHAINS);

/** Makes a key that ends in so many days, by the database's clock. @returns the key, with its end in Unix seconds */
async function keyEndingIn(days: number, change = ""): Promise<Caller & { end: number }> {
  const caller = await features.makeCaller();
  const { rows } = await features.deps.pool.query<{ end: number }>(
    `UPDATE app.api_key SET expires_at = now() + $2 * interval '1 day' ${change} WHERE key_id = $1
     RETURNING floor(extract(epoch FROM expires_at))::float8 AS end`,
    [caller.keyId, days],
  );
  return { ...caller, end: Number(rows[0]?.end) };
}

const moveTo = (caller: Caller, days: number) =>
  features.deps.pool.query(
    `WITH moved AS (UPDATE app.api_key SET expires_at = now() + $2 * interval '1 day' WHERE key_id = $1 RETURNING expires_at)
     UPDATE app.key_expiry_report SET expires_at = m.expires_at FROM moved m WHERE key_id = $1`,
    [caller.keyId, days],
  );

const eventsOf = async (caller: Caller) => (await listEvents(features.deps, caller, { limit: 100 })).rows;
const daysOf = async (caller: Caller) =>
  (await eventsOf(caller)).map(({ data }) => (data as { withinDays: number }).withinDays);

describe("a key that ends soon", () => {
  it("is an event of its log, once at 14, 3 and 1 days", async () => {
    const key = await keyEndingIn(13.5);
    expect(await report()).toBe(1);
    expect(await report()).toBe(0);
    expect(await eventsOf(key)).toEqual([
      {
        eventId: expect.any(String),
        sequence: 1,
        type: "key.expiring",
        resource: "key",
        createdAt: expect.any(Number),
        blockNumber: null,
        txHash: null,
        retracts: null,
        data: { apiKey: key.apiKey, expiresAt: key.end, withinDays: 14 },
      },
    ]);
    for (const days of [3.1, 2.9, 1.1, 0.9, 0.1]) {
      await moveTo(key, days);
      await report();
    }
    expect(await daysOf(key)).toEqual([14, 3, 1]);
    expect((await eventsOf(key)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it("is reported for what is left where it was made late, or no worker ran", async () => {
    const key = await keyEndingIn(2);
    await report();
    expect(await daysOf(key)).toEqual([3]);
  });

  it("is reported anew where the operator gives it another end", async () => {
    const key = await keyEndingIn(0.5);
    await report();
    await features.deps.pool.query(
      "UPDATE app.api_key SET expires_at = now() + interval '10 days' WHERE key_id = $1",
      [key.keyId],
    );
    await report();
    expect(await daysOf(key)).toEqual([1, 14]);
  });

  it("is reported in the log of each chain and product of the key, also before the log of the chain begins", async () => {
    const key = await keyEndingIn(5);
    await features.deps.pool.query(
      "INSERT INTO app.api_key_scope (key_id, chain_id, product_type) VALUES ($1, 31338, $2), ($1, 31337, 'other'), ($1, 9, 'unserved')",
      [key.keyId, PRODUCT],
    );
    await report();
    for (const scope of [
      { chainId: 31337, productType: PRODUCT },
      { chainId: 31337, productType: "other" },
      { chainId: 31338, productType: PRODUCT },
    ])
      expect({ scope, days: await daysOf({ ...key, ...scope }) }).toEqual({ scope, days: [14] });
    expect(await daysOf({ ...key, chainId: 9, productType: "unserved" })).toEqual([]);
  });

  it.each([
    ["ends later", 14.1, ""],
    ["is over", -0.1, ""],
    ["was revoked", 1, ", active = false, revoked_at = now()"],
  ])("is not reported where it %s", async (_what, days, change) => {
    const key = await keyEndingIn(days, change);
    expect(await report()).toBe(0);
    expect(await eventsOf(key)).toEqual([]);
  });

  it("is reported once by workers that run at once, and by the next one where one dies before its commit", async () => {
    const keys = await Promise.all([1, 2, 3].map(() => keyEndingIn(1.5)));
    const counts = await Promise.all([report(), report(), report()]);
    expect(counts.sort()).toEqual([0, 0, 3]);
    for (const key of keys) expect(await daysOf(key)).toEqual([3]);

    const late = await keyEndingIn(1.5);
    const { pool } = features.deps;
    const blocker = await pool.connect();
    try {
      await blocker.query("BEGIN");
      await blocker.query("SELECT FROM app.event_chain WHERE chain_id = 31337 FOR UPDATE");
      const dying = report();
      const dead = expect(dying).rejects.toThrow();
      const pid = await until("a worker that waits for the log", async () => {
        const { rows } = await pool.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE '%event_chain%FOR UPDATE%'`,
        );
        return rows[0]?.pid;
      });
      await pool.query("SELECT pg_terminate_backend($1)", [pid]);
      await dead;
      await blocker.query("COMMIT");
    } finally {
      blocker.release();
    }
    expect(await daysOf(late)).toEqual([]);
    expect(await report()).toBe(1);
    expect(await daysOf(late)).toEqual([3]);
  });

  it("goes on from the last number of a log", async () => {
    const key = await keyEndingIn(1.5);
    await features.deps.pool.query(
      "INSERT INTO app.event_head (key_id, chain_id, product_type, sequence) VALUES ($1, 31337, $2, 41)",
      [key.keyId, PRODUCT],
    );
    await report();
    expect(
      (await features.deps.pool.query("SELECT sequence::int FROM app.event WHERE key_id = $1", [key.keyId]))
        .rows,
    ).toEqual([{ sequence: 42 }]);
  });
});
