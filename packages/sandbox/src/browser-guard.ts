import type { IncomingMessage } from "node:http";

/**
 * Keeps pages in this machine's browsers away from the sandbox's servers. Programs send no Origin and pass; so does a page of an
 * origin in SANDBOX_ALLOWED_ORIGINS.
 */

export interface Refusal {
  status: 403 | 415;
  reason: string;
}

/** @returns the reason to refuse a request, or null */
export function refusalOf(request: IncomingMessage, allowedOrigins: readonly string[]): Refusal | null {
  const { host, origin, "content-type": type } = request.headers;
  // Any port: it may be forwarded. A page whose own name resolves to this machine sends that name.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(host ?? ""))
    return { status: 403, reason: "the Host header must name 127.0.0.1 or localhost" };
  if (origin !== undefined && !isAllowed(origin, allowedOrigins))
    return { status: 403, reason: "SANDBOX_ALLOWED_ORIGINS does not name this Origin" };
  if (origin === undefined && isOtherSite(request))
    return { status: 403, reason: "pages of other sites are not served" };
  // Refuses the other requests that a page may send without a preflight.
  if (request.method === "POST" && hasBody(request) && !/^application\/json\s*(;|$)/i.test(type ?? ""))
    return { status: 415, reason: "the body must be application/json" };
  return null;
}

/** Headers that let a page of an allowed origin read the answer; empty for programs. */
export function corsHeaders({ headers }: IncomingMessage): Record<string, string> {
  if (headers.origin === undefined) return {};
  return {
    "access-control-allow-origin": headers.origin,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "content-type",
    // Browsers require it before a page reaches addresses of this machine.
    "access-control-allow-private-network": "true",
    vary: "origin",
  };
}

const isAllowed = (origin: string, allowedOrigins: readonly string[]): boolean =>
  allowedOrigins.includes(origin.toLowerCase());

/** Browsers send no Origin with images, scripts and the like, but name their site. Following a link is harmless. */
function isOtherSite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  const isOther = site !== undefined && site !== "none" && site !== "same-origin";
  return isOther && headers["sec-fetch-mode"] !== "navigate";
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
