import type { Hex } from "viem";
import type { CalldataReply, RouterCall } from "../calldata/calldata.ts";
import { type AnswerExamples, EXAMPLE_ADDRESS, EXAMPLE_HASH } from "../context/examples.ts";
import { WAD } from "../protocol/decimal.ts";
import { encodeCancel } from "./cancel.ts";
import { costsOf } from "./costs.ts";
import { encodeOrder } from "./encode.ts";
import { encodeOrderWithDeposit, type PaidIn } from "./encode-with-deposit.ts";
import type { OrderTerms } from "./input.ts";

/** Orders of the OpenAPI document's examples, by name: each with its request, and what the router is called with. */

const deadline = 1_924_992_000;
const cash: Hex = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PRICE = (1805n * WAD) / 10n;
const LIMIT = { type: "Limit", quantity: "2", price: "180.5", timeInForce: "DAY", deadline };

interface OrderExample {
  request: Readonly<Record<string, unknown>>;
  terms: OrderTerms;
}

const EXAMPLES = {
  marketBuy: {
    request: { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline },
    terms: { type: "Market", side: "Buy", notional: 100n * WAD },
  },
  marketSell: {
    request: { symbol: "AAPL", side: "Sell", type: "Market", quantity: "2", deadline },
    terms: { type: "Market", side: "Sell", quantity: 2n * WAD },
  },
  limitBuy: {
    request: { symbol: "AAPL", side: "Buy", ...LIMIT },
    terms: { type: "Limit", side: "Buy", quantity: 2n * WAD, price: PRICE },
  },
  limitSell: {
    request: { symbol: "AAPL", side: "Sell", ...LIMIT, clientOrderId: "order-42" },
    terms: { type: "Limit", side: "Sell", quantity: 2n * WAD, price: PRICE },
  },
} as const satisfies Record<string, OrderExample>;

const mapped = <T>(make: (example: OrderExample) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(EXAMPLES).map(([name, example]) => [name, make(example)]));

/** Requests of orders, by name. */
export const ORDER_REQUESTS = mapped(({ request }) => request);
/** The same with a deposit: of cash on a buy, of the stock itself on a sell. */
export const WITH_DEPOSIT_REQUESTS = mapped(({ request, terms }) =>
  terms.side === "Buy" ? { ...request, tokenAddress: cash, tokenAmount: "400" } : request,
);

const called = ({
  callData,
  method,
  args,
}: RouterCall): Pick<CalldataReply, "callData" | "method" | "args"> => ({
  callData,
  method,
  args,
});

const orderOf = ({ terms }: OrderExample) =>
  ({ router: EXAMPLE_ADDRESS, stockAddress: EXAMPLE_ADDRESS, deadline, terms }) as const;

const check = (name: string, required: string, actual: string) => ({ check: name, required, actual });

/** Returns what the preflight of an order from the exchange account answers. */
function preflightOf({ terms }: OrderExample) {
  const { refusal, forecast, ...costs } = costsOf({
    terms,
    token: { address: EXAMPLE_ADDRESS, symbol: "AAPL" },
    fees: { buyFeeBps: 10, sellFeeBps: 10, minFee: WAD / 100n },
    minNotional: "1",
    deposit: null,
    price: { price: PRICE, exact: PRICE * WAD, stale: false },
  });
  const locked = costs.locked?.amount ?? "0";
  const needed =
    terms.side === "Sell" ? check("exchangeBalance", locked, "3.5") : check("mUsdBalance", locked, "1250.75");
  return { ...costs, checks: [needed] };
}

export const PREVIEW_EXAMPLES: AnswerExamples = mapped(preflightOf);

export const CALLDATA_EXAMPLES: AnswerExamples = mapped((example) => ({
  ...called(encodeOrder(orderOf(example))),
  preflight: preflightOf(example),
}));

export const WITH_DEPOSIT_CALLDATA_EXAMPLES: AnswerExamples = mapped((example) => {
  const isBuy = example.terms.side === "Buy";
  // USDC has six decimals.
  const paidIn: PaidIn = isBuy
    ? { token: cash, amount: 400_000_000n }
    : { token: EXAMPLE_ADDRESS, amount: 2n * WAD };
  const amount = isBuy ? "400" : "2";
  return {
    ...called(encodeOrderWithDeposit(orderOf(example), paidIn)),
    preflight: {
      ...preflightOf(example),
      checks: [check("walletAllowance", amount, "1000"), check("walletBalance", amount, "1000")],
    },
  };
});

/** No wallet is named, so nothing is tried. */
const CANCEL_CALLDATA = { ...called(encodeCancel(EXAMPLE_ADDRESS, EXAMPLE_HASH)), preflight: null };
export const CANCEL_CALLDATA_EXAMPLES: AnswerExamples = { default: CANCEL_CALLDATA };
export const CANCEL_MANY_CALLDATA_EXAMPLES: AnswerExamples = {
  default: { rows: [{ calldata: CANCEL_CALLDATA }] },
};

const sent = (operation: string, clientOrderId: unknown) => ({
  operation,
  mapping: { orderId: null, clientOrderId: clientOrderId ?? null, mappingStatus: "pending", source: "send" },
});

export const SEND_EXAMPLES: AnswerExamples = mapped(({ request }) =>
  sent("orders/send", request.clientOrderId),
);
export const WITH_DEPOSIT_SEND_EXAMPLES: AnswerExamples = mapped(({ request }) =>
  sent("orders/with-deposit/send", request.clientOrderId),
);
/** The mapping is the order's own. */
export const CANCEL_SEND_EXAMPLES: AnswerExamples = { default: { operation: "orders/cancel" } };
export const CANCEL_MANY_SEND_EXAMPLES: AnswerExamples = {
  default: { rows: [{ send: { operation: "orders/cancel" } }] },
};
