import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { buildApiSchema } from "../../../src/api/schema.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { GRAPHQL_LIMITS } from "../../../src/http/graphql/limits.ts";
import { type GraphqlServer, postGraphql, startGraphql, TOKEN } from "../../support/http/graphql.ts";

/** Statements that reached the database. Refused operations, on the real schema, reach none. */
let touched: string[] = [];
const trap = (name: string) =>
  new Proxy(() => undefined, {
    apply: () => {
      touched.push(name);
      throw new Error("the database was asked");
    },
    get: (_target, property) => {
      touched.push(`${name}.${String(property)}`);
      throw new Error("the database was asked");
    },
  });
const deps = {
  prisma: trap("prisma"),
  pool: trap("pool"),
  chains: new Map(),
  deployments: { chains: [] },
  log: pino({ level: "silent" }),
  now: Date.now,
} as unknown as Deps;

let server: GraphqlServer;
beforeAll(async () => {
  server = await startGraphql({ schema: buildApiSchema(), deps });
});
afterAll(() => server?.stop());
beforeEach(() => {
  touched = [];
});

const NODE = "edges { node { order { orderId } } }";
const times = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_unused, index) => item(index)).join(" ");

it("lets a query through that is within the limits: the trap works", async () => {
  const { json } = await postGraphql(server.url, { query: `{ dashboard { orders { ${NODE} } } }` });
  expect(json.errors[0].extensions.errCode).toBe("INTERNAL");
  expect(touched).not.toEqual([]);
});

describe("refused before the database", () => {
  const { aliases, directives, tokens } = GRAPHQL_LIMITS;
  const nest = (levels: number, inner: string) =>
    "... on Query { ".repeat(levels) + inner + " }".repeat(levels);
  /** Each fragment holds the next one twice: 2^20 fields, if somebody unfolds them. */
  const bomb = `{ ...f0 } ${times(20, (index) => `fragment f${index} on Query { ${index < 19 ? `a: dashboard { chains { chainId } } ...f${index + 1} ...f${index + 1}` : "__typename"} }`)}`;
  const vectors: [string, RegExp, string, Record<string, unknown>?][] = [
    ["depth", /depth limit of 12/, `{ ${nest(13, "__typename")} }`],
    [
      "aliases of a field",
      /Aliases limit of 15/,
      `{ ${times(aliases + 1, (index) => `a${index}: dashboard { chains { chainId } }`)} }`,
    ],
    ["aliases of __typename", /Aliases limit of 15/, `{ ${times(500, (index) => `a${index}: __typename`)} }`],
    [
      "aliases in a fragment",
      /Aliases limit of 15/,
      `{ ...f } fragment f on Query { ${times(aliases + 1, (index) => `a${index}: __typename`)} }`,
    ],
    [
      "directives",
      /Directives limit of 10/,
      `{ ${times(directives + 1, () => "dashboard @include(if: true) { chains { chainId } }")} }`,
    ],
    [
      "unknown directives",
      /Directives limit of 10|Unknown directive/,
      `{ __typename ${times(directives + 1, () => "@a")} }`,
    ],
    ["tokens", /more that 2000 tokens/, `{ ${times(tokens, () => "__typename")} }`],
    ["cost of a page", /costs/, `{ dashboard { orders(first: 100000) { ${NODE} } } }`],
    [
      "cost of a page in a variable",
      /costs/,
      `query ($n: Integer) { dashboard { orders(first: $n) { ${NODE} } } }`,
      { n: 100_000 },
    ],
    [
      "cost of a page in a text",
      /costs/,
      `query ($n: Integer) { dashboard { orders(first: $n) { ${NODE} } } }`,
      { n: "1e9" },
    ],
    [
      "cost of a page in a default",
      /costs/,
      `query ($n: Integer = 100000) { dashboard { orders(first: $n) { ${NODE} } } }`,
    ],
    [
      "cost of a list of the partners'",
      /costs/,
      `{ orders(limit: 100000) { rows { orderId txHash status mapping { mappingId } } } }`,
    ],
    [
      "cost in an inline fragment",
      /costs/,
      `{ ... on Query { dashboard { orders(first: 100000) { ${NODE} } } } }`,
    ],
    [
      "cost of many pages",
      /costs/,
      `{ dashboard { ${times(15, (index) => `a${index}: orders(first: 100) { edges { node { order { historyOrder { ${times(8, () => "fills { price quantity fee txHash timestamp }")} } } } } }`)} } }`,
    ],
    [
      "a condition that cannot be read",
      /non-null type "Boolean!" must not be null/,
      "query ($b: Boolean = true) { dashboard @include(if: $b) { chains { chainId } } }",
      { b: null },
    ],
    [
      "a variable that cannot be read",
      /cannot represent a non boolean value/,
      "query ($b: Boolean = true) { dashboard @include(if: $b) { chains { chainId } } }",
      { b: "x" },
    ],
    [
      "fragments in a cycle",
      /within itself/,
      `{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }`,
    ],
    [
      "a fragment in itself",
      /within itself/,
      `{ dashboard { ...a } } fragment a on Dashboard { orders { ${NODE} } ...a }`,
    ],
    ["fragments that multiply", /Aliases|selections/, bomb],
    ["a mutation", /Only queries/, "mutation { recordOrderTransaction { mappingId } }"],
    ["a subscription", /Only queries/, "subscription { dashboard { chains { chainId } } }"],
    ["introspection", /introspection/, "{ __schema { types { name } } dashboard { orders { totalCount } } }"],
    [
      "introspection of a type",
      /introspection/,
      '{ __type(name: "Key") { fields { name } } dashboard { orders { totalCount } } }',
    ],
    ["an unknown field", /Cannot query/, `{ dashboard { orders { totalCounts } } }`],
    ["a broken document", /Syntax Error/, `{ dashboard { orders { ${NODE} }`],
  ];
  it.each(vectors)("%s", async (_name, says, query, ...[variables]) => {
    const { status, json, text } = await postGraphql(server.url, { query, variables });
    expect({ status, data: json.data ?? null }).toEqual({ status: 400, data: null });
    expect(json.errors[0]).toMatchObject({
      message: expect.stringMatching(says),
      extensions: { errCode: "VALIDATION_FAILED" },
    });
    expect(text).not.toMatch(/did you mean/i);
    expect(touched).toEqual([]);
  });

  it("a batch, a form, a GET that a page could send, and whoever has no token", async () => {
    const query = `{ dashboard { orders { ${NODE} } } }`;
    const url = `${server.url}/graphql`;
    const authorization = { authorization: `Bearer ${TOKEN}` };
    const form = { ...authorization, "content-type": "application/x-www-form-urlencoded" };
    const answers = [
      await postGraphql(server.url, [{ query }, { query }]),
      await postGraphql(server.url, { query }, { "content-type": "text/plain" }),
      await postGraphql(server.url, { query }, { authorization: "Bearer wrong" }),
      await postGraphql(server.url, { query }, { authorization: "", "x-api-key": TOKEN }),
      await fetch(url, { method: "POST", headers: form, body: new URLSearchParams({ query }) }),
      await fetch(`${url}?${new URLSearchParams({ query })}`, { headers: authorization }),
    ];
    expect({ statuses: answers.map(({ status }) => status) }).toEqual({
      statuses: [400, 400, 400, 400, 400, 400],
    });
    expect(touched).toEqual([]);
  });
});
