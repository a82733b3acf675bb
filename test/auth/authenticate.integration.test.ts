import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { createAuthenticator } from "../../src/auth/authenticate.ts";
import { type CreatedKey, createKey, type NewKey, revokeKey, updateKey } from "../../src/auth/keys-admin.ts";
import {
  createNonceClaimer,
  NONCE_RETENTION_SECONDS,
  removeExpiredNonces,
} from "../../src/auth/nonce-store.ts";
import { createPool, prismaOn } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { createTestPool, PATIENT } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import {
  CHAIN_ID,
  deployments,
  MASTER_KEYS,
  makeRequest,
  PRODUCT,
  type Signed,
} from "../support/http/auth.ts";

let database: TestDatabase;
let pool: pg.Pool;
let prisma: PrismaClient;

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 5 });
  prisma = prismaOn(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const admin = () => ({ prisma, deployments, masterKeys: MASTER_KEYS, now: Date.now, actor: "test" });

function issue(change: Partial<NewKey> = {}): Promise<CreatedKey> {
  const scopes = [{ chainId: CHAIN_ID, productType: PRODUCT }];
  return createKey(admin(), { name: "test", access: "WRITABLE", scopes, ips: ["127.0.0.1"], ...change });
}

/** Creates a replica of the api, with its own memory of keys. */
function replica(options: Partial<Parameters<typeof createAuthenticator>[0]> = {}) {
  const all = {
    pool,
    masterKeys: MASTER_KEYS,
    deployments,
    trustedProxies: { ranges: () => [] },
    now: Date.now,
  };
  return createAuthenticator({ ...all, timeoutMs: PATIENT.queryTimeoutMs, ...options });
}

function signedBy({ apiKey, apiSecret }: CreatedKey, signed: Signed = {}) {
  const headers = { "X-Api-Key": apiKey, ...signed.headers };
  return makeRequest({ timestamp: String(Date.now()), secret: apiSecret, ...signed, headers });
}

async function spent(nonce: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM app.api_nonce WHERE nonce = $1",
    [nonce],
  );
  return rows[0]?.n ?? -1;
}

describe("authenticate over PostgreSQL", () => {
  it("knows a key that was just made, and hands on what is stored of it", async () => {
    const user = `0x${"AB".repeat(20)}`;
    const key = await issue({ access: "READ_ONLY", userAddress: user });
    expect(await replica()(signedBy(key))).toEqual({
      ok: true,
      ip: "127.0.0.1",
      caller: {
        keyId: key.keyId,
        apiKey: key.apiKey,
        access: "READ_ONLY",
        chainId: CHAIN_ID,
        productType: PRODUCT,
        userAddress: user.toLowerCase(),
        // Its scope and its address came behind it.
        signed: { revision: 2, isPrevious: false },
        expiresAt: null,
      },
    });
  });

  it("refuses nobody's key and nobody's secret", async () => {
    const key = await issue();
    const authenticate = replica();
    const unknown = { ...key, apiKey: "pk_nobody" };
    expect(await authenticate(signedBy(unknown))).toEqual({
      ok: false,
      cause: "key unknown",
      keyId: null,
      ip: "127.0.0.1",
    });
    expect(await authenticate(signedBy({ ...key, apiSecret: "x" }))).toMatchObject({
      cause: "signature wrong",
    });
  });

  it("spends the nonce for good before it answers, on every replica", async () => {
    const key = await issue();
    const request = signedBy(key);
    expect(await replica()(request)).toMatchObject({ ok: true });
    expect(await replica()(request)).toMatchObject({ ok: false, cause: "nonce reused" });
  });

  it("lets exactly one of 50 requests with one nonce pass, over two replicas", async () => {
    const key = await issue();
    const nonce = randomUUID();
    const replicas = [replica(), replica()];
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        // Upper or lower case: it is the same nonce.
        const cased = index % 3 === 0 ? nonce.toUpperCase() : nonce;
        return replicas[index % 2]?.(signedBy(key, { nonce: cased }));
      }),
    );
    expect(results.filter((result) => result?.ok)).toHaveLength(1);
    expect(results.filter((result) => result && !result.ok && result.cause === "nonce reused")).toHaveLength(
      49,
    );
    expect(await spent(nonce)).toBe(1);
  });

  it("takes one nonce from two keys: nonces are per key", async () => {
    const nonce = randomUUID();
    const authenticate = replica();
    for (const key of [await issue(), await issue()]) {
      expect(await authenticate(signedBy(key, { nonce }))).toMatchObject({ ok: true });
    }
  });

  it("counts a request against its key's limit, on every replica", async () => {
    const key = await issue();
    const limits = { reads: 5, writes: 0 };
    expect(await replica({ limits })(signedBy(key, { cost: 3 }))).toMatchObject({
      ok: true,
      quota: { limit: "reads", points: 5, remaining: 2 },
    });
    expect(await replica({ limits })(signedBy(key, { cost: 3 }))).toMatchObject({
      ok: false,
      cause: "key's limit reached",
      quota: { remaining: 2 },
    });
  });

  it("leaves a victim's nonce alone when somebody forges a request with it", async () => {
    const key = await issue();
    const nonce = randomUUID();
    const authenticate = replica();
    const forged = signedBy({ ...key, apiSecret: "guess" }, { nonce });
    expect(await authenticate(forged)).toMatchObject({ ok: false });
    expect(await spent(nonce)).toBe(0);
    expect(await authenticate(signedBy(key, { nonce }))).toMatchObject({ ok: true });
  });
});

describe("a change of a key", () => {
  /** Creates a replica that has the key in its memory, as a busy one does. */
  async function warm(key: CreatedKey) {
    const authenticate = replica();
    expect(await authenticate(signedBy(key))).toMatchObject({ ok: true });
    return authenticate;
  }

  it("revoked: counts from the next request on", async () => {
    const key = await issue();
    const authenticate = await warm(key);
    await revokeKey(admin(), key.apiKey);
    const request = signedBy(key, { nonce: randomUUID() });
    expect(await authenticate(request)).toMatchObject({ ok: false, cause: "key inactive" });
  });

  it.each([
    ["deactivated by hand", "UPDATE app.api_key SET active = false WHERE key_id = $1", "key inactive"],
    [
      "expired by hand",
      "UPDATE app.api_key SET expires_at = now() - interval '1 s' WHERE key_id = $1",
      "key expired",
    ],
    ["its whitelist emptied by hand", "DELETE FROM app.api_key_ip WHERE key_id = $1", "address not allowed"],
    [
      "its scope moved by hand",
      "UPDATE app.api_key_scope SET chain_id = 31338 WHERE key_id = $1",
      "scope not granted",
    ],
    ["deleted by hand", "DELETE FROM app.api_key WHERE key_id = $1", "key unknown"],
  ])("%s: counts from the next request on", async (_what, statement, cause) => {
    const key = await issue();
    const authenticate = await warm(key);
    await pool.query(statement, [key.keyId]);
    expect(await authenticate(signedBy(key))).toMatchObject({ ok: false, cause });
  });

  it("in the caller's favour counts at once as well", async () => {
    const key = await issue({ ips: ["192.0.2.1"] });
    const authenticate = replica();
    expect(await authenticate(signedBy(key))).toMatchObject({ ok: false, cause: "address not allowed" });
    await updateKey(admin(), key.apiKey, { addIps: ["127.0.0.1"], removeIps: [] });
    expect(await authenticate(signedBy(key))).toMatchObject({ ok: true });
  });

  it("fails closed where the sealed secret was tampered with or its master key is gone", async () => {
    const key = await issue();
    expect(
      await replica({ masterKeys: [{ id: "other", key: Buffer.alloc(32) }] })(signedBy(key)),
    ).toMatchObject({
      cause: "secret unreadable",
    });
    await pool.query(
      "UPDATE app.api_key SET secret_sealed = set_byte(secret_sealed, 40, 1 # get_byte(secret_sealed, 40)) WHERE key_id = $1",
      [key.keyId],
    );
    expect(await replica()(signedBy(key))).toMatchObject({ cause: "secret unreadable" });
  });
});

describe("without a database", () => {
  let silent: Server;
  beforeAll(async () => {
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => void silent.close());

  it.each(["down", "silent"])(
    "%s: the answer is DATABASE_UNAVAILABLE within seconds, for whatever is sent",
    async (state) => {
      const address = silent.address();
      const port = state === "silent" && typeof address === "object" && address ? address.port : 1;
      const dead = createPool(`postgresql://postgres:x@127.0.0.1:${port}/x`, {
        max: 2,
        connectTimeoutMs: 500,
      });
      const authenticate = replica({ pool: dead, timeoutMs: undefined });
      const started = Date.now();
      const key = { keyId: "", apiKey: "pk_x", apiSecret: "s", dailyNotionalCap: null };
      const attempts = [signedBy(key), signedBy(key, { headers: { "x-api-sign": undefined } })].map(
        (request) => authenticate(request),
      );
      for (const attempt of attempts)
        await expect(attempt).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
      expect(Date.now() - started).toBeLessThan(15_000);
      await dead.end();
    },
  );

  it("going away: a key in memory is no way around the nonce", async () => {
    const key = await issue();
    const going = createPool(database.url, { max: 2 });
    const authenticate = replica({ pool: going });
    expect(await authenticate(signedBy(key))).toMatchObject({ ok: true });
    await going.end();
    await expect(authenticate(signedBy(key))).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
  });

  it("stuck: a lock on the nonces is answered in bounded time, and nothing is let through", async () => {
    const key = await issue();
    const authenticate = replica({ timeoutMs: undefined });
    expect(await authenticate(signedBy(key))).toMatchObject({ ok: true });
    const holder = await pool.connect();
    await holder.query("BEGIN; LOCK TABLE app.api_nonce IN ACCESS EXCLUSIVE MODE");
    const started = Date.now();
    await expect(authenticate(signedBy(key))).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
    expect(Date.now() - started).toBeLessThan(15_000);
    await holder.query("ROLLBACK");
    holder.release();
    expect(await authenticate(signedBy(key))).toMatchObject({ ok: true });
  });
});

describe("nonces", () => {
  it("of many keys and requests go out together, each with its own answer", async () => {
    const [one, two] = [await issue(), await issue()];
    const revisionOf = async ({ keyId }: CreatedKey) =>
      (await pool.query<{ revision: number }>("SELECT revision FROM app.api_key WHERE key_id = $1", [keyId]))
        .rows[0]?.revision ?? -1;
    const claim = createNonceClaimer(pool);
    const nonce = randomUUID();
    const [first, second] = [await revisionOf(one), await revisionOf(two)];
    const read = { kind: "reads" as const, cost: 1 };
    const results = await Promise.all([
      claim({ ...read, keyId: one.keyId, revision: first, nonce }),
      claim({ ...read, keyId: two.keyId, revision: second, nonce }),
      claim({ ...read, keyId: one.keyId, revision: first, nonce: nonce.toUpperCase() }),
      claim({ ...read, keyId: one.keyId, revision: first + 1, nonce: randomUUID() }),
      claim({ ...read, keyId: randomUUID(), revision: 0, nonce: randomUUID() }),
      claim({ ...read, keyId: one.keyId, revision: first, nonce: randomUUID() }),
    ]);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      "claimed",
      "claimed",
      "refused",
      "refused",
      "refused",
      "claimed",
    ]);
  });

  it("are forgotten only once no timestamp can bring them back", async () => {
    const key = await issue();
    const age = async (seconds: number) => {
      const nonce = randomUUID();
      await pool.query("INSERT INTO app.api_nonce VALUES ($1, $2, now() - make_interval(secs => $3))", [
        key.keyId,
        nonce,
        seconds,
      ]);
      return nonce;
    };
    expect(NONCE_RETENTION_SECONDS).toBeGreaterThanOrEqual(90);
    const [young, window, old] = [await age(1), await age(91), await age(NONCE_RETENTION_SECONDS + 1)];
    expect(await removeExpiredNonces(pool)).toBe(1);
    expect({ young: await spent(young), window: await spent(window), old: await spent(old) }).toEqual({
      young: 1,
      window: 1,
      old: 0,
    });
    expect(await removeExpiredNonces(pool)).toBe(0);
    // Another worker is removing one of them.
    const [held, free] = [await age(NONCE_RETENTION_SECONDS + 1), await age(NONCE_RETENTION_SECONDS + 1)];
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("DELETE FROM app.api_nonce WHERE nonce = $1", [held]);
      expect(await removeExpiredNonces(pool)).toBe(1);
      expect(await spent(free)).toBe(0);
      await holder.query("COMMIT");
    } finally {
      holder.release();
    }
  });
});
