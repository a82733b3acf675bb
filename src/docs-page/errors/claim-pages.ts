import type { SomePages } from "./page.ts";

const HASH = `0x${"ab".repeat(32)}`;
const RECORD = { request: "POST /orders/tx", body: { txHash: HASH }, param: "txHash" } as const;

/** Refusals to cancel an order, and to record a transaction. */
export const CLAIM_PAGES = {
  ORDER_NOT_CANCELABLE: {
    cause: [
      "Only an open limit order can be canceled, by `/send` only the bound user's. `errMsg` says what this order is.",
    ],
    example: { request: `DELETE /orders/${HASH}/send`, errMsg: "The order has ended: it is filled" },
    steps: [
      "It has ended: `historyOrder` of `GET /orders/{orderId}` has its fills. A fill may win against your cancel.",
      "It is `canceling`: wait for `order.canceled` or `order.filled`, by `GET /events/stream` or a webhook. Do not cancel again.",
      "It is another wallet's: that wallet submits what `DELETE /orders/{orderId}/calldata` answers.",
    ],
  },
  MARKET_ORDER_NOT_CANCELABLE: {
    cause: ["The contracts take no cancel of a market order: the broker settles it at the next quote."],
    example: { request: `DELETE /orders/${HASH}/send` },
    steps: [
      "Wait for `order.filled` or `order.rejected`. While the market is closed the order stays `Pending`.",
      "To trade out of it, place an opposite order once it is filled.",
      "Send limit orders where you may want to cancel.",
    ],
    sandbox: "Cancel a market order placed after `POST /mode` of the control with `mode` manual.",
  },
  TX_OWNED_BY_ANOTHER_KEY: {
    cause: [
      "All that the transaction did belongs to another API key, which sent it, got its calldata, or recorded it first. Until the block is final, a record by a key bound to the order's user comes before one by an unbound key, and that before one by a key bound to another user.",
    ],
    example: RECORD,
    steps: [
      "Where both keys are yours, read the order with the other one. Record with the key that asked for the calldata.",
      "Otherwise ask for fresh calldata with your own key, naming `userAddress`: then nobody else can use it.",
      "If you do not know the other key, report `uuid` and `txHash`.",
    ],
    retry:
      "No. Once the block is final, ownership changes only where a key of the order's user records what a key of another user had recorded.",
    sandbox:
      "Record calldata of `trader-31337` with a second WRITABLE key: `npx partner-trading-admin keys create` (`docs/SANDBOX.md`).",
  },
  TX_WRONG_KIND: {
    cause: ["The mined transaction did nothing of this kind with the contracts of this chain and product."],
    example: {
      ...RECORD,
      errMsg:
        "The transaction is not a router call of this kind and scope: it is a deposit; record it with POST /cash/deposits/tx",
    },
    steps: [
      "Where `errMsg` names an endpoint, send the `txHash` there.",
      "Check the scope, `x-api-chain-id` and `x-api-p`: each product has its own contracts.",
      "Send the hash of the router call, not of its approval or a user operation.",
    ],
  },
  TX_REVERTED: {
    cause: ["The mined transaction reverted, so there is no order or operation to record."],
    example: RECORD,
    steps: [
      "Read `gasUsed` of the receipt. Where it equals the gas limit, see `OUT_OF_GAS`.",
      "Call `/calldata` again with the same fields, `userAddress` and a new `deadline`: `preflight` says what fails now.",
      "Submit each `fix` in order from the user's wallet, then the fresh calldata with 1.5 to 2 times `preflight.gasEstimate`.",
    ],
    sandbox: "Submit calldata with two thirds of `preflight.gasEstimate`, then record its hash.",
  },
} as const satisfies SomePages;
