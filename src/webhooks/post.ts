import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Target } from "./target.ts";

/** Result of a request to a receiver. */
export interface Answer {
  /** Null where none came. */
  statusCode: number | null;
  /** Failure, in plain words; null where the status was 2xx and the answer complete. */
  error: string | null;
  durationMs: number;
  /** The pause of the header Retry-After, milliseconds; null without one. */
  retryAfterMs: number | null;
}

export interface PostOptions {
  headers: Record<string, string>;
  body: string;
  /** From the beginning to the end of the answer. */
  timeoutMs: number;
}

/** Bytes read of an answer's body. The status decides; the body is read so that the receiver can finish it. */
const BODY_MAX_BYTES = 16 * 1024;

/**
 * Posts to a target, on a connection of its own to one of the addresses that were checked. Follows no redirect, uses no proxy,
 * and keeps nothing of the body. Never throws: what fails is an answer.
 */
export function post(target: Target, options: PostOptions): Promise<Answer> {
  return new Promise((resolve) => exchange(target, options, resolve));
}

function exchange({ url, addresses }: Target, options: PostOptions, resolve: (answer: Answer) => void): void {
  const { headers, body, timeoutMs } = options;
  const beganAt = performance.now();
  const ended = new AbortController();
  let statusCode: number | null = null;
  const end = (answer: Partial<Answer>): void => {
    clearTimeout(timer);
    const durationMs = Math.round(performance.now() - beganAt);
    // Only the first of these counts: the abort itself fails the request.
    resolve({ statusCode, error: null, retryAfterMs: null, ...answer, durationMs });
    ended.abort();
  };
  const fail = (error: Error): void => end({ error: describe(error) });
  const timer = setTimeout(() => end({ error: `no complete answer in time` }), timeoutMs);
  const send = url.protocol === "https:" ? https.request : http.request;
  const request = send(url, {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    // An agent of its own: no connection is used again whose address was checked some time ago.
    agent: false,
    lookup: pinned(addresses),
    signal: ended.signal,
  });
  request.on("error", fail);
  request.on("response", (response) => {
    statusCode = response.statusCode ?? null;
    let bytes = 0;
    const finish = (): void => end(judge(response));
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) finish();
    });
    response.on("end", finish);
    response.on("error", fail);
  });
  request.end(body);
}

/** Answers every lookup with the addresses that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

function judge({ statusCode = 0, headers }: http.IncomingMessage): Partial<Answer> {
  if (statusCode >= 200 && statusCode < 300) return {};
  const what = statusCode >= 300 && statusCode < 400 ? ": redirects are not followed" : "";
  const isAsked = statusCode === 429 || statusCode === 503;
  return {
    error: `answered ${statusCode}${what}`,
    retryAfterMs: isAsked ? parseRetryAfter(headers["retry-after"]) : null,
  };
}

/** Reads Retry-After: seconds, or a date. */
export function parseRetryAfter(value: string | undefined, nowMs = Date.now()): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before the answer was complete",
  EPIPE: "the connection was closed before the request was sent",
  ETIMEDOUT: "the connection could not be made in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  EPROTO: "no TLS connection could be made",
  CERT_HAS_EXPIRED: "the certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's chain ends in a self-signed one",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate's chain is not complete",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is not for this host",
};

/** Returns what failed in plain words. What a library would say may hold whatever a receiver sent. */
function describe(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code.startsWith("HPE_")) return "the answer is no HTTP";
  return WORDS[code] ?? `the request failed${/^[A-Z_]{2,60}$/.test(code) ? ` (${code})` : ""}`;
}
