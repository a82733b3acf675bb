import { TIMESTAMP_WINDOW_MS } from "../../../src/protocol/signing.ts";
import type { ErrCode, Order, OrderStatus } from "./generated/types.ts";

interface Context {
  cause?: unknown;
  idempotencyKey?: string | null;
}

/** Base of every error of this library, except TypeError for impossible arguments. */
export class PartnerTradingError extends Error {
  override readonly name: string = "PartnerTradingError";
  /**
   * The Idempotency-Key of the failed call, also where it was generated; null where the call has none. Repeat the call with it
   * where the outcome is unknown: a sent transaction is not sent again.
   */
  readonly idempotencyKey: string | null;

  constructor(message: string, { cause, idempotencyKey = null }: Context = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** Details of a failure: fields of the answer's body, and of its headers. */
export interface Failure {
  errMsg: string;
  code: number;
  status: number;
  uuid: string;
  errCode?: string | undefined;
  param?: string | null | undefined;
  retryable?: boolean | undefined;
  revert?: string | null | undefined;
  docUrl?: string | null | undefined;
  oldestCursor?: string | null | undefined;
  retryAfterSeconds?: number | null | undefined;
}

/** Thrown where the service refuses a call, or cannot carry it out. */
export class ApiError extends PartnerTradingError {
  override readonly name: string = "ApiError";
  /** Names the cause, for programs. A later version of the service may have more of them. */
  readonly errCode: ErrCode;
  /** Family of the error, the envelope's `code`. */
  readonly code: number;
  /** The HTTP status. */
  readonly status: number;
  /** The offending field, or null. */
  readonly param: string | null;
  /** True where the same call may succeed later. */
  readonly retryable: boolean;
  /** Identifies the answer; quote it to support. */
  readonly uuid: string;
  /** With CHAIN_REVERT: the name of the contracts' custom error. */
  readonly revert: string | null;
  /** A page about this errCode, where the service names one. */
  readonly docUrl: string | null;
  /** With CURSOR_EXPIRED: start of the log of events. */
  readonly oldestCursor: string | null;
  /** Seconds after which the service accepts a request again, where it names them. */
  readonly retryAfterSeconds: number | null;

  constructor(failure: Failure, context: Context = {}) {
    super(describe(failure), context);
    this.errCode = failure.errCode ?? "";
    this.code = failure.code;
    this.status = failure.status;
    this.param = failure.param ?? null;
    this.retryable = failure.retryable ?? false;
    this.uuid = failure.uuid;
    this.revert = failure.revert ?? null;
    this.docUrl = failure.docUrl ?? null;
    this.oldestCursor = failure.oldestCursor ?? null;
    this.retryAfterSeconds = failure.retryAfterSeconds ?? null;
  }
}

function describe({ errCode, errMsg, param, revert, docUrl, uuid }: Failure): string {
  const details = [param && `param ${param}`, revert && `revert ${revert}`, `uuid ${uuid}`];
  const page = docUrl ? `; see ${docUrl}` : "";
  return `${errCode ? `${errCode}: ` : ""}${errMsg} (${details.filter(Boolean).join(", ")})${page}`;
}

/**
 * Thrown where the service does not accept the request as this key's: key, signature, clock, address, scope or permission. The
 * answer is the same for all causes; sandboxes name the cause.
 */
export class AuthenticationError extends PartnerTradingError {
  override readonly name = "AuthenticationError";
  readonly code = 401;
  readonly status: number;
  readonly uuid: string;
  /** The cause, where the service is a sandbox; else null. */
  readonly sandboxCause: string | null;
  /** The server's time minus this machine's, milliseconds. Beyond 45,000 either way, every request is refused. */
  readonly clockSkewMs: number;

  constructor(failure: { status: number; uuid: string; sandboxCause: string | null; clockSkewMs: number }) {
    super(describeRefusal(failure));
    this.status = failure.status;
    this.uuid = failure.uuid;
    this.sandboxCause = failure.sandboxCause;
    this.clockSkewMs = failure.clockSkewMs;
  }
}

interface Refusal {
  uuid: string;
  sandboxCause: string | null;
  clockSkewMs: number;
}

function describeRefusal({ uuid, sandboxCause, clockSkewMs }: Refusal): string {
  const isOff = Math.abs(clockSkewMs) > TIMESTAMP_WINDOW_MS;
  const seconds = Math.round(Math.abs(clockSkewMs) / 1000);
  const clock = `this clock is ${seconds} s ${clockSkewMs > 0 ? "behind" : "ahead of"} the server's: set it, or give the client a clock`;
  const check = "check apiKey, apiSecret, chainId, productType, the key's addresses and whether it may write";
  return `Unauthorized: ${sandboxCause ?? (isOff ? clock : check)} (uuid ${uuid})`;
}

/** Thrown where no answer of this API arrived: the network failed, or another server answered. */
export class ConnectionError extends PartnerTradingError {
  override readonly name: string = "ConnectionError";
  /** HTTP status of the answer; null without one. */
  readonly status: number | null;

  constructor(message: string, context: Context & { status?: number } = {}) {
    super(message, context);
    this.status = context.status ?? null;
  }
}

/** Thrown where an answer, or the condition of `waitFor`, did not come in time. */
export class TimeoutError extends PartnerTradingError {
  override readonly name = "TimeoutError";
}

/** Thrown where an order ended in a status other than the awaited one. */
export class OrderEndedError extends PartnerTradingError {
  override readonly name = "OrderEndedError";
  readonly status: OrderStatus;
  /** The order; null where its transaction was never sent. */
  readonly order: Order | null;

  constructor(message: string, status: OrderStatus, order: Order | null) {
    super(message);
    this.status = status;
    this.order = order;
  }
}

/** Thrown where the service did not send a request to a webhook. Answer it with 400, and do nothing else. */
export class WebhookVerificationError extends PartnerTradingError {
  override readonly name = "WebhookVerificationError";
}
