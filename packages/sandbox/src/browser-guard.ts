import type { IncomingMessage } from "node:http";

/**
 * Keeps pages in this machine's browsers away from the sandbox's servers. Programs send no Origin and pass; so does a page of an
 * origin in SANDBOX_ALLOWED_ORIGINS.
 */

export interface Allowed {
  /** Origins whose pages may call. */
  origins: readonly string[];
  /** Names of this machine in the Host header, in lower case, besides those of the loopback interface. */
  hosts: readonly string[];
}

export interface Refusal {
  status: 403 | 415;
  reason: string;
}

/** @returns the reason to refuse a request, or null */
export function refusalOf(request: IncomingMessage, { origins, hosts }: Allowed): Refusal | null {
  const { origin, "content-type": type } = request.headers;
  const hostname = hostnameOf(request);
  // A page whose own name resolves to this machine sends that name.
  if (!LOOPBACK.includes(hostname) && !hosts.includes(hostname))
    return {
      status: 403,
      reason: "the Host header must name 127.0.0.1, localhost or one of SANDBOX_ALLOWED_HOSTS",
    };
  if (origin !== undefined && !origins.includes(origin.toLowerCase()))
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

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** Returns the name in the Host header, in lower case, with any port cut off: it may be forwarded. Empty where there is none. */
const hostnameOf = ({ headers }: IncomingMessage): string =>
  (headers.host ?? "").toLowerCase().replace(/:\d{1,5}$/, "");

/**
 * Returns a value with URLs of this machine as the caller names it: by another name than those of the loopback interface, they lead from
 * one container to another.
 */
export function withCallersName<T>(request: IncomingMessage, value: T): T {
  const hostname = hostnameOf(request);
  if (LOOPBACK.includes(hostname)) return value;
  return JSON.parse(JSON.stringify(value).replaceAll('"http://127.0.0.1:', `"http://${hostname}:`));
}

/** Browsers send no Origin with images, scripts and the like, but name their site. Following a link is harmless. */
function isOtherSite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  const isOther = site !== undefined && site !== "none" && site !== "same-origin";
  return isOther && headers["sec-fetch-mode"] !== "navigate";
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
