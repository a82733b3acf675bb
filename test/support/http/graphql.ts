import type { GraphQLSchema } from "graphql";
import {
  type AuthenticateDashboard,
  createDashboardAuthenticator,
} from "../../../src/auth/dashboard/authenticate.ts";
import { createFailureLimit } from "../../../src/auth/rate-limits.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { createApp } from "../../../src/http/app.ts";
import { createGraphql } from "../../../src/http/graphql/server.ts";
import { createMetrics } from "../../../src/http/metrics.ts";
import { requireDashboard } from "../../../src/http/require-dashboard.ts";
import { createHttpServer } from "../../../src/http/server.ts";

export const TOKEN = "a-dashboard-token-of-32-characters";

export interface GraphqlServer {
  /** The base URL; GraphQL is at /graphql below it. */
  url: string;
  stop(): Promise<void>;
}

/** Serves /graphql on a free port, behind the real server: with any schema, over any dependencies. */
export async function startGraphql({
  schema,
  deps,
  introspection = false,
  tokens = [TOKEN],
  failuresMax = 0,
  authenticate = createDashboardAuthenticator({ pool: deps.pool, tokens, log: deps.log, now: Date.now }),
}: {
  schema: GraphQLSchema;
  deps: Deps;
  introspection?: boolean;
  tokens?: string[];
  /** Failed authentications of an address in ten seconds; 0: no limit. */
  failuresMax?: number;
  /** Replaces the check of tokens. */
  authenticate?: AuthenticateDashboard;
}): Promise<GraphqlServer> {
  const metrics = createMetrics(() => new Map());
  const graphql = await createGraphql({
    schema,
    deps,
    introspection,
    requireDashboard: requireDashboard({
      authenticate,
      failures: createFailureLimit(failuresMax),
      trustedProxies: { ranges: () => [] },
      metrics,
      now: Date.now,
    }),
  });
  const server = createHttpServer({
    log: deps.log,
    metrics,
    now: Date.now,
    prefix: "",
    timeouts: { shutdownDelay: 0 },
    app: createApp([graphql], ["/graphql"], Date.now),
  });
  return { url: await server.listen(0, "127.0.0.1"), stop: () => server.stop() };
}

/** Posts to /graphql as a dashboard; a string is sent as it stands. */
export async function postGraphql(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}
