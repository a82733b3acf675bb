import type { SomePages } from "./page.ts";

const HASH = `0x${"ab".repeat(32)}`;
const RECORD = { request: "POST /orders/tx", body: { txHash: HASH }, param: "txHash" } as const;

/** Refusals to cancel an order, and to record a transaction. */
export const CLAIM_PAGES = {
  ORDER_NOT_CANCELABLE: {
    cause: [
      "The order has ended, a cancel of it is on the chain already, or `DELETE /orders/{orderId}/send` was asked for an order of another wallet than the bound one; `errMsg` says which. Only an open limit order can be canceled.",
    ],
    example: { request: `DELETE /orders/${HASH}/send`, errMsg: "The order has ended: it is filled" },
    steps: [
      "Read `status` of `GET /orders/{orderId}`.",
      "`Filled`, `Canceled`, `Expired`, `Rejected`: it is over. `historyOrder` has its fills. Where a fill won against your cancel, it is `Filled`.",
      "The order is another wallet's: have that wallet submit what `DELETE /orders/{orderId}/calldata` answers.",
      "`onChainStatus` is `canceling`: wait for the end, as `order.canceled` or `order.filled`. Do not cancel again.",
    ],
    retry: "No. Follow the order by `GET /events/stream`, or by a webhook.",
    sandbox: "Place a limit order above the market, wait until it is filled, then cancel it.",
    related: ["MARKET_ORDER_NOT_CANCELABLE", "ORDER_NOT_FOUND", "CHAIN_REVERT"],
  },
  MARKET_ORDER_NOT_CANCELABLE: {
    cause: [
      "The order is a market order. The contracts take no cancel of one: the broker settles it at the next quote.",
    ],
    example: { request: `DELETE /orders/${HASH}/send` },
    steps: [
      "Wait for its end: `GET /orders/{orderId}`, or the events `order.filled` and `order.rejected`.",
      "While the market is closed it stays `Pending` until the broker settles it.",
      "To trade out of it, place an opposite order once it is filled.",
      "For orders that you may want to cancel, send limit orders.",
    ],
    retry: "No. A market order can never be canceled.",
    sandbox: "`POST /mode` of the control with `mode` manual, place a market order, then cancel it.",
    related: ["ORDER_NOT_CANCELABLE"],
  },
  TX_OWNED_BY_ANOTHER_KEY: {
    cause: [
      "All that the transaction did belongs to another API key: it was sent by that key, its calldata was made for that key, or that key recorded it first.",
      "A key that is bound to the order's user comes before one that is bound to nobody, and both come before one that is bound to another user, for records that were made before the block is final.",
    ],
    example: RECORD,
    steps: [
      "Record it with the key that asked for the calldata. Where you have several keys, note which one asked.",
      "Ask for fresh calldata with your own key, in place of calldata that another key got.",
      "Send `userAddress` with each request for calldata: then nobody else can use it.",
      "Where both keys are yours, no step is needed: read the order with the other key.",
      "Where you do not know the other key, report the `uuid` and the `txHash`.",
    ],
    retry:
      "No. Once the block is final, ownership changes only where the order's user has a key of their own and that records what a key of another user had recorded.",
    sandbox:
      "Make a second WRITABLE key for the chain with `npx partner-trading-admin keys create` (see `docs/SANDBOX.md`). Get calldata with `trader-31337`, submit it, and record it with the second key.",
    related: ["TX_WRONG_KIND", "ORDER_NOT_FOUND"],
  },
  TX_WRONG_KIND: {
    cause: [
      "The transaction is mined, and did nothing of this kind with the contracts of this chain and product. Where it did something else, `errMsg` names the endpoint to record it with.",
    ],
    example: {
      ...RECORD,
      errMsg:
        "The transaction is not a router call of this kind and scope: it is a deposit; record it with POST /cash/deposits/tx",
    },
    steps: [
      "Read `errMsg`: where it names an endpoint, send the `txHash` there.",
      "Check `x-api-chain-id` and `x-api-p`: another product has other contracts.",
      "Check that `txHash` is the router call, and not the approval that went before it.",
      "With a bundler or a wallet contract, use the hash of the transaction that was mined, not that of the user operation.",
    ],
    retry: "Not with this endpoint and scope: what a mined transaction did does not change.",
    sandbox: "Submit a deposit's calldata, then record its hash with `POST /orders/tx`.",
    related: ["TX_REVERTED", "TX_OWNED_BY_ANOTHER_KEY"],
  },
  TX_REVERTED: {
    cause: [
      "The transaction is mined and reverted: it changed nothing, and there is no order or operation to record.",
    ],
    example: RECORD,
    steps: [
      "Read its receipt and `gasUsed`. Where that equals the gas limit, it ran out of gas: see `OUT_OF_GAS`.",
      "Call the `/calldata` endpoint again with the same fields and `userAddress`. `preflight.revert` and `preflight.checks` say what fails now.",
      "Apply each `fix` in its order, from the user's wallet.",
      "Submit the fresh calldata with 1.5 to 2 times `preflight.gasEstimate`, and a new `deadline`.",
    ],
    retry: "Not with this hash. Submit a new transaction.",
    sandbox: "Submit an order's calldata with two thirds of `preflight.gasEstimate`, then record its hash.",
    related: ["CHAIN_REVERT", "OUT_OF_GAS", "TX_WRONG_KIND"],
  },
} as const satisfies SomePages;
