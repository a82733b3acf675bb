import type { GraphQLSchema } from "graphql";
import { ENDPOINTS, STREAMS } from "./api/endpoints.ts";
import { createAuthenticator } from "./auth/authenticate.ts";
import { createInFlightLimit } from "./auth/in-flight.ts";
import type { BuiltReplicas } from "./build-deps.ts";
import { readShownBlocks } from "./claims/shown.ts";
import type { Env } from "./config/env.ts";
import type { Deps } from "./context/deps.ts";
import { createReplicas } from "./context/replicas.ts";
import { createRequestCounts, type RequestCounts } from "./dashboard/overview/request-counts.ts";
import { createRequestLog } from "./dashboard/requests/keep.ts";
import { type Checkpoints, watchCheckpoints } from "./db/checkpoint-watch.ts";
import { eventStreamShape } from "./events/input.ts";
import { createApi } from "./http/api.ts";
import { createApp } from "./http/app.ts";
import { namesOf } from "./http/arguments.ts";
import type { JsonSchema } from "./http/graphql/scalars.ts";
import { createKeptAnswers } from "./http/kept-answers.ts";
import type { Metrics } from "./http/metrics.ts";
import { createDocument, printDocument } from "./http/openapi/document.ts";
import { toOpenApi30 } from "./http/openapi/three-zero.ts";
import { createDocs, DOCS_PATHS } from "./http/pages/docs.ts";
import { createRest } from "./http/rest/sofa.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import { compressed, type StaticFile, serveFiles } from "./http/static-files.ts";
import { priceListShape } from "./market/input.ts";
import type { SharedParts } from "./shared-parts.ts";

/** Paths beside the partner API, without authentication. */
const PUBLIC_PATHS = ["/livez", "/readyz", "/openapi.json", "/openapi-3.0.json", ...DOCS_PATHS];

export interface PublicServerOptions {
  env: Env<"api">;
  deps: Deps;
  shared: SharedParts;
  replicas: BuiltReplicas;
  checkpoints: Checkpoints;
  /** Time limit of each read of a key and each claim of a nonce, milliseconds. */
  authTimeoutMs?: number;
}

/** Creates the server of the public port: the partner API behind HMAC, its document and pages about it. */
export function createPublicServer(options: PublicServerOptions): HttpServer {
  const { env, deps, shared, checkpoints } = options;
  const { schema, metrics, health, streams, prices, http } = shared;
  const { replicas } = options.replicas;
  const { pool, log, now } = deps;
  const shown = watchCheckpoints(() => readShownBlocks(pool));
  const counts = createRequestCounts({ pool, log, now, except: PUBLIC_PATHS });
  const requestLog = createRequestLog({
    pool,
    log,
    now,
    registry: metrics.registry,
    fields: fieldsOf(schema),
  });
  const prefix = env.PATH_PREFIX;
  const document = createDocument({ schema, endpoints: ENDPOINTS, streams: STREAMS, prefix });
  const registerApi = createApi({
    deps,
    routes: [...ENDPOINTS, ...STREAMS],
    document,
    authenticate: createKeyAuthenticator(options),
    checkpoints,
    shown,
    metrics,
    rest: createRest(schema, ENDPOINTS),
    streams: {
      "/events/stream": { inputs: namesOf(eventStreamShape), open: streams.open },
      "/prices/stream": { inputs: namesOf(priceListShape), open: prices.open },
    },
    kept: createKeptAnswers(env.KEPT_ANSWERS_MB * 1024 * 1024),
    replicas: replicas.length > 0 ? createReplicas(replicas, metrics.replicaRead) : null,
    authCause: env.SANDBOX_AUTH_CAUSE,
  });
  const pages = [
    serveFiles([
      documentFile("/openapi.json", () => document),
      documentFile("/openapi-3.0.json", () => toOpenApi30(document)),
    ]),
    createDocs({ document, docsUrl: env.DOCS_URL, log: deps.log }),
  ];
  const server = createHttpServer({
    ...http,
    metrics: counted(metrics, counts),
    onClosed: requestLog.observe,
    connectionsMax: env.CONNECTIONS_MAX,
    app: createApp([health.publicRouter, ...pages], PUBLIC_PATHS, now, registerApi),
  });
  const stop = async () => {
    await server.stop();
    shown.stop();
    await Promise.all([counts.stop(), requestLog.stop()]);
  };
  return { listen: server.listen, stop };
}

function createKeyAuthenticator({ env, deps, shared, authTimeoutMs }: PublicServerOptions) {
  return createAuthenticator({
    pool: deps.pool,
    masterKeys: env.MASTER_KEYS,
    deployments: deps.deployments,
    trustedProxies: shared.trustedProxies,
    limits: deps.limits,
    inFlight: createInFlightLimit(deps.limits.inFlight),
    failures: shared.failures,
    preparedStatements: env.DATABASE_PREPARED_STATEMENTS,
    timeoutMs: authTimeoutMs,
    now: deps.now,
  });
}

/** Headers whose value an endpoint may refuse. */
const HEADER_FIELDS = ["Idempotency-Key", "x-min-block", "last-event-id"];

/** Returns the names of the parameters of all endpoints. */
function fieldsOf(schema: GraphQLSchema): ReadonlySet<string> {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const endpoints = roots.flatMap((root) => Object.values(root?.getFields() ?? {}));
  const inputs = endpoints.flatMap(({ args }) => args.map(({ name }) => name));
  return new Set([...inputs, ...namesOf(eventStreamShape), ...HEADER_FIELDS]);
}

/** Returns metrics that are counted for the dashboard, too. */
const counted = (metrics: Metrics, counts: RequestCounts): Metrics => ({
  ...metrics,
  observe: (request) => {
    metrics.observe(request);
    counts.observe(request);
  },
});

/** Clients may keep a form of the document for five minutes, and then ask whether it has changed. */
function documentFile(path: string, document: () => JsonSchema): StaticFile {
  return {
    path,
    type: "application/json; charset=utf-8",
    cacheControl: "public, max-age=300",
    content: () => compressed(Buffer.from(printDocument(document()))),
  };
}
