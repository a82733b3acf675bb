import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import type { NonceClaim } from "../../src/auth/nonce-claim-store.ts";
import { createNonceClaimer, type NonceOutcome } from "../../src/auth/nonce-store.ts";
import type { ProductId } from "../../src/protocol/shapes.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { keyStateOf } from "../support/db/projected.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";

// The statement that claims one nonce decides what the one that claims a batch does.

let database: TestDatabase;
let env: TestEnv;
let pool: pg.Pool;
let other: NonceClaim;
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  pool = createTestPool(database.url, { max: 4 });
  other = await claimOf(await newKey());
});
afterAll(async () => {
  await pool?.end();
  await env?.dispose();
  await database?.drop();
});

const newKey = async () => (await env.makeKey()).keyId;

async function claimOf(keyId: string): Promise<NonceClaim> {
  const { rows } = await pool.query("SELECT revision FROM app.api_key WHERE key_id = $1", [keyId]);
  return { keyId, revision: rows[0].revision, nonce: randomUUID(), kind: "reads", cost: 3 };
}

type Prepare = (keyId: string) => Promise<unknown>;
const key = (assignment: string) => (keyId: string) =>
  pool.query(`UPDATE app.api_key SET ${assignment} WHERE key_id = $1`, [keyId]);
const usage = (used: number, endsIn: string) => (keyId: string) =>
  pool.query("UPDATE app.key_usage SET used = $2, window_ends_at = now() + $3::interval WHERE key_id = $1", [
    keyId,
    used,
    endsIn,
  ]);
const PREVIOUS = "previous_secret_sealed = secret_sealed, previous_master_key_id = master_key_id";

const CASES: { name: string; prepare?: Prepare; change?: Partial<NonceClaim>; points?: number }[] = [
  { name: "a new window" },
  { name: "a window under way", prepare: usage(4, "6 s") },
  { name: "the last of a window", prepare: usage(7, "6 s") },
  { name: "one unit too much", prepare: usage(8, "6 s") },
  { name: "a window that is over", prepare: usage(10, "-1 s") },
  { name: "a window of a clock that was set back", prepare: usage(10, "25 s") },
  { name: "a dear request", change: { cost: 50 } },
  { name: "no limit", prepare: usage(10, "6 s"), points: 0 },
  { name: "the other kind, without a limit", change: { kind: "writes" } },
  {
    name: "no row to count in",
    prepare: (id) => pool.query("DELETE FROM app.key_usage WHERE key_id = $1", [id]),
  },
  { name: "an inactive key", prepare: key("active = false") },
  { name: "an expired key", prepare: key("expires_at = now() - interval '1 s'") },
  { name: "a key that expires later", prepare: key("expires_at = now() + interval '1 h'") },
  { name: "an older revision", change: { revision: -1 } },
  { name: "no previous secret", change: { isPrevious: true } },
  {
    name: "a previous secret",
    prepare: key(`${PREVIOUS}, previous_secret_until = now() + interval '1 h'`),
    change: { isPrevious: true },
  },
  {
    name: "a previous secret that is over",
    prepare: key(`${PREVIOUS}, previous_secret_until = now() - interval '1 s'`),
    change: { isPrevious: true },
  },
];

it.each(CASES)("$name", async ({ prepare, change, points = 10 }) => {
  const run = async (isAlone: boolean) => {
    const keyId = await newKey();
    await prepare?.(keyId);
    const claim = { ...(await claimOf(keyId)), ...change };
    const claimNonce = createNonceClaimer(pool, { limits: { reads: points, writes: 0 } });
    const outcomes: NonceOutcome[] = [];
    // The second one is a replay.
    for (let n = 0; n < 2; n++) {
      const beside = isAlone ? [] : [claimNonce({ ...other, nonce: randomUUID(), kind: "writes" })];
      const [outcome] = await Promise.all([claimNonce(claim), ...beside]);
      outcomes.push(outcome);
    }
    const { rows: counted } = await pool.query(
      `SELECT kind, used, window_ends_at > now() AS is_open FROM app.key_usage WHERE key_id = $1 ORDER BY kind`,
      [keyId],
    );
    const { rowCount: nonces } = await pool.query("SELECT 1 FROM app.api_nonce WHERE key_id = $1", [keyId]);
    return { outcomes: outcomes.map(withoutTime), counted, nonces };
  };
  expect(await run(true)).toEqual(await run(false));
});

function withoutTime(result: NonceOutcome) {
  const quota = "quota" in result ? result.quota : null;
  return { ...result, ...(quota ? { quota: { ...quota, resetMs: Math.round(quota.resetMs / 2_000) } } : {}) };
}

it.each([10, 0])(
  "a claim that nothing is in the way of takes one statement, with a limit of %d",
  async (reads) => {
    const claim = await claimOf(await newKey());
    let statements = 0;
    const counting = createTestPool(database.url, { max: 1 });
    counting.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      client.query = ((...args: unknown[]) => {
        statements++;
        return query(...args);
      }) as typeof client.query;
    });
    const claimNonce = createNonceClaimer(counting, { limits: { reads, writes: 0 } });
    const { outcome } = await claimNonce(claim);
    expect({ outcome, statements }).toEqual({ outcome: "claimed", statements: 1 });
    const again = await claimNonce(claim);
    expect({ again, statements }).toEqual({ again: { outcome: "refused" }, statements: 3 });
    await counting.end();
  },
);

it("one of many at once claims a nonce, and as many as fit are counted, whoever shares a statement", async () => {
  const keyId = await newKey();
  const claim = await claimOf(keyId);
  const claimers = Array.from({ length: 4 }, () =>
    createNonceClaimer(pool, { limits: { reads: 10, writes: 0 } }),
  );
  const same = await Promise.all(claimers.map((claimNonce) => claimNonce({ ...claim, cost: 1 })));
  expect(same.map(({ outcome }) => outcome).sort()).toEqual(["claimed", "refused", "refused", "refused"]);
  const many = await Promise.all(
    Array.from({ length: 5 }).flatMap(() =>
      claimers.map((claimNonce) => claimNonce({ ...claim, nonce: randomUUID(), cost: 1 })),
    ),
  );
  expect(many.filter(({ outcome }) => outcome === "claimed")).toHaveLength(9);
  const { rows } = await pool.query("SELECT used FROM app.key_usage WHERE key_id = $1 AND kind = 'reads'", [
    keyId,
  ]);
  expect(rows).toEqual([{ used: 10 }]);
});

it("claims that are each alone in their statement are as exact, at once on connections that are open", async () => {
  await Promise.all(Array.from({ length: 4 }, () => pool.query("SELECT pg_sleep(0.1)")));
  for (let round = 0; round < 5; round++) {
    const { nonce: _nonce, ...claim } = await claimOf(await newKey());
    const claimers = Array.from({ length: 4 }, () =>
      createNonceClaimer(pool, { limits: { reads: 10, writes: 0 } }),
    );
    const claimed = async (cost: number, shared?: string) => {
      const nonces = claimers.map(() => shared ?? randomUUID());
      const outcomes = await Promise.all(
        claimers.map((claimNonce, n) => claimNonce({ ...claim, nonce: nonces[n] ?? "", cost })),
      );
      return outcomes.filter(({ outcome }) => outcome === "claimed").length;
    };
    expect({ oneNonce: await claimed(1, randomUUID()), tooDear: await claimed(4) }).toEqual({
      oneNonce: 1,
      tooDear: 2,
    });
  }
});

describe("a claim that asks for a version", () => {
  const PRODUCTS = ["spot", "Spot"];
  const [CHAIN, UNFILLED] = [31337, 2];
  let keyIds: string[];

  beforeAll(async () => {
    keyIds = await Promise.all([newKey(), newKey(), newKey()]);
    const onchain = await createOnchain(pool);
    await onchain.setBlock(CHAIN, { number: 25n, timestamp: 25n });
    await pool.query(
      `INSERT INTO app.event_chain (chain_id, block_number, verified_block, filled) VALUES ($1, 20, 1, true), ($2, 7, 1, false)`,
      [CHAIN, UNFILLED],
    );
    // The first key has rows, which its claims write; the second what a step wrote; the third has nothing.
    for (const productType of PRODUCTS)
      await createClaim(pool, { keyId: at(0), chainId: CHAIN, productType }, { source: "send" });
    await pool.query(
      "INSERT INTO app.event_head (key_id, chain_id, product_type, sequence, version) VALUES ($1, $2, 'spot', 4, 77)",
      [at(1), CHAIN],
    );
  });

  const at = (n: number) => keyIds[n] ?? "";
  async function stateOf(keyId: string, productType: string) {
    const { version, block } = await keyStateOf(pool, { keyId, chainId: CHAIN, productType });
    return { version, block };
  }

  /** @param of what each claim asks for; all are made at once by one process */
  async function versionsOf(of: { keyId: string; versionOf: ProductId | null }[], points = 1_000) {
    const claimNonce = createNonceClaimer(pool, { limits: { reads: points, writes: 0 } });
    const claims = await Promise.all(of.map(({ keyId }) => claimOf(keyId)));
    const outcomes = await Promise.all(
      of.map(({ versionOf }, n) => claimNonce(claims[n] as NonceClaim, () => versionOf)),
    );
    return outcomes.map((result) => {
      if (result.outcome !== "claimed") throw new Error(result.outcome);
      if (!result.version) return null;
      const { askedAt, ...version } = result.version;
      expect(askedAt).toBeLessThanOrEqual(performance.now());
      return version;
    });
  }
  const ofKey = (keyId: string, productType = "spot", chainId = CHAIN) => ({
    keyId,
    versionOf: { chainId, productType },
  });

  it.each([1_000, 0])(
    "reads that of its key's rows in its product, alone and in a batch, with a limit of %d",
    async (points) => {
      const asked = PRODUCTS.flatMap((product) => keyIds.map((keyId) => ofKey(keyId, product)));
      const states = await Promise.all(
        asked.map(({ keyId, versionOf }) => stateOf(keyId, versionOf.productType)),
      );
      expect(await versionsOf(asked, points)).toEqual(states);
      // Several claims of each: one that got a version of both products may get its own by chance.
      expect(await versionsOf([...asked, ...asked, ...asked], points)).toEqual([
        ...states,
        ...states,
        ...states,
      ]);
      for (const [n, one] of asked.entries()) expect(await versionsOf([one], points)).toEqual([states[n]]);
      const versions = states.map(({ version }) => version);
      expect(versions.slice(1)).toEqual(["77", "0", expect.stringMatching(/^\d{2,}$/), "0", "0"]);
      expect(versions[0]).not.toBe(versions[3]);
      expect(states.map(({ block }) => block.number)).toEqual(states.map(() => 20n));
    },
  );

  it.each([1_000, 0])(
    "reads none while the rows of its chain are not complete, with a limit of %d",
    async (points) => {
      const asked = [ofKey(at(0), "spot", UNFILLED), ofKey(at(1), "spot", 3)];
      expect(await versionsOf([...asked, ofKey(at(1))], points)).toEqual([
        null,
        null,
        await stateOf(at(1), "spot"),
      ]);
      for (const one of asked)
        expect({ versions: await versionsOf([one], points) }).toEqual({ versions: [null] });
    },
  );

  it("reads none where it asks for none, also beside others", async () => {
    const none = { keyId: at(1), versionOf: null };
    const state = await stateOf(at(0), "spot");
    expect(await versionsOf([none, ofKey(at(0)), none])).toEqual([null, state, null]);
  });

  it("reads it as it is when the claim is made: what was committed before has moved it", async () => {
    const [before] = await versionsOf([ofKey(at(2))]);
    await createClaim(pool, { keyId: at(2), chainId: CHAIN, productType: "spot" }, { source: "send" });
    const [after] = await versionsOf([ofKey(at(2))]);
    expect(after).toEqual(await stateOf(at(2), "spot"));
    expect(after).not.toEqual(before);
    await createClaim(pool, { keyId: at(1), chainId: CHAIN, productType: "spot" }, { source: "send" });
    await createClaim(pool, { keyId: at(2), chainId: CHAIN, productType: "Spot" }, { source: "send" });
    expect(await versionsOf([ofKey(at(2))])).toEqual([after]);
  });
});
