import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Anvil } from "../packages/sandbox/src/anvil.ts";
import { ROOT } from "../src/config/root.ts";
import { eventuallyEquals } from "./support/assert/eventually-equals.ts";
import { until } from "./support/assert/until.ts";
import { startAnvil } from "./support/chain/anvil.ts";
import { createOnchain, type Onchain } from "./support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "./support/db/postgres.ts";
import { project, projectorOf } from "./support/db/projected.ts";
import {
  CHAIN_ID,
  DASHBOARD_TOKEN,
  makeEnv,
  PRODUCT,
  startTestApi,
  type TestEnv,
} from "./support/http/api.ts";
import { openApi } from "./support/http/openapi.ts";
import { createPartner, type Partner } from "./support/http/partner.ts";
import { startProgram, urlOf } from "./support/program/program.ts";

// Programs in processes of their own take their time to load.
let anvil: Anvil;
let database: TestDatabase;
let env: TestEnv;
let onchain: Onchain;
const setBlock = (number: bigint, timestamp = nowSeconds()) =>
  onchain.setBlock(CHAIN_ID, { number, timestamp });

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createDatabase()]);
  env = makeEnv(database.url, anvil.rpcUrl);
});

afterAll(async () => {
  await env?.dispose();
  await Promise.all([database?.drop(), anvil?.stop()]);
});

const nowSeconds = () => BigInt(Math.floor(Date.now() / 1000));
const status = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
};

describe("a wrong environment", () => {
  const canary = "canary-of-a-value";
  it.each([
    [
      "src/bin/api.ts",
      {
        DATABASE_URL: canary,
        MASTER_KEYS: canary,
        ATTRIBUTION_KEYS: canary,
        WEBHOOK_KEYS: canary,
        DASHBOARD_TOKENS: canary,
        PORT: "x",
      },
      [
        "DATABASE_URL",
        "DEPLOYMENTS_FILE",
        "MASTER_KEYS",
        "ATTRIBUTION_KEYS",
        "WEBHOOK_KEYS",
        "DASHBOARD_TOKENS",
        "MARKET_DATA_PROVIDER",
        "PORT",
      ],
    ],
    [
      "src/bin/worker.ts",
      { DATABASE_URL: canary, ATTRIBUTION_KEYS: canary },
      ["DATABASE_URL", "DEPLOYMENTS_FILE", "ATTRIBUTION_KEYS", "MARKET_DATA_PROVIDER"],
    ],
    [
      "src/bin/deliverer.ts",
      { DATABASE_URL: canary, WEBHOOK_KEYS: canary, PORT: "x" },
      ["DATABASE_URL", "WEBHOOK_KEYS", "PORT"],
    ],
    [
      "src/bin/prober.ts",
      { PROBE_URL: canary, PROBE_API_SECRET: canary, PORT: "x" },
      ["DEPLOYMENTS_FILE", "PROBE_URL", "PROBE_API_KEY", "PORT"],
    ],
  ])("is named at start, value by value, and nothing starts: %s", async (script, wrong, names) => {
    const program = startProgram(script, wrong);
    expect({ script, exitCode: await program.exited }).toEqual({ script, exitCode: 1 });
    const lines = program.errors().trim().split("\n");
    expect(
      lines
        .slice(1)
        .map((line) => line.trim().split(":")[0])
        .sort(),
    ).toEqual([...names].sort());
    expect(program.errors()).not.toContain(canary);
    expect(program.errors()).not.toMatch(/\n\s+at /);
    expect(program.output()).toBe("");
  });

  it("includes a deployments file that is not there, and a port that is taken", async () => {
    const missing = startProgram("src/bin/api.ts", { ...env.env, DEPLOYMENTS_FILE: "/nowhere.json" });
    expect({ exitCode: await missing.exited, errors: missing.errors() }).toEqual({
      exitCode: 1,
      errors: expect.stringMatching(/^cannot read the deployments file \/nowhere\.json: .*\n$/),
    });
    const taken = startProgram("src/bin/worker.ts", { ...env.env, PORT: String(anvil.port) });
    expect({ exitCode: await taken.exited, errors: taken.errors() }).toEqual({
      exitCode: 1,
      errors: expect.stringMatching(/^listen EADDRINUSE.*\n$/),
    });
  });
});

describe("/readyz", () => {
  it("tells the truth, step by step", async () => {
    const empty = await createDatabase({ empty: true });
    const other = makeEnv(empty.url, "http://127.0.0.1:1");
    const bare = await startTestApi(other.env);
    // A busy machine may be late with the answer of a check.
    const missing = ["migrations"];
    await eventuallyEquals(() => status(`${bare.operatorUrl}/readyz`), {
      status: 503,
      body: { status: "not ready", missing },
    });
    expect((await status(`${bare.url}/livez`)).status).toBe(200);
    await bare.stop();
    await other.dispose();
    await empty.drop();

    const api = await startTestApi(env.env);
    const market = "market data (sandbox)";
    const rows = `rows of keys on chain ${CHAIN_ID}`;
    const degraded = [`indexer of chain ${CHAIN_ID}`, rows, market];
    await eventuallyEquals(() => status(`${api.operatorUrl}/readyz`), {
      status: 200,
      body: { status: "ready", degraded },
    });
    onchain = await createOnchain(env.pool);
    await setBlock(1n);
    const ready = (...degraded: string[]) => ({ status: 200, body: { status: "ready", degraded } });
    await eventuallyEquals(() => status(`${api.operatorUrl}/readyz`), ready(rows, market));
    await project(projectorOf(env));
    await eventuallyEquals(() => status(`${api.operatorUrl}/readyz`), ready(market));
    await setBlock(1n, nowSeconds() - 3_600n);
    await eventuallyEquals(() => status(`${api.operatorUrl}/readyz`), ready(degraded[0] ?? "", market));
    await env.pool.query("UPDATE app.event_chain SET filled = false");
    await eventuallyEquals(() => status(`${api.operatorUrl}/readyz`), ready(...degraded));
    await api.stop();
  });

  it("is 503 while the database is away, /livez is not, and callers are told to come again", async () => {
    const dead = makeEnv("postgresql://x:canary@127.0.0.1:1/x", anvil.rpcUrl);
    const api = await startTestApi(dead.env);
    expect((await status(`${api.operatorUrl}/readyz`)).body.missing).toContain("database");
    expect((await status(`${api.url}/livez`)).status).toBe(200);
    const key = { apiKey: "pk_x", apiSecret: "x", chainId: CHAIN_ID, productType: PRODUCT };
    const answer = await createPartner(api.url, key).get("/config");
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 503, errCode: "DATABASE_UNAVAILABLE", retryable: true },
    });
    await api.stop();
    expect(api.lines.join("")).not.toContain("canary");
    await dead.dispose();
  });
});

it("answers a partner at the block that was asked for, within the key's scope", async () => {
  await setBlock(7n);
  await project(projectorOf(env));
  const api = await startTestApi(env.env);
  const partner = createPartner(api.url, await env.makeKey());
  const answer = await partner.get(
    "/orders",
    { limit: 5, status: "Partial filled" },
    { headers: { "x-min-block": "7" } },
  );
  expect(answer).toMatchObject({
    status: 200,
    body: { code: 200, errMsg: "", data: { total: 0, rows: [] } },
  });
  expect(answer.headers.get("x-indexed-block")).toBe("7");
  const early = partner.get("/orders", {}, { headers: { "x-min-block": "8" } });
  await setBlock(8n);
  await project(projectorOf(env));
  expect((await early).headers.get("x-indexed-block")).toBe("8");
  expect(await partner.get("/orders", { statsu: "New" })).toMatchObject({
    status: 400,
    body: { code: 10000, errCode: "VALIDATION_FAILED", param: "statsu" },
  });
  await api.stop();
});

it("serves /graphql to dashboards, and metrics without a secret", async () => {
  const api = await startTestApi(env.env);
  const scope = { "x-api-chain-id": String(CHAIN_ID), "x-api-p": PRODUCT };
  const query = (token: string, text = "{ orders(limit: 5) { total } }") =>
    fetch(`${api.operatorUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...scope },
      body: JSON.stringify({ query: text }),
    });
  expect(await (await query(DASHBOARD_TOKEN)).json()).toEqual({ data: { orders: { total: 0 } } });
  expect(await (await query("wrong")).json()).toMatchObject({ code: 401 });
  const schema = await query(DASHBOARD_TOKEN, "{ __schema { queryType { name } } }");
  expect(JSON.stringify(await schema.json())).toContain("introspection is not allowed");
  const metrics = await (await fetch(`${api.operatorUrl}/metrics`)).text();
  expect(metrics).toContain('authentication_failures_total{cause="dashboard token unknown"} 1');
  expect(metrics).toContain('route="/graphql",status="200"');
  expect(metrics).not.toContain(DASHBOARD_TOKEN);
  await api.stop();
});

it("serves its OpenAPI document to anybody, with the prefix of the deployment", async () => {
  const api = await startTestApi({ ...env.env, PATH_PREFIX: "/trading" });
  const answer = await fetch(`${api.url}/openapi.json`);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "content-encoding": "gzip",
    "cache-control": "public, max-age=300",
    etag: expect.stringMatching(/^"[\w-]+"$/),
  });
  const withPrefix = (document: object) =>
    JSON.parse(
      JSON.stringify({ ...document, servers: [{ url: "/trading" }] }).replaceAll(
        /(?<=\]\(|"externalDocs":\{"description":"[^"]+","url":")\/docs\//g,
        "/trading/docs/",
      ),
    );
  expect(await answer.json()).toEqual(withPrefix(openApi));
  const older = JSON.parse(readFileSync(`${ROOT}docs/openapi-3.0.json`, "utf8"));
  expect(await (await fetch(`${api.url}/openapi-3.0.json`)).json()).toEqual(withPrefix(older));
  expect((await fetch(`${api.url}/openapi.json`, { method: "POST" })).status).toBe(404);
  await api.stop();
});

describe("SIGTERM", () => {
  /** Waits for a block, then fails its check: an answer that takes as long as the test wants. */
  const slow = (partner: Partner, block: string) =>
    partner.get("/users/nobody/balance", {}, { headers: { "x-min-block": block } });

  it("lets what is in flight finish, then ends with 0", async () => {
    await setBlock(1n);
    const program = startProgram("src/bin/api.ts", env.env);
    const url = await urlOf(program);
    const partner = createPartner(url, await env.makeKey());
    const answers = Array.from({ length: 10 }, () => slow(partner, "50"));
    // Its answer comes after the others have been let in.
    await slow(partner, "1");
    program.kill("SIGTERM");
    await until("stopping", () => (program.output().includes('"msg":"stopping"') ? true : undefined));
    await setBlock(50n);
    for (const { body, headers } of await Promise.all(answers)) {
      expect(body).toMatchObject({ code: 10000, errCode: "VALIDATION_FAILED", param: "userId" });
      expect(headers.get("x-indexed-block")).toBe("50");
    }
    expect({ exitCode: await program.exited, errors: program.errors() }).toEqual({ exitCode: 0, errors: "" });
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    const log = program
      .output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(log.at(-1)).toMatchObject({ msg: "stopped" });
  });

  it("ends a worker, and so does the death of its parent where that is asked for", async () => {
    const worker = startProgram("src/bin/worker.ts", { ...env.env, EXIT_WITH_PARENT: "1" });
    const url = await urlOf(worker);
    await until("ready", async () => ((await status(`${url}/readyz`)).status === 200 ? true : undefined));
    expect((await fetch(`${url}/api/v1/config`)).status).toBe(404);
    worker.orphan();
    expect(await worker.exited).toBe(0);

    const second = startProgram("src/bin/worker.ts", env.env);
    await urlOf(second);
    second.orphan();
    second.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });
});

it("a worker forgets nonces that no timestamp can bring back, and no other", async () => {
  const { keyId } = await env.makeKey();
  await env.pool.query(
    `INSERT INTO app.api_nonce (key_id, nonce, claimed_at)
     VALUES ($1, gen_random_uuid(), now() - interval '1 hour'), ($1, gen_random_uuid(), now())`,
    [keyId],
  );
  const worker = startProgram("src/bin/worker.ts", env.env);
  await until("one nonce left", async () => {
    const { rows } = await env.pool.query("SELECT 1 FROM app.api_nonce WHERE key_id = $1", [keyId]);
    return rows.length === 1 ? true : undefined;
  });
  worker.kill("SIGTERM");
  expect(await worker.exited).toBe(0);
});
