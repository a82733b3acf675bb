import type { Authenticate, AuthResult } from "../auth/authenticate.ts";
import type { Caller } from "../auth/caller.ts";
import type { AuthRequest } from "../auth/checks.ts";
import type { Quota } from "../auth/rate-limits.ts";
import type { Checkpoints } from "../db/checkpoint-watch.ts";
import { costOf } from "../protocol/costs.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { inSpan } from "../telemetry/tracing.ts";
import { indexedBlock, keyExpiry, quotaHeaders, secondsUntilReset } from "./answer-headers.ts";
import { failure, unauthorized } from "./envelope.ts";
import { type HttpExchange, send, stampOf } from "./http-exchange.ts";
import type { Metrics } from "./metrics.ts";
import type { Call } from "./request-arguments.ts";
import type { RouteHandler } from "./routes.ts";

export interface KeyGuardOptions {
  deps: { now: () => number };
  authenticate: Authenticate;
  checkpoints: Checkpoints;
  metrics: Metrics;
  /** Failed authentications carry their cause in a header. For sandboxes only: it also helps an attacker. */
  authCause?: boolean;
}

const AUTH_CAUSE_HEADER = "x-sandbox-auth-cause";

export type Known = Extract<AuthResult, { ok: true }>;
type Refused = Exclude<AuthResult, { ok: true }>;

/** Fields that the handlers of a partner's request hand on. */
export interface ApiLocals extends Record<string, unknown> {
  call: Call;
  /** Of a request that requireKey let in. */
  known?: Known;
}

/**
 * Lets pass what a key has signed (docs/api.md#authentication). Others get the one answer of every failed authentication; a key or
 * an address that is over its limit gets 429.
 * @param onClaiming see OnClaiming
 */
export function requireKey<L extends ApiLocals>(
  options: KeyGuardOptions,
  onClaiming: (locals: L, caller: Caller) => ProductId | null,
): RouteHandler<L> {
  return async (_request, { locals }, next) => {
    const { exchange } = locals.call;
    const claiming = (caller: Caller) => onClaiming(locals, caller);
    const known = await inSpan("authenticate", {}, () =>
      options.authenticate(authRequestOf(locals.call), claiming),
    );
    exchange.ip = known.ip;
    if (!known.ok) return refuse(exchange, known, options);
    exchange.keyId = known.caller.keyId;
    exchange.caller = known.caller;
    locals.known = known;
    next();
  };
}

const authRequestOf = ({ exchange: { request }, route, uri, query, body }: Call): AuthRequest => ({
  method: route.method,
  target: uri,
  rawHeaders: request.rawHeaders,
  body,
  remoteAddress: request.socket.remoteAddress,
  cost: costOf(route.cost ?? 1, query),
  staysOpen: route.streams ?? false,
});

function refuse(exchange: HttpExchange, refused: Refused, options: KeyGuardOptions): void {
  const { cause, keyId, caller = null, quota } = refused;
  exchange.cause = cause;
  exchange.keyId = keyId;
  exchange.caller = caller;
  if (!caller) options.metrics.authenticationFailed(cause);
  if (quota) {
    refuseLimited(exchange, quota, caller, options);
    return;
  }
  const headers: Record<string, string> = options.authCause ? { [AUTH_CAUSE_HEADER]: cause } : {};
  send(exchange, unauthorized(stampOf(exchange, options.deps.now)), headers);
}

/**
 * Refuses with RATE_LIMITED. The answer has a key's own window in full; for too much in flight, and for an address, only Retry-
 * After.
 */
function refuseLimited(
  exchange: HttpExchange,
  quota: Quota,
  caller: Caller | null,
  { metrics, deps, checkpoints }: KeyGuardOptions,
): void {
  metrics.rateLimited(quota.limit);
  const answer = failure(new ApiError("RATE_LIMITED"), stampOf(exchange, deps.now));
  send(exchange, answer, {
    "retry-after": secondsUntilReset(quota),
    ...(caller ? { ...indexedBlock(caller, null, checkpoints), ...keyExpiry(caller, deps) } : {}),
    ...(caller && quota.limit !== "in flight" ? quotaHeaders(quota) : {}),
  });
}
