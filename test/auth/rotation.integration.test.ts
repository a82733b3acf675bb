import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createAuthenticator } from "../../src/auth/authenticate.ts";
import { listKeys, resealKeys, revokeKey } from "../../src/auth/keys-admin.ts";
import { finishRotation, replaceNewSecret, rotateKey } from "../../src/auth/rotation.ts";
import { endRotations } from "../../src/auth/rotation-store.ts";
import { PATIENT } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { makeRequest } from "../support/http/auth.ts";
import { createPartner, type PartnerKey } from "../support/http/partner.ts";

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

const DAY = { overlapSeconds: 86_400 };

/** Returns true where the api accepts a key's signature. It has the key in its memory from the first call on. */
async function isServed(key: PartnerKey, apiSecret = key.apiSecret): Promise<boolean> {
  const { body } = await createPartner(api.url, { ...key, apiSecret }).get("/orders/nothing");
  if (body.code === 401) return false;
  expect(body.errCode).toBe("VALIDATION_FAILED");
  return true;
}

async function auditOf(apiKey: string) {
  const { rows } = await env.pool.query<{ action: string; actor: string; detail: unknown }>(
    "SELECT action, actor, detail FROM app.audit_entry WHERE subject = $1 AND action LIKE 'key.rotate%' ORDER BY audit_id",
    [apiKey],
  );
  return rows;
}

const endOverlap = (apiKey: string) =>
  env.pool.query("UPDATE app.api_key SET previous_secret_until = now() WHERE api_key = $1", [apiKey]);

const previousOf = async (apiKey: string) =>
  (
    await env.pool.query(
      `SELECT num_nonnulls(previous_secret_sealed, previous_master_key_id, previous_secret_until) AS set
       FROM app.api_key WHERE api_key = $1`,
      [apiKey],
    )
  ).rows[0].set;

describe("rotating a key", () => {
  it("serves both secrets over HTTP until it is finished, then the new one alone, at once", async () => {
    const key = await env.makeKey();
    expect(await isServed(key)).toBe(true);
    const rotated = await rotateKey(env.admin, key.apiKey, DAY);
    expect({ isOldServed: await isServed(key), isNewServed: await isServed(key, rotated.apiSecret) }).toEqual(
      { isOldServed: true, isNewServed: true },
    );
    expect(await isServed(key, "sk_neither")).toBe(false);
    const another = await env.makeKey();
    await rotateKey(env.admin, another.apiKey, DAY);
    await finishRotation(env.admin, key.apiKey);
    expect({ isOldServed: await isServed(key), isNewServed: await isServed(key, rotated.apiSecret) }).toEqual(
      { isOldServed: false, isNewServed: true },
    );
    expect({ finished: await previousOf(key.apiKey), rotating: await previousOf(another.apiKey) }).toEqual({
      finished: 0,
      rotating: 3,
    });
    const audit = await auditOf(key.apiKey);
    expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
      ["key.rotate", "test"],
      ["key.rotate.finish", "test"],
    ]);
    expect(audit[0]?.detail).toEqual({
      masterKeyId: "k1",
      previousUntil: rotated.previousUntil?.toISOString(),
    });
    expect(JSON.stringify(audit)).not.toMatch(/sk_/);
  });

  it("ends the previous secret with the overlap by the database's clock, whatever a replica's says", async () => {
    const key = await env.makeKey();
    const { apiSecret } = await rotateKey(env.admin, key.apiKey, DAY);
    const { pool } = env;
    const { deployments, masterKeys } = env.admin;
    const late = createAuthenticator({
      pool,
      deployments,
      masterKeys,
      trustedProxies: { ranges: () => [] },
      timeoutMs: PATIENT.queryTimeoutMs,
      now: () => Date.now() - 30_000,
    });
    const headers = {
      "X-Api-Key": key.apiKey,
      "x-api-chain-id": String(key.chainId),
      "x-api-p": key.productType,
    };
    const signedBy = (secret: string) => makeRequest({ secret, headers, timestamp: String(Date.now()) });
    expect(await late(signedBy(key.apiSecret))).toMatchObject({ ok: true });
    await endOverlap(key.apiKey);
    expect(await late(signedBy(key.apiSecret))).toMatchObject({ ok: false });
    expect(await late(signedBy(apiSecret))).toMatchObject({ ok: true });
    expect({ isOldServed: await isServed(key), isNewServed: await isServed(key, apiSecret) }).toEqual({
      isOldServed: false,
      isNewServed: true,
    });
  });

  it("leaves nothing of the previous secret stored once the worker has passed, audited once for many workers", async () => {
    const [ended, under] = [await env.makeKey(), await env.makeKey()];
    await rotateKey(env.admin, ended.apiKey, DAY);
    await rotateKey(env.admin, under.apiKey, DAY);
    await endRotations(env.pool);
    await endOverlap(ended.apiKey);
    const counts = await Promise.all([endRotations(env.pool), endRotations(env.pool)]);
    expect({ counts: counts.sort() }).toEqual({ counts: [0, 1] });
    expect({ ended: await previousOf(ended.apiKey), under: await previousOf(under.apiKey) }).toEqual({
      ended: 0,
      under: 3,
    });
    expect((await auditOf(ended.apiKey)).map(({ action, actor }) => [action, actor])).toEqual([
      ["key.rotate", "test"],
      ["key.rotate.finish", "worker"],
    ]);
    expect(await isServed(under)).toBe(true);
  });

  it("with no overlap ends the secret that leaked at once", async () => {
    const key = await env.makeKey();
    expect(await isServed(key)).toBe(true);
    const { apiSecret, previousUntil } = await rotateKey(env.admin, key.apiKey, { overlapSeconds: 0 });
    expect(previousUntil).toBeNull();
    expect({ isOldServed: await isServed(key), isNewServed: await isServed(key, apiSecret) }).toEqual({
      isOldServed: false,
      isNewServed: true,
    });
    expect((await auditOf(key.apiKey)).map(({ action }) => action)).toEqual([
      "key.rotate",
      "key.rotate.finish",
    ]);
  });

  it("replaces a new secret that was lost, and keeps the previous one", async () => {
    const key = await env.makeKey();
    const lost = await rotateKey(env.admin, key.apiKey, DAY);
    const found = await replaceNewSecret(env.admin, key.apiKey);
    expect(found.previousUntil).toEqual(lost.previousUntil);
    expect({
      isOldServed: await isServed(key),
      isLostServed: await isServed(key, lost.apiSecret),
      isFoundServed: await isServed(key, found.apiSecret),
    }).toEqual({ isOldServed: true, isLostServed: false, isFoundServed: true });
    expect(await auditOf(key.apiKey)).toMatchObject([
      { action: "key.rotate" },
      { action: "key.rotate.replace", detail: { masterKeyId: "k1" } },
    ]);
  });

  it("is one at a time, also where two operators begin it at once; and another may follow its end", async () => {
    const key = await env.makeKey();
    const begun = await Promise.allSettled([1, 2].map(() => rotateKey(env.admin, key.apiKey, DAY)));
    expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(rotateKey(env.admin, key.apiKey, DAY)).rejects.toThrow("is being rotated until");
    await endOverlap(key.apiKey);
    const { apiSecret } = await rotateKey(env.admin, key.apiKey, DAY);
    expect({ isOldServed: await isServed(key), isNewServed: await isServed(key, apiSecret) }).toEqual({
      isOldServed: false,
      isNewServed: true,
    });
  });

  it("is refused for a key that is unknown, revoked, or not being rotated", async () => {
    const key = await env.makeKey();
    await expect(rotateKey(env.admin, "pk_nobody", DAY)).rejects.toThrow("there is no key pk_nobody");
    for (const action of [finishRotation, replaceNewSecret]) {
      await expect(action(env.admin, key.apiKey)).rejects.toThrow("no rotation");
    }
    await revokeKey(env.admin, key.apiKey);
    await expect(rotateKey(env.admin, key.apiKey, DAY)).rejects.toThrow("is revoked");
    expect(await auditOf(key.apiKey)).toEqual([]);
  });

  it("seals both secrets under the master key, also when that is rotated", async () => {
    const key = await env.makeKey();
    const { apiSecret } = await rotateKey(env.admin, key.apiKey, DAY);
    const next = { id: "k2", key: Buffer.alloc(32, 9) };
    await resealKeys({ ...env.admin, masterKeys: [next, ...env.admin.masterKeys] });
    const stored = await env.pool.query("SELECT * FROM app.api_key WHERE api_key = $1", [key.apiKey]);
    expect(stored.rows[0]).toMatchObject({ master_key_id: "k2", previous_master_key_id: "k2" });
    for (const secret of [key.apiSecret, apiSecret]) {
      expect(JSON.stringify(stored.rows)).not.toContain(secret);
      expect(JSON.stringify(stored.rows)).not.toContain(Buffer.from(secret).toString("base64").slice(0, 40));
    }
    const restarted = await startTestApi({ ...env.env, MASTER_KEYS: `k2:${"09".repeat(32)}` });
    try {
      for (const secret of [key.apiSecret, apiSecret]) {
        const partner = createPartner(restarted.url, { ...key, apiSecret: secret });
        expect({ secret, errCode: (await partner.get("/orders/nothing")).body.errCode }).toEqual({
          secret,
          errCode: "VALIDATION_FAILED",
        });
      }
    } finally {
      await restarted.stop();
    }
    const listed = (await listKeys(env.admin)).find(({ apiKey }) => apiKey === key.apiKey);
    expect(listed?.previousSecretUntil?.getTime()).toBeGreaterThan(Date.now());
  });
});
