import type { Authenticate, AuthResult } from "../auth/authenticate.ts";
import type { Caller } from "../auth/caller.ts";
import type { AuthRequest } from "../auth/checks.ts";
import type { Quota } from "../auth/rate-limits.ts";
import type { Deps } from "../context/deps.ts";
import type { Replicas, ReplicaUse } from "../context/replicas.ts";
import type { RequestContext } from "../context/request.ts";
import { blockOf } from "../db/checkpoint.ts";
import type { Checkpoints } from "../db/checkpoint-watch.ts";
import { costOf } from "../protocol/costs.ts";
import { ApiError } from "../protocol/errors.ts";
import { API_PREFIX } from "../protocol/signing.ts";
import { inSpan } from "../telemetry/tracing.ts";
import { indexedBlock, quotaHeaders, secondsUntilReset } from "./answer-headers.ts";
import { createBodyReader } from "./body.ts";
import { type Answer, failure, notModified, success, successOf, unauthorized } from "./envelope.ts";
import { type HttpExchange, send, stampOf } from "./http-exchange.ts";
import { etagOf, isMatchedBy, type KeptAnswer, type KeptAnswers } from "./kept-answers.ts";
import type { Metrics } from "./metrics.ts";
import { isReleased } from "./replica-answer.ts";
import { type Call, readArgs, readMinBlock } from "./request-arguments.ts";
import type { Rest } from "./rest/sofa.ts";
import type { Router } from "./router.ts";
import type { Handler } from "./server.ts";
import { answerStream, type StreamAnswer } from "./stream.ts";
import { uriOf } from "./target.ts";

export interface ApiOptions {
  deps: Deps;
  router: Router;
  rest: Rest;
  authenticate: Authenticate;
  /** Without it, every answer is read. */
  kept?: KeptAnswers | null;
  /** Without them, every answer is read from the primary. */
  replicas?: Replicas | null;
  /** Answers the route that streams: the parameters that it takes, and what prepares it. */
  stream?: StreamAnswer;
  checkpoints: Checkpoints;
  metrics: Metrics;
  /** Failed authentications carry their cause in a header. For sandboxes only: it also helps an attacker. */
  authCause?: boolean;
  /** How long a GET with x-min-block waits for the indexer, milliseconds. */
  minBlockWaitMs?: number;
}

const AUTH_CAUSE_HEADER = "x-sandbox-auth-cause";
const MIN_BLOCK_WAIT_MS = 5_000;

/**
 * Handles one request to /api/v1, from its headers to its envelope (ARCHITECTURE.md, "Rooms").
 * An unknown route answers 404 before authentication.
 */
export function createApi(options: ApiOptions): Handler {
  const { deps, router, authenticate, metrics } = options;
  const readBody = createBodyReader((socket) => {
    metrics.connectionClosed("too many incomplete bodies");
    socket.destroy();
  });
  return async (exchange, target) => {
    const { request } = exchange;
    const match = router(request.method ?? "", target.path.slice(API_PREFIX.length));
    if (!match) throw new ApiError("ROUTE_NOT_FOUND");
    exchange.route = match.route.path;
    const call = { exchange, target, match, body: await readBody(request) };
    const ahead = new Map<Caller, Ahead>();
    const onClaiming = (caller: Caller): boolean => {
      const found = findKept(call, caller, options);
      if (found) ahead.set(caller, { kept: found });
      if (found || !readsAhead(call)) return found !== undefined || mayReadReplica(call, options);
      const replica = takeReplica(call, options);
      // The nonce is asked for first: an answer waits for it longest.
      queueMicrotask(() => ahead.set(caller, { work: begin(call, caller, options, replica) }));
      return replica !== null;
    };
    const known = await inSpan("authenticate", {}, () => authenticate(authRequestOf(call), onClaiming));
    exchange.ip = known.ip;
    if (!known.ok) {
      exchange.cause = known.cause;
      exchange.keyId = known.keyId;
      if (!known.caller) metrics.authenticationFailed(known.cause);
      if (known.quota) return refuseLimited(exchange, known.quota, known.caller ?? null, options);
      const cause: Record<string, string> = options.authCause ? { [AUTH_CAUSE_HEADER]: known.cause } : {};
      send(exchange, unauthorized(stampOf(exchange, deps.now)), cause);
      return;
    }
    exchange.keyId = known.caller.keyId;
    if (match.route.streams)
      return answerStream(call, known, { minBlockWaitMs: MIN_BLOCK_WAIT_MS, ...options });
    if (known.release) whenClosed(exchange, known.release);
    const { caller, quota } = known;
    const { answer, etag, block, eventCursor } = await answerKnown(call, known, ahead.get(caller), options);
    const isKnown = etag !== null && isMatchedBy(etag, request.headers["if-none-match"]);
    const headers = indexedBlock(caller, block, options.checkpoints);
    if (etag !== null) headers.etag = etag;
    if (eventCursor !== null) headers["x-event-cursor"] = eventCursor;
    if (quota) Object.assign(headers, quotaHeaders(quota));
    if (answer.retryAfter !== null) headers["retry-after"] = String(answer.retryAfter);
    send(exchange, isKnown ? notModified() : answer, headers);
  };
}

/** Work that began before the nonce was claimed: a kept answer was found, or one is being made. */
type Ahead = { kept: KeptAnswer; work?: undefined } | { kept?: undefined; work: Work };

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
  { caller, version }: Extract<AuthResult, { ok: true }>,
  ahead: Ahead | undefined,
  options: ApiOptions,
): Promise<Answered> {
  if (version) options.replicas?.saw(caller.chainId, version);
  const isCurrent = version !== undefined && ahead?.kept?.version === version.version;
  if (options.kept && call.match.route.keeps)
    options.metrics.keptAnswer(isCurrent ? "served" : ahead?.kept ? "changed" : "absent");
  if (isCurrent && ahead?.kept) {
    const { data, etag, eventCursor = null } = ahead.kept;
    const answer = successOf(data, stampOf(call.exchange, options.deps.now));
    return { answer, etag, eventCursor, block: blockOf(version.checkpoint)?.number ?? null };
  }
  let work = ahead?.work ?? begin(call, caller, options, version ? takeReplica(call, options) : null);
  let answer = await work.answering;
  if (work.replica && !(await isReleased(options.deps, work, answer, version, options.replicas))) {
    work = begin(call, caller, options, null);
    answer = await work.answering;
  }
  const { context } = work;
  const etag = call.match.route.method === "GET" && answer.data !== null ? etagOf(answer.data) : null;
  const eventCursor = (answer.data === null ? null : context.eventCursor) ?? null;
  const { version: readAt } = context;
  if (etag !== null && answer.data !== null && readAt && call.match.route.keeps)
    options.kept?.keep(nameOf(call, caller), { version: readAt, data: answer.data, etag, eventCursor });
  return { answer, etag, eventCursor, block: context.indexedBlock };
}

/**
 * Returns the kept answer to a request, whatever its version. One that waits for a block is always read; one with a body, which
 * names do not have, is always checked.
 */
function findKept(call: Call, caller: Caller, { kept }: ApiOptions): KeptAnswer | undefined {
  const { match, exchange, body } = call;
  if (!kept || !match.route.keeps || body.length > 0) return undefined;
  if (exchange.request.headers["x-min-block"] !== undefined) return undefined;
  return kept.find(nameOf(call, caller));
}

/** Names what an answer is to: the caller's key and scope, path and query as sent. */
const nameOf = ({ target }: Call, { keyId, chainId, productType }: Caller): string =>
  `${keyId} ${chainId} ${productType} ${uriOf(target)}`;

const authRequestOf = ({ exchange: { request }, target, match: { route }, body }: Call): AuthRequest => ({
  method: route.method,
  target: uriOf(target),
  rawHeaders: request.rawHeaders,
  body,
  remoteAddress: request.socket.remoteAddress,
  cost: costOf(route.cost, target.query),
  staysOpen: route.streams,
});

/**
 * Returns true where the row is read beside the claim of the nonce. A read that waits for a block comes after the claim: it may
 * wait for long.
 */
const readsAhead = ({ match, exchange }: Call): boolean =>
  match.route.readsAhead && exchange.request.headers["x-min-block"] === undefined;

/** Returns true where a replica may answer. The claim's statement then reads the version that the replica must have. */
const mayReadReplica = ({ match }: Call, { replicas }: ApiOptions): boolean =>
  match.route.readsReplicas && (replicas?.isAnyOpen() ?? false);

const takeReplica = ({ match }: Call, { replicas }: ApiOptions): ReplicaUse | null =>
  match.route.readsReplicas ? (replicas?.take() ?? null) : null;

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

/**
 * Refuses with RATE_LIMITED. The answer has a key's own window in full; for too much in flight, and for an address, only Retry-
 * After.
 */
function refuseLimited(
  exchange: HttpExchange,
  quota: Quota,
  caller: Caller | null,
  options: ApiOptions,
): void {
  const { metrics, deps, checkpoints } = options;
  metrics.rateLimited(quota.limit);
  const answer = failure(new ApiError("RATE_LIMITED"), stampOf(exchange, deps.now));
  send(exchange, answer, {
    "retry-after": secondsUntilReset(quota),
    ...(caller ? indexedBlock(caller, null, checkpoints) : {}),
    ...(caller && quota.limit !== "in flight" ? quotaHeaders(quota) : {}),
  });
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

async function run(
  { exchange, target, match, body }: Call,
  context: RequestContext,
  options: ApiOptions,
): Promise<unknown> {
  const { route } = match;
  const { rest, checkpoints, minBlockWaitMs = MIN_BLOCK_WAIT_MS } = options;
  const args = readArgs(match, target, body, rest.inputs(route));
  const minBlock = route.method === "GET" ? readMinBlock(exchange.request) : null;
  if (minBlock !== null) await checkpoints.reached(context.scope.chainId, minBlock, minBlockWaitMs);
  const data = await inSpan(route.field, {}, () => rest.call({ route, args, context }));
  // A reorg in between may have taken the block away again.
  if (minBlock !== null && context.indexedBlock !== null && context.indexedBlock < minBlock) {
    throw new ApiError("INDEXER_BEHIND");
  }
  return data;
}
