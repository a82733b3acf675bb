import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import {
  CHAIN_ID,
  DASHBOARD_TOKEN,
  makeEnv,
  startTestApi,
  type TestApi,
  type TestEnv,
} from "../support/http/api.ts";
import { startProgram } from "../support/program/program.ts";

// The api listens twice: for partners, and for the operator alone.
let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
  api = await startTestApi({ ...env.env, PATH_PREFIX: "/trading" });
});
afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

const OPERATOR_PATHS = ["/metrics", "/graphql", "/dashboard", "/dashboard/page.js", "/dashboard/page.css"];
const spellings = (path: string) => [
  path,
  path.toUpperCase(),
  `${path}/`,
  `${path}?a=1`,
  `/trading${path}`,
  `/api/v1${path}`,
];

describe("the public port", () => {
  it.each(OPERATOR_PATHS.flatMap(spellings))("answers 404 for %s, as for anything unknown", async (path) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const answer = await fetch(`${api.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${DASHBOARD_TOKEN}`, "content-type": "application/json" },
        ...(method === "POST" ? { body: '{"query":"{__typename}"}' } : {}),
      });
      expect({ method, status: answer.status }).toEqual({ method, status: 404 });
      expect({ method, json: await answer.json() }).toMatchObject({
        method,
        json: { code: 404, errCode: "ROUTE_NOT_FOUND", data: null },
      });
    }
  });

  it("says whether it lives and is ready, and nothing of why not", async () => {
    const [alive, ready] = await Promise.all([fetch(`${api.url}/livez`), fetch(`${api.url}/readyz`)]);
    expect({ status: alive.status, text: await alive.text() }).toEqual({
      status: 200,
      text: '{"status":"alive"}',
    });
    expect({ status: ready.status, text: await ready.text() }).toEqual({
      status: 200,
      text: '{"status":"ready"}',
    });
  });

  it.each(["/LIVEZ", "/livez/", "/Readyz", "/readyz/", "/openapi.json/", "/OPENAPI.json"])(
    "knows one spelling of each path, and not %s",
    async (path) => expect((await fetch(`${api.url}${path}`)).status).toBe(404),
  );
});

describe("the operator's port", () => {
  it("is another one, and serves no partner", async () => {
    expect(new URL(api.operatorUrl).port).not.toBe(new URL(api.url).port);
    expect((await fetch(`${api.operatorUrl}/api/v1/symbols`)).status).toBe(404);
  });

  it("names the chains that are not served", async () => {
    const read = async () => {
      const answer = await fetch(`${api.operatorUrl}/readyz`);
      return [answer.status, await answer.json()];
    };
    const ofChain = ["chain", "indexer of chain", "rows of keys on chain"].map(
      (name) => `${name} ${CHAIN_ID}`,
    );
    const degraded = [...ofChain, "market data (sandbox)"];
    // A busy machine may be late with the answer of a check.
    await eventuallyEquals(read, [200, { status: "ready", degraded }]);
  });

  it("counts what the public port answered", async () => {
    await fetch(`${api.url}/livez`);
    const metrics = await (await fetch(`${api.operatorUrl}/metrics`)).text();
    expect(metrics).toMatch(/http_request_duration_seconds_count\{method="GET",route="\/livez",status="200"/);
  });

  it.each([
    ["/livez", 200],
    ["/graphql", 400],
    ["/dashboard", 200],
    ["/dashboard/page.js", 200],
    ["/METRICS", 404],
    ["/metrics/", 404],
  ])("answers %s with %i", async (path, status) => {
    expect((await fetch(`${api.operatorUrl}${path}`)).status).toBe(status);
  });
});

describe("where a port is taken", () => {
  let taken: Server;
  let port: string;
  beforeAll(async () => {
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    port = String(typeof address === "object" && address ? address.port : "");
  });
  afterAll(() => new Promise((resolve) => taken.close(resolve)));

  it.each(["PORT", "OPERATOR_PORT"])("%s: the api says so, listens nowhere and ends with 1", async (name) => {
    const program = startProgram("src/bin/api.ts", { ...env.env, [name]: port });
    expect(await program.exited).toBe(1);
    expect(program.errors()).toMatch(/^listen EADDRINUSE.*\n$/);
    expect(program.output()).not.toContain('"msg":"listening"');
  });
});

it("stops with both ports closed", async () => {
  const other = await startTestApi(env.env);
  await other.stop();
  for (const url of [other.url, other.operatorUrl]) await expect(fetch(`${url}/livez`)).rejects.toThrow();
});
