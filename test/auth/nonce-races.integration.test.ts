import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import type { NonceClaim } from "../../src/auth/nonce-claim-store.ts";
import { type ClaimNonce, createNonceClaimer } from "../../src/auth/nonce-store.ts";
import { until } from "../support/assert/until.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";

// Replicas that claim nonces at once: none waits for what does not concern it, and none makes another fail.

const CHAIN = 1;
const LIMITS = { reads: 1_000_000, writes: 1_000_000 };

let database: TestDatabase;
let env: TestEnv;
let pools: pg.Pool[];
let replicas: ClaimNonce[];
let lost = 0;
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  pools = Array.from({ length: 4 }, () => createTestPool(database.url, { max: 5, preparedStatements: true }));
  for (const pool of pools) pool.on("remove", () => lost++);
  replicas = pools.map((pool) => createNonceClaimer(pool, { limits: LIMITS, preparedStatements: true }));
  const onchain = await createOnchain(poolAt(0));
  await onchain.setBlock(CHAIN, { number: 5n, timestamp: 5n });
});
afterAll(async () => {
  await Promise.all(pools?.map((pool) => pool.end()) ?? []);
  await env?.dispose();
  await database?.drop();
});

const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index];
  if (item === undefined) throw new Error(`there is no ${index}`);
  return item;
};
const poolAt = (index: number) => at(pools, index);

async function newClaim(): Promise<NonceClaim> {
  const { keyId } = await env.makeKey();
  const { rows } = await poolAt(0).query("SELECT revision FROM app.api_key WHERE key_id = $1", [keyId]);
  return { keyId, revision: rows[0].revision, nonce: randomUUID(), kind: "reads", cost: 1 };
}

it.each([1, 2])("no claim waits for %d that wait for the indexer's views", async (versioned) => {
  const claim = await newClaim();
  const next = () => ({ ...claim, nonce: randomUUID() });
  const locker = await poolAt(0).connect();
  try {
    await locker.query("BEGIN");
    await locker.query("LOCK TABLE onchain._ponder_meta IN ACCESS EXCLUSIVE MODE");
    const waiting = Array.from({ length: versioned }, () =>
      at(replicas, 1)(next(), () => ({ chainId: CHAIN, productType: null })),
    );
    const ends = waiting.map(() => "waits");
    for (const [index, claimed] of waiting.entries())
      void claimed.then(({ outcome }) => ends.splice(index, 1, outcome));
    await untilWaiting();
    // Of the same replica, of another one, and alone or in a batch.
    for (const claimNonce of [at(replicas, 1), at(replicas, 2)]) {
      expect(await claimNonce(next())).toMatchObject({ outcome: "claimed" });
      const pair = await Promise.all([claimNonce(next()), claimNonce(next())]);
      expect(pair).toMatchObject([{ outcome: "claimed" }, { outcome: "claimed" }]);
    }
    expect(ends).toEqual(waiting.map(() => "waits"));
    await locker.query("COMMIT");
    expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ outcome: "claimed" })));
  } finally {
    locker.release(true);
  }
});

/** Not by the connection that has the lock: within a transaction it sees the others as they were. */
const untilWaiting = () =>
  until("a claim waits for the views", async () => {
    const { rowCount } = await poolAt(3).query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rowCount ? true : undefined;
  });

it("one request at four replicas at once is let in once, and costs none of them a connection", async () => {
  const claim = await newClaim();
  const before = lost;
  for (let round = 0; round < 40; round++) {
    const nonce = randomUUID();
    const results = await Promise.all(replicas.map((claimNonce) => claimNonce({ ...claim, nonce })));
    expect(results.map(({ outcome }) => outcome).sort()).toEqual([
      "claimed",
      ...["refused", "refused", "refused"],
    ]);
  }
  expect(lost).toBe(before);
});

it("batches with the same nonces in another order, of the other kind, let all be decided", async () => {
  const claim = await newClaim();
  for (let round = 0; round < 8; round++) {
    const nonces = Array.from({ length: 400 }, () => randomUUID());
    const batches = [
      nonces.map((nonce) => at(replicas, 0)({ ...claim, nonce })),
      [...nonces].reverse().map((nonce) => at(replicas, 1)({ ...claim, nonce, kind: "writes" })),
    ];
    const results = await Promise.all(batches.flat());
    expect(results.filter(({ outcome }) => outcome === "claimed")).toHaveLength(nonces.length);
  }
});
