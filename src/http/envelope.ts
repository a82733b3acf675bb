import { type ApiError, ERROR_CATALOGUE, type ErrCode, UNAUTHORIZED } from "../protocol/errors.ts";
import { toApiError } from "./failures.ts";

/** The fields of every answer: the request's uuid and the server's time in Unix milliseconds. */
export interface Stamp {
  uuid: string;
  t: number;
  /** Base URL of the pages about each errCode: see DOCS_URL in src/config/env.ts. */
  docsUrl?: string | null;
}

/** An answer in bytes, with its fields for the access log. */
export interface Answer {
  status: number;
  code: number;
  errCode: ErrCode | null;
  body: string;
  /** Of a success: its data as JSON. */
  data: string | null;
  /** Sent as Retry-After, where a failure names a time. Seconds. */
  retryAfter: number | null;
  /** Of a failure: what the caller got, with its field. */
  error: ApiError | null;
  /** The error, where the log must show its stack; never shown to callers. */
  unexpected: unknown;
}

/** Returns the one success form (docs/api.md#general-rules). @param data as JSON */
export function success(data: string, { uuid, t }: Stamp): Answer {
  const body = `{"code":200,"errMsg":"","data":${data},"uuid":${JSON.stringify(uuid)},"t":${t}}`;
  return {
    status: 200,
    code: 200,
    errCode: null,
    body,
    data,
    retryAfter: null,
    error: null,
    unexpected: null,
  };
}

/** Returns the answer to a caller who has the data: no body, HTTP 304. */
export const notModified = (): Answer => ({
  status: 304,
  code: 200,
  errCode: null,
  body: "",
  data: null,
  retryAfter: null,
  error: null,
  unexpected: null,
});

/**
 * Returns the one failure form. Whatever was thrown becomes an entry of the catalogue, with its HTTP status; what the
 * catalogue does not know is INTERNAL, and its text stays inside.
 */
export function failure(error: unknown, stamp: Stamp): Answer {
  const known = toApiError(error);
  const { code, status } = ERROR_CATALOGUE[known.errCode];
  const body = JSON.stringify({
    code,
    errMsg: known.message,
    data: null,
    uuid: stamp.uuid,
    t: stamp.t,
    errCode: known.errCode,
    param: known.param,
    retryable: known.retryable,
    ...(known.errCode === "CHAIN_REVERT" ? { revert: known.revert } : {}),
    ...(known.oldestCursor === null ? {} : { oldestCursor: known.oldestCursor }),
    ...(stamp.docsUrl ? { docUrl: `${stamp.docsUrl}/errors/${known.errCode}` } : {}),
  });
  const { errCode, retryAfterSeconds: retryAfter } = known;
  return { status, code, errCode, body, data: null, retryAfter, error: known, unexpected: hidden(known) };
}

/** Returns every authentication and permission failure: one status, one body, nothing that distinguishes the causes. */
export function unauthorized(stamp: Stamp): Answer {
  const { code, status, message } = UNAUTHORIZED;
  const body = JSON.stringify({ code, errMsg: message, data: null, uuid: stamp.uuid, t: stamp.t });
  return { status, code, errCode: null, body, data: null, retryAfter: null, error: null, unexpected: null };
}

/** Returns the error to log with its stack: a failure of the service or of what it depends on, and null for a caller's mistake. */
function hidden(error: ApiError): unknown {
  return ERROR_CATALOGUE[error.errCode].status >= 500 ? (error.cause ?? error) : null;
}
