/**
 * The error catalogue (docs/api.md#errors): one source for the server, the OpenAPI document and the client.
 * `code` is the envelope's code, `status` the HTTP status, `retryable` whether the same call may succeed later,
 * `message` the default errMsg. Authentication failures are not listed: they carry code 401 and nothing else.
 */
export const ERROR_CATALOGUE = {
  ROUTE_NOT_FOUND: { code: 404, status: 404, retryable: false, message: "No such route" },
  BODY_TOO_LARGE: { code: 413, status: 413, retryable: false, message: "The body is larger than 64 KiB" },
  RATE_LIMITED: { code: 429, status: 429, retryable: true, message: "Too many requests" },
  TOO_MANY_STREAMS: { code: 429, status: 429, retryable: true, message: "Too many streams are open" },
  INTERNAL: { code: 500, status: 500, retryable: true, message: "Internal error; quote the uuid to support" },
  RPC_UNAVAILABLE: { code: 503, status: 503, retryable: true, message: "The chain node does not answer" },
  DATABASE_UNAVAILABLE: { code: 503, status: 503, retryable: true, message: "The database does not answer" },
  MARKET_DATA_UNAVAILABLE: { code: 503, status: 503, retryable: true, message: "Market data is unavailable" },
  INDEXER_BEHIND: { code: 503, status: 503, retryable: true, message: "The indexer has not caught up yet" },
  OPERATOR_UNAVAILABLE: {
    code: 503,
    status: 503,
    retryable: true,
    message: "The sending wallet is unavailable",
  },
  VALIDATION_FAILED: { code: 10000, status: 400, retryable: false, message: "The request is invalid" },
  NOTIONAL_REQUIRED: { code: 10000, status: 400, retryable: false, message: "notional is required" },
  QUANTITY_REQUIRED: { code: 10000, status: 400, retryable: false, message: "quantity is required" },
  PRICE_REQUIRED: { code: 10000, status: 400, retryable: false, message: "price is required" },
  TIME_IN_FORCE_REQUIRED: { code: 10000, status: 400, retryable: false, message: "timeInForce is required" },
  TIME_IN_FORCE_NOT_SUPPORTED: {
    code: 10000,
    status: 400,
    retryable: false,
    message: "timeInForce must be DAY",
  },
  DEADLINE_EXPIRED: { code: 10000, status: 400, retryable: false, message: "deadline expired" },
  TOO_MANY_DECIMALS: {
    code: 10000,
    status: 400,
    retryable: false,
    message: "More fraction digits than the token has",
  },
  TOKEN_NOT_SUPPORTED: { code: 10000, status: 400, retryable: false, message: "The token is not supported" },
  BELOW_MINIMUM: { code: 10000, status: 400, retryable: false, message: "The amount is below the minimum" },
  CURSOR_EXPIRED: {
    code: 10000,
    status: 400,
    retryable: false,
    message: "The cursor is older than the log of events: take the list again, or go on from oldestCursor",
  },
  WEBHOOK_TARGET_REFUSED: {
    code: 10000,
    status: 400,
    retryable: false,
    message: "Events are not delivered to this URL",
  },
  ORDER_NOT_FOUND: { code: 10001, status: 400, retryable: false, message: "No such order" },
  OPERATION_NOT_FOUND: { code: 10001, status: 400, retryable: false, message: "No such operation" },
  TRANSACTION_NOT_FOUND: {
    code: 10001,
    status: 400,
    retryable: true,
    message: "No order of this transaction is indexed yet",
  },
  SEND_NOT_FOUND: { code: 10001, status: 400, retryable: false, message: "No such request to send" },
  SYMBOL_NOT_FOUND: { code: 10001, status: 400, retryable: false, message: "No such symbol" },
  WEBHOOK_NOT_FOUND: { code: 10001, status: 400, retryable: false, message: "No such webhook" },
  ORDER_NOT_CANCELABLE: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "The order cannot be canceled",
  },
  MARKET_ORDER_NOT_CANCELABLE: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "A market order cannot be canceled",
  },
  DELEGATION_NOT_ENABLED: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "Delegation is not enabled: the user signs what POST /1ct/prepare gives, for POST /1ct/enable",
  },
  USER_NOT_BOUND: { code: 10002, status: 400, retryable: false, message: "The API key is bound to no user" },
  SIGNER_MISMATCH: { code: 10002, status: 400, retryable: false, message: "The signer is not the user" },
  ALLOWANCE_INSUFFICIENT: { code: 10002, status: 400, retryable: false, message: "The allowance is too low" },
  BALANCE_INSUFFICIENT: { code: 10002, status: 400, retryable: false, message: "The balance is too low" },
  TX_OWNED_BY_ANOTHER_KEY: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "The transaction belongs to another API key",
  },
  TX_WRONG_KIND: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "The transaction is not a router call of this kind and scope",
  },
  TX_REVERTED: { code: 10002, status: 400, retryable: false, message: "The transaction reverted" },
  IDEMPOTENCY_KEY_REUSED: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "The Idempotency-Key was used with another request",
  },
  CLIENT_ORDER_ID_REUSED: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "clientOrderId was used before",
  },
  DELEGATION_NONCE_USED: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "The delegation nonce was used",
  },
  POLICY_REFUSED: { code: 10002, status: 400, retryable: false, message: "The key's policy refuses this" },
  DEPOSIT_NOT_INSTANT: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "The deposit would not be instant",
  },
  TOKEN_PAUSED: { code: 10002, status: 400, retryable: false, message: "The token is paused" },
  KEY_CHANGED: {
    code: 10002,
    status: 400,
    retryable: false,
    message: "The API key changed while the request was under way",
  },
  CHAIN_REVERT: { code: 10003, status: 400, retryable: false, message: "The chain refuses the call" },
  OUT_OF_GAS: { code: 10003, status: 400, retryable: false, message: "The call runs out of gas" },
} as const satisfies Record<string, CatalogueEntry>;

interface CatalogueEntry {
  code: number;
  status: number;
  retryable: boolean;
  message: string;
}

/** Errors whose answer may override the catalogue's `retryable`: see outbox/submit.ts, orders/by-tx.ts. */
export const RETRYABLE_AT_TIMES: ReadonlySet<ErrCode> = new Set([
  "DATABASE_UNAVAILABLE",
  "TRANSACTION_NOT_FOUND",
]);

export type ErrCode = keyof typeof ERROR_CATALOGUE;

/** Error codes of every endpoint: a malformed request, refusals before the endpoint is known, our own faults. */
export const EVERYWHERE: readonly ErrCode[] = (Object.keys(ERROR_CATALOGUE) as ErrCode[]).filter(
  (errCode) =>
    errCode === "VALIDATION_FAILED" ||
    (ERROR_CATALOGUE[errCode].status !== 400 && errCode !== "TOO_MANY_STREAMS"),
);

/** Authentication and permission failures: HTTP 400, code 401, one body for all causes (docs/api.md#authentication). */
export const UNAUTHORIZED = { code: 401, status: 400, message: "Unauthorized" } as const;

/**
 * A failure that callers receive. `message` is public text; `cause` only reaches the log.
 * Thrown by every layer, normalized by src/http/failures.ts, and turned into an envelope by src/http/envelope.ts.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly errCode: ErrCode;
  /** The offending field or null. */
  readonly param: string | null;
  /** The decoded custom error's name, with CHAIN_REVERT. */
  readonly revert: string | null;
  /** First cursor of the log of events, with CURSOR_EXPIRED. */
  readonly oldestCursor: string | null;
  /** Seconds after which the same call may succeed, sent as Retry-After; or null. */
  readonly retryAfterSeconds: number | null;
  /** As in the catalogue, unless this failure overrides it. */
  readonly retryable: boolean;

  constructor(
    errCode: ErrCode,
    options: {
      message?: string;
      param?: string | null;
      revert?: string | null;
      oldestCursor?: string;
      retryAfterSeconds?: number;
      retryable?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(options.message ?? ERROR_CATALOGUE[errCode].message, { cause: options.cause });
    this.errCode = errCode;
    this.param = options.param ?? null;
    this.revert = options.revert ?? null;
    this.oldestCursor = options.oldestCursor ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.retryable = options.retryable ?? ERROR_CATALOGUE[errCode].retryable;
  }
}
