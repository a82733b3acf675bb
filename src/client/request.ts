import { API_PREFIX, canonicalUris } from "../protocol/signing.ts";
import type { SendOptions } from "./options.ts";

export type Method = "GET" | "POST" | "DELETE";

/** The parts of a call, beside its method and path. */
export interface RequestParts {
  /** Sorted by name when it is sent. What is null or undefined is left out, and a list is joined by commas. */
  query?: object | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A call, ready to be signed. All its tries have it in common. */
export interface Prepared {
  method: Method;
  /** Path and query as they are signed and sent. */
  uri: string;
  body: string;
  headers: Readonly<Record<string, string>>;
  idempotencyKey: string | null;
  /** True where the call has the same effect twice as once. */
  isRepeatable: boolean;
}

/** Paths whose POST or DELETE sends a transaction, and takes an Idempotency-Key. */
const SENDS = /\/send$/;
/** Paths whose POST or DELETE writes nothing, or the same done twice as once. */
const HARMLESS = /\/(calldata|prepare|tx)$/;

/**
 * Makes a call ready to be signed.
 * @throws TypeError where the service would refuse path or query whatever they ask for
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
 * Returns path and query as they are signed and sent.
 * @throws TypeError where the service would refuse them whatever they ask for
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
