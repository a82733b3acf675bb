import type { Express } from "express";
import type { Caller } from "../auth/caller.ts";
import type { VersionKind } from "../auth/nonce-claim-store.ts";
import type { Deps } from "../context/deps.ts";
import type { Route } from "../context/endpoint.ts";
import type { Replicas, ReplicaUse } from "../context/replicas.ts";
import type { RequestContext } from "../context/request.ts";
import type { Blocks } from "../db/checkpoint-watch.ts";
import { ApiError } from "../protocol/errors.ts";
import { inSpan } from "../telemetry/tracing.ts";
import { indexedBlock, quotaHeaders } from "./answer-headers.ts";
import { createBodyReader } from "./body.ts";
import { type Answer, failure, notModified, success } from "./envelope.ts";
import type { JsonSchema } from "./graphql/scalars.ts";
import { getExchange, type HttpExchange, send, stampOf } from "./http-exchange.ts";
import { etagOf, isMatchedBy, type KeptAnswer, type KeptAnswers } from "./kept-answers.ts";
import { isReleased } from "./replica-answer.ts";
import { type Call, readArgs, readMinBlock } from "./request-arguments.ts";
import { type ApiLocals, type KeyGuardOptions, type Known, requireKey } from "./require-key.ts";
import type { Rest } from "./rest/sofa.ts";
import { nameOf, namesInDocument, type RouteHandler, registerRoutes, requireSameRoutes } from "./routes.ts";
import { answerStream, type StreamAnswer } from "./stream.ts";

export interface ApiOptions extends KeyGuardOptions {
  deps: Deps;
  routes: readonly Route[];
  rest: Rest;
  /** Of these routes. */
  document: JsonSchema;
  /** How far the rows of keys are. */
  shown: Blocks;
  /** Without it, every answer is read. */
  kept?: KeptAnswers | null;
  /** Without them, every answer is read from the primary. */
  replicas?: Replicas | null;
  /** Answers the route that streams: the parameters that it takes, and what prepares it. */
  stream?: StreamAnswer;
  /** How long a GET with x-min-block waits for the indexer, milliseconds. */
  minBlockWaitMs?: number;
}

const MIN_BLOCK_WAIT_MS = 5_000;

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
    const { caller, quota } = known;
    const begun = ahead?.caller === caller ? ahead : undefined;
    const { answer, etag, block, eventCursor } = await answerKnown(call, known, begun, options);
    const isKnown = etag !== null && isMatchedBy(etag, request.headers["if-none-match"]);
    const headers = indexedBlock(caller, block, options.checkpoints);
    if (etag !== null) headers.etag = etag;
    if (eventCursor !== null) headers["x-event-cursor"] = eventCursor;
    if (quota) Object.assign(headers, quotaHeaders(quota));
    if (answer.retryAfter !== null) headers["retry-after"] = String(answer.retryAfter);
    send(exchange, isKnown ? notModified() : answer, headers);
  };
}

/** Work that began before the nonce was claimed, for this very caller: a kept answer was found, or one is being made. */
type Ahead = { caller: Caller } & ({ kept: KeptAnswer; work?: undefined } | { kept?: undefined; work: Work });

/** Begins what need not wait for the claim of the nonce. @returns as OnClaiming */
function readAhead(locals: Locals, caller: Caller, options: ApiOptions): VersionKind {
  const { call } = locals;
  const kept = findKept(call, caller, options);
  if (kept) locals.ahead = { caller, kept };
  if (kept || !readsAhead(call)) return kept || mayReadReplica(call, options) ? versionOf(call) : "none";
  const replica = takeReplica(call, options);
  // The nonce is asked for first: an answer waits for it longest.
  queueMicrotask(() => {
    locals.ahead = { caller, work: begin(call, caller, options, replica) };
  });
  return replica !== null ? versionOf(call) : "none";
}

const versionOf = ({ route }: Call): VersionKind => (route.readsRows ? "key" : "chain");

/** Names what the versions of an answer are of: those of two keys, or of two chains, are never compared. */
const nameOfVersion = (call: Call, { keyId, chainId, productType }: Caller): string =>
  versionOf(call) === "key" ? `${chainId} ${productType} ${keyId}` : `${chainId}`;

interface Answered {
  answer: Answer;
  /** Of a GET that succeeded. */
  etag: string | null;
  /** The block that the answer was read at; null where it was read at none. */
  block: bigint | null;
  /** Of a list: where the log of events was when it was read. */
  eventCursor: string | null;
}

/** Answers an authenticated request: from memory where the version is still that of the kept answer. */
async function answerKnown(
  call: Call,
  { caller, version }: Known,
  ahead: Ahead | undefined,
  options: ApiOptions,
): Promise<Answered> {
  if (version) options.replicas?.saw(nameOfVersion(call, caller), version);
  const isCurrent = version !== undefined && ahead?.kept?.version === version.version;
  if (options.kept && call.route.keeps)
    options.metrics.keptAnswer(isCurrent ? "served" : ahead?.kept ? "changed" : "absent");
  if (isCurrent && ahead?.kept) {
    const { data, etag, eventCursor = null } = ahead.kept;
    const answer = success(data, stampOf(call.exchange, options.deps.now));
    return { answer, etag, eventCursor, block: version.block.number };
  }
  let work = ahead?.work ?? begin(call, caller, options, version ? takeReplica(call, options) : null);
  let answer = await work.answering;
  const of = nameOfVersion(call, caller);
  if (work.replica && !isReleased(of, work, answer, version, options.replicas)) {
    work = begin(call, caller, options, null);
    answer = await work.answering;
  }
  const { context } = work;
  const etag = call.route.method === "GET" && answer.data !== null ? etagOf(answer.data) : null;
  const eventCursor = (answer.data === null ? null : context.eventCursor) ?? null;
  const { version: readAt } = context;
  if (etag !== null && answer.data !== null && readAt && call.route.keeps)
    options.kept?.keep(keptName(call, caller), { version: readAt, data: answer.data, etag, eventCursor });
  return { answer, etag, eventCursor, block: context.indexedBlock };
}

/**
 * Returns the kept answer to a request, whatever its version. One that waits for a block is always read; one with a body, which
 * names do not have, is always checked.
 */
function findKept(call: Call, caller: Caller, { kept }: ApiOptions): KeptAnswer | undefined {
  const { route, exchange, body } = call;
  if (!kept || !route.keeps || body.length > 0) return undefined;
  if (exchange.request.headers["x-min-block"] !== undefined) return undefined;
  return kept.find(keptName(call, caller));
}

/** Names what an answer is to: the caller's key and scope, path and query as sent. */
const keptName = ({ uri }: Call, { keyId, chainId, productType }: Caller): string =>
  `${keyId} ${chainId} ${productType} ${uri}`;

/**
 * Returns true where the row is read beside the claim of the nonce. A read that waits for a block comes after the claim: it may
 * wait for long.
 */
const readsAhead = ({ route, exchange }: Call): boolean =>
  route.readsAhead === true && exchange.request.headers["x-min-block"] === undefined;

/** Returns true where a replica may answer. The claim's statement then reads the version that the replica must have. */
const mayReadReplica = ({ route }: Call, { replicas }: ApiOptions): boolean =>
  route.readsReplicas === true && (replicas?.isAnyOpen() ?? false);

const takeReplica = ({ route }: Call, { replicas }: ApiOptions): ReplicaUse | null =>
  route.readsReplicas ? (replicas?.take() ?? null) : null;

/** An answer that is being made. The promise never rejects. */
interface Work {
  context: RequestContext;
  answering: Promise<Answer>;
  /** Where it is read from; null: the primary. */
  replica: ReplicaUse | null;
}

function begin(call: Call, caller: Caller, options: ApiOptions, replica: ReplicaUse | null): Work {
  const { span } = call.exchange;
  const context = createContext(call.exchange, caller, replica?.deps ?? options.deps);
  const answer = () => answerAuthenticated(call, context, options);
  // Work that begins ahead is no part of the span of the authentication that it runs beside.
  return { context, answering: span ? span.run(answer) : answer(), replica };
}

/** Calls back when the answer is out or the caller is gone; now, where they went during authentication. */
function whenClosed({ response }: HttpExchange, callback: () => void): void {
  if (response.destroyed) callback();
  else response.once("close", callback);
}

function createContext({ uuid, log, request }: HttpExchange, caller: Caller, deps: Deps): RequestContext {
  const scope = { chainId: caller.chainId, productType: caller.productType };
  const sent = request.headers["idempotency-key"];
  const idempotencyKey = typeof sent === "string" ? sent : null;
  return { deps, caller, scope, uuid, log, indexedBlock: null, idempotencyKey };
}

async function answerAuthenticated(
  call: Call,
  context: RequestContext,
  options: ApiOptions,
): Promise<Answer> {
  const { exchange } = call;
  const { now } = options.deps;
  try {
    const data = await run(call, context, options);
    return success(data, stampOf(exchange, now));
  } catch (error) {
    return failure(error, stampOf(exchange, now));
  }
}

async function run(call: Call, context: RequestContext, options: ApiOptions): Promise<string> {
  const { exchange, route } = call;
  const { rest, checkpoints, shown, minBlockWaitMs = MIN_BLOCK_WAIT_MS } = options;
  const blocks = route.readsRows ? shown : checkpoints;
  const args = readArgs(call, rest.inputs(route));
  const minBlock = route.method === "GET" ? readMinBlock(exchange.request) : null;
  if (minBlock !== null) await blocks.reached(context.scope.chainId, minBlock, minBlockWaitMs);
  const data = await inSpan(route.field, {}, () => rest.call({ route, args, context }));
  // A reorg in between may have taken the block away again.
  if (minBlock !== null && context.indexedBlock !== null && context.indexedBlock < minBlock) {
    throw new ApiError("INDEXER_BEHIND");
  }
  return data;
}
