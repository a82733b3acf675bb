import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import type pg from "pg";
import { createKey } from "../../src/auth/keys-admin.ts";
import type { NonceClaim } from "../../src/auth/nonce-claim-store.ts";
import { createNonceClaimer, type NonceOutcome } from "../../src/auth/nonce-store.ts";
import type { KeyLimits } from "../../src/auth/rate-limits.ts";
import { prismaOn } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { present, until } from "../support/assert/until.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { CHAIN_ID, deployments, MASTER_KEYS, PRODUCT } from "../support/http/auth.ts";

let database: TestDatabase;
let pool: pg.Pool;
let prisma: PrismaClient;
beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 10 });
  prisma = prismaOn(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Issues a new key, and returns its claims at its present revision. */
async function issue() {
  const scopes = [{ chainId: CHAIN_ID, productType: PRODUCT }];
  const input = { name: "test", access: "WRITABLE" as const, scopes, ips: ["127.0.0.1"] };
  const admin = { prisma, deployments, masterKeys: MASTER_KEYS, now: Date.now, actor: "test" };
  const { keyId } = await createKey(admin, input);
  const { rows } = await pool.query<{ revision: number }>(
    "SELECT revision FROM app.api_key WHERE key_id = $1",
    [keyId],
  );
  const revision = rows[0]?.revision ?? -1;
  const claim = (change: Partial<NonceClaim> = {}): NonceClaim => ({
    keyId,
    revision,
    nonce: randomUUID(),
    kind: "reads",
    cost: 1,
    ...change,
  });
  return { keyId, revision, claim };
}

/** Creates a replica of the api, with its own memory. */
const replica = (limits: Partial<KeyLimits>) =>
  createNonceClaimer(pool, { limits: { reads: 0, writes: 0, ...limits }, timeoutMs: 10_000 });

const used = async (keyId: string, kind = "reads") =>
  (
    await pool.query<{ used: number }>("SELECT used FROM app.key_usage WHERE key_id = $1 AND kind = $2", [
      keyId,
      kind,
    ])
  ).rows[0]?.used;

const nonces = async (keyId: string) =>
  (
    await pool.query<{ nonce: string }>("SELECT nonce FROM app.api_nonce WHERE key_id = $1", [keyId])
  ).rows.map(({ nonce }) => nonce);

const outcomes = (results: NonceOutcome[]) => results.map(({ outcome }) => outcome);
const endWindow = (keyId: string) =>
  pool.query("UPDATE app.key_usage SET window_ends_at = now() - interval '1 ms' WHERE key_id = $1", [keyId]);

describe("a key's limit", () => {
  it("is one for all replicas, in cost units, and says what is left of it", async () => {
    const [{ keyId, claim }, another] = [await issue(), await issue()];
    const [one, two] = [replica({ reads: 10 }), replica({ reads: 10 })];
    const first = await one(claim({ cost: 6 }));
    expect(first).toMatchObject({ outcome: "claimed", quota: { limit: "reads", points: 10, remaining: 4 } });
    const over = await two(claim({ cost: 5 }));
    expect(over).toMatchObject({ outcome: "limited", quota: { points: 10, remaining: 4 } });
    const quota = over.outcome === "limited" ? over.quota : null;
    expect(quota?.resetMs).toBeGreaterThan(0);
    expect(quota?.resetMs).toBeLessThanOrEqual(10_000);
    expect(await two(claim({ cost: 4 }))).toMatchObject({ outcome: "claimed", quota: { remaining: 0 } });
    expect(await one(claim())).toMatchObject({ outcome: "limited" });
    expect(await used(keyId)).toBe(10);
    expect(await used(another.keyId)).toBe(0);
  });

  it("is never passed by replicas that count at the same instant, and what they let in is what is counted", async () => {
    const { keyId, claim } = await issue();
    const replicas = [replica({ reads: 50 }), replica({ reads: 50 })];
    const holder = await pool.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM app.key_usage WHERE key_id = $1 FOR UPDATE", [keyId]);
    const claims = Array.from({ length: 60 }, (_, index) => claim({ cost: 1 + (index % 5) }));
    const all = Promise.all(claims.map((each, index) => replicas[index % 2]?.(each)));
    await until("both replicas wait for the row", async () => {
      const { rows } = await pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%key_usage%'`,
      );
      return (rows[0]?.n ?? 0) >= 2 ? true : undefined;
    });
    await holder.query("COMMIT");
    holder.release();
    const results = await all;
    const passed = claims.filter((_, index) => results[index]?.outcome === "claimed");
    const cost = passed.reduce((sum, each) => sum + each.cost, 0);
    expect(cost).toBeLessThanOrEqual(50);
    // The next one had no room: not even the cheapest of what was refused fits.
    const cheapest = claims.filter((each) => !passed.includes(each)).map((each) => each.cost);
    expect(cost + Math.min(...cheapest)).toBeGreaterThan(50);
    expect(await used(keyId)).toBe(cost);
    expect((await nonces(keyId)).sort()).toEqual(passed.map(({ nonce }) => nonce).sort());
    expect(new Set(results.map((result) => result?.outcome))).toEqual(new Set(["claimed", "limited"]));
  });

  it("over it claims nothing: the same nonce is good in the next window", async () => {
    const { keyId, claim } = await issue();
    const again = claim({ cost: 2 });
    expect(await replica({ reads: 3 })(claim({ cost: 2 }))).toMatchObject({ outcome: "claimed" });
    expect(await replica({ reads: 3 })(again)).toMatchObject({ outcome: "limited" });
    expect(await nonces(keyId)).not.toContain(again.nonce);
    await endWindow(keyId);
    expect(await replica({ reads: 3 })(again)).toMatchObject({ outcome: "claimed", quota: { remaining: 1 } });
    expect(await nonces(keyId)).toContain(again.nonce);
  });

  it("is not used up by replays, by claims for an old revision, or by another kind", async () => {
    const { keyId, revision, claim } = await issue();
    const one = replica({ reads: 3, writes: 3 });
    const spent = claim();
    expect(await one(spent)).toMatchObject({ outcome: "claimed" });
    const results = await Promise.all([
      ...Array.from({ length: 20 }, () => one(spent)),
      ...Array.from({ length: 20 }, () => one(claim({ revision: revision - 1 }))),
    ]);
    expect(new Set(outcomes(results))).toEqual(new Set(["refused"]));
    expect(outcomes(await Promise.all([1, 2, 3].map(() => one(claim({ kind: "writes" })))))).toEqual([
      "claimed",
      "claimed",
      "claimed",
    ]);
    expect({ reads: await used(keyId), writes: await used(keyId, "writes") }).toEqual({
      reads: 1,
      writes: 3,
    });
  });

  it("leaves room beside replays and other kinds of the same batch", async () => {
    const { claim } = await issue();
    const one = replica({ reads: 3, writes: 3 });
    const spent = claim({ cost: 1 });
    expect(await one(spent)).toMatchObject({ outcome: "claimed" });
    const batch = [spent, claim({ cost: 2 }), claim({ cost: 2, kind: "writes" })];
    expect(outcomes(await Promise.all(batch.map((each) => one(each))))).toEqual([
      "refused",
      "claimed",
      "claimed",
    ]);
  });

  it("counts of a batch of several keys what is its own", async () => {
    const [first, second, third] = [await issue(), await issue(), await issue()];
    const one = replica({ reads: 10 });
    const batch = [first.claim({ cost: 2 }), second.claim({ cost: 3 })];
    expect(outcomes(await Promise.all(batch.map((each) => one(each))))).toEqual(["claimed", "claimed"]);
    const counted = await Promise.all([first, second, third].map(({ keyId }) => used(keyId)));
    expect({ counted }).toEqual({ counted: [2, 3, 0] });
  });

  it("is not passed where another key of the batch claims the same nonce", async () => {
    const [full, free] = [await issue(), await issue()];
    const one = replica({ reads: 3 });
    expect(await one(full.claim({ cost: 3 }))).toMatchObject({ outcome: "claimed" });
    const nonce = randomUUID();
    const batch = [full.claim({ nonce }), free.claim({ nonce })];
    // Another replica: this one knows already that the first key has nothing left.
    const another = replica({ reads: 3 });
    expect(outcomes(await Promise.all(batch.map((each) => another(each))))).toEqual(["limited", "claimed"]);
    expect(await nonces(full.keyId)).not.toContain(nonce);
  });

  it("lets in one that costs more than all of it, for a whole window", async () => {
    const { keyId, claim } = await issue();
    const one = replica({ reads: 3 });
    expect(await one(claim({ cost: 101 }))).toMatchObject({ outcome: "claimed", quota: { remaining: 0 } });
    expect(await one(claim())).toMatchObject({ outcome: "limited" });
    expect(await used(keyId)).toBe(3);
  });

  it("of 0 is none, and is not counted", async () => {
    const { keyId, claim } = await issue();
    const one = replica({ writes: 1 });
    for (let index = 0; index < 3; index++) {
      expect(await one(claim({ cost: 1_000 }))).toEqual({ outcome: "claimed", quota: null });
    }
    expect(await used(keyId)).toBe(0);
  });

  it("begins anew where the database's clock was set back", async () => {
    const { keyId, claim } = await issue();
    await pool.query(
      "UPDATE app.key_usage SET used = 3, window_ends_at = now() + interval '1 h' WHERE key_id = $1",
      [keyId],
    );
    expect(await replica({ reads: 3 })(claim())).toMatchObject({
      outcome: "claimed",
      quota: { remaining: 2 },
    });
  });

  it("once reached costs the database nothing more in that window", async () => {
    const { claim } = await issue();
    const one = replica({ reads: 3 });
    expect(await one(claim({ cost: 2 }))).toMatchObject({ outcome: "claimed" });
    expect(await one(claim({ cost: 2 }))).toMatchObject({ outcome: "limited" });
    const asked = jest.spyOn(pool, "query");
    try {
      for (let index = 0; index < 5; index++) {
        expect(await one(claim({ cost: 2 }))).toMatchObject({ outcome: "limited", quota: { remaining: 1 } });
      }
      expect(asked).not.toHaveBeenCalled();
      expect(await one(claim({ cost: 1 }))).toMatchObject({ outcome: "claimed" });
    } finally {
      asked.mockRestore();
    }
  });
});

describe("a batch", () => {
  it("of many keys waits for other replicas, and never ends in a deadlock", async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, issue));
    const replicas = [replica({ reads: 1_000 }), replica({ reads: 1_000 }), replica({ reads: 1_000 })];
    for (let round = 0; round < 10; round++) {
      const results = await Promise.all(
        replicas.flatMap((claimOn, index) =>
          (index % 2 ? [...keys].reverse() : keys).map(({ claim }) => claimOn(claim())),
        ),
      );
      expect(new Set(outcomes(results))).toEqual(new Set(["claimed"]));
    }
    const usedByKeys = await Promise.all(keys.map(({ keyId }) => used(keyId)));
    expect({ usedByKeys }).toEqual({ usedByKeys: keys.map(() => 30) });
  });

  it("locks the usage of its keys in the order of their ids", async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, issue));
    const ids = keys.map(({ keyId }) => keyId).sort();
    const one = replica({ reads: 5 });
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM app.key_usage WHERE key_id = $1 FOR UPDATE", [ids[3]]);
      const all = Promise.all(keys.reverse().map(({ claim }) => one(claim())));
      await waitsForLock(pool, "%key_usage%", all);
      const { rows } = await holder.query<{ key_id: string }>(
        `SELECT key_id FROM app.key_usage WHERE key_id = ANY ($1::uuid[]) AND kind = 'reads'
         ORDER BY key_id FOR UPDATE SKIP LOCKED`,
        [ids],
      );
      expect(rows.map(({ key_id }) => key_id)).toEqual(ids.slice(3));
      await holder.query("COMMIT");
      expect(new Set(outcomes(await all))).toEqual(new Set(["claimed"]));
    } finally {
      holder.release();
    }
  });

  it("refuses a nonce that another replica is claiming, and claims the others", async () => {
    const { keyId, claim } = await issue();
    const [taken, free] = [claim(), claim()];
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("INSERT INTO app.api_nonce (key_id, nonce) VALUES ($1, $2)", [keyId, taken.nonce]);
      const one = replica({ reads: 5 });
      const both = Promise.all([taken, free].map((each) => one(each)));
      await waitsForLock(pool, "%app.api_nonce%", both);
      await holder.query("COMMIT");
      expect(outcomes(await both)).toEqual(["refused", "claimed"]);
    } finally {
      holder.release();
    }
  });

  it.each(["active = false", "expires_at = now()"])("claims nothing for a key with %s", async (change) => {
    const { keyId, claim } = await issue();
    const { rows } = await pool.query<{ revision: number }>(
      `UPDATE app.api_key SET ${change} WHERE key_id = $1 RETURNING revision`,
      [keyId],
    );
    const now = claim({ revision: present(rows[0], "the key").revision });
    expect(await replica({ reads: 5 })(now)).toEqual({ outcome: "refused" });
  });

  it("gives a nonce to the claim whose key is unchanged, not to the one that came first", async () => {
    const { revision, claim } = await issue();
    const one = replica({ reads: 5 });
    const nonce = randomUUID();
    const stale = claim({ nonce, revision: revision - 1 });
    expect(outcomes(await Promise.all([one(stale), one(claim({ nonce })), one(claim({ nonce }))]))).toEqual([
      "refused",
      "claimed",
      "refused",
    ]);
  });
});
