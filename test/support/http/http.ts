import type { Logger } from "pino";
import type { Authenticate } from "../../../src/auth/authenticate.ts";
import type { Route } from "../../../src/context/endpoint.ts";
import type { RequestContext } from "../../../src/context/request.ts";
import type { Checkpoints } from "../../../src/db/checkpoint-watch.ts";
import { type ApiOptions, createApi } from "../../../src/http/api.ts";
import { createApp } from "../../../src/http/app.ts";
import { buildSchema } from "../../../src/http/graphql/sdl.ts";
import { createMetrics, type Metrics } from "../../../src/http/metrics.ts";
import { createRest } from "../../../src/http/rest/sofa.ts";
import { createHttpServer, type HttpServer, type Timeouts } from "../../../src/http/server.ts";
import { ApiError } from "../../../src/protocol/errors.ts";
import { API_PREFIX } from "../../../src/protocol/signing.ts";
import { createLog } from "../../../src/telemetry/log.ts";

/** A small API of its own: the platform without the features, for tests of the HTTP side. */
const TYPE_DEFS = `
  scalar Decimal scalar Address scalar Hash scalar Text scalar Integer scalar UnixSeconds scalar BlockNumber scalar JSON
  type Query { echo(word: Text, orderId: Hash): JSON ahead(word: Text, searched: Text): JSON hold: JSON hidden: JSON }
  type Mutation { make(price: Decimal, deep: JSON): JSON }
`;

export const ROUTES: Route[] = [
  { method: "GET", path: "/echo", field: "Query.echo" },
  { method: "GET", path: "/ahead", field: "Query.ahead", readsAhead: ["word"] },
  { method: "GET", path: "/hold", field: "Query.hold" },
  { method: "POST", path: "/make", field: "Mutation.make" },
];

export interface SmallServer {
  baseUrl: string;
  server: HttpServer;
  metrics: Metrics;
  /** Every line that was logged. */
  lines: string[];
  /** Returns the number of calls of authentication. */
  authentications: () => number;
  /** Lets GET /hold answer. */
  release: () => void;
  /** Resolves when a request has arrived at GET /hold. */
  held: Promise<void>;
}

export interface SmallOptions {
  prefix?: string;
  docsUrl?: string;
  timeouts?: Partial<Timeouts>;
  connectionsMax?: number;
  authenticate?: Authenticate;
  checkpoints?: Checkpoints;
  minBlockWaitMs?: number;
  resolve?: (field: string, args: Record<string, unknown>, context: RequestContext) => unknown;
  /** Answer beside the API, by their exact path. */
  routers?: Parameters<typeof createApp>[0];
  /** The paths for createApp. */
  paths?: string[];
}

export const CALLER = {
  keyId: "11111111-1111-4111-8111-111111111111",
  apiKey: "ak_test",
  access: "WRITABLE",
  chainId: 31337,
  productType: "spot",
  userAddress: null,
} as const;

export const NO_CHECKPOINTS: Checkpoints = {
  last: () => null,
  reached: () => Promise.reject(new ApiError("INDEXER_BEHIND")),
  stop: () => undefined,
};

/** Starts the small API on a free port. Every request is let in, unless `authenticate` refuses it. */
export async function startSmallServer(options: SmallOptions = {}): Promise<SmallServer> {
  const lines: string[] = [];
  const log = createLog("test", "debug", { write: (line) => void lines.push(line) });
  const router = createGateKeeper();
  let asked = 0;
  const authenticate: Authenticate = async (request, onClaiming) => {
    asked += 1;
    return options.authenticate
      ? options.authenticate(request, onClaiming)
      : { ok: true, caller: CALLER, ip: "127.0.0.1" };
  };
  const metrics = createMetrics(() => new Map());
  const server = createHttpServer({
    log,
    metrics,
    now: Date.now,
    prefix: options.prefix ?? "",
    ...(options.docsUrl ? { docsUrl: options.docsUrl } : {}),
    ...(options.connectionsMax ? { connectionsMax: options.connectionsMax } : {}),
    timeouts: { check: 50, shutdownDelay: 0, drain: 5_000, ...options.timeouts },
    app: createApp(
      options.routers ?? [],
      options.paths ?? [],
      Date.now,
      createApi({ ...parts(log, router.hold, options), metrics, authenticate }),
    ),
  });
  const baseUrl = await server.listen(0, "127.0.0.1");
  return {
    baseUrl,
    server,
    metrics,
    lines,
    authentications: () => asked,
    release: router.release,
    held: router.held,
  };
}

function parts(log: Logger, hold: () => Promise<string>, options: SmallOptions) {
  const answer =
    (field: string) => (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      options.resolve ? options.resolve(field, args, context) : args;
  const resolvers = {
    Query: { echo: answer("echo"), ahead: answer("ahead"), hold: () => hold() },
    Mutation: { make: answer("make") },
  };
  const rest = createRest(buildSchema([TYPE_DEFS], [resolvers]), ROUTES);
  const deps = { log, now: Date.now } as ApiOptions["deps"];
  const { checkpoints = NO_CHECKPOINTS, minBlockWaitMs } = options;
  return {
    deps,
    rest,
    routes: ROUTES,
    document: {
      paths: Object.fromEntries(
        ROUTES.map(({ method, path }) => [`${API_PREFIX}${path}`, { [method.toLowerCase()]: {} }]),
      ),
    },
    checkpoints,
    shown: checkpoints,
    ...(minBlockWaitMs ? { minBlockWaitMs } : {}),
  };
}

/** Holds a request until it is released, and shows when one has arrived. */
function createGateKeeper() {
  let release: () => void = () => undefined;
  let arrive: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = async () => {
    arrive();
    await released;
    return "released";
  };
  return { hold, release: () => release(), held };
}
