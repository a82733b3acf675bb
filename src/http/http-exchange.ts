import { randomUUID } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Caller } from "../auth/caller.ts";
import type { ApiError } from "../protocol/errors.ts";
import type { AccessLine } from "../telemetry/log.ts";
import type { Span } from "../telemetry/tracing.ts";
import { hasBody } from "./body.ts";
import type { Answer, Stamp } from "./envelope.ts";
import { type Metrics, verbOf } from "./metrics.ts";
import { ASKED_BY_MACHINES, endRequestSpan } from "./request-span.ts";

/** One request and its answer, with the facts that the access log and the metrics need. */
export interface HttpExchange {
  request: IncomingMessage;
  response: ServerResponse;
  uuid: string;
  /** See Stamp. */
  docsUrl: string | null;
  log: Logger;
  /** performance.now() when the headers were in. */
  startedAt: number;
  /** Pattern of the route that was met. */
  route: string | null;
  code: number | null;
  errCode: string | null;
  /** Failure, as it was answered. */
  error: ApiError | null;
  /** Data of an answer to anything but a GET, as JSON. */
  written: string | null;
  /** Authenticated key with its scope; null before, and without one. */
  caller: Caller | null;
  /** Why authentication failed: for the log alone. */
  cause: string | null;
  keyId: string | null;
  /** The name of the dashboard user. */
  user: string | null;
  ip: string | null;
  /** Of a stream: performance.now() when it began, and why it ended. */
  streamingAt: number | null;
  streamEnd: string | null;
  /** The span of this request, until it has ended; null where it is not traced. */
  span: Span | null;
}

/** Under which a request holds its exchange. A WeakMap would keep both alive until V8 collects all garbage, not the young alone. */
const EXCHANGE = Symbol("exchange");

/** Returns the exchange that a request belongs to, for express' handlers. */
export function getExchange(request: IncomingMessage & { [EXCHANGE]?: HttpExchange }): HttpExchange {
  const exchange = request[EXCHANGE];
  if (!exchange) throw new Error("a request that the server did not open");
  return exchange;
}

export interface ExchangeOptions {
  log: Logger;
  metrics: Metrics;
  /** See Stamp. */
  docsUrl?: string | null;
  onClosed?: OnClosed;
}

/** Called when an answer is out or its caller is gone. `status` is 0 where nothing was answered, `ms` lasts until a stream began. */
export type OnClosed = (exchange: HttpExchange, closed: { status: number; ms: number }) => void;

/** Gives a request its uuid, and writes its line in the access log when the answer is out or the caller is gone. */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  options: ExchangeOptions,
): HttpExchange {
  const { log, docsUrl = null } = options;
  const uuid = randomUUID();
  const exchange: HttpExchange = {
    request,
    response,
    uuid,
    docsUrl,
    log: log.child({ uuid }),
    startedAt: performance.now(),
    route: null,
    code: null,
    errCode: null,
    error: null,
    written: null,
    caller: null,
    cause: null,
    keyId: null,
    user: null,
    ip: request.socket.remoteAddress ?? null,
    streamingAt: null,
    streamEnd: null,
    span: null,
  };
  Object.assign(request, { [EXCHANGE]: exchange });
  response.once("close", () => {
    const { span } = exchange;
    if (span) span.run(() => close(exchange, options));
    else close(exchange, options);
    endRequestSpan(exchange);
  });
  return exchange;
}

function close(exchange: HttpExchange, { metrics, onClosed }: ExchangeOptions): void {
  const { request, response, route, code, errCode, cause, keyId, user, ip } = exchange;
  const { streamingAt, streamEnd } = exchange;
  const ms = performance.now() - exchange.startedAt;
  const method = request.method ?? "";
  const status = response.headersSent ? response.statusCode : 0;
  // Of a stream: until it began, since it lasts for as long as its client likes.
  const answeredMs = streamingAt === null ? ms : streamingAt - exchange.startedAt;
  metrics.observe({ method: verbOf(method), route, status, code, seconds: answeredMs / 1000 });
  onClosed?.(exchange, { status, ms: answeredMs });
  const line: AccessLine = {
    method,
    route,
    status,
    code,
    errCode,
    cause,
    ms: Math.round(ms * 10) / 10,
    keyId,
    ...(user === null ? {} : { user }),
    ip,
    ...(streamEnd === null ? {} : { streamEnd }),
  };
  if (streamingAt !== null) exchange.log.info(line, "stream");
  // A proxy that checks every 0.3 s would push partners' requests out of a log of limited size. Health logs why it is not ready.
  else if (route !== null && ASKED_BY_MACHINES.has(route)) exchange.log.debug(line, "request");
  else if (!response.writableFinished) exchange.log.warn(line, "request abandoned");
  else if (status >= 500) exchange.log.error(line, "request");
  else exchange.log.info(line, "request");
}

export function stampOf({ uuid, docsUrl }: HttpExchange, now: () => number): Stamp {
  return { uuid, t: now(), docsUrl };
}

/** Headers of every answer. Answers hold accounts' data, and are never to be cached or sniffed. */
const FIXED = [
  "content-type",
  "application/json; charset=utf-8",
  "cache-control",
  "no-store",
  "x-content-type-options",
  "nosniff",
];

/**
 * Writes an answer. Where the request's body was not read to its end, the connection closes behind it.
 * @param extra headers beside those of every answer
 */
export function send(exchange: HttpExchange, answer: Answer, extra: Record<string, string> = {}): void {
  const { request, response, uuid } = exchange;
  exchange.code = answer.code;
  exchange.errCode = answer.errCode;
  exchange.error = answer.error;
  if (request.method !== "GET") exchange.written = answer.data;
  if (answer.unexpected)
    exchange.log.error({ err: answer.unexpected, errCode: answer.errCode }, "request failed");
  if (response.destroyed || response.headersSent) return;
  const unread = !request.complete && hasBody(request);
  // Names and values in turn: to fill an object with headers of varying names takes V8 longer than all the rest here.
  const headers: OutgoingHttpHeader[] = [...FIXED, ...Object.entries(extra).flat(), "x-request-id", uuid];
  // In a 304 the header would state the length of the full answer.
  if (answer.status !== 304) headers.push("content-length", Buffer.byteLength(answer.body));
  if (unread) headers.push("connection", "close");
  response.writeHead(answer.status, headers);
  if (!unread) {
    response.end(answer.body);
    return;
  }
  response.write(answer.body);
  linger(request, response);
}

const LINGER_MS = 1_000;

/**
 * Reads on for a moment and throws it away: a connection closed over unread bytes is reset, and the reset may overtake
 * the answer. Bounded in time here, in bytes and pieces as every request is (request-bounds.ts), so that an endless body costs
 * nothing.
 */
function linger(request: IncomingMessage, response: ServerResponse): void {
  const finish = () => {
    clearTimeout(timer);
    request.off("end", finish).off("close", finish);
    request.pause();
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.on("error", () => undefined);
  request.on("end", finish).on("close", finish).resume();
}
