import type { SomePages } from "./page.ts";

const FAR = 1_924_992_000;
const MARKET_BUY = { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: FAR };
const MARKET_SELL = { symbol: "AAPL", side: "Sell", type: "Market", quantity: "0.5", deadline: FAR };
const LIMIT_BUY = {
  symbol: "AAPL",
  side: "Buy",
  type: "Limit",
  quantity: "0.5",
  price: "150",
  timeInForce: "DAY",
  deadline: FAR,
};
const REQUEST = "POST /orders/calldata";

const without = <T extends object>(order: T, field: keyof T) =>
  Object.fromEntries(Object.entries(order).filter(([name]) => name !== field));

/** Errors of an order, its amounts or its token: code 10000, TOKEN_PAUSED and DEPOSIT_NOT_INSTANT. */
export const ORDER_PAGES = {
  NOTIONAL_REQUIRED: {
    cause: ["A market buy names no `notional`: the mUSD to spend."],
    example: {
      request: REQUEST,
      body: without(MARKET_BUY, "notional"),
      param: "notional",
      askedBy: "bound key",
    },
    steps: [
      'Add `notional` as a decimal string, such as `"100"`, without `quantity` and `price`.',
      "To buy a number of shares, send `type` Limit with `quantity`, `price` and `timeInForce` DAY.",
    ],
  },
  QUANTITY_REQUIRED: {
    cause: ["A market sell or a limit order names no `quantity`: the number of stock tokens."],
    example: {
      request: REQUEST,
      body: without(MARKET_SELL, "quantity"),
      param: "quantity",
      askedBy: "bound key",
    },
    steps: [
      'Add `quantity` as a decimal string, such as `"0.5"`, without `notional`.',
      "To sell all, send `exchangeBalance` of the stock in `GET /users/{userId}/balance`.",
    ],
  },
  PRICE_REQUIRED: {
    cause: ["A limit order names no `price`: mUSD per stock token."],
    example: { request: REQUEST, body: without(LIMIT_BUY, "price"), param: "price", askedBy: "bound key" },
    steps: [
      'Add `price` as a decimal string, such as `"150"`: per token, the share\'s quote times the multiplier, like `price` of `GET /symbols`.',
      "To trade at the market's price, send `type` Market without `price`.",
    ],
  },
  TIME_IN_FORCE_REQUIRED: {
    cause: ["A limit order names no `timeInForce`, which has no default."],
    example: {
      request: REQUEST,
      body: without(LIMIT_BUY, "timeInForce"),
      param: "timeInForce",
      askedBy: "bound key",
    },
    steps: ["Add `timeInForce` with the value `DAY`."],
  },
  TIME_IN_FORCE_NOT_SUPPORTED: {
    cause: ["The contracts take exactly `DAY`, in capitals."],
    example: {
      request: REQUEST,
      body: { ...LIMIT_BUY, timeInForce: "GTC" },
      param: "timeInForce",
      askedBy: "bound key",
    },
    steps: [
      "Send `DAY`. A market order may leave `timeInForce` out.",
      "To have it last longer, place it again after each `order.expired`.",
    ],
  },
  DEADLINE_EXPIRED: {
    cause: [
      "`deadline`, in Unix seconds, is not in the future by the server's clock.",
      "As `errCode` of a failed request to send: the deadline passed before the transaction was mined, and the order was not placed.",
    ],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, deadline: 1_700_000_000 },
      param: "deadline",
      askedBy: "bound key",
    },
    steps: [
      "Compute `deadline` for each request, some ten minutes ahead.",
      "`deadline * 1000` must be greater than `t` of the answer. If your clock differs from `t`, set it by NTP.",
      "One click: call `POST /1ct/prepare` with a new `deadline`, and have the user sign again, since the signature covers it.",
      "Failed request to send: send a new one with a new `deadline`, `Idempotency-Key` and `clientOrderId`.",
    ],
    sandbox:
      "For a failed send, `/send` with a `deadline` some seconds ahead between `POST /mining` of the control with `on` false and true.",
  },
  TOO_MANY_DECIMALS: {
    cause: [
      "An amount has more fraction digits than its token. It is not rounded, since that would change what you asked for.",
      "mUSD and stock tokens have 18 digits, a cash token its `decimals` (6 for USDC), which also bound a withdrawal in mUSD.",
    ],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, notional: "100.0000000000000000001" },
      param: "notional",
      errMsg: "notional may have at most 18 fraction digits",
      askedBy: "bound key",
    },
    steps: [
      "Take the number of digits from `errMsg`, `GET /config` (cash) or `GET /symbols` (stock), and round the field in `param` down.",
      "Calculate with decimal strings or integers, not floats.",
    ],
  },
  TOKEN_NOT_SUPPORTED: {
    cause: ["This chain and product list no token as `param` names it."],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, symbol: "NOPE" },
      param: "symbol",
      askedBy: "bound key",
    },
    steps: [
      "Take stocks from `GET /symbols` and cash tokens from `cashierTokenConfig` of `GET /config` in the same scope: addresses differ by chain.",
      "Cash endpoints take cash tokens, stock endpoints stock tokens.",
      "`symbol` may be a stock symbol, token symbol or token address, in any case. With `stockAddress` it must mean the same token: send one.",
    ],
  },
  BELOW_MINIMUM: {
    cause: [
      "The order, deposit or withdrawal is smaller than the minimum in `errMsg`. An order's value is its `notional`, or `quantity` times `price`, for a market sell the quote.",
    ],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, notional: "0.5" },
      param: "notional",
      errMsg: "The smallest order is 1 mUSD",
      askedBy: "bound key",
    },
    steps: [
      "Raise the field in `param`, or collect small amounts into one order.",
      "Before you send, check `minNotional` of `GET /symbols` (orders) and `minAmount` of the token in `GET /config` (cash).",
    ],
  },
  TOKEN_PAUSED: {
    cause: [
      "The broker has paused the token on the chain: it takes no orders, deposits or withdrawals, as `errMsg` says.",
    ],
    example: { request: REQUEST, body: MARKET_BUY, param: "symbol", errMsg: "The token takes no orders now" },
    steps: [
      "Order: read `tradable` in `GET /symbols?tradable=all`, which lists paused stocks, too.",
      "Cash: read `depositPaused` and `withdrawPaused` in `GET /config`, and use another token if one is open.",
    ],
    retry: "When it is open, after minutes or days: poll each minute.",
    sandbox:
      "Of the control, `POST /tokens/<address>/tradable` with `tradable` false, or `POST /tokens/<address>/pause` with `deposit` true.",
  },
  DEPOSIT_NOT_INSTANT: {
    cause: [
      "Beyond the instant limit or the buffer, a deposit is queued and cannot pay for an order in the same transaction.",
    ],
    example: {
      request: "POST /orders/with-deposit/calldata",
      body: { ...MARKET_BUY, notional: "50000", tokenAddress: "0x…", tokenAmount: "50100" },
      param: "tokenAmount",
    },
    steps: [
      "Keep `tokenAmount` within `maxInstantDeposit` of the token and `cashierBuffer.creditBuffer`, both of `GET /config`: send smaller orders.",
      "Or deposit by `POST /cash/deposits/calldata`, wait until `operationStatus` is `completed`, and place the order by `POST /orders/calldata`.",
    ],
    retry: "When the buffer in `GET /config` covers the deposit.",
    sandbox: "`POST /buffers` of the control with `creditBuffer` 0, then send an order with deposit.",
  },
} as const satisfies SomePages;
