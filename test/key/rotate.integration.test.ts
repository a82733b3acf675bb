import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { revokeKey } from "../../src/auth/keys-admin.ts";
import { rotateKey as rotateAsOperator } from "../../src/auth/rotation.ts";
import { canary } from "../support/assert/logs.ts";
import { until } from "../support/assert/until.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { type Answer, type Bend, createPartner, type PartnerKey } from "../support/http/partner.ts";

let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  api = await startTestApi(env.env);
});
afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

interface Rotated {
  apiKey: string;
  apiSecret: string;
  previousSecretUntil: number;
}

const HOUR = 3_600;
const DAY = 86_400;
const seconds = () => Date.now() / 1_000;

async function rotate(key: PartnerKey, body: unknown = {}, bend: Bend = {}): Promise<Answer<Rotated>> {
  const answer = await createPartner(api.url, key).post<Rotated>("/key/rotate", body, bend);
  if (answer.body.code === 200) canary("API secret", answer.body.data.apiSecret);
  return answer;
}

/** Rotates, and returns the key with its new secret. @throws Error where that is refused */
async function mustRotate<K extends PartnerKey>(key: K, body: unknown = {}): Promise<K> {
  const { data } = (await rotate(key, body)).body;
  if (!data) throw new Error(`${key.apiKey} was not rotated`);
  return { ...key, apiSecret: data.apiSecret };
}

async function isServed(key: PartnerKey): Promise<boolean> {
  return (await createPartner(api.url, key).get("/key")).body.code === 200;
}

/** Returns for each of some secrets whether it is in force. */
const served = (...keys: PartnerKey[]) => Promise.all(keys.map(isServed));

const previousUntilOf = async (key: PartnerKey) =>
  (await createPartner(api.url, key).get<{ previousSecretUntil: number | null }>("/key")).body.data
    .previousSecretUntil;

async function auditOf({ apiKey }: PartnerKey) {
  const { rows } = await env.pool.query<{ action: string; actor: string; login: string; detail: unknown }>(
    "SELECT action, actor, login, detail FROM app.audit_entry WHERE subject = $1 AND action LIKE 'key.rotate%' ORDER BY audit_id",
    [apiKey],
  );
  return rows;
}

/** Holds a key as an operator's change does, until `work` is over. Nonces are claimed meanwhile. */
async function holding(
  key: { keyId: string },
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await env.pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT FROM app.api_key WHERE key_id = $1 FOR NO KEY UPDATE", [key.keyId]);
    await work(client);
    await client.query("COMMIT");
  } finally {
    client.release();
  }
}

/** Returns the backends whose rotation waits for its key, once there are so many. */
const waiting = (count: number) =>
  until(`${count} rotations that wait`, async () => {
    // A transaction sees the activity of one moment: by another connection.
    const { rows } = await env.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE '%rotate_own_secret%'`,
    );
    return rows.length === count ? rows : undefined;
  });

describe("POST /key/rotate", () => {
  it("answers a new secret once; the one that signed works until the overlap ends", async () => {
    const key = await env.makeKey();
    const { status, headers, body } = await rotate(key);
    expect({ status, code: body.code, cache: headers.get("cache-control") }).toMatchObject({
      status: 200,
      code: 200,
      cache: expect.stringContaining("no-store"),
    });
    expect(body.data).toEqual({
      apiKey: key.apiKey,
      apiSecret: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
      previousSecretUntil: expect.any(Number),
    });
    expect(Math.abs(body.data.previousSecretUntil - seconds() - DAY)).toBeLessThan(300);
    const renewed = { ...key, apiSecret: body.data.apiSecret };
    expect(await served(key, renewed)).toEqual([true, true]);
    expect(await previousUntilOf(renewed)).toBe(body.data.previousSecretUntil);
    await env.pool.query("UPDATE app.api_key SET previous_secret_until = now() WHERE key_id = $1", [
      key.keyId,
    ]);
    expect(await served(key, renewed)).toEqual([false, true]);
    expect(await previousUntilOf(renewed)).toBeNull();
  });

  it("is audited by the database, in the key's name, without a secret; and stored sealed", async () => {
    const key = await env.makeKey();
    const renewed = await mustRotate(key, { overlapSeconds: HOUR });
    const audit = await auditOf(key);
    expect(audit).toEqual([
      {
        action: "key.rotate",
        actor: key.apiKey,
        login: expect.any(String),
        detail: {
          keyId: key.keyId,
          masterKeyId: "k1",
          previousUntil: expect.any(String),
          signedBy: "current",
        },
      },
    ]);
    const { rows } = await env.pool.query("SELECT k::text AS row FROM app.api_key k WHERE key_id = $1", [
      key.keyId,
    ]);
    const hex = Buffer.from(renewed.apiSecret).toString("hex");
    for (const text of [JSON.stringify(audit), String(rows[0]?.row), api.lines.join("")])
      expect({ isIn: text.includes(renewed.apiSecret) || text.includes(hex) }).toEqual({ isIn: false });
  });

  it("signed again by the secret before, where the answer was lost, replaces the new one and prolongs nothing", async () => {
    const key = await env.makeKey();
    const lost = await mustRotate(key, { overlapSeconds: HOUR });
    const end = await previousUntilOf(key);
    const { data } = (await rotate(key, { overlapSeconds: DAY })).body;
    expect(data.previousSecretUntil).toBe(end);
    expect(await served(key, lost, { ...key, apiSecret: data.apiSecret })).toEqual([true, false, true]);
    const shorter = (await rotate(key, { overlapSeconds: 300 })).body.data;
    expect(shorter.previousSecretUntil).toBeLessThan(Number(end));
    expect((await auditOf(key)).map(({ detail }) => detail)).toMatchObject([
      { signedBy: "current" },
      { signedBy: "previous" },
      { signedBy: "previous" },
    ]);
  });

  it("signed by the new secret ends the one before at once: what leaked is gone after two", async () => {
    const leaked = await env.makeKey();
    const second = await mustRotate(leaked);
    const third = await mustRotate(second, { overlapSeconds: HOUR });
    expect(await served(leaked, second, third)).toEqual([false, true, true]);
    expect((await rotate(leaked)).body).toMatchObject({ code: 401 });
  });

  it("goes on from a rotation that the operator began", async () => {
    const key = await env.makeKey();
    const byOperator = await rotateAsOperator(env.admin, key.apiKey, { overlapSeconds: HOUR });
    const renewed = await mustRotate({ ...key, apiSecret: byOperator.apiSecret });
    expect(await served(key, { ...key, apiSecret: byOperator.apiSecret }, renewed)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("is done at most 5 times an hour, whatever the operator does", async () => {
    let key = await env.makeKey();
    const { apiSecret } = await rotateAsOperator(env.admin, key.apiKey, { overlapSeconds: 0 });
    key = { ...key, apiSecret };
    for (let n = 0; n < 5; n++) key = await mustRotate(key);
    const refused = await rotate(key);
    expect({ status: refused.status, body: refused.body }).toMatchObject({
      status: 429,
      body: { errCode: "RATE_LIMITED", retryable: true, data: null },
    });
    const wait = Number(refused.headers.get("retry-after"));
    expect({ wait, isInTheHour: wait > 0 && wait <= HOUR }).toEqual({ wait, isInTheHour: true });
    expect(await isServed(key)).toBe(true);
    await env.pool.query(
      `UPDATE app.audit_entry SET created_at = created_at - interval '1 hour' WHERE audit_id =
         (SELECT min(audit_id) FROM app.audit_entry WHERE subject = $1 AND actor = $1)`,
      [key.apiKey],
    );
    expect(await isServed(await mustRotate(key))).toBe(true);
  });

  it.each([
    ["299 seconds", { overlapSeconds: 299 }, "overlapSeconds"],
    ["no overlap at all", { overlapSeconds: 0 }, "overlapSeconds"],
    ["more than a week", { overlapSeconds: 604_801 }, "overlapSeconds"],
    ["half a second", { overlapSeconds: 300.5 }, "overlapSeconds"],
    ["words", { overlapSeconds: "1d" }, "overlapSeconds"],
    ["the secret to have", { apiSecret: "sk_mine" }, "apiSecret"],
    ["another key", { apiKey: "pk_another" }, "apiKey"],
  ])("refuses %s, and changes nothing", async (_what, body, param) => {
    const key = await env.makeKey();
    expect((await rotate(key, body)).body).toMatchObject({
      code: 10000,
      errCode: "VALIDATION_FAILED",
      param,
    });
    expect({ until: await previousUntilOf(key), audit: await auditOf(key) }).toEqual({
      until: null,
      audit: [],
    });
  });

  it("is refused to a READ_ONLY key, a revoked one, and whoever signs with another secret", async () => {
    const reader = await env.makeKey({ access: "READ_ONLY", dailyNotionalCap: undefined });
    const revoked = await env.makeKey();
    await revokeKey(env.admin, revoked.apiKey);
    const key = await env.makeKey();
    const answers = [
      await rotate(reader),
      await rotate(revoked),
      await rotate(key, {}, { secret: reader.apiSecret }),
      await rotate({ ...key, apiKey: reader.apiKey }),
    ];
    expect(answers.map(({ status, body }) => ({ status, code: body.code }))).toEqual(
      answers.map(() => ({ status: 400, code: 401 })),
    );
    for (const one of [reader, revoked, key]) expect(await auditOf(one)).toEqual([]);
  });

  it("cannot be replayed", async () => {
    const key = await env.makeKey();
    const nonce = crypto.randomUUID();
    expect((await rotate(key, {}, { nonce })).body.code).toBe(200);
    expect((await rotate(key, {}, { nonce })).body.code).toBe(401);
    expect(await auditOf(key)).toHaveLength(1);
  });
});

it("the function refuses by itself a READ_ONLY key, an overlap out of bounds and a secret that is over", async () => {
  const [key, reader] = [
    await env.makeKey(),
    await env.makeKey({ access: "READ_ONLY", dailyNotionalCap: undefined }),
  ];
  const call = async ({ keyId }: { keyId: string }, byPrevious: boolean, overlap: number) => {
    const { rows } = await env.pool.query<{ outcome: string }>(
      `SELECT r.outcome FROM app.api_key k, app.rotate_own_secret(k.key_id, k.revision, $2, $3, 'k1', $4) r WHERE k.key_id = $1`,
      [keyId, byPrevious, Buffer.alloc(40), overlap],
    );
    return rows[0]?.outcome;
  };
  for (const overlap of [299, 604_801])
    await expect(call(key, false, overlap)).rejects.toThrow("an overlap is from 300 to 604800 seconds");
  expect({ reader: await call(reader, false, 300), none: await call(key, true, 300) }).toEqual({
    reader: "changed",
    none: "changed",
  });
  expect(await served(key, reader)).toEqual([true, true]);
});

describe("between check and rotation", () => {
  it("of two at once one rotates; the other changes nothing and is told", async () => {
    const key = await env.makeKey();
    const begun: Promise<Answer<Rotated>>[] = [];
    await holding(key, async () => {
      begun.push(rotate(key), rotate(key));
      await waiting(2);
    });
    const bodies = (await Promise.all(begun)).map(({ body }) => body);
    expect(bodies.map(({ code, errCode }) => errCode ?? code).sort()).toEqual([200, "KEY_CHANGED"]);
    const secret = bodies.find(({ code }) => code === 200)?.data.apiSecret ?? "";
    expect(await served(key, { ...key, apiSecret: secret })).toEqual([true, true]);
    expect(await auditOf(key)).toHaveLength(1);
  });

  it("a key that is revoked meanwhile gets no secret", async () => {
    const key = await env.makeKey();
    const begun: Promise<Answer<Rotated>>[] = [];
    await holding(key, async (client) => {
      begun.push(rotate(key));
      await waiting(1);
      await client.query("UPDATE app.api_key SET active = false WHERE key_id = $1", [key.keyId]);
    });
    expect((await begun[0])?.body).toMatchObject({ errCode: "KEY_CHANGED" });
    expect(await auditOf(key)).toEqual([]);
  });

  it("a caller who is gone before the answer still has the secret that signed", async () => {
    const key = await env.makeKey();
    const gone = new AbortController();
    await holding(key, async () => {
      const lost = rotate(key, {}, { signal: gone.signal });
      await waiting(1);
      gone.abort();
      await expect(lost).rejects.toThrow("abort");
    });
    await until("the rotation", async () => (await auditOf(key)).length === 1);
    const renewed = await mustRotate(key);
    expect(await served(key, renewed)).toEqual([true, true]);
  });

  it("a connection that the database ends leaves everything as it was", async () => {
    const key = await env.makeKey();
    const begun: Promise<Answer<Rotated>>[] = [];
    await holding(key, async (client) => {
      begun.push(rotate(key));
      for (const { pid } of await waiting(1)) await client.query("SELECT pg_terminate_backend($1)", [pid]);
      expect((await begun[0])?.body).toMatchObject({ code: 503, errCode: "DATABASE_UNAVAILABLE" });
    });
    expect({ until: await previousUntilOf(key), audit: await auditOf(key) }).toEqual({
      until: null,
      audit: [],
    });
    expect(await isServed(await mustRotate(key))).toBe(true);
  });
});
