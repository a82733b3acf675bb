import type { SomePages } from "./page.ts";

const BACKOFF = "after 1 s, doubling up to 30 s, spread by a random fifth";

/** Failures before or beside the endpoint itself: HTTP 404, 413, 429, 500 and 503. */
export const SERVICE_PAGES = {
  ROUTE_NOT_FOUND: {
    cause: ["No endpoint has exactly this method and path. The signature is not checked yet."],
    example: { request: "GET /order", askedBy: "bound key" },
    steps: [
      "Compare both with `docs/endpoints.md`, or with `paths` of `GET /openapi.json`.",
      "Check case, `/api/v1` at the beginning, a slash at the end, an empty parameter (`/orders/` for `/orders/{orderId}`).",
      "Where a proxy adds a prefix, send with it and sign without it.",
    ],
  },
  BODY_TOO_LARGE: {
    cause: [
      "The body has more than 64 KiB (65,536 bytes), or comes in more than 128 chunks or segments with less than 256 bytes each on average. The nonce is not consumed.",
    ],
    example: { request: "POST /orders/tx", body: { txHash: "0x… (70,000 characters)" } },
    steps: [
      "No valid request comes near the limit: look for a field with, say, a whole transaction in place of its hash.",
      "Send the body at once with a `Content-Length`, or in few chunks.",
    ],
  },
  RATE_LIMITED: {
    cause: [
      "One of these limits is reached: the key's cost units per ten seconds (reads and writes count apart), the cost of its requests in flight, its recorded transactions that no node knows (1,000), its requests that wait to be sent (500), failed authentications of your address, or, of all keys, different requests for price history, corporate actions and stocks that are not listed.",
      "A refusal for recorded transactions or requests that wait has consumed the nonce, one for the cost has not.",
    ],
    example: { request: "GET /users/{userId}/positions", retryAfterSeconds: 4 },
    steps: [
      "Slow down before `RateLimit-Remaining` of `RateLimit-Limit` is 0, until the seconds in `RateLimit-Reset` are over.",
      "Without these headers the limit is that of requests in flight (wait for answers) or of your address (fix its signatures).",
      "Replace polling by `GET /events/stream` or a webhook, and small pages by large ones: 10 rows cost 2 units, 100 rows 11.",
      "`GET /key` answers your limits. Ask the operator for higher ones.",
    ],
    retry: "Yes, after `Retry-After`.",
    sandbox: "`RATE_LIMIT_READS=20 npm start`, then five `GET /symbols` at once.",
  },
  TOO_MANY_STREAMS: {
    cause: [
      "The key has its limit of streams open on this replica (10 unless the operator changed it), or the replica has. A lost connection counts until TCP gives it up.",
    ],
    example: {
      request: "GET /events/stream",
      errMsg: "This API key has 10 streams open here, which is its limit: close one first",
    },
    steps: [
      "Close streams that you do not read, and the old one before you connect again.",
      "Use one stream per key, chain and product, share its events inside your system, and select by `types`.",
      "Until a place is free, read `GET /events?after=<last id>`.",
    ],
    retry: `Yes, with the last id that you received in \`Last-Event-ID\`, ${BACKOFF}.`,
  },
  INTERNAL: {
    cause: [
      "The service has a fault, which the log names under the `uuid` of the answer.",
      "As `errCode` of a failed request to send: nothing was signed or sent, and the operator has an alarm.",
    ],
    example: { request: "GET /users/{userId}/balance" },
    steps: [
      "Note `uuid` and `t`, and report them where it repeats.",
      "A `/send` may have taken effect: repeat it under its `Idempotency-Key`, or look in `GET /sends?clientOrderId=`.",
    ],
    retry: `Yes, five times at most: ${BACKOFF}.`,
  },
  RPC_UNAVAILABLE: {
    cause: [
      "No node of the chain answered, or none had what was asked for. Reading wallets, simulating a call and looking at a transaction need a node.",
    ],
    example: {
      request: "POST /orders/send",
      body: { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: 1_924_992_000 },
    },
    steps: [
      "Meanwhile orders, operations, sends and events need no node.",
      "Where it lasts for minutes, report the `uuid` and the chain.",
    ],
    retry: `Yes, ${BACKOFF}.`,
  },
  DATABASE_UNAVAILABLE: {
    cause: [
      "The database, which every endpoint needs, did not answer in time.",
      "The outcome of a `/send` may be unknown: `retryable` is then false, unless an `Idempotency-Key` or a `clientOrderId` distinguishes a repeat from a second order.",
    ],
    example: { request: "GET /orders" },
    steps: [
      "Where `retryable` of the answer is true, send again.",
      "Where it is false, look into `GET /sends`, `GET /orders` and the wallet's transactions. Send a new request only if nothing is there.",
      "Send an `Idempotency-Key` with every `/send`: then it is always true.",
    ],
    retry: `Where \`retryable\` is true, ${BACKOFF}.`,
    sandbox: "Not possible: use a stub, once with `retryable` false.",
  },
  MARKET_DATA_UNAVAILABLE: {
    cause: [
      "The provider does not answer, or has no quote of a listed stock: for a `/send`, to value the order under the key's daily cap.",
    ],
    example: { request: "GET /prices/AAPL", param: "symbol" },
    steps: [
      "Meanwhile `GET /users/{userId}/positions` answers with null in place of prices.",
      "For a `/send`, use `POST /orders/calldata` and the user's wallet, or ask the operator to lift the cap.",
    ],
    retry: `Yes, ${BACKOFF}.`,
  },
  INDEXER_BEHIND: {
    cause: [
      "The index did not reach the block of `x-min-block` within 5 seconds, is being built, or takes back a reorg.",
    ],
    example: { request: "GET /config", header: ["x-min-block", "999999999"] },
    steps: [
      "Compare `x-min-block` with `X-Indexed-Block` of the answer. It must be a receipt's `blockNumber` on the chain of `x-api-chain-id`: another chain's is never reached.",
      "If older data will do, leave `x-min-block` out.",
    ],
    retry: "Yes, at once: each try with `x-min-block` waits up to 5 s by itself. Without it, wait 1 s.",
  },
  OPERATOR_UNAVAILABLE: {
    cause: [
      "The wallet that sends for your user, which `/send` and one click need, is paused or halted, its whole chain is halted, or none is assigned. Nothing was written.",
    ],
    example: {
      request: "POST /orders/send",
      body: { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: 1_924_992_000 },
    },
    steps: [
      "Operators are alerted when a wallet stops: send again.",
      "Where the order cannot wait, and the `/send` is not among `GET /sends`, have the user's wallet submit what `POST /orders/calldata` answers to the same fields.",
    ],
    retry: `Yes, ${BACKOFF}.`,
    sandbox:
      "`npx partner-trading-admin sending halt --chain 31337`, then the example with the bound key. `sending resume --chain 31337` ends it.",
  },
} as const satisfies SomePages;
