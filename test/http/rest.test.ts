import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  type GraphQLField,
  type GraphQLSchema,
  type GraphQLType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import pino from "pino";
import type { RequestContext } from "../../src/http/context.ts";
import { createGate } from "../../src/http/gate.ts";
import { createRest, type Rest } from "../../src/http/rest.ts";
import { buildSchema, readTypeDefs } from "../../src/http/sdl.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { ROUTES, type Route } from "../../src/protocol/routes.ts";

const TYPE_DEFS = `
  scalar Decimal scalar Address scalar Hash scalar Text scalar Integer scalar UnixSeconds scalar BlockNumber scalar JSON
  type Query {
    thing(thingId: Hash, size: Integer, filter: Text): Thing!
    special: Thing!
    plain(thingId: Hash): Thing!
    hidden: Text
  }
  type Mutation { make(price: Decimal, deadline: UnixSeconds, note: Text, deep: JSON): JSON! erase(thingId: Hash, gasLimit: Integer): JSON! }
  type Thing { args: JSON! at: UnixSeconds! block: BlockNumber! inner: Inner list: [Inner!]! }
  type Inner { a: Decimal deeper: Deeper! }
  type Deeper { b: Text fail: Text }
`;

const routes: Route[] = [
  { method: "GET", path: "/things/special", field: "Query.special" },
  { method: "GET", path: "/things/:thingId", field: "Query.plain" },
  { method: "GET", path: "/things/:thingId/:size", field: "Query.thing" },
  { method: "POST", path: "/things", field: "Mutation.make" },
  { method: "DELETE", path: "/things/:thingId", field: "Mutation.erase" },
  { method: "GET", path: "/hidden", field: null },
];

const seen = jest.fn<(args: unknown, context: RequestContext) => void>();
let fail: unknown = null;
const inner = { a: "1.10", deeper: { b: "deep" } };
const thing = (args: unknown) => ({ args, at: 1_700_000_000n, block: 42n, inner, list: [inner, inner] });
const take = (_root: unknown, args: unknown, context: RequestContext) => {
  seen(args, context);
  return args;
};

const context = {
  uuid: "u",
  caller: null,
  indexedBlock: null,
  log: pino({ enabled: false }),
} as unknown as RequestContext;

let rest: Rest;
beforeAll(() => {
  const resolvers = {
    Query: {
      thing: (root: unknown, args: unknown, ctx: RequestContext) => thing(take(root, args, ctx)),
      special: () => thing("special"),
      plain: () => thing("plain"),
      hidden: () => "hidden",
    },
    Mutation: { make: take, erase: take },
    Deeper: { fail: () => (fail ? Promise.reject(fail) : null) },
  };
  rest = createRest(buildSchema([TYPE_DEFS], [resolvers]), routes);
});

describe("createRest", () => {
  it("answers with every field of every nested type, bigints as numbers", async () => {
    const data = await rest.call({
      method: "GET",
      uri: "/api/v1/things/0x1/7?filter=a",
      body: null,
      context,
    });
    const nested = { a: "1.10", deeper: { b: "deep", fail: null } };
    expect(data).toEqual({
      args: { thingId: "0x1", size: "7", filter: "a" },
      at: 1_700_000_000,
      block: 42,
      inner: nested,
      list: [nested, nested],
    });
  });

  it("hands resolvers the request's own context, not a copy", async () => {
    seen.mockClear();
    await rest.call({ method: "GET", uri: "/api/v1/things/0x1/7", body: null, context });
    expect(seen.mock.calls[0]?.[1]).toBe(context);
  });

  it("lets a literal segment win, as the gate does", async () => {
    const data = await rest.call({ method: "GET", uri: "/api/v1/things/special", body: null, context });
    expect(data).toMatchObject({ args: "special" });
    const other = await rest.call({ method: "GET", uri: "/api/v1/things/0x1", body: null, context });
    expect(other).toMatchObject({ args: "plain" });
  });

  it.each([
    ["POST", "/api/v1/things"],
    ["DELETE", "/api/v1/things/0x1"],
  ] as const)("hands on the body of a %s losslessly", async (method, uri) => {
    const body =
      method === "POST"
        ? { price: "1.10", deadline: "1e400", note: false, deep: { __x: ["1.10", null, { y: true }] } }
        : { gasLimit: "0200000" };
    const data = await rest.call({ method, uri, body, context });
    expect(data).toEqual(method === "POST" ? body : { ...body, thingId: "0x1" });
  });

  it("takes a body without fields, and null as nothing given", async () => {
    expect(await rest.call({ method: "POST", uri: "/api/v1/things", body: {}, context })).toEqual({});
    expect(await rest.call({ method: "POST", uri: "/api/v1/things", body: { note: null }, context })).toEqual(
      {},
    );
  });

  it("decodes query values once", async () => {
    const uri = "/api/v1/things/0x1/7?filter=Partial%20filled%252B";
    const data = await rest.call({ method: "GET", uri, body: null, context });
    expect(data).toMatchObject({ args: { filter: "Partial filled%2B" } });
  });

  it("throws what a resolver threw, also deep inside, also where the field may be null", async () => {
    fail = new ApiError("SYMBOL_NOT_FOUND", { param: "symbol" });
    const call = rest.call({ method: "GET", uri: "/api/v1/things/0x1/7", body: null, context });
    await expect(call).rejects.toMatchObject({ originalError: fail });
    fail = null;
  });

  it.each([
    ["POST", "/api/v1/webhook"],
    ["GET", "/api/v1/docs"],
    ["GET", "/api/v1/openapi.json"],
    ["GET", "/api/v1/hidden"],
    ["GET", "/api/v1/thing"],
  ] as const)("runs nothing for %s %s", async (method, uri) => {
    const body = method === "GET" ? null : { subscription: "x", variables: {}, url: "http://127.0.0.1:1/" };
    await expect(rest.call({ method, uri, body, context })).rejects.toThrow();
  });

  it("names the inputs of a route: its arguments, but for those in the path", () => {
    const gate = createGate(routes);
    const inputs = (method: string, path: string) => {
      const listed = gate(method, path);
      return listed && [...rest.inputs(listed)];
    };
    expect(inputs("GET", "/things/0x1/7")).toEqual(["filter"]);
    expect(inputs("POST", "/things")).toEqual(["price", "deadline", "note", "deep"]);
    expect(inputs("DELETE", "/things/0x1")).toEqual(["gasLimit"]);
  });

  it.each([
    [{ method: "GET", path: "/x", field: "Query.nothing" }, /schema does not have/],
    [{ method: "GET", path: "/x/:id", field: "Query.thing" }, /does not take/],
    [{ method: "GET", path: "/:thingId/:size", field: "Query.plain" }, /does not take/],
  ] as [Route, RegExp][])("refuses to start with %j", (route, message) => {
    expect(() => createRest(buildSchema([TYPE_DEFS], []), [route])).toThrow(message);
  });
});

it("refuses to start with two patterns that fit one path", () => {
  const rivals: Route[] = [
    { method: "GET", path: "/things/:thingId", field: "Query.plain" },
    { method: "GET", path: "/:thingId/:size", field: "Query.thing" },
  ];
  expect(() => createRest(buildSchema([TYPE_DEFS], []), rivals)).toThrow(/fit the same path/);
});

describe("the real schema", () => {
  const schema = buildSchema(readTypeDefs(), []);

  it("has every listed route, and takes every argument as it comes: nullable and flat", () => {
    expect(() => createRest(schema, ROUTES)).not.toThrow();
    for (const { field } of rootFields(schema)) {
      for (const arg of field.args) {
        expect(`${field.name}.${arg.name}: ${arg.type}`).toMatch(
          /: (Decimal|Address|Hash|Text|Integer|UnixSeconds|BlockNumber|JSON)$/,
        );
      }
    }
  });

  it("names no field `id`, which sofa would collapse its type to", () => {
    for (const type of Object.values(schema.getTypeMap())) {
      if (isObjectType(type) && !type.name.startsWith("__"))
        expect(Object.keys(type.getFields())).not.toContain("id");
    }
  });

  it("is selected whole: an answer holds every field of every nested type", async () => {
    const resolvers: Record<string, Record<string, () => unknown>> = { Query: {}, Mutation: {} };
    for (const { root, field } of rootFields(schema)) {
      resolvers[root] = { ...resolvers[root], [field.name]: () => sample(field.type) };
    }
    const whole = createRest(buildSchema(readTypeDefs(), [resolvers]), ROUTES);
    for (const { method, path, field } of ROUTES.filter((route) => route.field)) {
      const uri = `/api/v1${path.replace(/:\w+/g, "x")}`;
      const data = await whole.call({ method, uri, body: method === "POST" ? {} : null, context });
      const found = rootFields(schema).find(
        (candidate) => `${candidate.root}.${candidate.field.name}` === field,
      );
      expect({ field, data }).toEqual({ field, data: sample(found?.field.type) });
    }
  });
});

function rootFields(schema: GraphQLSchema): { root: string; field: GraphQLField<unknown, unknown> }[] {
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({ root: type?.name ?? "", field })),
  );
}

/** A value of a type with every field set, whether it may be null or not. */
function sample(type: GraphQLType | undefined): unknown {
  if (isNonNullType(type)) return sample(type.ofType);
  if (isListType(type)) return [sample(type.ofType), sample(type.ofType)];
  if (!isObjectType(type)) return String(type) === "Boolean" ? true : `a ${type}`;
  return Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, sample(field.type)]));
}
