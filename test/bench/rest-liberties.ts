import { isDeepStrictEqual } from "node:util";
import { filterSchema } from "@graphql-tools/utils";
import { createRouter } from "fets";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
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
import { buildSchema, readTypeDefs } from "../../src/http/graphql/sdl.ts";
import { createRest } from "../../src/http/rest/sofa.ts";
import { nameOf } from "../../src/http/routes.ts";
import { API_PREFIX } from "../../src/protocol/signing.ts";
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
/** Answers with the data as JSON. */
type Answer = (call: Call) => Promise<string>;

interface Liberties {
  /** Documents compiled by graphql-jit, in place of graphql's interpreter. */
  compiled: boolean;
  /** An object with what sofa reads of a Request, in place of a Request. */
  imitatedRequest: boolean;
  /** All arguments as the path's, in place of a query that sofa parses. */
  parsedQuery: boolean;
  /** Calls the handler of a route directly, in place of a second router that looks for it. */
  direct: boolean;
}
const ALL: Liberties = { compiled: true, imitatedRequest: true, parsedQuery: true, direct: true };

const NO_PAGES = { openAPI: { endpoint: false }, swaggerUI: { endpoint: false } } as const;
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
  const context = {} as Parameters<typeof rest.call>[0]["context"];
  const routes = new Map(ENDPOINTS.map((route) => [route.field as string, route]));
  return ({ field, args }) => {
    const route = present(routes.get(`Query.${field}`), "a route");
    return rest.call({ route, args, context });
  };
}

type Handler = (request: Request, context: object) => Response | Promise<Response>;

/** Creates an adapter that takes the given liberties alone. */
function createVariant(schema: GraphQLSchema, liberties: Liberties): Answer {
  const sofa = useSofa({
    basePath: API_PREFIX,
    schema,
    routes: Object.fromEntries(ENDPOINTS.map(({ field, method, path }) => [field, { method, path }])),
    depthLimit: 3,
    context: {},
    ...(liberties.compiled ? { execute: createCompiler() } : {}),
    ...NO_PAGES,
  });
  const handlers = new Map<string, Handler>();
  const onRoute = ({
    route: { method, path, handler },
  }: {
    route: { method?: string; path: string; handler: unknown };
  }) => void handlers.set(`${method} ${path}`, handler as Handler);
  createRouter({ ...NO_PAGES, plugins: [{ onRoute }] }).use(sofa);
  const nameOfField = new Map(ENDPOINTS.map((route) => [route.field as string, nameOf(route)]));
  return async (call) => {
    const handle = liberties.direct
      ? present(handlers.get(nameOfField.get(`Query.${call.field}`) ?? ""), "a handler")
      : (sofa.fetch as Handler);
    return (await handle(toRequest(call, liberties), {})).text();
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

function toRequest(
  { path, query, args }: Call,
  { imitatedRequest, parsedQuery, direct }: Liberties,
): Request {
  const search = parsedQuery ? "" : new URLSearchParams(query).toString();
  const url = `http://localhost${API_PREFIX}${path}${search && `?${search}`}`;
  const request = imitatedRequest ? { method: "GET", url } : new Request(url);
  // Sofa's router finds the path's parameters by itself.
  const params = parsedQuery
    ? args
    : Object.fromEntries(Object.entries(args).filter(([name]) => !(name in query)));
  return (direct ? Object.assign(request, { params }) : request) as Request;
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
    "interpreted documents": { ...ALL, compiled: false },
    "a real Request": { ...ALL, imitatedRequest: false },
    "a query that sofa parses": { ...ALL, parsedQuery: false },
    "sofa's own router": { ...ALL, imitatedRequest: false, parsedQuery: false, direct: false },
    "sofa alone": { compiled: false, imitatedRequest: false, parsedQuery: false, direct: false },
  }).map(([name, liberties]) => ({ name, answer: createVariant(schema, liberties), times: [] })),
];

for (const call of CALLS) {
  const service = present(contestants[0], "the service");
  const expected = JSON.parse(await service.answer(call));
  for (const { name, answer } of contestants) {
    const got = JSON.parse(await answer(call));
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
