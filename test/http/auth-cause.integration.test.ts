import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Anvil } from "../../packages/sandbox/src/anvil.ts";
import { parseEnv } from "../../src/config/env.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, makeEnvOf, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { createPartner, type PartnerKey } from "../support/http/partner.ts";

/** A sandbox helps beginners with the cause of a 401; production names it in the log alone. */
const HEADER = "x-sandbox-auth-cause";
const SANDBOX = { NODE_ENV: "development", MARKET_DATA_PROVIDER: "sandbox", SANDBOX_AUTH_CAUSE: "on" };

let anvil: Anvil;
let database: TestDatabase;
let env: TestEnv;
let sandbox: TestApi;
let production: TestApi;
let key: PartnerKey;
let elsewhere: PartnerKey;

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createDatabase()]);
  env = makeEnv(database.url, anvil.rpcUrl, { MARKET_DATA_PROVIDER: "sandbox" });
  [sandbox, production] = await Promise.all([
    startTestApi({ ...env.env, ...SANDBOX }),
    startTestApi({ ...env.env, NODE_ENV: "development" }),
  ]);
  key = await env.makeKey();
  elsewhere = await env.makeKey({ ips: ["203.0.113.7"] });
});

afterAll(async () => {
  await Promise.all([sandbox?.stop(), production?.stop()]);
  await env?.dispose();
  await Promise.all([database?.drop(), anvil?.stop()]);
});

const cases: [string, () => PartnerKey][] = [
  ["signature wrong", () => ({ ...key, apiSecret: "another" })],
  ["key unknown", () => ({ ...key, apiKey: "pk_unknown" })],
  ["address not allowed", () => elsewhere],
  ["scope not granted", () => ({ ...key, productType: "Another" })],
];

it.each(cases)("a sandbox says: %s, and nothing else differs from production", async (cause, makeKey) => {
  const [helpful, silent] = await Promise.all(
    [sandbox, production].map(({ url }) => createPartner(url, makeKey()).get("/config")),
  );
  expect(helpful?.headers.get(HEADER)).toBe(cause);
  expect(silent?.headers.get(HEADER)).toBeNull();
  for (const answer of [helpful, silent]) {
    const { uuid: _uuid, t: _t, ...body } = answer?.body ?? {};
    expect(body).toEqual({ code: 401, errMsg: "Unauthorized", data: null });
  }
  const names = (answer = helpful) => [...(answer?.headers.keys() ?? [])].filter((name) => name !== HEADER);
  expect(names(helpful)).toEqual(names(silent));
});

it("says nothing of what was authenticated, and none of the secrets of what was not", async () => {
  const accepted = await createPartner(sandbox.url, key).get("/config");
  expect(accepted.body).not.toMatchObject({ code: 401 });
  expect(accepted.headers.get(HEADER)).toBeNull();
  const refused = await createPartner(sandbox.url, { ...key, apiSecret: "another" }).get("/config");
  expect(refused.headers.get(HEADER)).not.toContain(key.apiKey);
  expect(JSON.stringify([...refused.headers])).not.toContain(key.apiSecret);
});

it.each([
  ["no NODE_ENV", { NODE_ENV: undefined }],
  ["production", { NODE_ENV: "production" }],
  ["real market data", { MARKET_DATA_PROVIDER: "alpaca", ALPACA_KEY_ID: "a", ALPACA_SECRET_KEY: "b" }],
])("is refused with %s", (_what, more) => {
  expect(parseEnv("api", { ...env.env, ...SANDBOX }).SANDBOX_AUTH_CAUSE).toBe(true);
  expect(() => parseEnv("api", { ...env.env, ...SANDBOX, ...more })).toThrow(
    "SANDBOX_AUTH_CAUSE: is for a sandbox",
  );
});

it("is refused on a chain that is no development chain", async () => {
  const { chains } = env.admin.deployments;
  const real = makeEnvOf(
    database.url,
    {
      chains: chains.map(({ chainId, rpcUrls, products }) => ({
        chainId,
        rpcUrls,
        products,
        ephemeral: false,
      })),
    },
    SANDBOX,
  );
  try {
    await expect(startTestApi(real.env)).rejects.toThrow(
      "SANDBOX_AUTH_CAUSE: chain 31337 is no development chain",
    );
  } finally {
    await real.dispose();
  }
});
