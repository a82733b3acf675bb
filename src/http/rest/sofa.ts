import { filterSchema } from "@graphql-tools/utils";
import { createRouter, type RouteHandler, type RouterRequest } from "fets";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLField,
  type GraphQLSchema,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { useSofa } from "sofa-api";
import type { Route } from "../../context/endpoint.ts";
import type { RequestContext } from "../../context/request.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import { nameOf } from "../routes.ts";

/** A request that passed authentication, and whose names were checked. */
interface RestCall {
  /** One of the list. */
  route: Route;
  /** The field's arguments, out of the path and the query or the body. */
  args: Readonly<Record<string, unknown>>;
  context: RequestContext;
}

export interface Rest {
  /** Names of the routes that sofa has. */
  names: readonly string[];
  /** Names of a route's arguments that the path does not carry: query parameters on GET, else body fields. */
  inputs(route: Route): ReadonlySet<string>;
  /** Answers with the field's data as JSON. @throws whatever the resolver threw, wrapped by GraphQL or not */
  call(call: RestCall): Promise<string>;
}

/** Circular references that a document follows; our types have none, so this only has to be above zero. */
const CIRCULAR_DEPTH = 3;
const NO_PAGES = { openAPI: { endpoint: false }, swaggerUI: { endpoint: false } } as const;
/** Sofa has them for subscriptions, whatever the schema. Express has no such path, so no request gets there. */
const SUBSCRIPTIONS = `${API_PREFIX}/webhook`;

/**
 * Creates REST over the schema that /graphql serves. Sofa makes one document per route, which selects every field, turns the
 * arguments into variables, runs it and answers with the field's data. Express alone decides which route a path means, and
 * calls sofa's handler of the same path (docs/decisions/2026-11-24-sofa-and-express.md).
 * @throws Error at start, where a route and the schema disagree
 */
export function createRest(schema: GraphQLSchema, routes: readonly Route[]): Rest {
  const inputs = new Map(routes.map((route) => [route, inputsOf(checkedField(schema, route), route.path)]));
  const fields = new Set<string>(routes.map(({ field }) => field));
  if (fields.size !== routes.length) throw new Error("two routes name one field: each needs one of its own");
  const handlers = handlersOf(
    useSofa({
      ...NO_PAGES,
      basePath: API_PREFIX,
      schema: filterSchema({
        schema,
        rootFieldFilter: (operation, name) => fields.has(`${operation}.${name}`),
      }),
      routes: Object.fromEntries(routes.map(({ field, method, path }) => [field, { method, path }])),
      depthLimit: CIRCULAR_DEPTH,
      context: (server) => (server as unknown as ServerContext).context,
      execute: executeCompiled,
      errorHandler: ([error]) => {
        throw error;
      },
    }),
  );
  const handlerOf = new Map(routes.map((route) => [route, handlers.get(nameOf(route))]));
  return {
    names: [...handlers.keys()],
    inputs: (route) => inputs.get(route) ?? new Set(),
    call: async ({ route, args, context }) => {
      const handler = handlerOf.get(route);
      if (!handler) throw new Error(`sofa has no route ${nameOf(route)}`);
      const response = await handler(toRequest(route, args), { context });
      return response.text();
    },
  };
}

/** The argument of sofa's `context` function. Sofa adds the request to it. */
interface ServerContext {
  context: RequestContext;
}
type SofaHandler = RouteHandler<ServerContext>;

/** Returns sofa's handlers by the names of their routes: a router that takes sofa's routes shows each to its plugins. */
function handlersOf(sofa: ReturnType<typeof useSofa>): Map<string, SofaHandler> {
  const handlers = new Map<string, SofaHandler>();
  const collect = ({ route }: { route: { method?: string; path: string; handler: SofaHandler } }) => {
    if (route.path !== SUBSCRIPTIONS && !route.path.startsWith(`${SUBSCRIPTIONS}/`))
      handlers.set(`${route.method} ${route.path}`, route.handler);
  };
  createRouter({ ...NO_PAGES, plugins: [{ onRoute: collect }] }).use(sofa);
  return handlers;
}

/**
 * Creates what sofa reads of a Request, and nothing else: `npm run bench:rest` measures a real one. All arguments come as the
 * path's: they are parsed and checked already, and sofa would parse the query once for each of them.
 */
const toRequest = ({ method, path }: Route, args: RestCall["args"]): RouterRequest =>
  ({ method, url: path, params: args }) as unknown as RouterRequest;

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

type Run = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Sofa makes its documents once, at start, so each one is compiled once, when it is first met. */
const prepared = new WeakMap<DocumentNode, Run>();

/**
 * Runs a document, compiled (sofa's `execute` hook): `npm run bench:rest` measures what that saves. Where a document cannot be
 * compiled it is interpreted.
 */
function executeCompiled(args: ExecutionArgs): ReturnType<Run> {
  const run = prepared.get(args.document) ?? prepare(args);
  return run(args);
}

function prepare({ schema, document }: ExecutionArgs): Run {
  const compiled = compileQuery(schema, document);
  const run: Run = isCompiledQuery(compiled)
    ? ({ contextValue, variableValues }) => compiled.query(undefined, contextValue, variableValues)
    : execute;
  prepared.set(document, run);
  return run;
}
