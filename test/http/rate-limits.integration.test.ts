import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { until } from "../support/assert/until.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { createPartner } from "../support/http/partner.ts";

let database: TestDatabase;
let env: TestEnv;
/** Two replicas on one database. */
let api: TestApi;
let other: TestApi;
beforeAll(async () => {
  database = await createDatabase();
  const limits = {
    RATE_LIMIT_READS: "120",
    RATE_LIMIT_WRITES: "2",
    RATE_LIMIT_IN_FLIGHT: "2",
    RATE_LIMIT_FAILURES: "5",
  };
  env = makeEnv(database.url, "http://127.0.0.1:1", limits);
  await createOnchain(env.pool);
  [api, other] = await Promise.all([startTestApi(env.env), startTestApi(env.env)]);
});
afterAll(async () => {
  await Promise.all([api?.stop(), other?.stop()]);
  await env?.dispose();
  await database?.drop();
});

const spent = async (keyId: string) =>
  (await env.pool.query("SELECT 1 FROM app.api_nonce WHERE key_id = $1", [keyId])).rowCount;

/** Keeps a key's windows from ending while a test goes on. */
const holdWindow = (keyId: string) =>
  env.pool.query("UPDATE app.key_usage SET window_ends_at = now() + interval '15 s' WHERE key_id = $1", [
    keyId,
  ]);

/** The dearest read: 101 cost units. The stock is unknown, so it ends before any market data is asked for. */
const DEAREST = ["/prices/NOPE/history", { interval: "1m", limit: 5_000 }] as const;

it("a key is told what is left over all replicas, then 429 with when to come again, and nothing is burnt", async () => {
  const key = await env.makeKey({ access: "READ_ONLY" });
  const [here, there] = [createPartner(api.url, key), createPartner(other.url, key)];
  const first = await here.get(...DEAREST);
  expect(first.headers.get("ratelimit-limit")).toBe("120");
  expect(first.headers.get("ratelimit-remaining")).toBe("19");
  expect(Number(first.headers.get("ratelimit-reset"))).toBeGreaterThan(0);
  expect(first.headers.get("retry-after")).toBeNull();
  await holdWindow(key.keyId);
  const nonce = randomUUID();
  const over = await there.get(...DEAREST, { nonce });
  expect(over).toMatchObject({
    status: 429,
    body: { code: 429, errCode: "RATE_LIMITED", data: null, param: null, retryable: true },
  });
  expect(over.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
  expect(over.headers.get("ratelimit-remaining")).toBe("19");
  expect(await spent(key.keyId)).toBe(1);
  // The rest of the budget serves cheaper reads, and the nonce is unused.
  const cheap = await there.get("/orders/nothing", {}, { nonce });
  expect(cheap.status).toBe(400);
  expect(cheap.headers.get("ratelimit-remaining")).toBe("18");
  expect(await spent(key.keyId)).toBe(2);
  // The dearest read in a loop of one key leaves others alone.
  for (let index = 0; index < 5; index++) {
    const { status, body } = await here.get(...DEAREST);
    expect({ index, status, errCode: body.errCode }).toEqual({ index, status: 429, errCode: "RATE_LIMITED" });
  }
  const someone = createPartner(api.url, await env.makeKey());
  expect((await someone.get("/orders/nothing")).status).toBe(400);
});

it("writes have a limit of their own", async () => {
  const key = await env.makeKey();
  const partner = createPartner(api.url, key);
  expect((await partner.post("/orders/tx", { txHash: "0x" })).status).toBe(400);
  await holdWindow(key.keyId);
  expect((await partner.post("/orders/tx", { txHash: "0x" })).status).toBe(429);
  expect((await partner.get("/orders/nothing")).status).toBe(400);
  expect(await spent(key.keyId)).toBe(2);
  const metrics = await (await fetch(`${api.operatorUrl}/metrics`)).text();
  expect(metrics).toContain('rate_limited_requests_total{limit="writes"} 1');
});

it("a key with too much in flight is told so before its nonce is spent; others are served, and it too, later", async () => {
  const key = await env.makeKey();
  const partner = createPartner(api.url, key);
  // Each of them waits for a block that does not come.
  const waiting = [0, 1].map(() =>
    partner.get("/orders/nothing", {}, { headers: { "x-min-block": "999999999" } }),
  );
  await until("both are in flight", async () => ((await spent(key.keyId)) === 2 ? true : undefined));
  const nonce = randomUUID();
  const over = await partner.get("/orders/nothing", {}, { nonce });
  expect(over).toMatchObject({ status: 429, body: { errCode: "RATE_LIMITED", retryable: true } });
  expect(over.headers.get("retry-after")).toBe("1");
  expect(over.headers.get("ratelimit-limit")).toBeNull();
  expect(await spent(key.keyId)).toBe(2);
  const someone = createPartner(api.url, await env.makeKey());
  expect((await someone.get("/orders/nothing")).status).toBe(400);
  const waited = await Promise.all(waiting);
  expect(waited.map(({ status, body }) => ({ status, errCode: body.errCode }))).toEqual(
    waiting.map(() => ({ status: 503, errCode: "INDEXER_BEHIND" })),
  );
  expect((await partner.get("/orders/nothing", {}, { nonce })).status).toBe(400);
});

it("what a caller leaves unanswered is in flight no more", async () => {
  const key = await env.makeKey();
  const partner = createPartner(api.url, key);
  const gone = new AbortController();
  const waiting = [0, 1].map(() =>
    partner.get("/orders/nothing", {}, { headers: { "x-min-block": "999999999" }, signal: gone.signal }),
  );
  await until("both are in flight", async () => ((await spent(key.keyId)) === 2 ? true : undefined));
  gone.abort();
  expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await until("there is room again", async () =>
    (await partner.get("/orders/nothing")).status === 400 ? true : undefined,
  );
});

it("an address that keeps failing is told to come again, whatever is wrong; what is validly signed is served", async () => {
  const partner = createPartner(api.url, await env.makeKey());
  const wrong = { secret: "not the secret" };
  for (let index = 0; index < 5; index++) {
    expect(await partner.get("/symbols", {}, wrong)).toMatchObject({ status: 400, body: { code: 401 } });
  }
  const nonce = randomUUID();
  expect((await partner.get("/orders/nothing", {}, { nonce })).body.errCode).toBe("VALIDATION_FAILED");
  const answers = [
    await partner.get("/symbols", {}, wrong),
    await partner.get("/symbols", {}, { nonce }),
    await createPartner(api.url, { ...partner.key, apiKey: "pk_unknown" }).get("/symbols"),
  ];
  for (const { status, headers, body } of answers) {
    expect({ status, errCode: body.errCode, ...Object.fromEntries(headers) }).toMatchObject({
      status: 429,
      errCode: "RATE_LIMITED",
      "retry-after": expect.any(String),
    });
    expect([...headers.keys()]).not.toContain("ratelimit-limit");
    expect([...headers.keys()]).not.toContain("x-indexed-block");
  }
  expect((await partner.get("/orders/nothing")).body.errCode).toBe("VALIDATION_FAILED");
});
