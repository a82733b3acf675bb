import { ApiError, AuthenticationError, ConnectionError } from "./errors.ts";

/** A success: its data, and metadata of the service. */
export interface Answer<T> {
  data: T;
  /** Identifies the answer; quote it to support. */
  uuid: string;
  /** The server's time, Unix milliseconds. */
  t: number;
  /** Block number at which the data was read. */
  indexedBlock: number | null;
  /** Of lists: position in the log of events at which the list was read. Follow the list from there. */
  eventCursor: string | null;
  /** When the API key ends, Unix seconds, from 14 days before that on; else null. */
  keyExpiresAt: number | null;
  /** Cost units that are left to the key in this window of ten seconds. */
  rateLimitRemaining: number | null;
  headers: Headers;
}

/** Origin and times of a request, for its answer and errors. */
export interface SentRequest {
  url: string;
  /** Milliseconds by the client's clock, at the start of the request and of the answer. */
  sentAt: number;
  answeredAt: number;
  idempotencyKey: string | null;
}

/** Body of every answer. */
export interface Envelope {
  code: number;
  errMsg: string;
  data: unknown;
  uuid: string;
  t: number;
  errCode?: string;
  param?: string | null;
  retryable?: boolean;
  revert?: string | null;
  docUrl?: string | null;
  oldestCursor?: string | null;
}

/** Returns the server's time minus the client's, at the middle of the exchange. */
export const skewOf = (t: number, { sentAt, answeredAt }: SentRequest): number =>
  Math.round(t - (sentAt + answeredAt) / 2);

/**
 * Returns the content of a response.
 * @throws AuthenticationError, ApiError, or ConnectionError where the response is none of this API's
 */
export function readAnswer<T>(response: Response, envelope: Envelope | null, asked: SentRequest): Answer<T> {
  if (envelope === null) throw strangeAnswer(response, asked);
  if (envelope.code === 200 && response.ok) return answerOf<T>(response, envelope);
  throw failureOf(response, envelope, asked);
}

/** Returns the envelope of a body; null where it has none. */
export function parseEnvelope(text: string): Envelope | null {
  try {
    const parsed = JSON.parse(text);
    return typeof parsed?.code === "number" && typeof parsed.uuid === "string" ? parsed : null;
  } catch {
    return null;
  }
}

function answerOf<T>({ headers }: Response, { data, uuid, t }: Envelope): Answer<T> {
  return {
    data: data as T,
    uuid,
    t,
    headers,
    indexedBlock: numberIn(headers, "x-indexed-block"),
    eventCursor: headers.get("x-event-cursor"),
    keyExpiresAt: numberIn(headers, "x-key-expires-at"),
    rateLimitRemaining: numberIn(headers, "ratelimit-remaining"),
  };
}

function failureOf({ status, headers }: Response, envelope: Envelope, asked: SentRequest): Error {
  const { code, uuid, t } = envelope;
  if (code === 401) {
    const sandboxCause = headers.get("x-sandbox-auth-cause");
    return new AuthenticationError({ status, uuid, sandboxCause, clockSkewMs: skewOf(t, asked) });
  }
  const retryAfterSeconds = numberIn(headers, "retry-after");
  const { idempotencyKey } = asked;
  return new ApiError({ ...envelope, status, retryAfterSeconds }, { idempotencyKey });
}

function strangeAnswer({ status }: Response, { url, idempotencyKey }: SentRequest): ConnectionError {
  const message = `HTTP ${status} from ${url} is no answer of this API: check baseUrl, and what stands in between`;
  return new ConnectionError(message, { status, idempotencyKey });
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
