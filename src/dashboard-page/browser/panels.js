import { code, coins, counts, duration, list, number, text, time, word } from "./cells.js";
import { QUERIES } from "./queries.js";

/**
 * The page's tables: what each asks, its headings, and how an answer becomes rows. Pure.
 * @typedef {import("./cells.js").Cell} Cell
 * @typedef {{ hasNextPage: boolean, endCursor: string | null }} PageInfo
 * @typedef {{
 *   query: string,
 *   headings: string[],
 *   rows: (dashboard: any, missing: string[] | null) => Cell[][],
 *   pageInfo?: (dashboard: any) => PageInfo,
 *   needs?: string,
 *   empty?: string,
 * }} Panel
 * `needs` names a filter without which nothing is asked; `empty` is what stands there where no row is.
 */

/** @param {{ edges: { node: any }[] }} connection */
const nodes = ({ edges }) => edges.map(({ node }) => node);

/** @type {Panel} */
const chains = {
  query: QUERIES.chains,
  headings: [
    "Chain",
    "Products",
    "Ready",
    "Indexed block",
    "Indexed at",
    "Lag",
    "Blocks behind",
    "Head block",
  ],
  rows: (dashboard, missing) =>
    dashboard.chains.map((/** @type {any} */ chain) => [
      text(chain.chainId),
      list(chain.products),
      readiness(chain.chainId, missing),
      number(chain.indexedBlock),
      time(chain.indexedAt),
      duration(chain.lagSeconds),
      number(chain.lagBlocks),
      number(chain.headBlock),
    ]),
};

/**
 * What /readyz says of a chain: what is missing altogether, such as the database, is missing for each of them.
 * @param {number} chainId
 * @param {string[] | null} missing null: /readyz could not be asked
 * @returns {Cell}
 */
function readiness(chainId, missing) {
  if (missing === null) return { text: "not known", tone: "warn" };
  const ofChain = missing.filter((name) => {
    const named = /chain (\d+)$/.exec(name)?.[1];
    return named === undefined || named === String(chainId);
  });
  return ofChain.length === 0
    ? { text: "ready", tone: "good" }
    : { text: `missing: ${ofChain.join(", ")}`, tone: "bad" };
}

/** @type {Panel} */
const queues = {
  query: QUERIES.queues,
  headings: [
    "Chain",
    "Wallet",
    "State",
    "Why",
    "To send",
    "Oldest",
    "Balance (coins)",
    "Next nonce",
    "Nonce on chain",
    "Looked at",
    "Failures",
  ],
  rows: (dashboard) =>
    dashboard.chains.flatMap((/** @type {any} */ { chainId, sendQueues }) =>
      sendQueues.map((/** @type {any} */ queue) => [
        text(chainId),
        code(queue.wallet),
        word(queue.state),
        text(queue.stateReason),
        counts(queue.depth),
        duration(queue.oldestSeconds),
        coins(queue.balanceWei),
        number(queue.nextNonce),
        number(queue.chainNonce),
        time(queue.observedAt),
        counts(queue.failures),
      ]),
    ),
};

/** @type {Panel} */
const sends = {
  query: QUERIES.sends,
  headings: [
    "Accepted",
    "Chain",
    "Product",
    "Key",
    "Operation",
    "Symbol",
    "State",
    "Status",
    "Why",
    "User",
    "Wallet",
    "Nonce",
    "Attempts",
    "Transaction",
    "Block",
    "Ended",
    "Request",
  ],
  pageInfo: ({ sendRequests }) => sendRequests.pageInfo,
  rows: ({ sendRequests }) =>
    nodes(sendRequests).map((request) => [
      time(request.acceptedAt),
      text(request.chainId),
      text(request.productType),
      text(request.key.name),
      text(request.operation),
      text(request.symbol),
      word(request.state),
      word(request.status),
      list([request.errCode, request.revert, request.reason, request.fillReason].filter(Boolean)),
      code(request.userAddress),
      code(request.wallet),
      number(request.nonce),
      number(request.attempts.length),
      code(request.txHash),
      number(request.minedBlock),
      time(request.finalAt),
      code(request.requestId),
    ]),
};

/** @type {Panel} */
const orders = {
  query: QUERIES.orders,
  headings: [
    "Mapped",
    "Chain",
    "Product",
    "Key",
    "Status",
    "On chain",
    "Symbol",
    "Side",
    "Type",
    "Quantity",
    "Notional",
    "Price",
    "Filled",
    "Average price",
    "Why",
    "User",
    "Source",
    "Transaction",
    "Order",
    "Changed",
  ],
  pageInfo: (dashboard) => dashboard.orders.pageInfo,
  rows: (dashboard) =>
    nodes(dashboard.orders).map(({ order, key }) => {
      const { mapping } = order;
      const terms = order.openOrder ?? order.historyOrder ?? {};
      return [
        time(mapping.createdAt),
        text(mapping.chainId),
        text(mapping.productType),
        text(key.name),
        word(order.status),
        word(order.onChainStatus),
        text(terms.symbol),
        text(terms.side),
        text(terms.type),
        number(terms.quantity),
        number(terms.notional),
        number(terms.price),
        number(terms.filledQuantity),
        number(terms.averageFillPrice),
        text(terms.failReason),
        code(terms.userAddress ?? mapping.userAddress),
        text(mapping.source),
        code(order.txHash),
        code(order.orderId),
        time(terms.updatedAt),
      ];
    }),
};

/** @type {Panel} */
const operations = {
  query: QUERIES.operations,
  headings: [
    "Mapped",
    "Chain",
    "Product",
    "Key",
    "Kind",
    "Status",
    "Token",
    "Amount",
    "Credited",
    "Fee",
    "Why",
    "User",
    "Source",
    "Transaction",
    "Operation",
    "Settled",
  ],
  pageInfo: (dashboard) => dashboard.operations.pageInfo,
  rows: (dashboard) =>
    nodes(dashboard.operations).map(({ kind, operation, key }) => {
      const { mapping } = operation;
      const terms = operation.depositOperation ?? operation.withdrawalOperation ?? {};
      return [
        time(mapping.createdAt),
        text(mapping.chainId),
        text(mapping.productType),
        text(key.name),
        text(kind),
        word(operation.operationStatus),
        text(terms.tokenSymbol),
        number(terms.amount),
        number(terms.creditAmount),
        number(terms.feeAmount),
        text(terms.failReason),
        code(terms.userAddress ?? mapping.userAddress),
        text(mapping.source),
        code(mapping.txHash),
        code(operation.operationId),
        time(terms.settledAt),
      ];
    }),
};

/** A user's mUSD and each of his stocks are rows of their own, so that every amount has a heading. @type {Panel} */
const balances = {
  query: QUERIES.balances,
  headings: [
    "Chain",
    "Product",
    "Asset",
    "Free",
    "Locked",
    "Paid (mUSD)",
    "Gained (mUSD)",
    "Token",
    "Bound keys",
  ],
  needs: "userAddress",
  empty: "This user has nothing on the exchange.",
  pageInfo: (dashboard) => dashboard.balances.pageInfo,
  rows: (dashboard) =>
    nodes(dashboard.balances).flatMap((ledger) => {
      const scope = [text(ledger.chainId), text(ledger.productType)];
      const keys = list(ledger.keys.map((/** @type {any} */ { name }) => name));
      return [
        [
          ...scope,
          text("mUSD"),
          number(ledger.mUsdBalance),
          number(ledger.mUsdLocked),
          number(null),
          number(null),
          code(null),
          keys,
        ],
        ...ledger.stocks.map((/** @type {any} */ stock) => [
          ...scope,
          text(stock.symbol),
          number(stock.exchangeBalance),
          number(stock.exchangeLocked),
          number(stock.costBasis),
          number(stock.realizedPnl),
          code(stock.stockAddress),
          keys,
        ]),
      ];
    }),
};

/** @type {Panel} */
const keys = {
  query: QUERIES.keys,
  headings: [
    "Name",
    "Status",
    "Access",
    "Scopes",
    "Expires",
    "May send until",
    "mUSD a day",
    "Bound user",
    "Addresses",
    "Made",
    "Public id",
    "Key id",
  ],
  pageInfo: (dashboard) => dashboard.keys.pageInfo,
  rows: (dashboard) =>
    nodes(dashboard.keys).map((key) => [
      text(key.name),
      word(key.status),
      text(key.access),
      list(key.scopes.map((/** @type {any} */ scope) => `${scope.productType} on ${scope.chainId}`)),
      key.expiresAt === null ? text("never") : time(key.expiresAt),
      sendingUntil(key.policy),
      number(key.policy?.dailyNotionalCap),
      code(key.userAddress),
      list(key.ips),
      time(key.createdAt),
      code(key.apiKey),
      code(key.keyId),
    ]),
};

/** @param {{ killed: boolean, expiresAt: number | null } | null} policy @returns {Cell} */
function sendingUntil(policy) {
  if (policy?.killed) return { text: "stopped", tone: "bad" };
  return policy?.expiresAt ? time(policy.expiresAt) : text("no limit");
}

/** By the id of the element that each belongs in. */
export const PANELS = { chains, queues, sends, orders, operations, balances, keys };
