import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Express } from "express";
import type { Logger } from "pino";
import { ApiError } from "../protocol/errors.ts";
import { BODY_MAX_BYTES, hasBody } from "./body.ts";
import { answerClientError } from "./client-error.ts";
import { boundConnections } from "./connections.ts";
import { failure } from "./envelope.ts";
import { refuseOddHeaders } from "./headers.ts";
import { type OnClosed, openExchange, send, stampOf } from "./http-exchange.ts";
import type { CloseCause, Metrics } from "./metrics.ts";
import { createPipelines } from "./pipelines.ts";
import { boundRequests } from "./request-bounds.ts";
import { inRequestSpan } from "./request-span.ts";
import { parseTarget, uriOf } from "./target.ts";

/** All in milliseconds. Node looks for late clients every `check`, so nothing is cut sooner than that. */
export interface Timeouts {
  /** From the first byte to the end of the headers. */
  headers: number;
  /** From the first byte to the end of the body. */
  request: number;
  check: number;
  /** Maximum idle time of a connection between requests: longer than that of the proxy in front. */
  keepAlive: number;
  /** Maximum silence of a connection while a request or an answer is under way. */
  idle: number;
  /**
   * Time for which stop() still takes connections, and asks every caller to close theirs. Connections that are kept alive drain
   * on their own meanwhile: one that is simply cut may have a request on its way. A proxy in front notices that /readyz fails.
   */
  shutdownDelay: number;
  /** Maximum wait of stop() for requests in flight, after that. */
  drain: number;
}

const TIMEOUTS: Timeouts = {
  headers: 10_000,
  request: 20_000,
  check: 1_000,
  keepAlive: 65_000,
  idle: 60_000,
  shutdownDelay: 1_000,
  drain: 20_000,
};

export interface HttpOptions {
  log: Logger;
  metrics: Metrics;
  now: () => number;
  /** See PATH_PREFIX in src/config/env.ts. */
  prefix: string;
  /** See DOCS_URL there. Without it no failure names a page. */
  docsUrl?: string | null;
  timeouts?: Partial<Timeouts>;
  /** Connections at most, see boundConnections. */
  connectionsMax?: number;
  onClosed?: OnClosed;
  /** Answers every request that is well formed. */
  app: Express;
  /** Called when stop() begins to wait for answers: those that would go on by themselves end then. */
  onDrain?: () => void;
}

/** Enough for health checks and dashboards. */
const CONNECTIONS_MAX = 1_000;

export interface HttpServer {
  /** @returns the base URL, such as http://127.0.0.1:8080 */
  listen(port: number, host: string): Promise<string>;
  /** Announces the shutdown, accepts no new connection, waits (bounded) for answers in progress, then closes the rest. */
  stop(): Promise<void>;
}

/**
 * Creates a node:http server with every timeout set, strict about what a request may look like.
 */
export function createHttpServer(options: HttpOptions): HttpServer {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const server = createServer({
    ...classesOf(options.app),
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.check,
    keepAliveTimeout: timeouts.keepAlive,
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
    // Checked in headers.ts, where a missing Host gets an answer like any other.
    requireHostHeader: false,
  });
  server.timeout = timeouts.idle;
  const open = new Set<Open>();
  let stopping = false;
  const close = (cause: CloseCause) => (socket: Socket) => {
    options.metrics.connectionClosed(cause);
    socket.destroy();
  };
  const pipelines = createPipelines(close("too many requests in flight"));
  const connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
  const connections = boundConnections(
    server,
    connectionsMax,
    pipelines.isBusy,
    close("too many connections"),
  );

  const bounds = boundRequests(server, (socket) => {
    options.metrics.connectionClosed("body in too many pieces");
    const error = new ApiError("BODY_TOO_LARGE", { message: "The body comes in too many pieces" });
    answerClientError(error, socket, pipelines.pending(socket), options);
  });

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const current: Open = { response };
    open.add(current);
    if (stopping) response.setHeader("connection", "close");
    if (hasBody(request)) response.once("finish", () => closeUnread(request));
    const exchange = openExchange(request, response, options);
    response.once("close", () => {
      open.delete(current);
      current.response = null;
      connections.touch(request.socket, exchange.keyId !== null && exchange.cause === null);
      // An answer whose headers were out before stop() has not asked its caller to close the connection.
      if (!server.listening) server.closeIdleConnections();
    });
    try {
      const target = parseTarget(request.url ?? "", options.prefix);
      refuseOddHeaders(request);
      request.url = uriOf(target);
      inRequestSpan(exchange, target.path, () => options.app(request, response));
    } catch (error) {
      send(exchange, failure(error, stampOf(exchange, options.now)));
    }
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    bounds.watch(request);
    pipelines.admit(request, response, () => answer(request, response));
  };
  server.on("request", onRequest);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // A body that will be refused is not asked for.
    if (Number(request.headers["content-length"] ?? 0) <= BODY_MAX_BYTES) response.writeContinue();
    onRequest(request, response);
  });
  // Node would answer 417 without a body; headers.ts refuses it.
  server.on("checkExpectation", onRequest);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    answerClientError(error, socket, pipelines.pending(socket), options),
  );
  server.on("connect", (_request: IncomingMessage, socket: Socket) =>
    answerClientError(new ApiError("ROUTE_NOT_FOUND"), socket, pipelines.pending(socket), options),
  );
  return {
    listen: (port, host) => listen(server, port, host),
    stop: () => {
      stopping = true;
      return drain(server, open, timeouts, options.onDrain);
    },
  };
}

/** Closes the connection where the answer is out before the body was read to its end: Node would read an endless one. */
function closeUnread({ complete, socket }: IncomingMessage): void {
  if (!complete) socket.destroySoon();
}

/** An answer that is not out yet; empty once it is, since the former tables of a Set hold it until V8 collects all garbage. */
interface Open {
  response: ServerResponse | null;
}

/**
 * Returns classes whose instances have the prototypes that express gives to every request and response. Where express
 * changes them, a whole request takes 1.3 to 1.5 times the processor time (docs/decisions/2026-11-24-sofa-and-express.md).
 */
function classesOf(app: Express) {
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage> extends ServerResponse<R> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const { address, family, port: listening } = server.address() as AddressInfo;
      resolve(`http://${family === "IPv6" ? `[${address}]` : address}:${listening}`);
    });
  });
}

async function drain(
  server: Server,
  open: Iterable<Open>,
  timeouts: Timeouts,
  onDrain: (() => void) | undefined,
): Promise<void> {
  if (!server.listening) return;
  for (const { response } of open) {
    if (response?.headersSent === false) response.setHeader("connection", "close");
  }
  if (timeouts.shutdownDelay > 0) await sleep(timeouts.shutdownDelay);
  onDrain?.();
  const late = setTimeout(() => server.closeAllConnections(), timeouts.drain);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(late);
}
