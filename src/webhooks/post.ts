import http from "node:http";
import https from "node:https";
import { openBounded } from "./connection.ts";
import type { Target } from "./target.ts";

/** Result of a request to a receiver. */
export interface Answer {
  /** Null where none came. */
  statusCode: number | null;
  /** Failure, in plain words; null where the status was 2xx and the answer complete. */
  error: string | null;
  durationMs: number;
  /** Pause of the header Retry-After, milliseconds; null without one. */
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
/** Bytes received in all: informational answers, the head, the body and its framing, and those of TLS. */
const ANSWER_MAX_BYTES = 64 * 1024;
/** Answers of status 1xx before the one that counts. */
const INFORMATIONAL_MAX = 8;

/**
 * Posts to a target, on its own connection to one of the checked addresses. Follows no redirect, uses no proxy, and keeps nothing
 * of the body. Never throws: a failure is an answer.
 */
export function post(target: Target, options: PostOptions): Promise<Answer> {
  return new Promise((resolve) => sendRequest(target, options, resolve));
}

function sendRequest(target: Target, options: PostOptions, resolve: (answer: Answer) => void): void {
  const { url } = target;
  const { headers, body, timeoutMs } = options;
  const beganAt = performance.now();
  let answered: http.IncomingMessage | null = null;
  const end = (answer: Partial<Answer>): void => {
    clearTimeout(timer);
    const durationMs = Math.round(performance.now() - beganAt);
    // Only the first of these counts: the end of the connection fails the request.
    resolve({
      statusCode: answered?.statusCode ?? null,
      error: null,
      retryAfterMs: null,
      ...answer,
      durationMs,
    });
    request.destroy();
    connection.destroy();
  };
  const fail = (error: Error): void => end({ error: describe(error) });
  const finish = (): void => end(answered ? judge(answered) : { error: "no answer within 64 KiB" });
  const timer = setTimeout(() => end({ error: `no complete answer in time` }), timeoutMs);
  // A new connection: the address of a kept one was checked too long ago.
  const connection = openBounded(target, { maxBytes: ANSWER_MAX_BYTES, onExcess: finish, onError: fail });
  const send = url.protocol === "https:" ? https.request : http.request;
  const request = send(url, {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    createConnection: () => connection,
  });
  request.on("error", fail);
  let informational = 0;
  request.on("information", () => {
    if (++informational > INFORMATIONAL_MAX) end({ error: "too many informational answers" });
  });
  request.on("response", (response) => {
    answered = response;
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) finish();
    });
    response.on("end", finish);
    response.on("error", fail);
  });
  request.end(body);
}

function judge({ statusCode = 0, headers }: http.IncomingMessage): Partial<Answer> {
  if (statusCode >= 200 && statusCode < 300) return {};
  const what = statusCode < 400 ? ": redirects are not followed" : "";
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

/** Returns the failure in plain words. A library's message may hold data from the receiver. */
function describe(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code.startsWith("HPE_")) return "the answer is no HTTP";
  return WORDS[code] ?? `the request failed${/^[A-Z_]{2,60}$/.test(code) ? ` (${code})` : ""}`;
}
