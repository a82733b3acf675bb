import { describe, expect, it } from "@jest/globals";
import type { GraphQLFieldMap } from "graphql";
import { ENDPOINTS, STREAMS } from "../../src/api/endpoints.ts";
import { buildApiSchema } from "../../src/api/schema.ts";
import { specRows } from "../support/assert/spec.ts";
import { operations } from "../support/http/openapi.ts";

/** The specification's section 4, the endpoints, the GraphQL fields and the OpenAPI document name the same endpoints. */
const schema = buildApiSchema();
const fieldsOf = (root: "Query" | "Mutation"): GraphQLFieldMap<unknown, unknown> =>
  (root === "Query" ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {};

const specified = specRows.flatMap(({ section, cells }) =>
  section.startsWith("4.") && cells?.Path ? [`${cells.Method} ${cells.Path}`] : [],
);
const routed = [...ENDPOINTS, ...STREAMS].map(
  ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
);

describe("the endpoints", () => {
  it("are 42 in the specification", () => {
    expect(specified).toHaveLength(42);
    expect(new Set(specified).size).toBe(42);
  });

  it("are all of the specification, in the list of descriptors; there may be others", () => {
    expect(routed).toEqual(expect.arrayContaining(specified));
    expect(new Set(routed).size).toBe(routed.length);
  });

  it("are those of the descriptors in the OpenAPI document, and no other", () => {
    const described = operations.map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
    expect([...described].sort()).toEqual([...routed].sort());
  });

  it("have a GraphQL field each, of their own: GETs a query's, POSTs and DELETEs a mutation's", () => {
    const named = ENDPOINTS.map(({ field }) => field);
    expect(new Set(named).size).toBe(ENDPOINTS.length);
    for (const { method, path, field } of ENDPOINTS) {
      const [root, name = ""] = field.split(".");
      expect({ method, path, root }).toEqual({ method, path, root: method === "GET" ? "Query" : "Mutation" });
      const args = fieldsOf(method === "GET" ? "Query" : "Mutation")[name]?.args.map((arg) => arg.name);
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, param]) => param);
      expect({ method, path, args }).toEqual({ method, path, args: expect.arrayContaining(inPath) });
    }
  });

  it("are all that GraphQL has, but for queries that say they are for dashboards", () => {
    const named = new Set<string>(ENDPOINTS.map(({ field }) => field));
    const others = (["Query", "Mutation"] as const).flatMap((root) =>
      Object.values(fieldsOf(root)).flatMap(({ name, description }) =>
        named.has(`${root}.${name}`) ? [] : [{ root, name, description }],
      ),
    );
    for (const other of others) {
      expect(other).toEqual({
        ...other,
        root: "Query",
        description: expect.stringMatching(/^For dashboards: /),
      });
    }
  });
});
