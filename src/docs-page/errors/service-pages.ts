import type { SomePages } from "./page.ts";

const BACKOFF = "wait 1 s, double the pause after each failure up to 30 s, and spread it by a random fifth";
const SEND_RETRY =
  "A `/send` keeps its `Idempotency-Key` for all tries. Each try is signed anew: its nonce may be consumed already.";

/** Failures before or beside the endpoint itself: HTTP 404, 413, 429, 500 and 503. */
export const SERVICE_PAGES = {
  ROUTE_NOT_FOUND: {
    cause: [
      "No endpoint has this method and path. The check comes before authentication, so the signature has no part in it.",
      "Paths are compared exactly: case, a slash at the end and the method all count.",
    ],
    example: { request: "GET /order", askedBy: "bound key" },
    steps: [
      "Compare method and path with `docs/endpoints.md`, or with `paths` of `GET /openapi.json`.",
      "Check that the path begins with `/api/v1` and has no slash at its end.",
      "Check that no path parameter is empty: `/orders/` instead of `/orders/{orderId}` is such a path.",
      "Where a proxy in front adds a prefix, send with the prefix, and sign without it.",
    ],
    retry: "No. The same call fails until the deployment has such an endpoint.",
    sandbox: "Send any request to `/api/v1/order`.",
    related: ["VALIDATION_FAILED"],
  },
  BODY_TOO_LARGE: {
    cause: [
      "The body is larger than 64 KiB (65,536 bytes). It is refused before authentication, so the nonce is not consumed.",
      "The body comes in more than 128 chunks or segments with less than 256 bytes each on average.",
    ],
    example: { request: "POST /orders/tx", body: { txHash: "0x… (70,000 characters)" } },
    steps: [
      "Log the number of bytes that you send. No valid request comes near the limit.",
      "Send the body at once with a `Content-Length`, or in few chunks: the bytes that you signed are one string.",
      "Look for a field that was filled with something else: a whole transaction in place of its hash, for example.",
      "Send one order or operation per request: there are no batches.",
    ],
    retry: "No. The same body is always refused.",
    sandbox: "Send `POST /orders/tx` with a `txHash` of 70,000 characters.",
    related: ["VALIDATION_FAILED"],
  },
  RATE_LIMITED: {
    cause: [
      "One of these limits is reached: the key's cost units per ten seconds (reads and writes count apart), the cost of its requests in flight, its recorded transactions that no node knows (1,000), its requests that wait to be sent (500), the failed authentications of your address, or, of all keys together, different requests for price history, corporate actions and stocks that are not listed.",
      "Refused for its cost, a request has not consumed its nonce. Refused for recorded transactions, or for requests that wait, it has.",
    ],
    example: { request: "GET /users/{userId}/positions", retryAfterSeconds: 4 },
    steps: [
      "Wait as many seconds as the header `Retry-After` says.",
      "Read `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` of your answers, and slow down before `RateLimit-Remaining` is 0.",
      "Without these headers the limit is that of requests in flight: wait for answers before you send more.",
      "Replace polling: follow `GET /events/stream`, or register a webhook with `POST /webhooks`.",
      "Ask for larger pages instead of more of them: 10 rows cost 2 units, 100 rows cost 11.",
      "If your address gets it while its signatures fail, fix the signature first.",
      "`GET /key` answers your limits. Ask the operator for higher ones.",
    ],
    retry: `Yes, after \`Retry-After\`. ${SEND_RETRY}`,
    sandbox: "Start it with `RATE_LIMIT_READS=20 npm start`, then send five `GET /symbols` at once.",
    related: ["TOO_MANY_STREAMS"],
  },
  TOO_MANY_STREAMS: {
    cause: [
      "The key has as many streams of events open on this replica as it may (10 unless the operator changed it), or the replica has as many as it takes.",
      "A connection that the network lost counts until TCP gives it up.",
    ],
    example: {
      request: "GET /events/stream",
      errMsg: "This API key has 10 streams open here, which is its limit: close one first",
    },
    steps: [
      "Close streams that you do not read. A client that connects again must close its old connection first.",
      "Use one stream per key, chain and product, and share its events inside your system.",
      "Filter on your side, or by `types`, instead of opening a stream for each kind of event.",
      "Until a place is free, read `GET /events?after=<last id>`.",
    ],
    retry: `Yes, with the last id that you received in \`Last-Event-ID\`: ${BACKOFF}.`,
    sandbox: "Open eleven `GET /events/stream` with one key.",
    related: ["RATE_LIMITED", "CURSOR_EXPIRED"],
  },
  INTERNAL: {
    cause: [
      "The service has a fault. The answer does not say which; the log does, under the `uuid` of the answer.",
      "As `errCode` of a failed request to send: the call was not signed, and nothing was sent. The operator has an alarm of it.",
    ],
    example: { request: "GET /users/{userId}/balance" },
    steps: [
      "Note `uuid` and `t` of the answer: support finds the cause by them.",
      "Where it was a `/send`, do not assume that nothing happened. Send the same call under its `Idempotency-Key`, or look it up by `GET /sends?clientOrderId=`.",
      "Where it repeats, report it with the `uuid`.",
    ],
    retry: `Yes: ${BACKOFF}. Stop after five tries. ${SEND_RETRY}`,
    sandbox: "Nothing brings it about on purpose. Test your handling with a stub that answers the example.",
    related: ["DATABASE_UNAVAILABLE", "RPC_UNAVAILABLE"],
  },
  RPC_UNAVAILABLE: {
    cause: [
      "No node of the chain answered, or none had what was asked for. Endpoints that read wallets, simulate a call or look at a transaction need a node.",
    ],
    example: {
      request: "POST /orders/send",
      body: { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: 1_924_992_000 },
    },
    steps: [
      "Send the call again, as below.",
      "Meanwhile use what needs no node: lists and single objects of orders, operations, sends and events.",
      "Where it lasts for minutes, report the `uuid` and the chain.",
    ],
    retry: `Yes: ${BACKOFF}. ${SEND_RETRY}`,
    sandbox: "The sandbox ends when a chain ends. Test your handling with a stub that answers the example.",
    related: ["INDEXER_BEHIND", "DATABASE_UNAVAILABLE", "OUT_OF_GAS"],
  },
  DATABASE_UNAVAILABLE: {
    cause: [
      "The service's database did not answer in time. Authentication needs it too, so any endpoint may answer this.",
      "Of a `/send` it may mean that the outcome is unknown. Then `retryable` of the answer decides: it is false where neither an `Idempotency-Key` nor a `clientOrderId` distinguishes a repeat from a second order.",
    ],
    example: { request: "GET /orders" },
    steps: [
      "Read `retryable` of the answer, not of the table above.",
      "Where it is true, send the call again, as below.",
      "Where it is false, look for the request first: `GET /sends`, `GET /orders` and the wallet's transactions. Send a new one only if nothing is there.",
      "Send an `Idempotency-Key` with every `/send` from now on: then it is always true.",
    ],
    retry: `Where \`retryable\` is true: ${BACKOFF}. ${SEND_RETRY}`,
    sandbox:
      "The sandbox ends when its database ends. Test your handling with a stub, once with `retryable` false.",
    related: ["INTERNAL", "IDEMPOTENCY_KEY_REUSED", "RPC_UNAVAILABLE"],
  },
  MARKET_DATA_UNAVAILABLE: {
    cause: [
      "The provider of market data does not answer, or has no quote of a listed stock.",
      "A `/send` answers it where the key has a daily cap and no current quote values the order.",
    ],
    example: { request: "GET /prices/AAPL", param: "symbol" },
    steps: [
      "Send the call again, as below.",
      "Show balances from `GET /users/{userId}/positions` meanwhile: it answers without prices, and those fields are null.",
      "Where only an order under a daily cap is refused, place it by `POST /orders/calldata` from the user's wallet, or ask the operator to lift the cap.",
    ],
    retry: `Yes: ${BACKOFF}. ${SEND_RETRY}`,
    sandbox: "Its feed always answers. Test your handling with a stub that answers the example.",
    related: ["SYMBOL_NOT_FOUND", "POLICY_REFUSED"],
  },
  INDEXER_BEHIND: {
    cause: [
      "The index has not reached the block that `x-min-block` names within 5 seconds, or it is being built, or a reorg is being taken back.",
    ],
    example: { request: "GET /config", header: ["x-min-block", "999999999"] },
    steps: [
      "Compare your `x-min-block` with the header `X-Indexed-Block` of the answer, and with the chain's latest block. A number of another chain is never reached.",
      "Use the `blockNumber` of your transaction's receipt, on the chain of `x-api-chain-id`.",
      "Send the call again, as below, or without `x-min-block` if older data will do.",
    ],
    retry:
      "Yes, at once: each try with `x-min-block` waits up to 5 s by itself. Without it, wait 1 s between tries.",
    sandbox: "Send any GET with `x-min-block: 999999999`.",
    related: ["TRANSACTION_NOT_FOUND", "RPC_UNAVAILABLE"],
  },
  OPERATOR_UNAVAILABLE: {
    cause: [
      "The wallet that sends for your user does not send now: it was paused or halted, its whole chain was halted by the operator, or none is assigned. Nothing was written.",
      "Only `/send` and one click need that wallet.",
    ],
    example: {
      request: "POST /orders/send",
      body: { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: 1_924_992_000 },
    },
    steps: [
      "Send the call again, as below. An alert is sent to the operators when a wallet stops.",
      "Where the order cannot wait, call `POST /orders/calldata` with the same fields, and have the user's wallet submit it.",
      "Before you do both, make sure that the `/send` is not among `GET /sends`.",
    ],
    retry: `Yes: ${BACKOFF}. ${SEND_RETRY}`,
    sandbox:
      "Run `npx partner-trading-admin sending halt --chain 31337`, then send the example with the key that is bound to a user. `sending resume --chain 31337` ends it.",
    related: ["DELEGATION_NOT_ENABLED", "RPC_UNAVAILABLE"],
  },
} as const satisfies SomePages;
