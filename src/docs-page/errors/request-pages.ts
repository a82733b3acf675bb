import type { SomePages } from "./page.ts";

const HASH = `0x${"ab".repeat(32)}`;
const UUID = "7c1f3b52-9d64-4b0e-9a7e-2f8d5c6b1a90";

const SAME_SCOPE =
  "Send with the key, `x-api-chain-id` and `x-api-p` that made it: what another key or scope owns does not exist for yours.";
const NO_RETRY = "No, unless it was made a moment ago: then wait for it as step 1 says.";

/** Malformed requests, and objects that do not exist in the key's scope: codes 10000 and 10001. */
export const REQUEST_PAGES = {
  VALIDATION_FAILED: {
    cause: [
      "A field, parameter or header is missing, malformed, unknown or out of range. `param` names it, or is null where it is the body or the request as a whole; `errMsg` says what it must be.",
      "Unknown names are refused too: a typo must not become a default.",
    ],
    example: {
      request: "GET /orders?limt=5",
      param: "limt",
      errMsg: "Unknown query parameter",
      askedBy: "bound key",
    },
    steps: [
      "Read `errMsg`, and find `param` in the operation's schema in `GET /openapi.json`.",
      "An unknown name: correct its spelling and case. POST and DELETE take fields in the body alone, GET in the query alone.",
      'An amount: send a decimal string such as `"180.5"`, without exponent, sign or blanks, and greater than 0.',
      "A time: Unix seconds, an integer. Milliseconds are refused; only `x-api-ts` has them.",
      "A cursor: send it to the list that made it, with the same key and scope, and do not decode it.",
      "`userAddress` of a `/send`: leave it out, or send the address that `GET /key` answers.",
      "`Idempotency-Key`: 1 to 255 printable ASCII characters.",
    ],
    retry:
      "Not as it is. Correct it, sign the new request, and send it. The refused request has consumed its nonce, and neither its `Idempotency-Key` nor its `clientOrderId`.",
    sandbox: "Send the example.",
    related: ["TOO_MANY_DECIMALS", "DEADLINE_EXPIRED", "ROUTE_NOT_FOUND"],
  },
  CURSOR_EXPIRED: {
    cause: [
      "`after` or `Last-Event-ID` is older than the log of events, which is kept for 30 days unless the operator changed it. Events behind it were removed: you cannot catch up by events alone.",
    ],
    example: { request: "GET /events?after=WzNd", param: "after", oldestCursor: "WzE3XQ" },
    steps: [
      "Take the lists that you mirror anew: `GET /orders`, `GET /cash/deposits` and the others, all pages. Keep the header `X-Event-Cursor` of the first page.",
      "Replace your copy by them, then go on with `GET /events?after=<X-Event-Cursor>` or the stream.",
      "Where a gap does not matter, go on from `oldestCursor` of the answer.",
      "Store the cursor with each event that you have handled, so that a restart begins there.",
    ],
    retry: "Not with this cursor: it stays too old. Go on from another one.",
    sandbox: "Its events are younger than 30 days. Test your handling with a stub that answers the example.",
    related: ["VALIDATION_FAILED", "TOO_MANY_STREAMS"],
  },
  WEBHOOK_TARGET_REFUSED: {
    cause: [
      "Events are not delivered to this `url`: it is not https, holds credentials or a fragment, has a port below 1024 other than 443, or its host has no public address. `errMsg` says which.",
      "All addresses of the host must be public, when the webhook is made and at each delivery.",
    ],
    example: {
      request: "POST /webhooks",
      body: { url: "https://10.0.0.5/hooks/trading" },
      param: "url",
      errMsg: "url leads to 10.0.0.5, which is no public address (private)",
      askedBy: "bound key",
    },
    steps: [
      "Read the reason from `errMsg`.",
      "Run `dig +short <host>` for A and AAAA records, outside your own network: each address must be public.",
      "Serve https with a certificate of a public authority, on port 443 or one from 1024 on.",
      "Put a secret path into the URL if you need one, not `user:password@`. Verify `webhook-signature` instead of relying on either.",
      "For a server on your own machine, use the sandbox, or read `GET /events/stream`.",
    ],
    retry: "Only after you changed the URL or its DNS.",
    sandbox: "Send the example. Loopback addresses and http are allowed there, and only there.",
    related: ["WEBHOOK_NOT_FOUND", "VALIDATION_FAILED"],
  },
  ORDER_NOT_FOUND: {
    cause: [
      "This key owns no such order in this scope. Orders of other keys are not found either, whatever the verb.",
      "For `GET /orders/client/{clientOrderId}` it means that no `/send` under this identifier was accepted.",
    ],
    example: { request: `GET /orders/${HASH}`, askedBy: "bound key" },
    steps: [
      "A new order: its `orderId` exists once it is indexed. Follow `GET /orders/tx/{txHash}` until then.",
      SAME_SCOPE,
      "`orderId` is not `txHash`, `mappingId` or `requestId`: compare it with a row of `GET /orders`.",
      "An order that a wallet submitted without our calldata: record it with `POST /orders/tx`, then look again.",
      "After a lost answer of `/send`: nothing was accepted, so send it again under the same `clientOrderId` and `Idempotency-Key`.",
      "An order that was there before: a reorg may have removed it. The event `order.mapped` with `retracts` says so.",
    ],
    retry: NO_RETRY,
    sandbox: "Send the example.",
    related: ["TRANSACTION_NOT_FOUND", "SEND_NOT_FOUND", "TX_OWNED_BY_ANOTHER_KEY"],
  },
  OPERATION_NOT_FOUND: {
    cause: ["This key owns no such deposit or withdrawal of this kind in this scope."],
    example: { request: `GET /cash/deposits/${HASH}`, askedBy: "bound key" },
    steps: [
      "A new operation: its `operationId` exists once it is indexed. List `GET /cash/deposits?txHash=` (or the endpoint of its kind) until it is set.",
      "Check the kind: deposits and withdrawals, of cash and of stock, have an endpoint each.",
      SAME_SCOPE,
      "An operation that a wallet submitted without our calldata: record it with `POST /cash/deposits/tx`, or the endpoint of its kind.",
    ],
    retry: NO_RETRY,
    sandbox: "Send the example.",
    related: ["ORDER_NOT_FOUND", "TX_OWNED_BY_ANOTHER_KEY"],
  },
  TRANSACTION_NOT_FOUND: {
    cause: [
      "`GET /orders/tx/{txHash}`: no order of this key is known by this transaction. `errMsg` says why: it is not indexed yet, its attribution is not verified yet, it belongs to another key, or it is yours to record.",
      "`POST /orders/tx` and its counterparts: the transaction is on another chain of this service, which `errMsg` names. Nothing is recorded.",
    ],
    example: { request: `GET /orders/tx/${HASH}`, askedBy: "bound key" },
    steps: [
      "Within the first seconds after the transaction: wait, as below.",
      "Check the receipt: the transaction must be mined, successful, and on the chain of `x-api-chain-id`. Where it is on another one, have the wallet switch the network, or ask under that chain.",
      "Where `errMsg` names `POST /orders/tx`, send the `txHash` there: that answers the mapping.",
      "Where your wallet strips or wraps calldata (wallet contracts, batches, bundlers), record it: `POST /orders/tx` with `txHash`.",
      "Where calldata was submitted twice, only the first transaction is claimed by itself: record the second.",
      "For deposits and withdrawals use their lists: `GET /cash/deposits?txHash=`.",
    ],
    retry:
      "Yes, where `retryable` is true: every 500 ms for ten seconds, then every few seconds. Better: send `x-min-block` with the block of the receipt, or follow `GET /events/stream`.",
    sandbox:
      "Send the example. Or `POST /mining` of the control with `on` false, then submit an order and look for it.",
    related: ["ORDER_NOT_FOUND", "TX_WRONG_KIND", "TX_REVERTED", "INDEXER_BEHIND"],
  },
  SEND_NOT_FOUND: {
    cause: ["This key made no request to send with this `requestId` in this scope."],
    example: { request: `GET /sends/${UUID}`, askedBy: "bound key" },
    steps: [
      "Take `requestId` from the answer of `/send`. It is neither the `uuid` of that answer nor your `Idempotency-Key`.",
      SAME_SCOPE,
      "Where the answer was lost, find it by `GET /sends?clientOrderId=`, or by `from`, `to` and `operation`.",
      "Where it is not there either, nothing was accepted: send the call again under its `Idempotency-Key`.",
    ],
    retry: "No. A request is there as soon as `/send` has answered.",
    sandbox: "Send the example.",
    related: ["ORDER_NOT_FOUND", "IDEMPOTENCY_KEY_REUSED"],
  },
  SYMBOL_NOT_FOUND: {
    cause: ["Neither this chain and product nor the market data know a stock or token of this name."],
    example: { request: "GET /prices/NOPE", param: "symbol", askedBy: "bound key" },
    steps: [
      "Take `symbol` from `GET /symbols`. Stock symbol, token symbol and token address all work, in any case.",
      "Check for a suffix of another vendor's: `AAPL`, not `AAPL.O` or `NASDAQ:AAPL`.",
      "A token address must be one of this scope: check `x-api-chain-id` and `x-api-p`.",
    ],
    retry: "No. List `GET /symbols` again once a day to see new stocks.",
    sandbox: "Send the example.",
    related: ["TOKEN_NOT_SUPPORTED", "MARKET_DATA_UNAVAILABLE"],
  },
  WEBHOOK_NOT_FOUND: {
    cause: [
      "This key has no such webhook in this scope, or `param` is `deliveryId` and the webhook has no such delivery.",
    ],
    example: {
      request: `GET /webhooks/${UUID}/deliveries`,
      param: "webhookId",
      askedBy: "bound key",
    },
    steps: [
      "Take `webhookId` from `GET /webhooks`, and `deliveryId` from `GET /webhooks/{webhookId}/deliveries`.",
      SAME_SCOPE,
      "A webhook that was deleted is gone, with its deliveries: make a new one with `POST /webhooks`.",
      "Ended deliveries are removed with the log of events, after 30 days.",
    ],
    retry: "No.",
    sandbox: "Send the example.",
    related: ["WEBHOOK_TARGET_REFUSED"],
  },
} as const satisfies SomePages;
