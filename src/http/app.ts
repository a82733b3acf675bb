import express, { type ErrorRequestHandler, type Router } from "express";
import helmet from "helmet";
import { ApiError } from "../protocol/errors.ts";
import { failure } from "./envelope.ts";
import { getExchange, send, stampOf } from "./http-exchange.ts";
import type { Handler } from "./server.ts";
import { uriOf } from "./target.ts";

/**
 * Creates the express side of the server: health, metrics and /graphql. The partner API does not pass through here: it needs
 * none of the middlewares, and its answers are made in one place.
 * @param routers by their exact path; "/" for one that names its paths itself
 * @param paths what the access log and the metrics may name
 */
export function createApp(
  routers: readonly (readonly [path: string, router: Router])[],
  paths: readonly string[],
  now: () => number,
): Handler {
  const known = new Set(paths);
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  app.enable("case sensitive routing").enable("strict routing");
  app.use(helmet());
  for (const [path, router] of routers) app.use(path, router);
  app.use(() => {
    throw new ApiError("ROUTE_NOT_FOUND");
  });
  app.use(answerErrors(now));
  return (exchange, target) => {
    const { request, response } = exchange;
    exchange.route = known.has(target.path) ? target.path : null;
    request.url = uriOf(target);
    response.setHeader("x-request-id", exchange.uuid);
    response.setHeader("cache-control", "no-store");
    app(request, response);
  };
}

function answerErrors(now: () => number): ErrorRequestHandler {
  return (error: unknown, request, _response, _next) => {
    const exchange = getExchange(request);
    send(exchange, failure(fromExpress(error), stampOf(exchange, now)));
  };
}

/** Express and its body parser throw errors that carry an HTTP status; only the kind of them is shown. */
function fromExpress(error: unknown): unknown {
  if (error instanceof ApiError || !(error instanceof Error) || !("status" in error)) return error;
  if (error.status === 413) return new ApiError("BODY_TOO_LARGE", { cause: error });
  if (typeof error.status !== "number" || error.status >= 500) return error;
  return new ApiError("VALIDATION_FAILED", { cause: error });
}
