import { isDeepStrictEqual } from "node:util";
import { filterSchema } from "@graphql-tools/utils";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { useSofa } from "sofa-api";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import type { Route } from "../../src/context/endpoint.ts";
import { buildSchema, readTypeDefs } from "../../src/http/graphql/sdl.ts";
import { createRest } from "../../src/http/rest/sofa.ts";
import { createRouter } from "../../src/http/router.ts";
import { present } from "../support/assert/until.ts";
import { median } from "./rounds.ts";

/**
 * `npm run bench:rest` measures what each liberty of src/http/rest saves. Contestants answer the same calls over the same
 * resolvers, in turns in one process: the service, the service with one liberty less each, and sofa alone. Prints the
 * median processor time of a call, and the median over the rounds of its ratio to the service's.
 */
const ROUNDS = 21;
const ROUND_MS = 200;
const ORDER_ID = `0x${"5e".repeat(32)}`;

const CALLS = [
  {
    what: "order detail",
    field: "order",
    path: `/orders/${ORDER_ID}`,
    query: {},
    args: { orderId: ORDER_ID },
  },
  {
    what: "100 orders",
    field: "orders",
    path: "/orders",
    query: { limit: "100", page: "1" },
    args: { limit: "100", page: "1" },
  },
] as const;
type Call = (typeof CALLS)[number];
type Answer = (call: Call) => Promise<unknown>;

interface Pending {
  data: unknown;
}

interface Liberties {
  /** An object with what sofa reads of a Request, in place of a Request. */
  imitatedRequest: boolean;
  /** Documents compiled by graphql-jit, in place of graphql's interpreter. */
  compiled: boolean;
  /** Data handed over past sofa, in place of a Response whose body is parsed again. */
  dataAside: boolean;
  /** A path per field and all arguments in the body, in place of patterns and a query. */
  ownPaths: boolean;
  /** Calls the function of a route directly, in place of a second router that looks for it. Implies `ownPaths`. */
  direct: boolean;
}
const ALL: Liberties = {
  imitatedRequest: true,
  compiled: true,
  dataAside: true,
  ownPaths: true,
  direct: true,
};
const NONE: Liberties = {
  imitatedRequest: false,
  compiled: false,
  dataAside: false,
  ownPaths: false,
  direct: false,
};

const LIST_SIZE = 100;

/** Returns a value of a type with every field set, and as many rows as the longest page has. */
function sample(type: GraphQLType | undefined, name = ""): unknown {
  if (isNonNullType(type)) return sample(type.ofType, name);
  if (isListType(type))
    return Array.from({ length: name === "rows" ? LIST_SIZE : 2 }, () => sample(type.ofType));
  if (isEnumType(type)) return type.getValues()[0]?.value;
  if (!isObjectType(type)) return String(type) === "Boolean" ? true : `a ${type}`;
  const fields = Object.values(type.getFields());
  return Object.fromEntries(fields.map((field) => [field.name, sample(field.type, field.name)]));
}

function createSchema(): GraphQLSchema {
  const typeDefs = readTypeDefs();
  const fields = present(buildSchema(typeDefs, []).getQueryType(), "Query").getFields();
  const [order, orders] = [sample(fields.order?.type), sample(fields.orders?.type)];
  const schema = buildSchema(typeDefs, [{ Query: { order: () => order, orders: () => orders } }]);
  const rootFieldFilter = (root: string, name: string) =>
    ENDPOINTS.some(({ field }) => field === `${root}.${name}`);
  return filterSchema({ schema, rootFieldFilter });
}

/** Creates the service's own adapter. */
function createService(schema: GraphQLSchema): Answer {
  const rest = createRest(schema, ENDPOINTS);
  const router = createRouter(ENDPOINTS);
  const context = {} as Parameters<typeof rest.call>[0]["context"];
  return ({ path, args }) => {
    const { route } = present(router("GET", path), "a route");
    return rest.call({ route, args, context });
  };
}

/** Creates an adapter that takes the given liberties alone. */
function createVariant(schema: GraphQLSchema, liberties: Liberties): Answer {
  const { compiled, dataAside, ownPaths, direct } = liberties;
  const run = compiled ? createCompiler() : async (args: ExecutionArgs) => execute(args);
  const routeOf = ({ path, field }: Route) =>
    ownPaths ? { method: "POST" as const, path: `/${field}` } : { method: "GET" as const, path };
  const sofa = useSofa({
    basePath: "/",
    schema,
    routes: Object.fromEntries(ENDPOINTS.map((route) => [route.field, routeOf(route)])),
    depthLimit: 3,
    context: ({ pending }: { pending?: Pending }) => pending ?? {},
    execute: async (args) => {
      const result = await run(args);
      if (!dataAside) return result;
      const [[field, data]] = Object.entries(result.data ?? {}) as [[string, unknown]];
      (args.contextValue as Pending).data = data;
      return { data: { [field]: null } };
    },
    openAPI: { endpoint: false },
    swaggerUI: { endpoint: false },
  });
  type Handler = (request: Request, context: { pending: Pending }) => Response | Promise<Response>;
  const handlers = new Map(sofa.__routes.map(({ path, handler }) => [path, handler as unknown as Handler]));
  const routed: Handler = (request, context) => sofa.fetch(request, context);
  return async (call) => {
    const pending: Pending = { data: null };
    const handle = direct ? present(handlers.get(`/Query.${call.field}`), "a handler") : routed;
    const response = await handle(toRequest(call, liberties), { pending });
    return dataAside ? pending.data : response.json();
  };
}

function createCompiler(): (args: ExecutionArgs) => Promise<ExecutionResult> {
  const compiledOf = new WeakMap<DocumentNode, ReturnType<typeof compile>>();
  const compile = (schema: GraphQLSchema, document: DocumentNode) => compileQuery(schema, document);
  return async ({ schema, document, contextValue, variableValues }) => {
    const query = compiledOf.get(document) ?? compile(schema, document);
    compiledOf.set(document, query);
    if (!isCompiledQuery(query)) throw new Error("the document cannot be compiled");
    return query.query(undefined, contextValue, variableValues);
  };
}

function toRequest({ field, path, query, args }: Call, { imitatedRequest, ownPaths }: Liberties): Request {
  const search = new URLSearchParams(query).toString();
  const url = `http://localhost${ownPaths ? `/Query.${field}` : `${path}${search && `?${search}`}`}`;
  const method = ownPaths ? "POST" : "GET";
  const body = ownPaths ? JSON.stringify(args) : null;
  if (!imitatedRequest) return new Request(url, { method, body });
  return { method, url, body, text: async () => body ?? "" } as unknown as Request;
}

/** Returns microseconds of processor time per call: other programs lengthen it less than wall time. */
async function measure(answer: Answer, call: Call): Promise<number> {
  const end = performance.now() + ROUND_MS;
  const before = process.cpuUsage();
  let calls = 0;
  while (performance.now() < end) {
    await answer(call);
    calls += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const schema = createSchema();
const contestants: { name: string; answer: Answer; times: number[] }[] = [
  { name: "the service", answer: createService(schema), times: [] },
  ...Object.entries({
    "a real Request": { ...ALL, imitatedRequest: false },
    "interpreted documents": { ...ALL, compiled: false },
    "data through a Response": { ...ALL, dataAside: false },
    "a second router": { ...ALL, direct: false },
    "sofa's patterns and query": { ...ALL, ownPaths: false, direct: false },
    "sofa alone": NONE,
  }).map(([name, liberties]) => ({ name, answer: createVariant(schema, liberties), times: [] })),
];

for (const call of CALLS) {
  const service = present(contestants[0], "the service");
  const expected = JSON.parse(JSON.stringify(await service.answer(call)));
  for (const { name, answer } of contestants) {
    const got = JSON.parse(JSON.stringify(await answer(call)));
    if (!isDeepStrictEqual(got, expected))
      throw new Error(`${name} answers something else: ${JSON.stringify(got)}`);
    await measure(answer, call);
  }
  for (const contestant of contestants) contestant.times = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const { answer, times } = present(contestants[(round + turn) % contestants.length], "a contestant");
      times.push(await measure(answer, call));
    }
  }
  process.stdout.write(`${call.what}\n`);
  for (const { name, times } of contestants) {
    const ratio = median(times.map((time, round) => time / (service.times[round] ?? Number.NaN)));
    process.stdout.write(
      `  ${name.padEnd(26)} ${median(times).toFixed(0).padStart(6)} us  ${ratio.toFixed(2)}\n`,
    );
  }
}
