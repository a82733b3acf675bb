import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import pino from "pino";
import { ENDPOINTS } from "../../../src/api/endpoints.ts";
import type { Route } from "../../../src/context/endpoint.ts";
import type { RequestContext } from "../../../src/context/request.ts";
import { buildSchema, readTypeDefs } from "../../../src/http/graphql/sdl.ts";
import { createRest, type Rest } from "../../../src/http/rest/sofa.ts";
import { ApiError } from "../../../src/protocol/errors.ts";
import { present } from "../../support/assert/until.ts";
import { matchRoute } from "../../support/http/match-route.ts";

const TYPE_DEFS = `
  scalar Decimal scalar Address scalar Hash scalar Text scalar Integer scalar UnixSeconds scalar BlockNumber scalar JSON
  type Query {
    thing(thingId: Hash, size: Integer, filter: Text): Thing!
    special: Thing!
    plain(thingId: Hash): Thing!
    hidden: Text
    nothing: Text
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
  { method: "GET", path: "/nothing", field: "Query.nothing" },
  { method: "POST", path: "/things", field: "Mutation.make" },
  { method: "DELETE", path: "/things/:thingId", field: "Mutation.erase" },
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
/** Calls a route as the server does: through express. */
async function call(
  of: Rest,
  list: readonly Route[],
  { method, path, args = {} }: { method: string; path: string; args?: Record<string, unknown> },
): Promise<unknown> {
  const { route, values } = present(matchRoute(list, method, path), "a listed route");
  return JSON.parse(await of.call({ route, args: { ...args, ...values }, context }));
}
const ask = (method: string, path: string, args?: Record<string, unknown>) =>
  call(rest, routes, { method, path, args });
beforeAll(() => {
  const resolvers = {
    Query: {
      thing: (root: unknown, args: unknown, ctx: RequestContext) => thing(take(root, args, ctx)),
      special: () => thing("special"),
      plain: () => thing("plain"),
      hidden: () => "hidden",
      nothing: () => undefined,
    },
    Mutation: { make: take, erase: take },
    Deeper: { fail: () => (fail ? Promise.reject(fail) : null) },
  };
  rest = createRest(buildSchema([TYPE_DEFS], [resolvers]), routes);
});

describe("createRest", () => {
  it("answers with every field of every nested type, bigints as numbers", async () => {
    const data = await ask("GET", "/things/0x1/7", { filter: "a" });
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
    await ask("GET", "/things/0x1/7");
    expect(seen.mock.calls[0]?.[1]).toBe(context);
  });

  it("lets a literal segment win", async () => {
    const data = await ask("GET", "/things/special");
    expect(data).toMatchObject({ args: "special" });
    const other = await ask("GET", "/things/0x1");
    expect(other).toMatchObject({ args: "plain" });
  });

  it.each([
    ["POST", "/things"],
    ["DELETE", "/things/0x1"],
  ] as const)("hands on the body of a %s losslessly", async (method, uri) => {
    const body =
      method === "POST"
        ? { price: "1.10", deadline: "1e400", note: false, deep: { __x: ["1.10", null, { y: true }] } }
        : { gasLimit: "0200000" };
    const data = await ask(method, uri, body);
    expect(data).toEqual(method === "POST" ? body : { ...body, thingId: "0x1" });
  });

  it("takes no argument at all, null as nothing given, and an empty text as a text", async () => {
    expect(await ask("POST", "/things", {})).toEqual({});
    expect(await ask("POST", "/things", { note: null })).toEqual({});
    expect(await ask("POST", "/things", { note: "", price: false })).toEqual({ note: "", price: false });
  });

  it("says null where a resolver returned nothing", async () => {
    expect(await ask("GET", "/nothing")).toBeNull();
  });

  it("throws what a resolver threw, also deep inside, also where the field may be null", async () => {
    fail = new ApiError("SYMBOL_NOT_FOUND", { param: "symbol" });
    await expect(ask("GET", "/things/0x1/7")).rejects.toMatchObject({ originalError: fail });
    fail = null;
  });

  it("takes what stands in the path for one value, whatever it holds", async () => {
    const data = await ask("GET", "/things/a&size=9+b;c=d/7", { filter: "?size=8" });
    expect(data).toMatchObject({ args: { thingId: "a&size=9+b;c=d", size: "7", filter: "?size=8" } });
  });

  it("names the inputs of a route: its arguments, but for those in the path", () => {
    const inputs = (method: string, path: string) => {
      const match = matchRoute(routes, method, path);
      return match && [...rest.inputs(match.route)];
    };
    expect(inputs("GET", "/things/0x1/7")).toEqual(["filter"]);
    expect(inputs("POST", "/things")).toEqual(["price", "deadline", "note", "deep"]);
    expect(inputs("DELETE", "/things/0x1")).toEqual(["gasLimit"]);
  });

  it.each([
    [{ method: "GET", path: "/x", field: "Query.unknown" }, /schema does not have/],
    [{ method: "GET", path: "/x/:id", field: "Query.thing" }, /does not take/],
    [{ method: "GET", path: "/:thingId/:size", field: "Query.plain" }, /does not take/],
  ] as [Route, RegExp][])("refuses to start with %j", (route, message) => {
    expect(() => createRest(buildSchema([TYPE_DEFS], []), [route])).toThrow(message);
  });
});

describe("the real schema", () => {
  const schema = buildSchema(readTypeDefs(), []);

  it("has every listed route, and takes every argument as it comes: nullable and flat", () => {
    expect(() => createRest(schema, ENDPOINTS)).not.toThrow();
    for (const { field } of rootFields(schema)) {
      for (const arg of field.args) {
        expect(`${field.name}.${arg.name}: ${arg.type}`).toMatch(
          /: (Decimal|Address|Hash|Text|Integer|UnixSeconds|BlockNumber|JSON)$/,
        );
      }
    }
  });

  it("names no field `id` in any answer, which sofa would collapse its type to", () => {
    const types = new Set<GraphQLObjectType>();
    const collect = (output: GraphQLOutputType): void => {
      const type = getNamedType(output);
      if (!isObjectType(type) || types.has(type)) return;
      types.add(type);
      for (const field of Object.values(type.getFields())) collect(field.type);
    };
    const routed = new Set<string>(ENDPOINTS.map(({ field }) => field));
    for (const { root, field } of rootFields(schema))
      if (routed.has(`${root}.${field.name}`)) collect(field.type);
    expect(types.size).toBeGreaterThan(20);
    for (const type of types) expect([type.name, ...Object.keys(type.getFields())]).not.toContain("id");
  });

  it("is selected whole: an answer holds every field of every nested type", async () => {
    const resolvers: Record<string, Record<string, () => unknown>> = { Query: {}, Mutation: {} };
    for (const { root, field } of rootFields(schema)) {
      resolvers[root] = { ...resolvers[root], [field.name]: () => sample(field.type) };
    }
    const whole = createRest(buildSchema(readTypeDefs(), [resolvers]), ENDPOINTS);
    for (const { method, path, field } of ENDPOINTS) {
      const sent = path.replace(/:\w+/g, "x");
      const data = await call(whole, ENDPOINTS, { method, path: sent });
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

/** Returns a value of a type with every field set, also nullable ones. */
function sample(type: GraphQLType | undefined): unknown {
  if (isNonNullType(type)) return sample(type.ofType);
  if (isListType(type)) return [sample(type.ofType), sample(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isObjectType(type)) return String(type) === "Boolean" ? true : `a ${type}`;
  return Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, sample(field.type)]));
}
