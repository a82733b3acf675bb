import type { SomePages } from "./page.ts";

const HASH = `0x${"ab".repeat(32)}`;
const UUID = "7c1f3b52-9d64-4b0e-9a7e-2f8d5c6b1a90";

const SAME_SCOPE = "Send with the key, `x-api-chain-id` and `x-api-p` that made it.";

/** Malformed requests, and objects that do not exist in the key's scope: codes 10000 and 10001. */
export const REQUEST_PAGES = {
  VALIDATION_FAILED: {
    cause: [
      "A field, parameter or header is missing, malformed, unknown or out of range. `param` names it (null: the request as a whole), `errMsg` says what it must be. The nonce is consumed.",
    ],
    example: {
      request: "GET /orders?limt=5",
      param: "limt",
      errMsg: "Unknown query parameter",
      askedBy: "bound key",
    },
    steps: [
      "Compare the request with its schema in `GET /openapi.json`.",
      "Unknown name: correct spelling and case. GET takes fields in the query, POST and DELETE in the body.",
      'Amount: a decimal string above 0, such as `"180.5"`, without exponent, sign or blanks.',
      "Time: an integer in Unix seconds. Only `x-api-ts` is in milliseconds.",
      "Cursor: sent unchanged to the list that made it, with the same key and scope.",
      "`userAddress` of a `/send`: that of `GET /key`, or none.",
      "`Idempotency-Key`: 1 to 255 printable ASCII characters.",
    ],
  },
  CURSOR_EXPIRED: {
    cause: [
      "`after` or `Last-Event-ID` is older than the log of events, which goes back 30 days unless the operator changed it.",
    ],
    example: { request: "GET /events?after=WzNd", param: "after", oldestCursor: "WzE3XQ" },
    steps: [
      "Read the lists that you mirror again (`GET /orders`, `GET /cash/deposits` and the others), all pages. Keep `X-Event-Cursor` of the first.",
      "Go on with `GET /events?after=<X-Event-Cursor>` or the stream.",
      "Where a gap does not matter, go on from `oldestCursor`.",
      "From now on, store the cursor with each event that you handle.",
    ],
  },
  WEBHOOK_TARGET_REFUSED: {
    cause: [
      "`errMsg` says why: `url` must be https, on port 443 or one from 1024 on, without credentials or a fragment, and all addresses of its host public, now and at each delivery.",
    ],
    example: {
      request: "POST /webhooks",
      body: { url: "https://10.0.0.5/hooks/trading" },
      param: "url",
      errMsg: "url leads to 10.0.0.5, which is no public address (private)",
      askedBy: "bound key",
    },
    steps: [
      "Check that all A and AAAA records are public, from outside your network: `dig +short <host>`.",
      "Serve https with a certificate of a public authority.",
      "Put a secret path into the URL, not `user:password@`.",
      "For a server on your own machine, use the sandbox (which alone allows http and loopback), or read `GET /events/stream`.",
    ],
  },
  ORDER_NOT_FOUND: {
    cause: [
      "This key owns no such order in this scope; by `clientOrderId`, no `/send` under it was accepted.",
    ],
    example: { request: `GET /orders/${HASH}`, askedBy: "bound key" },
    steps: [
      "New order: follow `GET /orders/tx/{txHash}` until it has an `orderId`.",
      SAME_SCOPE,
      "`orderId` is not `txHash`, `mappingId` or `requestId`: compare with `GET /orders`.",
      "Submitted without our calldata: record it with `POST /orders/tx`.",
      "Lost answer of `/send`: send it again under the same `clientOrderId` and `Idempotency-Key`.",
      "Seen before: a reorg may have removed it. The event `order.mapped` with `retracts` says so.",
    ],
  },
  OPERATION_NOT_FOUND: {
    cause: ["This key owns no such operation of this kind in this scope."],
    example: { request: `GET /cash/deposits/${HASH}`, askedBy: "bound key" },
    steps: [
      "New operation: read `GET /cash/deposits?txHash=`, or the list of its kind, until it has an `operationId`.",
      "Each kind has an endpoint: deposits and withdrawals, of cash and of stock.",
      SAME_SCOPE,
      "Submitted without our calldata: record it with `POST /cash/deposits/tx`, or the endpoint of its kind.",
    ],
  },
  TRANSACTION_NOT_FOUND: {
    cause: [
      "`GET /orders/tx/{txHash}`: `errMsg` says why this key has no order of it. It is not indexed or its attribution not verified yet, it belongs to another key, or it is yours to record.",
      "`POST .../tx`: the transaction is on another chain of this service, which `errMsg` names. Nothing is recorded.",
    ],
    example: { request: `GET /orders/tx/${HASH}`, askedBy: "bound key" },
    steps: [
      "Check the receipt: mined, successful, on the chain of `x-api-chain-id`. Otherwise ask under its chain, or have the wallet switch.",
      "Record it with `POST /orders/tx` where `errMsg` says so, where a wallet strips or wraps calldata (wallet contracts, batches, bundlers), and where the calldata was submitted before.",
      "For deposits and withdrawals, use their lists: `GET /cash/deposits?txHash=`.",
    ],
    retry:
      "Where `retryable` of the answer is true: every 500 ms for ten seconds, then every few seconds. Better: send `x-min-block` with the receipt's block, or follow `GET /events/stream`.",
    sandbox: "Look for an order submitted while `POST /mining` of the control has `on` false.",
  },
  SEND_NOT_FOUND: {
    cause: ["This key made no request to send with this `requestId` in this scope."],
    example: { request: `GET /sends/${UUID}`, askedBy: "bound key" },
    steps: [
      "Take `requestId` from the answer of `/send`: it is neither its `uuid` nor your `Idempotency-Key`.",
      SAME_SCOPE,
      "Lost answer: look in `GET /sends?clientOrderId=`, or by `from`, `to` and `operation`. If it is not there, nothing was accepted: repeat the call under its `Idempotency-Key`.",
    ],
  },
  SYMBOL_NOT_FOUND: {
    cause: ["Neither this chain and product nor the market data know a stock or token of this name."],
    example: { request: "GET /prices/NOPE", param: "symbol", askedBy: "bound key" },
    steps: [
      "Take stock symbol, token symbol or token address, in any case, from `GET /symbols` of this scope.",
      "Remove what another vendor adds: `AAPL`, not `AAPL.O` or `NASDAQ:AAPL`.",
    ],
  },
  WEBHOOK_NOT_FOUND: {
    cause: [
      "This key has no such webhook in this scope, or, with `param` `deliveryId`, the webhook no such delivery.",
    ],
    example: {
      request: `GET /webhooks/${UUID}/deliveries`,
      param: "webhookId",
      askedBy: "bound key",
    },
    steps: [
      "Take both from `GET /webhooks` and `GET /webhooks/{webhookId}/deliveries`.",
      SAME_SCOPE,
      "A deleted webhook is gone with its deliveries: make a new one.",
      "Ended deliveries are removed with the log of events, after 30 days.",
    ],
  },
} as const satisfies SomePages;
