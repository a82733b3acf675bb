import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import type { NonceClaim } from "../../src/auth/nonce-claim-store.ts";
import { type ClaimNonce, createNonceClaimer } from "../../src/auth/nonce-store.ts";
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

it("no claim waits for the indexer's views, with a version or without", async () => {
  const claim = await newClaim();
  const next = () => ({ ...claim, nonce: randomUUID() });
  const locker = await poolAt(0).connect();
  try {
    await locker.query("BEGIN");
    const { rows } = await locker.query<{ view: string }>(
      "SELECT format('onchain.%I', relname) AS view FROM pg_class WHERE relnamespace = 'onchain'::regnamespace AND relkind = 'r'",
    );
    await locker.query(`LOCK TABLE ${rows.map(({ view }) => view).join(", ")} IN ACCESS EXCLUSIVE MODE`);
    const claimNonce = at(replicas, 1);
    for (const versionOf of [null, { chainId: CHAIN, productType: "spot" }]) {
      const claimed = () => claimNonce(next(), () => versionOf);
      expect(await claimed()).toMatchObject({ outcome: "claimed" });
      expect(await Promise.all([claimed(), claimed()])).toMatchObject([
        { outcome: "claimed" },
        { outcome: "claimed" },
      ]);
    }
  } finally {
    locker.release(true);
  }
});

it("one request at four replicas at once is let in once, and costs none of them a connection", async () => {
  const claim = await newClaim();
  const before = lost;
  for (let round = 0; round < 40; round++) {
    const nonce = randomUUID();
    const results = await Promise.all(replicas.map((claimNonce) => claimNonce({ ...claim, nonce })));
    expect(results.map(({ outcome }) => outcome).sort()).toEqual([
      "claimed",
      "refused",
      "refused",
      "refused",
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
    const claimed = results.filter(({ outcome }) => outcome === "claimed").length;
    expect({ round, claimed }).toEqual({ round, claimed: nonces.length });
  }
});
