import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { expressMiddleware } from "@as-integrations/express5";
import express, { type Request, type RequestHandler, Router } from "express";
import { GraphQLError, type GraphQLFormattedError, GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { DashboardUser } from "../../auth/dashboard/user.ts";
import { findProduct } from "../../config/deployments.ts";
import type { Deps } from "../../context/deps.ts";
import type { RequestContext } from "../../context/request.ts";
import { ApiError, ERROR_CATALOGUE } from "../../protocol/errors.ts";
import { BODY_MAX_BYTES } from "../body.ts";
import { toApiError } from "../failures.ts";
import { getExchange } from "../http-exchange.ts";
import { getSession } from "../require-dashboard.ts";
import { createCostLimit, createLimitRules, GRAPHQL_LIMITS } from "./limits.ts";
import { createRoleCheck } from "./roles.ts";

export interface GraphqlOptions {
  schema: GraphQLSchema;
  deps: Deps;
  /** Refuses a request without a dashboard token, by answering it. */
  requireDashboard: RequestHandler;
  /** False in production. */
  introspection: boolean;
}

/**
 * Creates /graphql for dashboards: queries only, one operation a request, within the limits of limits.ts. The field
 * `dashboard` reads across keys, chains and products. The partner API's own fields are served too: their scope is named
 * by the headers x-api-chain-id and x-api-p, and their lists cover all keys of that scope. What a role may see is decided
 * in roles.ts, for every field at once.
 */
export async function createGraphql(options: GraphqlOptions): Promise<Router> {
  const schema = queriesOnly(options.schema);
  const server = new ApolloServer<RequestContext>({
    schema,
    validationRules: createLimitRules(),
    parseOptions: { maxTokens: GRAPHQL_LIMITS.tokens },
    introspection: options.introspection,
    hideSchemaDetailsFromClientErrors: true,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    maxRecursiveSelections: GRAPHQL_LIMITS.selections,
    stopOnTerminationSignals: false,
    formatError,
    logger: options.deps.log,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      createRoleCheck(schema),
      createCostLimit(schema),
      answers,
    ],
  });
  await server.start();
  const context = async ({ req }: { req: Request }) => new DashboardContext(options.deps, req);
  return Router({ caseSensitive: true }).all(
    "/graphql",
    options.requireDashboard,
    express.json({ limit: BODY_MAX_BYTES, inflate: false }),
    expressMiddleware(server, { context }),
  );
}

function queriesOnly(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  const types = config.types.filter((type) => type !== config.mutation);
  return new GraphQLSchema({ ...config, mutation: null, types });
}

/**
 * A class for its getter: the scope is only required by fields that have one, and Apollo, which copies a context's own
 * properties, leaves what is inherited alone.
 */
class DashboardContext implements RequestContext {
  readonly caller = null;
  readonly user: DashboardUser;
  readonly deps: Deps;
  readonly uuid: string;
  readonly log: Logger;
  indexedBlock: bigint | null = null;
  readonly request: Request;

  constructor(deps: Deps, request: Request) {
    const { uuid, log } = getExchange(request);
    this.deps = deps;
    this.user = getSession(request).user;
    this.uuid = uuid;
    this.log = log;
    this.request = request;
  }

  get scope(): RequestContext["scope"] {
    return readScope(this.deps, this.request);
  }
}

function readScope({ deployments }: Deps, request: Request): RequestContext["scope"] {
  const chainId = request.get("x-api-chain-id") ?? "";
  const productType = request.get("x-api-p") ?? "";
  const known = deployments.chains.find((chain) => String(chain.chainId) === chainId);
  if (!known) throw scopeError("x-api-chain-id", "must name a configured chain");
  if (!findProduct(deployments, known.chainId, productType)) {
    throw scopeError("x-api-p", "must name a product of that chain, in its exact case");
  }
  return { chainId: known.chainId, productType };
}

function scopeError(header: string, what: string): ApiError {
  return new ApiError("VALIDATION_FAILED", { message: `The header ${header} ${what}`, param: header });
}

/** Refusals of Apollo itself: their texts describe the query, and nothing of this service. */
const REQUEST_ERRORS = new Set<unknown>([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "BAD_USER_INPUT",
  "BAD_REQUEST",
  "OPERATION_RESOLUTION_FAILURE",
  "PERSISTED_QUERY_NOT_SUPPORTED",
]);

/** Returns the same catalogue as over REST: the entry's name is in `extensions.errCode`, and nothing else of ours gets out. */
function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const code = formatted.extensions?.code;
  if (REQUEST_ERRORS.has(code) && !isThrownByResolver(error)) {
    return { message: formatted.message, locations, extensions: { code, errCode: "VALIDATION_FAILED" } };
  }
  const { message, errCode, param } = toApiError(error);
  const { retryable } = ERROR_CATALOGUE[errCode];
  return { message, locations, path, extensions: { code: errCode, errCode, param, retryable } };
}

function isThrownByResolver(error: unknown): boolean {
  return error instanceof GraphQLError && error.originalError != null && error.path != null;
}

/** Logs internal errors under the request's uuid, and adds the block that the answer was read at. */
const answers: ApolloServerPlugin<RequestContext> = {
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue }) => {
      for (const error of errors) {
        const { errCode, cause } = toApiError(error);
        const ours = ERROR_CATALOGUE[errCode].status >= 500 && isThrownByResolver(error);
        if (ours) contextValue.log.error({ err: cause ?? error, errCode }, "query failed");
      }
    },
    willSendResponse: async ({ response, contextValue }) => {
      if (contextValue.indexedBlock !== null) {
        response.http.headers.set("x-indexed-block", String(contextValue.indexedBlock));
      }
    },
  }),
};
