import { createDashboardAuthenticator } from "./auth/dashboard/authenticate.ts";
import type { Env } from "./config/env.ts";
import type { Deps } from "./context/deps.ts";
import { operatorStreamShape } from "./events/input.ts";
import { createApp } from "./http/app.ts";
import { namesOf } from "./http/arguments.ts";
import { createGraphql } from "./http/graphql/server.ts";
import { createOperatorStream } from "./http/operator-stream.ts";
import { createDashboardPage, DASHBOARD_PATHS } from "./http/pages/built.ts";
import { requireDashboard } from "./http/require-dashboard.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import type { SharedParts } from "./shared-parts.ts";

const STREAM = "/events/stream";
/** Only /graphql and the stream ask for authentication. */
const OPERATOR_PATHS = ["/livez", "/readyz", "/metrics", "/graphql", STREAM, ...DASHBOARD_PATHS];

/** Creates the server of the operator's port: metrics, readiness in detail, /graphql and the dashboard. */
export async function createOperatorServer(
  env: Env<"api">,
  deps: Deps,
  { schema, metrics, health, failingParts, failures, trustedProxies, streams, http }: SharedParts,
): Promise<HttpServer> {
  const { pool, log, now } = deps;
  const guard = requireDashboard({
    authenticate: createDashboardAuthenticator({ pool, tokens: env.DASHBOARD_TOKENS, log, now }),
    failures,
    trustedProxies,
    metrics,
    now,
  });
  const introspection = env.NODE_ENV === "development";
  const stream = { inputs: namesOf(operatorStreamShape), open: streams.openAll };
  const routers = [
    health.router,
    createDashboardPage(log),
    await createGraphql({
      schema,
      deps: { ...deps, failingParts, environment: environmentOf(env) },
      introspection,
      requireDashboard: guard,
    }),
    createOperatorStream(STREAM, stream, guard),
  ];
  return createHttpServer({ ...http, app: createApp(routers, OPERATOR_PATHS, now) });
}

const environmentOf = ({ ENVIRONMENT_NAME: name, ENVIRONMENT_COLOUR: colour }: Env<"api">) =>
  name === "" ? undefined : { name, colour };
