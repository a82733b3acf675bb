import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { AuthenticateDashboard, DashboardCause, Recheck } from "../auth/dashboard/authenticate.ts";
import type { DashboardUser } from "../auth/dashboard/user.ts";
import { callerAddress } from "../auth/ip.ts";
import type { FailureLimit, Quota } from "../auth/rate-limits.ts";
import type { TrustedProxies } from "../auth/trusted-proxies.ts";
import { ApiError } from "../protocol/errors.ts";
import { secondsUntilReset } from "./answer-headers.ts";
import { failure, unauthorized } from "./envelope.ts";
import { getExchange, type HttpExchange, send, stampOf } from "./http-exchange.ts";
import type { Metrics } from "./metrics.ts";

export interface DashboardGuardOptions {
  authenticate: AuthenticateDashboard;
  /** Of each address, shared with the requests of partners. */
  failures: FailureLimit;
  trustedProxies: Pick<TrustedProxies, "ranges">;
  metrics: Metrics;
  now: () => number;
}

/** A request of a dashboard that was let in. */
export interface DashboardSession {
  user: DashboardUser;
  recheck: Recheck;
}

const sessions = new WeakMap<IncomingMessage, DashboardSession>();

/** Returns the session of a request that passed requireDashboard. */
export function getSession(request: IncomingMessage): DashboardSession {
  const session = sessions.get(request);
  if (!session) throw new Error("a request that requireDashboard did not let in");
  return session;
}

/**
 * Lets dashboards pass. Others get the answer of every failed authentication (docs/api.md#authentication); an address that is
 * over its limit of failures gets 429 instead, while a token that is right passes from there too.
 */
export function requireDashboard(options: DashboardGuardOptions): RequestHandler {
  const { authenticate, failures, trustedProxies } = options;
  return async (request, _response, next) => {
    const exchange = getExchange(request);
    const forwardedFor = request.headersDistinct["x-forwarded-for"] ?? [];
    const address = callerAddress(request.socket.remoteAddress, forwardedFor, trustedProxies.ranges());
    exchange.ip = address?.toString() ?? null;
    const exceeded = await failures.exceeded(address);
    const result = await authenticate(request.headers.authorization);
    if (!result.ok) {
      await failures.count(address);
      return refuse(exchange, result.cause, exceeded, options);
    }
    exchange.user = result.user.name;
    sessions.set(request, result);
    next();
  };
}

function refuse(
  exchange: HttpExchange,
  cause: DashboardCause,
  exceeded: Quota | null,
  { metrics, now }: DashboardGuardOptions,
): void {
  exchange.cause = cause;
  metrics.authenticationFailed(cause);
  if (!exceeded) {
    send(exchange, unauthorized(stampOf(exchange, now)));
    return;
  }
  metrics.rateLimited(exceeded.limit);
  const answer = failure(new ApiError("RATE_LIMITED"), stampOf(exchange, now));
  send(exchange, answer, { "retry-after": secondsUntilReset(exceeded) });
}
