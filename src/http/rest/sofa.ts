import { filterSchema } from "@graphql-tools/utils";
import type { GraphQLField, GraphQLSchema } from "graphql";
import { useSofa } from "sofa-api";
import type { Route } from "../../context/endpoint.ts";
import type { RequestContext } from "../../context/request.ts";
import type { MatchedRoute } from "../router.ts";
import { executeCompiled, type Pending } from "./execute.ts";

/** A request that passed the router and authentication, and whose names were checked. */
interface RestCall {
  route: MatchedRoute;
  /** The field's arguments, out of the path and the query or the body. */
  args: Record<string, unknown>;
  context: RequestContext;
}

export interface Rest {
  /** Names of a route's arguments that the path does not carry: query parameters on GET, else body fields. */
  inputs(route: MatchedRoute): ReadonlySet<string>;
  /** Answers with the field's data. @throws whatever the resolver threw, wrapped by GraphQL or not */
  call(call: RestCall): Promise<unknown>;
}

/** Circular references that a document follows; our types have none, so this only has to be above zero. */
const CIRCULAR_DEPTH = 3;

/**
 * Creates REST over the schema that /graphql serves. Sofa makes one document per route, which selects every field, turns the
 * arguments into variables and runs it. Sofa sees only the fields of listed routes, and has no page of its own.
 *
 * The router alone decides which route a path means, so that two routers cannot disagree: to sofa each field has a path of
 * its own, and all arguments come in the body, where none can override another. Sofa would match patterns, and parse the
 * query once per argument: a call would take 6.7 times the processor time for one order. Its router is not asked at all: the
 * function of the route is called directly. By that router a call takes 2.5 times the time for one order.
 *
 * Sofa alone, without this and what `toRequest` and execute.ts do past it, takes 22 times the time of this adapter for one
 * order and 14 times for 100. All ratios here are medians of `npm run bench:rest` (test/bench/rest-liberties.ts), resolvers
 * answering at once.
 * @throws Error at start, where a listed route and the schema disagree
 */
export function createRest(schema: GraphQLSchema, routes: readonly Route[]): Rest {
  const inputs = new Map<string, ReadonlySet<string>>(
    routes.map((route) => [route.field, inputsOf(checkedField(schema, route), route.path)]),
  );
  if (inputs.size !== routes.length) throw new Error("two routes name one field: each needs one of its own");
  const sofa = useSofa({
    basePath: "/",
    schema: filterSchema({
      schema,
      rootFieldFilter: (operation, name) => inputs.has(`${operation}.${name}`),
    }),
    routes: Object.fromEntries(routes.map(({ field, method }) => [field, { method, path: `/${field}` }])),
    depthLimit: CIRCULAR_DEPTH,
    context: ({ pending }: { pending?: Pending }) => pending ?? {},
    execute: executeCompiled,
    openAPI: { endpoint: false },
    swaggerUI: { endpoint: false },
  });
  const handlers = new Map(
    sofa.__routes.map(({ path, handler }) => [path, handler as unknown as SofaHandler]),
  );
  const handlerOf = ({ field }: Route): SofaHandler => {
    const handler = handlers.get(`/${field}`);
    if (!handler) throw new Error(`sofa has no route for ${field}`);
    return handler;
  };
  for (const route of routes) handlerOf(route);
  return {
    inputs: (route) => inputs.get(route.field) ?? new Set(),
    call: async (call) => {
      const pending: Pending = { context: call.context, outcome: null };
      const response = await handlerOf(call.route)(toRequest(call), { pending });
      if (pending.outcome) return pending.outcome();
      throw new Error(`sofa ran nothing for ${call.route.field}: ${await response.text()}`);
    },
  };
}

/** Runs the document of one route. */
type SofaHandler = (request: Request, context: { pending: Pending }) => Promise<Response>;

/**
 * Creates what sofa reads of a Request, and nothing else: a real one makes an abort signal, headers and a stream. With it a
 * call takes 3.7 times the processor time for one order, 1.1 times for 100 orders (`npm run bench:rest`).
 */
function toRequest({ route, args }: RestCall): Request {
  const body = JSON.stringify(args);
  const request = {
    method: route.method,
    url: `http://localhost/${route.field}`,
    body,
    text: async () => body,
  };
  return request as unknown as Request;
}

function checkedField(schema: GraphQLSchema, { field, method, path }: Route): GraphQLField<unknown, unknown> {
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
