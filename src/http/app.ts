import express, { type ErrorRequestHandler, type Express, type Router } from "express";
import helmet from "helmet";
import { ApiError } from "../protocol/errors.ts";
import { RequestAborted } from "./body.ts";
import { failure } from "./envelope.ts";
import { getExchange, send, stampOf } from "./http-exchange.ts";

/**
 * Creates the express app of a port.
 * @param paths what the access log and the metrics may name
 * @param registerApi the partner API: first, since it needs none of the headers that other answers have
 */
export function createApp(
  routers: readonly Router[],
  paths: readonly string[],
  now: () => number,
  registerApi?: (app: Express) => void,
): Express {
  const known = new Set(paths);
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  app.enable("case sensitive routing").enable("strict routing");
  registerApi?.(app);
  app.use(helmet(), (request, response, next) => {
    const exchange = getExchange(request);
    exchange.route = known.has(request.path) ? request.path : null;
    response.set({ "x-request-id": exchange.uuid, "cache-control": "no-store" });
    next();
  });
  for (const router of routers) app.use(router);
  app.use(() => {
    throw new ApiError("ROUTE_NOT_FOUND");
  });
  return app.use(answerErrors(now));
}

function answerErrors(now: () => number): ErrorRequestHandler {
  return (error: unknown, request, _response, _next) => {
    if (error instanceof RequestAborted) return;
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
