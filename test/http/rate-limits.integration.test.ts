import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../support/api.ts";
import { createOnchain } from "../support/onchain.ts";
import { createPartner } from "../support/partner.ts";
import { createDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
beforeAll(async () => {
  database = await createDatabase();
  const limits = { RATE_LIMIT_READS: "3", RATE_LIMIT_WRITES: "1", RATE_LIMIT_FAILURES: "5" };
  env = makeEnv(database.url, "http://127.0.0.1:1", limits);
  await createOnchain(env.pool);
  api = await startTestApi(env.env);
});
afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

const spent = async (keyId: string) =>
  (await env.pool.query("SELECT 1 FROM app.api_nonce WHERE key_id = $1", [keyId])).rowCount;

it("a key is told what is left, then 429 with when to come again, and nothing is burnt", async () => {
  const key = await env.makeKey();
  const partner = createPartner(api.url, key);
  const left = [];
  for (let index = 0; index < 3; index++) {
    const { headers } = await partner.get("/users/nobody/balance");
    left.push(headers.get("ratelimit-remaining"));
    expect(headers.get("ratelimit-limit")).toBe("3");
    expect(Number(headers.get("ratelimit-reset"))).toBeGreaterThan(0);
    expect(headers.get("retry-after")).toBeNull();
  }
  expect(left).toEqual(["2", "1", "0"]);
  const nonce = "00000000-0000-4000-8000-00000000abcd";
  const over = await partner.get("/users/nobody/balance", {}, { nonce });
  expect(over).toMatchObject({
    status: 429,
    body: { code: 429, errCode: "RATE_LIMITED", data: null, param: null, retryable: true },
  });
  expect(over.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
  expect(over.headers.get("ratelimit-remaining")).toBe("0");
  expect(await spent(key.keyId)).toBe(3);
  // Writes have a limit of their own, and the nonce is still good.
  expect((await partner.post("/orders/tx", { txHash: "0x" }, { nonce })).status).toBe(400);
  expect((await partner.post("/orders/tx", { txHash: "0x" })).status).toBe(429);
  expect(await spent(key.keyId)).toBe(4);
  const other = createPartner(api.url, await env.makeKey());
  expect((await other.get("/users/nobody/balance")).status).toBe(400);
  const metrics = await (await fetch(`${api.operatorUrl}/metrics`)).text();
  expect(metrics).toContain('rate_limited_requests_total{limit="reads"} 1');
  expect(metrics).toContain('rate_limited_requests_total{limit="writes"} 1');
});

it("an address that keeps failing is told to come again, right or wrong, with nothing of a key", async () => {
  const partner = createPartner(api.url, await env.makeKey());
  const wrong = { secret: "not the secret" };
  for (let index = 0; index < 5; index++) {
    expect(await partner.get("/symbols", {}, wrong)).toMatchObject({ status: 400, body: { code: 401 } });
  }
  const answers = [
    await partner.get("/symbols", {}, wrong),
    await partner.get("/symbols"),
    await createPartner(api.url, { ...partner.key, apiKey: "pk_unknown" }).get("/symbols"),
  ];
  for (const { status, headers, body } of answers) {
    expect({ status, errCode: body.errCode }).toEqual({ status: 429, errCode: "RATE_LIMITED" });
    expect(headers.get("retry-after")).not.toBeNull();
    expect(headers.get("ratelimit-limit")).toBeNull();
    expect(headers.get("x-indexed-block")).toBeNull();
  }
});
