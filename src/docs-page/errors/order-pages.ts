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
const NOT_AS_IT_IS = "Not as it is. Correct the field, sign the new body, and send it.";
const KEYS_ARE_FREE =
  "A refused `/send` consumed neither its `Idempotency-Key` nor its `clientOrderId`: use them again.";

const without = <T extends object>(order: T, field: keyof T) =>
  Object.fromEntries(Object.entries(order).filter(([name]) => name !== field));

/** Errors of an order, its amounts or its token: code 10000, TOKEN_PAUSED and DEPOSIT_NOT_INSTANT. */
export const ORDER_PAGES = {
  NOTIONAL_REQUIRED: {
    cause: ["A market buy names no `notional`: the amount of mUSD to spend."],
    example: {
      request: REQUEST,
      body: without(MARKET_BUY, "notional"),
      param: "notional",
      askedBy: "bound key",
    },
    steps: [
      'Add `notional`, a decimal string in mUSD, such as `"100"`.',
      "To buy a number of shares instead, place a limit order: `type` Limit with `quantity`, `price` and `timeInForce` DAY.",
      "Leave out `quantity` and `price`: a market buy takes neither.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["QUANTITY_REQUIRED", "PRICE_REQUIRED", "BELOW_MINIMUM"],
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
      'Add `quantity`, a decimal string, such as `"0.5"`.',
      "To sell all, take `exchangeBalance` of the stock from `GET /users/{userId}/balance`.",
      "Leave out `notional`: only a market buy takes it.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["NOTIONAL_REQUIRED", "PRICE_REQUIRED", "BALANCE_INSUFFICIENT"],
  },
  PRICE_REQUIRED: {
    cause: ["A limit order names no `price`: mUSD per stock token."],
    example: { request: REQUEST, body: without(LIMIT_BUY, "price"), param: "price", askedBy: "bound key" },
    steps: [
      'Add `price`, a decimal string, such as `"150"`. It is per token: the quote of the share times the token\'s multiplier.',
      "`price` of `GET /symbols` is the present price per token.",
      "For an order at the market's price, send `type` Market and leave `price` out.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["QUANTITY_REQUIRED", "TIME_IN_FORCE_REQUIRED"],
  },
  TIME_IN_FORCE_REQUIRED: {
    cause: ["A limit order names no `timeInForce`."],
    example: {
      request: REQUEST,
      body: without(LIMIT_BUY, "timeInForce"),
      param: "timeInForce",
      askedBy: "bound key",
    },
    steps: ["Add `timeInForce` with the value `DAY`. There is no default for limit orders."],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["TIME_IN_FORCE_NOT_SUPPORTED", "PRICE_REQUIRED"],
  },
  TIME_IN_FORCE_NOT_SUPPORTED: {
    cause: ["`timeInForce` is not exactly `DAY`, the one value that the contracts take."],
    example: {
      request: REQUEST,
      body: { ...LIMIT_BUY, timeInForce: "GTC" },
      param: "timeInForce",
      askedBy: "bound key",
    },
    steps: [
      "Send `timeInForce` as `DAY`, in capitals.",
      "For an order that lasts longer, place it again each trading day: the event `order.expired` tells you when it ended.",
      "A market order may leave `timeInForce` out.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["TIME_IN_FORCE_REQUIRED"],
  },
  DEADLINE_EXPIRED: {
    cause: [
      "`deadline` is not in the future, by the server's clock. It is in Unix seconds.",
      "As `errCode` of a failed request to send it means that the deadline passed before the transaction was mined: the order was not placed.",
    ],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, deadline: 1_700_000_000 },
      param: "deadline",
      askedBy: "bound key",
    },
    steps: [
      "Compare `deadline` with `t` of the answer, which is in milliseconds: `deadline * 1000` must be greater.",
      "Compute it from the present time for each request. Ten minutes ahead is a good value; some seconds are too few for a block.",
      "If your clock differs from `t`, set it by NTP.",
      "For one click, call `POST /1ct/prepare` with the new `deadline`, and have the user sign the new payload: the old signature covers the old deadline.",
      "Where a request to send failed with it, send a new one with a new `deadline` and a new `Idempotency-Key` and `clientOrderId`.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox:
      "Send the example. For a failed send: `POST /mining` of the control with `on` false, a `/send` with a `deadline` a few seconds ahead, and `on` true when it has passed.",
    related: ["VALIDATION_FAILED", "CHAIN_REVERT"],
  },
  TOO_MANY_DECIMALS: {
    cause: [
      "An amount has more fraction digits than its token can represent. It is refused, not rounded: rounding would change what you asked for.",
      "mUSD and stock tokens have 18 digits. A cash token has as many as its `decimals`, 6 for USDC; that also bounds a withdrawal, although its amount is in mUSD.",
    ],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, notional: "100.0000000000000000001" },
      param: "notional",
      errMsg: "notional may have at most 18 fraction digits",
      askedBy: "bound key",
    },
    steps: [
      "Read the number of digits from `errMsg`, or `decimals` from `GET /config` (cash) and `GET /symbols` (stock).",
      "Round down in your own code, on the field that `param` names.",
      "Calculate with decimal strings or integers. A float such as `0.1 + 0.2` gets digits that you did not ask for.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["VALIDATION_FAILED", "BELOW_MINIMUM"],
  },
  TOKEN_NOT_SUPPORTED: {
    cause: [
      "This chain and product list no such token. `param` says by which field it was named: `symbol`, `stockAddress` or `tokenAddress`.",
    ],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, symbol: "NOPE" },
      param: "symbol",
      askedBy: "bound key",
    },
    steps: [
      "Take stocks from `GET /symbols`, and cash tokens from `cashierTokenConfig` of `GET /config`, of the very scope that you send with.",
      "Check `x-api-chain-id` and `x-api-p`: the same token has another address on each chain.",
      "Do not mix them: cash endpoints take cash tokens, stock endpoints take stock tokens.",
      "`symbol` may be a stock symbol, a token symbol or a token address, in any case. Where you send both `symbol` and `stockAddress`, they must mean the same token. Send one.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["TOKEN_PAUSED", "SYMBOL_NOT_FOUND"],
  },
  BELOW_MINIMUM: {
    cause: [
      "The order, deposit or withdrawal is smaller than this product takes. `errMsg` says what the smallest is.",
      "An order is valued in mUSD: `notional`, or `quantity` times `price`. A market sell is valued by the quote.",
    ],
    example: {
      request: REQUEST,
      body: { ...MARKET_BUY, notional: "0.5" },
      param: "notional",
      errMsg: "The smallest order is 1 mUSD",
      askedBy: "bound key",
    },
    steps: [
      "Read the minimum from `errMsg`.",
      "Check it before you send: `minNotional` of `GET /symbols` for orders, `minAmount` of the token in `GET /config` for cash.",
      "Raise the field that `param` names, or collect small amounts into one order.",
    ],
    retry: `${NOT_AS_IT_IS} ${KEYS_ARE_FREE}`,
    sandbox: "Send the example.",
    related: ["TOO_MANY_DECIMALS", "NOTIONAL_REQUIRED"],
  },
  TOKEN_PAUSED: {
    cause: [
      "The token is listed, and takes no orders, deposits or withdrawals at present; `errMsg` says which. The broker pauses tokens on the chain.",
    ],
    example: { request: REQUEST, body: MARKET_BUY, param: "symbol", errMsg: "The token takes no orders now" },
    steps: [
      "For an order, read `tradable` of the stock in `GET /symbols?tradable=all`. Without the parameter, only stocks that take orders are listed.",
      "For cash, read `depositPaused` and `withdrawPaused` of the token in `GET /config`, and use another token if one is open.",
      "Show the user that the token is paused, and offer the action again when these fields change.",
    ],
    retry:
      "Not in a loop: a pause lasts minutes to days. Poll `GET /symbols` or `GET /config` each minute, and send when it is open.",
    sandbox:
      "`POST /tokens/<address>/tradable` of the control with `tradable` false, or `POST /tokens/<address>/pause` with `deposit` true; then send an order or deposit.",
    related: ["TOKEN_NOT_SUPPORTED", "CHAIN_REVERT"],
  },
  DEPOSIT_NOT_INSTANT: {
    cause: [
      "An order with deposit pays with the cash that it deposits in the same transaction. The deposit exceeds the instant limit or the buffer, so it would be queued and could not pay.",
    ],
    example: {
      request: "POST /orders/with-deposit/calldata",
      body: { ...MARKET_BUY, notional: "50000", tokenAddress: "0x…", tokenAmount: "50100" },
      param: "tokenAmount",
    },
    steps: [
      "Read `maxInstantDeposit` of the token and `cashierBuffer.creditBuffer` from `GET /config`: `tokenAmount` must be within both.",
      "Send a smaller order, or several.",
      "Or deposit first by `POST /cash/deposits/calldata`, wait until `operationStatus` is `completed`, and place the order by `POST /orders/calldata`.",
    ],
    retry: "Not as it is, while the buffer in `GET /config` is smaller than the deposit.",
    sandbox: "`POST /buffers` of the control with `creditBuffer` 0, then send an order with deposit.",
    related: ["BELOW_MINIMUM", "BALANCE_INSUFFICIENT"],
  },
} as const satisfies SomePages;
