import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isObjectType,
  isScalarType,
} from "graphql";
import { buildApiSchema } from "../../../src/api/schema.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { decisionOf, isClosed } from "../../../src/http/graphql/roles.ts";
import type { DashboardRole } from "../../../src/protocol/enums.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { present } from "../../support/assert/until.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../../support/http/graphql.ts";

// The rights of roles, for every field and argument that a dashboard reaches.
const schema = buildApiSchema();

interface Item {
  name: string;
  parent: GraphQLObjectType;
  /** The field of an argument. */
  field: GraphQLField<unknown, unknown> | null;
  element: GraphQLField<unknown, unknown> | GraphQLArgument;
  /** The fields from the root to it. */
  path: string[];
}

function reach(type: GraphQLObjectType, path: string[], seen = new Set<GraphQLObjectType>()): Item[] {
  if (seen.has(type)) return [];
  seen.add(type);
  return Object.values(type.getFields()).flatMap((field) => {
    const here = { parent: type, path: [...path, field.name] };
    const name = `${type.name}.${field.name}`;
    const args = field.args.map((element) => ({ ...here, name: `${name}(${element.name})`, field, element }));
    const result = getNamedType(field.type);
    const nested = isObjectType(result) ? reach(result, here.path, seen) : [];
    return [{ ...here, name, field: null, element: field }, ...args, ...nested];
  });
}

const items = reach(schema.getQueryType() as GraphQLObjectType, []);

/** Returns true for closed types, and for descriptions that mention users. */
const needsDecision = ({ element: { type, description } }: Item): boolean =>
  isClosed(getNamedType(type)) || /\b(users?|wallet address)\b/i.test(description ?? "");
const isFor = (role: DashboardRole, { type, ...element }: Item["element"]): boolean =>
  decisionOf(element) === role || (role === "operator" && decisionOf(getNamedType(type)) === role);
const isDecided = ({ parent, field, element }: Item): boolean =>
  isFor("operator", element) ||
  isFor("viewer", element) ||
  decisionOf(parent) === "operator" ||
  (field !== null && isFor("operator", field));

describe("every field and argument that a dashboard reaches", () => {
  it("says who may have it, wherever a user's address may stand", () => {
    const undecided = items.filter((item) => needsDecision(item) && !isDecided(item));
    expect(undecided.map(({ name }) => name)).toEqual([]);
    expect(items.filter(needsDecision).length).toBeGreaterThan(50);
  });

  it("is of a kind that the check of roles looks at: objects, scalars and enums", () => {
    const others = items.filter(({ element }) => {
      const type = getNamedType(element.type);
      return !isObjectType(type) && !isScalarType(type) && !isEnumType(type);
    });
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});

const lines: string[] = [];
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
  deployments: { chains: [{ chainId: 1, products: [{ productType: "spot" }] }] },
  log: createLog("test", "info", { write: (line) => void lines.push(line) }),
  now: Date.now,
} as unknown as Deps;

const SCOPE = { "x-api-chain-id": "1", "x-api-p": "spot" };
let server: GraphqlServer;
beforeAll(async () => {
  server = await startGraphql({
    schema,
    deps,
    // The token is the role.
    authenticate: async (authorization) => {
      const role = authorization === "Bearer operator" ? "operator" : "viewer";
      const user = { name: `test-${role}`, role, expiresAt: null } as const;
      return { ok: true, user, recheck: async () => null };
    },
  });
});
afterAll(() => server?.stop());
beforeEach(() => {
  touched = [];
});

const ask = (role: DashboardRole, query: string, variables?: object) =>
  postGraphql(server.url, { query, variables }, { ...SCOPE, authorization: `Bearer ${role}` });

/** Returns a query that selects a field, or gives an argument to one. */
function queryFor({ path, element, field, parent }: Item): string {
  const last = field ?? parent.getFields()[element.name];
  const isObject = last !== undefined && isObjectType(getNamedType(last.type));
  const argument = field === null ? "" : `(${element.name}: "x")`;
  return `{ ${path.join(" { ")}${argument}${isObject ? " { __typename }" : ""} ${"}".repeat(path.length)}`;
}

const guarded = items.filter(
  ({ element, parent }) => isFor("operator", element) || decisionOf(parent) === "operator",
);

const itemOf = (name: string): Item =>
  present(
    items.find((item) => item.name === name),
    name,
  );

describe("a viewer", () => {
  it.each(guarded.map(({ name }) => name))("is refused %s", async (name) => {
    const item = itemOf(name);
    const { status, json } = await ask("viewer", queryFor(item));
    expect({ status, data: json.data ?? null, touched }).toEqual({ status: 400, data: null, touched: [] });
    const [error] = json.errors;
    expect(error).toMatchObject({ extensions: { errCode: "POLICY_REFUSED", retryable: false } });
    // Only the topmost refused field is named.
    if (isFor("operator", item.element)) expect(error.message).toMatch(/^For operators alone: \w+\.\w+/);
    const isOuter = !item.path.slice(0, -1).some((_field, index) => isRefusedAbove(item, index));
    if (isOuter) expect(error).toMatchObject({ extensions: { param: name } });
  });

  function isRefusedAbove({ path }: Item, index: number): boolean {
    let type = schema.getQueryType() as GraphQLObjectType;
    for (const [depth, name] of path.entries()) {
      const field = type.getFields()[name];
      if (!field) return false;
      if (depth === index && isFor("operator", field)) return true;
      type = getNamedType(field.type) as GraphQLObjectType;
    }
    return false;
  }

  it("gets an answer to everything else", async () => {
    expect((await ask("viewer", "{ dashboard { me { name role expiresAt } } }")).json).toEqual({
      data: { dashboard: { me: { name: "test-viewer", role: "viewer", expiresAt: null } } },
    });
    const orders = await ask("viewer", "{ dashboard { orders { edges { node { order { orderId } } } } } }");
    expect(orders.json.errors[0].extensions.errCode).toBe("INTERNAL");
    expect(touched).not.toEqual([]);
  });

  const NODE = "edges { node { order { mapping { userAddress } } } }";
  const hidden: [string, string, object?][] = [
    [
      "under another name",
      `{ dashboard { a: orders { ${NODE.replace("userAddress", "b: userAddress")} } } }`,
    ],
    ["in a fragment", `{ dashboard { orders { ...f } } } fragment f on OwnedOrderConnection { ${NODE} }`],
    ["in an inline fragment", `{ dashboard { ... on Dashboard { orders { ${NODE} } } } }`],
    [
      "in a fragment of a fragment",
      `{ dashboard { ...f } } fragment f on Dashboard { orders { ...g } } fragment g on OwnedOrderConnection { ${NODE} }`,
    ],
    [
      "under a condition that holds",
      `query ($yes: Boolean!) { dashboard { orders @include(if: $yes) { ${NODE} } } }`,
      { yes: true },
    ],
    [
      "under a condition that holds by default",
      `query ($no: Boolean = false) { dashboard { orders @skip(if: $no) { ${NODE} } } }`,
    ],
    [
      "in the operation that is asked for, among two",
      `query a { __typename } query b { dashboard { orders { ${NODE} } } }`,
    ],
    [
      "as an argument in a variable",
      "query ($u: Address) { orders(userAddress: $u) { total } }",
      { u: "0x" },
    ],
    ["as an argument in a default", 'query ($u: Address = "0x") { orders(userAddress: $u) { total } }'],
    ["as an argument that is null", "{ dashboard { keys(userAddress: null) { totalCount } } }"],
    ["by its name alone", "{ dashboard { balances { __typename } } }"],
  ];
  it.each(hidden)("is refused what is for operators %s", async (_name, query, ...[variables]) => {
    const operationName = query.includes("query b") ? "b" : undefined;
    const { status, json } = await postGraphql(
      server.url,
      { query, variables, operationName },
      { ...SCOPE, authorization: "Bearer viewer" },
    );
    expect({ status, errCode: json.errors?.[0].extensions.errCode, touched }).toEqual({
      status: 400,
      errCode: "POLICY_REFUSED",
      touched: [],
    });
  });

  it("may name what its conditions leave out, and arguments without a value", async () => {
    const query = `query ($all: Boolean!, $u: Address) {
      dashboard { me { name } balances @include(if: $all) { totalCount } ... @skip(if: true) { auditEntries { totalCount } } }
      orders(userAddress: $u) @include(if: $all) { total }
    }`;
    expect((await ask("viewer", query, { all: false })).json).toEqual({
      data: { dashboard: { me: { name: "test-viewer" } } },
    });
    await ask("viewer", "query ($u: Address) { orders(userAddress: $u) { total } }");
    expect(touched).not.toEqual([]);
  });

  it("is refused the document that was answered to an operator before", async () => {
    const query = `{ dashboard { orders { ${NODE} } } }`;
    expect((await ask("operator", query)).json.errors[0].extensions.errCode).toBe("INTERNAL");
    expect((await ask("viewer", query)).json.errors[0].extensions.errCode).toBe("POLICY_REFUSED");
  });

  it("is told all that was refused, and the log who asked", async () => {
    const { json, headers } = await ask(
      "viewer",
      "{ dashboard { auditEntries { totalCount } key { userAddress } } }",
    );
    expect(json.errors).toHaveLength(1);
    expect(json.errors[0]).toMatchObject({
      message:
        "For operators alone: Dashboard.auditEntries, Key.userAddress. The role viewer has no user addresses and no audit log",
      locations: [{ line: 1, column: 15 }],
    });
    const uuid = headers.get("x-request-id") ?? "";
    const told = lines.filter((line) => line.includes(uuid)).map((line) => JSON.parse(line));
    expect(told).toContainEqual(
      expect.objectContaining({
        msg: "refused to a viewer",
        user: "test-viewer",
        fields: ["Dashboard.auditEntries", "Key.userAddress"],
      }),
    );
  });
});

it.each([
  "Dashboard.auditEntries",
  "AuditEntry.detail",
  "Dashboard.balances",
  "Dashboard.keys(userAddress)",
  "Key.userAddress",
  "Event.data",
])("an operator may ask %s", async (name) => {
  const { json } = await ask("operator", queryFor(itemOf(name)));
  expect(json.errors[0].extensions.errCode).toMatch(/^(INTERNAL|VALIDATION_FAILED)$/);
});
