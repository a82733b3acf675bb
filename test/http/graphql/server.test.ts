import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Deployments } from "../../../src/config/deployments.ts";
import type { Deps } from "../../../src/context/deps.ts";
import type { RequestContext } from "../../../src/context/request.ts";
import { buildSchema } from "../../../src/http/graphql/sdl.ts";
import { ApiError } from "../../../src/protocol/errors.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { until } from "../../support/assert/until.ts";
import { type GraphqlServer, postGraphql, startGraphql, TOKEN } from "../../support/http/graphql.ts";

const TYPE_DEFS = `
  scalar Decimal scalar Address scalar Hash scalar Text scalar Integer scalar UnixSeconds scalar BlockNumber scalar JSON
  type Query { scope: JSON args(price: Decimal, size: Integer, deep: JSON): JSON fail(how: Text): Text }
  type Mutation { make: Text }
`;
const deployments = {
  chains: [{ chainId: 31337, products: [{ productType: "spot" }, { productType: "Margin" }] }],
} as unknown as Deployments;

const failures: Record<string, unknown> = {
  known: new ApiError("ORDER_NOT_FOUND", { param: "orderId" }),
  database: Object.assign(new Error("canary"), { code: "57P01" }),
  unknown: new Error("canary of the inside"),
};
const resolvers = {
  Query: {
    scope: (_root: unknown, _args: unknown, context: RequestContext) => {
      context.indexedBlock = 12n;
      return { ...context.scope, caller: context.caller };
    },
    args: (_root: unknown, args: unknown) => args,
    fail: (_root: unknown, { how }: { how: string }) => {
      throw failures[how];
    },
  },
  Mutation: { make: () => "made" },
};

const lines: string[] = [];
const servers: GraphqlServer[] = [];

async function start(introspection: boolean, tokens = [TOKEN], failuresMax = 0): Promise<string> {
  const log = createLog("test", "info", { write: (line) => void lines.push(line) });
  const schema = buildSchema([TYPE_DEFS], [resolvers]);
  const deps = { log, deployments, now: Date.now } as unknown as Deps;
  const server = await startGraphql({ schema, deps, introspection, tokens, failuresMax });
  servers.push(server);
  return server.url;
}

let baseUrl = "";
beforeAll(async () => {
  baseUrl = await start(false);
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

const SCOPE = { "x-api-chain-id": "31337", "x-api-p": "spot" };
const post = (body: unknown, headers: Record<string, string> = {}, url = baseUrl) =>
  postGraphql(url, body, headers);

describe("a dashboard", () => {
  it("asks within the scope that its headers name, as nobody's key", async () => {
    const answer = await post({ query: "{ scope }" }, { ...SCOPE, "x-api-p": "Margin" });
    expect(answer.json.data).toEqual({ scope: { chainId: 31337, productType: "Margin", caller: null } });
    expect(answer.headers.get("x-indexed-block")).toBe("12");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get("x-powered-by")).toBeNull();
    expect(answer.headers.get("content-security-policy")).not.toBeNull();
  });

  it.each([
    ["no chain", { "x-api-p": "spot" }, "x-api-chain-id"],
    ["an unknown chain", { "x-api-chain-id": "1", "x-api-p": "spot" }, "x-api-chain-id"],
    ["a chain in other digits", { "x-api-chain-id": "0x7a69", "x-api-p": "spot" }, "x-api-chain-id"],
    ["no product", { "x-api-chain-id": "31337" }, "x-api-p"],
    ["a product in another case", { "x-api-chain-id": "31337", "x-api-p": "Spot" }, "x-api-p"],
  ])("is told which header is wrong: %s", async (_name, headers, param) => {
    const answer = await post({ query: "{ scope }" }, headers);
    expect(answer.json.errors[0]).toMatchObject({
      message: expect.stringContaining(param),
      extensions: { errCode: "VALIDATION_FAILED", param, retryable: false },
    });
  });

  it("needs no scope for what has none", async () => {
    expect((await post({ query: "{ __typename }" })).json).toEqual({ data: { __typename: "Query" } });
  });

  it("hands arguments on with their digits, from the query and from variables", async () => {
    const inline = await post({
      query: '{ args(price: 1.10, size: 18446744073709551616, deep: {a: [1.0, "x"]}) }',
    });
    expect(inline.json.data.args).toEqual({
      price: "1.10",
      size: "18446744073709551616",
      deep: { a: ["1.0", "x"] },
    });
    const query = "query ($p: Decimal, $d: JSON) { args(price: $p, deep: {d: $d}) }";
    const variables = await post({ query, variables: { p: "1.10", d: [true, null] } });
    expect(variables.json.data.args).toEqual({ price: "1.10", deep: { d: [true, null] } });
  });
});

describe("errors", () => {
  it("carry the catalogue's code", async () => {
    const answer = await post({ query: '{ fail(how: "known") }' });
    expect(answer.json.errors).toEqual([
      {
        message: "No such order",
        locations: expect.anything(),
        path: ["fail"],
        extensions: {
          code: "ORDER_NOT_FOUND",
          errCode: "ORDER_NOT_FOUND",
          param: "orderId",
          retryable: false,
        },
      },
    ]);
  });

  it.each([
    ["database", "DATABASE_UNAVAILABLE"],
    ["unknown", "INTERNAL"],
  ])("tell nothing of the inside: %s", async (how, errCode) => {
    const answer = await post({ query: `{ fail(how: "${how}") }` });
    expect(answer.json.errors[0].extensions).toMatchObject({ errCode });
    expect(answer.text).not.toContain("canary");
    const uuid = answer.headers.get("x-request-id") ?? "";
    await until("the log", () => lines.find((line) => line.includes(uuid) && line.includes("canary")));
  });
});

describe("refused", () => {
  const refusals: [string, Record<string, string>][] = [
    ["no token", { authorization: "" }],
    ["a wrong token", { authorization: `Bearer ${TOKEN}x` }],
    ["a token without its scheme", { authorization: TOKEN }],
    ["an API key in its place", { authorization: "", "x-api-key": TOKEN }],
  ];
  it.each(refusals)("like any caller who is not authenticated: %s", async (_name, headers) => {
    const answer = await post({ query: "{ scope }" }, { ...SCOPE, ...headers });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      code: 401,
      errMsg: "Unauthorized",
      data: null,
      uuid: answer.headers.get("x-request-id"),
      t: expect.any(Number),
    });
  });

  it("with 429 from an address that failed too often, which a token that is right still passes from", async () => {
    const url = await start(false, [TOKEN], 3);
    const wrong = { authorization: `Bearer ${TOKEN}x` };
    const fail = () => post({ query: "{ scope }" }, wrong, url);
    for (let n = 0; n < 3; n++) expect({ n, ...(await fail()).json }).toMatchObject({ n, code: 401 });
    const limited = await fail();
    expect(limited).toMatchObject({ status: 429, json: { code: 429, errCode: "RATE_LIMITED" } });
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await post({ query: "{ __typename }" }, {}, url)).status).toBe(200);
    expect((await fail()).status).toBe(429);
  });

  it("everybody, where no token is configured", async () => {
    const url = await start(false, []);
    expect((await post({ query: "{ __typename }" }, { authorization: "Bearer " }, url)).json.code).toBe(401);
  });

  it("a mutation, introspection, a batch, suggestions and a request that a form could send", async () => {
    const mutation = await post({ query: "mutation { make }" });
    expect(mutation.json.errors[0].extensions.errCode).toBe("VALIDATION_FAILED");
    const introspection = await post({ query: "{ __schema { types { name } } }" });
    expect(introspection.json.errors[0].message).toMatch(/introspection/i);
    const batch = await post([{ query: "{ __typename }" }, { query: "{ __typename }" }]);
    expect(batch.status).toBe(400);
    const typo = await post({ query: "{ scop }" });
    expect(typo.text).not.toMatch(/did you mean/i);
    const form = await post("query={__typename}", { "content-type": "text/plain" });
    expect(form.status).toBe(400);
    const url = `${baseUrl}/graphql?query=${encodeURIComponent("{__typename}")}`;
    expect((await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(400);
  });

  it("a body too large, compressed or broken, in the envelope", async () => {
    const large = await post({ query: `{ __typename } # ${"x".repeat(70_000)}` });
    expect(large.json).toMatchObject({ code: 413, errCode: "BODY_TOO_LARGE" });
    const compressed = await post("x", { "content-encoding": "gzip" });
    expect(compressed.json).toMatchObject({ code: 10000, errCode: "VALIDATION_FAILED" });
    const broken = await post("{");
    expect(broken.json).toMatchObject({ code: 10000, errCode: "VALIDATION_FAILED" });
  });

  it("a path below", async () => {
    const response = await fetch(`${baseUrl}/graphql/x`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 404, errCode: "ROUTE_NOT_FOUND" });
  });
});

it("shows its schema where introspection is on", async () => {
  const url = await start(true);
  const answer = await post({ query: "{ __schema { mutationType { name } queryType { name } } }" }, {}, url);
  expect(answer.json.data.__schema).toEqual({ mutationType: null, queryType: { name: "Query" } });
});
