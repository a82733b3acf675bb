import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Anvil } from "../../packages/sandbox/src/anvil.ts";
import { ENDPOINTS, STREAMS } from "../../src/api/endpoints.ts";
import { until } from "../support/assert/until.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { createPartner } from "../support/http/partner.ts";
import { expectSecured, makeSecurityKeys, type SecurityKeys } from "../support/http/security.ts";

/** Every endpoint of the api as production starts it, under the shared security suite. */
let anvil: Anvil;
let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
let keys: SecurityKeys;

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createDatabase()]);
  // On a quiet machine the suite fails authentication some 2,000 times in ten seconds, the limit of one address.
  env = makeEnv(database.url, anvil.rpcUrl, { RATE_LIMIT_FAILURES: "0" });
  api = await startTestApi(env.env);
  keys = await makeSecurityKeys(env);
});

afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await Promise.all([database?.drop(), anvil?.stop()]);
});

const filled = (path: string) => path.replace(/:\w+/g, `0x${"ab".repeat(32)}`);

describe("an endpoint", () => {
  it.each([...ENDPOINTS, ...STREAMS].map(({ method, path }) => [method, path] as const))(
    "answers every authentication failure alike: %s %s",
    (method, path) => expectSecured(api.url, keys, { method, path: filled(path) }),
    30_000,
  );
});

describe("what is no endpoint", () => {
  it.each([
    ["GET", "/nothing"],
    ["POST", "/webhook"],
    ["DELETE", "/webhook/1"],
    ["GET", "/docs"],
    ["GET", "/openapi.json"],
    ["POST", "/config"],
  ] as const)("is 404 for everybody: %s %s", async (method, path) => {
    for (const key of [keys.good, keys.inactive, { ...keys.good, apiKey: "pk_unknown" }]) {
      const partner = createPartner(api.url, key);
      const call = { GET: partner.get, POST: partner.post, DELETE: partner.delete }[method];
      const { status, body, headers } = await call(path);
      expect({ status, ...body }).toMatchObject({
        status: 404,
        code: 404,
        errCode: "ROUTE_NOT_FOUND",
        data: null,
      });
      expect([...headers.keys()]).not.toContain("x-indexed-block");
    }
  });
});

it("has told its log of every cause, and of no secret, signature or nonce", async () => {
  const nonce = "5ec7e700-0000-4000-8000-00000ca4a7e5";
  const secret = "canary-secret-that-signs";
  await createPartner(api.url, keys.good).post("/orders/tx", { txHash: "canary-of-a-body" }, { nonce });
  await createPartner(api.url, keys.good).get("/orders", { status: "canary-of-a-query" }, { secret });
  await until("the last line", () =>
    api.lines.filter((line) => line.includes('"request')).length > 100 ? true : undefined,
  );
  const written = api.lines.join("");
  const causes = [
    "signature wrong",
    "key unknown",
    "nonce reused",
    "address not allowed",
    "scope not granted",
  ];
  expect(causes.filter((cause) => !written.includes(`"cause":"${cause}"`))).toEqual([]);
  const canaries = [keys.good.apiSecret, keys.good.apiKey, nonce, secret, "canary", "x-api-sign"];
  expect(canaries.filter((canary) => written.includes(canary))).toEqual([]);
});

it("keeps each refused request of a key for the dashboard, without a value, a caller's own name or an address", async () => {
  const partner = createPartner(api.url, keys.good);
  const routes = ENDPOINTS.map(({ method, path }) => ({
    method,
    path: path.replace(/:\w+/g, "canary-in-a-path"),
  }));
  const answers = await Promise.all(
    routes.flatMap(({ method, path }) => {
      if (method === "GET") return [partner.get(path, { canary: "canary-in-a-query" })];
      if (method === "DELETE") return [partner.delete(path, { sentQuery: "canary=canary-in-a-query" })];
      return [
        partner.post(path, { canary: "canary-in-a-body" }),
        partner.post(path, { userAddress: "canary-in-a-body" }),
      ];
    }),
  );
  const refused = answers
    .filter(({ body }) => body.code !== 401 && body.code !== 200)
    .map(({ body }) => body.uuid);
  expect(refused.length).toBeGreaterThan(ENDPOINTS.length);
  const forged = await createPartner(api.url, keys.good).get(
    "/orders",
    {},
    { secret: "canary-secret-that-signs" },
  );
  const rows = await until("the requests are kept", async () => {
    const read = await env.pool.query<{ uuid: string; api_key: string; row: string; refused: boolean }>(
      `SELECT l.uuid, k.api_key, l::text AS row, l.uuid = ANY($1::uuid[]) AS refused
       FROM app.request_log l JOIN app.api_key k ON k.key_id = l.key_id`,
      [refused],
    );
    return read.rows.filter((row) => row.refused).length === refused.length ? read.rows : undefined;
  });
  expect([...new Set(rows.map(({ api_key }) => api_key))]).toEqual([keys.good.apiKey]);
  expect(rows.map(({ uuid }) => uuid)).not.toContain(forged.body.uuid);
  const kept = rows.map(({ row }) => row).join("\n");
  const canaries = ["canary", keys.good.apiSecret, keys.good.apiKey, "x-api-sign", "127.0.0.1"];
  expect(canaries.filter((canary) => kept.includes(canary))).toEqual([]);
});
