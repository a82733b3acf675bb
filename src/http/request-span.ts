import type { IncomingMessage, ServerResponse } from "node:http";
import { isTracing, type Span, startSpan } from "../telemetry/tracing.ts";

/** Part of an HttpExchange that a span records. */
interface TracedExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly uuid: string;
  readonly route: string | null;
  readonly errCode: string | null;
  readonly cause: string | null;
  readonly keyId: string | null;
  span: Span | null;
}

/** Paths that machines ask for several times a second: not traced, and in the log only at level `debug`. */
export const ASKED_BY_MACHINES: ReadonlySet<string> = new Set(["/livez", "/readyz", "/metrics"]);

/**
 * Runs the handling of a request as a trace of its own. A caller's `traceparent` is linked and not continued: callers are other
 * organizations, who would decide by it what is recorded here, and could write into traces of others.
 */
export function inRequestSpan<T>(exchange: TracedExchange, path: string, handle: () => T): T {
  if (!isTracing() || ASKED_BY_MACHINES.has(path)) return handle();
  const { traceparent } = exchange.request.headers;
  exchange.span = startSpan("request", {
    kind: "server",
    parent: "root",
    links: typeof traceparent === "string" ? [traceparent] : [],
    attributes: { request_uuid: exchange.uuid },
  });
  return exchange.span ? exchange.span.run(handle) : handle();
}

/** Ends the trace of a request with the facts of its line in the access log. A stream's ends when the stream begins. */
export function endRequestSpan(exchange: TracedExchange): void {
  const { span, request, response, route, errCode, cause, keyId } = exchange;
  if (!span) return;
  exchange.span = null;
  const status = response.headersSent ? response.statusCode : 0;
  span.rename(route === null ? "no route" : `${request.method} ${route}`);
  span.set({
    "http.request.method": request.method,
    "http.route": route ?? undefined,
    "http.response.status_code": status,
    err_code: errCode ?? undefined,
    authentication_cause: cause ?? undefined,
    key_id: keyId ?? undefined,
  });
  span.end(status >= 500 ? (errCode ?? String(status)) : status === 0 ? "abandoned" : undefined);
}
