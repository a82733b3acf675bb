import type { Express } from "express";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import type { Route } from "../context/endpoint.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { indexedBlock, keyExpiry, quotaHeaders } from "./answer-headers.ts";
import { rowsOf, type Source, type SourceOptions, sourceOf } from "./answer-sources.ts";
import { createBodyReader } from "./body.ts";
import { notModified } from "./envelope.ts";
import type { JsonSchema } from "./graphql/scalars.ts";
import { getExchange, type HttpExchange, send } from "./http-exchange.ts";
import { isMatchedBy } from "./kept-answers.ts";
import { MIN_BLOCK_WAIT_MS } from "./read-answer.ts";
import type { Call } from "./request-arguments.ts";
import { type ApiLocals, type KeyGuardOptions, requireKey } from "./require-key.ts";
import { nameOf, namesInDocument, type RouteHandler, registerRoutes, requireSameRoutes } from "./routes.ts";
import { answerStream, type StreamAnswer } from "./stream.ts";

export interface ApiOptions extends KeyGuardOptions, SourceOptions {
  deps: Deps;
  routes: readonly Route[];
  /** Of these routes. */
  document: JsonSchema;
  /** By the path of a route that streams: the parameters that it takes, and what prepares it. */
  streams?: Readonly<Record<string, StreamAnswer>>;
}

interface Locals extends ApiLocals {
  ahead?: Ahead;
}

/**
 * Creates the partner API, to be registered with express: the handlers of each route read the body, authenticate and answer, in
 * this order. An unknown route answers 404 before authentication.
 * @throws Error at start, naming each route that is not once in the list, in sofa and in the OpenAPI document
 */
export function createApi(options: ApiOptions): (app: Express) => void {
  const { routes, rest, document } = options;
  requireSameRoutes({
    "the list of endpoints": routes.map(nameOf),
    sofa: [...rest.names, ...routes.filter(({ streams }) => streams).map(nameOf)],
    "the OpenAPI document": namesInDocument(document),
  });
  const readBody = createBodyReader((socket) => {
    options.metrics.connectionClosed("too many incomplete bodies");
    socket.destroy();
  });
  const meet =
    (route: Route): RouteHandler<Locals> =>
    async (request, { locals }, next) => {
      const exchange = getExchange(request);
      exchange.route = route.path;
      const { originalUrl: uri, params: values } = request;
      const mark = uri.indexOf("?");
      const query = mark < 0 ? null : uri.slice(mark + 1);
      locals.call = { exchange, route, values, uri, query, body: await readBody(request) };
      next();
    };
  const guard = requireKey<Locals>(options, (locals, caller) => readAhead(locals, caller, options));
  const answer = createAnswer(options);
  return (app) => registerRoutes(app, routes, (route) => [meet(route), guard, answer]);
}

/** Creates the handler of requests that were let in. */
function createAnswer(options: ApiOptions): RouteHandler<Locals> {
  return async (request, { locals: { call, known, ahead } }) => {
    const { exchange, route } = call;
    if (!known) throw new Error("a request that requireKey did not let in");
    if (route.streams) return answerStream(call, known, { minBlockWaitMs: MIN_BLOCK_WAIT_MS, ...options });
    if (known.release) whenClosed(exchange, known.release);
    const { caller, quota, version } = known;
    if (version) options.replicas?.saw(rowsOf(caller), version);
    const source = ahead?.caller === caller ? ahead.source : sourceOf(call, caller, options);
    const { answer, etag, block, eventCursor } = await source.answer(version);
    const isKnown = etag !== null && isMatchedBy(etag, request.headers["if-none-match"]);
    const headers = {
      ...indexedBlock(caller, block, options.checkpoints),
      ...keyExpiry(caller, options.deps),
    };
    if (etag !== null) headers.etag = etag;
    if (eventCursor !== null) headers["x-event-cursor"] = eventCursor;
    if (quota) Object.assign(headers, quotaHeaders(quota));
    if (answer.retryAfter !== null) headers["retry-after"] = String(answer.retryAfter);
    send(exchange, isKnown ? notModified() : answer, headers);
  };
}

/** Source that was chosen before the nonce was claimed, for this very caller. */
interface Ahead {
  caller: Caller;
  source: Source;
}

/** Begins what need not wait for the claim of the nonce. @returns as OnClaiming */
function readAhead(locals: Locals, caller: Caller, options: ApiOptions): ProductId | null {
  const source = sourceOf(locals.call, caller, options);
  locals.ahead = { caller, source };
  // The nonce is asked for first: an answer waits for it longest.
  if (mayReadAhead(locals.call)) queueMicrotask(() => source.begin());
  return source.versionOf;
}

/** Returns true where a request reads little. One that waits for a block may wait for long: it reads after the claim. */
function mayReadAhead({ route: { readsAhead }, query, exchange }: Call): boolean {
  if (!readsAhead || exchange.request.headers["x-min-block"] !== undefined) return false;
  return query === null || query.split("&").every((pair) => readsAhead.includes(pair.split("=", 1)[0] ?? ""));
}

/** Calls back when the answer is out or the caller is gone; now, where they went during authentication. */
function whenClosed({ response }: HttpExchange, callback: () => void): void {
  if (response.destroyed) callback();
  else response.once("close", callback);
}
