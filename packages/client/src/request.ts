import { API_PREFIX, canonicalUris } from "../../../src/protocol/signing.ts";
import type { SendOptions } from "./options.ts";

export type Method = "GET" | "POST" | "DELETE";

/** Parts of a call, beside its method and path. */
export interface RequestParts {
  /** Sorted by name when sent. Null and undefined values are left out, and a list is joined by commas. */
  query?: object | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A call, ready to sign. All of its tries share it. */
export interface Prepared {
  method: Method;
  /** Path and query as signed and sent. */
  uri: string;
  body: string;
  headers: Readonly<Record<string, string>>;
  idempotencyKey: string | null;
  /** True where the call has the same effect once or twice. */
  isRepeatable: boolean;
}

/** Paths whose POST or DELETE sends a transaction, and takes an Idempotency-Key. */
const SENDS = /\/send$/;
/** Paths whose POST or DELETE writes nothing, or has the same effect once or twice. */
const HARMLESS = /\/(calldata|prepare|preview|tx)$/;

/**
 * Prepares a call for signing.
 * @throws TypeError where the service would refuse path or query in any case
 */
export function prepare(method: Method, path: string, parts: RequestParts, options: SendOptions): Prepared {
  const body = parts.body === undefined ? "" : JSON.stringify(parts.body);
  const isSend = method !== "GET" && SENDS.test(path);
  const idempotencyKey = options.idempotencyKey ?? (isSend ? globalThis.crypto.randomUUID() : null);
  return {
    method,
    body,
    idempotencyKey,
    uri: uriOf(path, parts.query),
    headers: {
      ...parts.headers,
      ...(body && { "content-type": "application/json" }),
      ...(idempotencyKey !== null && { "idempotency-key": idempotencyKey }),
      ...(options.minBlock !== undefined && { "x-min-block": String(options.minBlock) }),
    },
    isRepeatable: method === "GET" || isSend || HARMLESS.test(path),
  };
}

/**
 * Returns path and query as signed and sent.
 * @throws TypeError where the service would refuse them in any case
 */
export function uriOf(path: string, query: object = {}): string {
  const own = path.startsWith(`${API_PREFIX}/`) ? path : API_PREFIX + path;
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  const mark = own.includes("?") ? "&" : "?";
  const uri = canonicalUris(pairs.length > 0 ? own + mark + pairs.join("&") : own);
  if (uri === null)
    throw new TypeError(`${JSON.stringify(path)} is no path of this API, or names a parameter twice`);
  return uri.sent;
}
