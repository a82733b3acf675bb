import { filterSchema } from "@graphql-tools/utils";
import type { GraphQLField, GraphQLSchema } from "graphql";
import { useSofa } from "sofa-api";
import { API_PREFIX, type Route } from "../protocol/routes.ts";
import type { RequestContext } from "./context.ts";
import { executeCompiled, type Pending } from "./execute.ts";
import type { Listed } from "./gate.ts";

/** A request that passed the gate and authentication, and whose names were checked. */
export interface RestCall {
  method: Route["method"];
  /** Path from /api/v1 on, and query, as sent. */
  uri: string;
  /** The body's fields; null where the method takes none. */
  body: Record<string, unknown> | null;
  context: RequestContext;
}

export interface Rest {
  /** Names of a route's arguments that the path does not carry: its query parameters on GET, else its body fields. */
  inputs(listed: Listed): ReadonlySet<string>;
  /** Answers with the field's data. @throws whatever the resolver threw, wrapped by GraphQL or not */
  call(call: RestCall): Promise<unknown>;
}

type LiveRoute = Route & { field: NonNullable<Route["field"]> };

/** Circular references that a document follows; our types have none, so this only has to be above zero. */
const CIRCULAR_DEPTH = 3;

/**
 * REST over the schema that /graphql serves: sofa makes one document per route, which selects every field. Sofa sees
 * only the fields of listed routes, and has no page of its own.
 * @throws Error at start, where a listed route and the schema disagree
 */
export function createRest(schema: GraphQLSchema, routes: readonly Route[]): Rest {
  const live = routes.filter((route): route is LiveRoute => route.field !== null);
  const inputs = new Map(
    live.map((route) => [route.field, inputsOf(checkedField(schema, route), route.path)]),
  );
  refuseOverlaps(live);
  if (inputs.size !== live.length) throw new Error("two routes name one field: each needs one of its own");
  const sofa = useSofa({
    basePath: API_PREFIX,
    schema: filterSchema({
      schema,
      rootFieldFilter: (operation, name) => live.some(({ field }) => field === `${operation}.${name}`),
    }),
    routes: Object.fromEntries(live.map(({ field, method, path }) => [field, { method, path }])),
    depthLimit: CIRCULAR_DEPTH,
    context: ({ pending }: { pending?: Pending }) => pending ?? {},
    execute: executeCompiled,
    openAPI: { endpoint: false },
    swaggerUI: { endpoint: false },
  });
  return {
    inputs: (listed) => inputs.get(listed.field) ?? new Set(),
    call: async ({ method, uri, body, context }) => {
      const pending: Pending = { context, outcome: null };
      const request = new Request(`http://localhost${uri}`, {
        method,
        ...(body && method !== "GET" ? { body: JSON.stringify(body) } : {}),
      });
      const response = await sofa.fetch(request, { pending });
      if (pending.outcome) return pending.outcome();
      throw new Error(
        `sofa ran nothing for ${method} ${uri}: ${response ? await response.text() : "no route"}`,
      );
    },
  };
}

function checkedField(
  schema: GraphQLSchema,
  { field, method, path }: LiveRoute,
): GraphQLField<unknown, unknown> {
  const [root, name] = field.split(".");
  const type = root === "Query" ? schema.getQueryType() : schema.getMutationType();
  const found = type?.getFields()[name ?? ""];
  if (!found) throw new Error(`${method} ${path} names ${field}, which the schema does not have`);
  for (const param of pathParams(path)) {
    if (!found.args.some((arg) => arg.name === param)) {
      throw new Error(`${method} ${path} has the parameter ${param}, which ${field} does not take`);
    }
  }
  return found;
}

function inputsOf(field: GraphQLField<unknown, unknown>, path: string): ReadonlySet<string> {
  const carried = new Set(pathParams(path));
  return new Set(field.args.map((arg) => arg.name).filter((name) => !carried.has(name)));
}

function pathParams(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
}

/** Of two patterns that fit one path, sofa takes the one whose field stands first in the schema, whatever the gate says. */
function refuseOverlaps(live: readonly LiveRoute[]): void {
  const patterns = live.filter(({ path }) => path.includes(":"));
  for (const [index, route] of patterns.entries()) {
    const rival = patterns.slice(index + 1).find((other) => overlap(route, other));
    if (rival) throw new Error(`${route.method} ${route.path} and ${rival.path} fit the same path`);
  }
}

function overlap(a: LiveRoute, b: LiveRoute): boolean {
  const [left, right] = [a.path.split("/"), b.path.split("/")];
  const same = (part: string, other = "") => part === other || part.startsWith(":") || other.startsWith(":");
  return (
    a.method === b.method &&
    left.length === right.length &&
    left.every((part, index) => same(part, right[index]))
  );
}
