import { type Cost, HISTORY_COST, LIST_COST } from "./costs.ts";

/**
 * Every endpoint of SPEC section 4: the one list that the router, the REST layer and the tests read.
 * `field` is the GraphQL root field that answers it ("Query.x" or "Mutation.x"), null while the endpoint does not
 * exist yet: such a route answers 404. Paths are relative to /api/v1; `:name` is a path parameter.
 */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  path: string;
  field: `Query.${string}` | `Mutation.${string}` | null;
  /** Cost units of a request; 1 where left out. */
  cost?: Cost;
}

export const API_PREFIX = "/api/v1";

export const ROUTES: readonly Route[] = [
  // 4.1 Market and portfolio
  { method: "GET", path: "/config", field: "Query.config" },
  { method: "GET", path: "/symbols", field: "Query.symbols", cost: 5 },
  { method: "GET", path: "/prices/:symbol", field: "Query.price" },
  { method: "GET", path: "/prices/:symbol/history", field: "Query.priceHistory", cost: HISTORY_COST },
  { method: "GET", path: "/underlying/:symbol/price", field: "Query.underlyingPrice" },
  { method: "GET", path: "/corporate-action", field: "Query.corporateActions", cost: 5 },
  { method: "GET", path: "/users/:userId/balance", field: "Query.balance", cost: 5 },
  { method: "GET", path: "/users/:userId/positions", field: "Query.positions", cost: 5 },
  // 4.2 Orders
  { method: "POST", path: "/orders/calldata", field: "Mutation.orderCalldata", cost: 2 },
  { method: "POST", path: "/orders/send", field: "Mutation.orderSend", cost: 2 },
  {
    method: "POST",
    path: "/orders/with-deposit/calldata",
    field: "Mutation.orderWithDepositCalldata",
    cost: 2,
  },
  { method: "POST", path: "/orders/with-deposit/send", field: "Mutation.orderWithDepositSend", cost: 2 },
  { method: "POST", path: "/orders/tx", field: "Mutation.recordOrderTransaction", cost: 2 },
  { method: "GET", path: "/orders", field: "Query.orders", cost: LIST_COST },
  { method: "GET", path: "/orders/tx/:txHash", field: "Query.orderByTransaction" },
  { method: "GET", path: "/orders/:orderId", field: "Query.order" },
  { method: "DELETE", path: "/orders/:orderId/calldata", field: "Mutation.orderCancelCalldata", cost: 2 },
  { method: "DELETE", path: "/orders/:orderId/send", field: "Mutation.orderCancelSend", cost: 2 },
  // 4.3 Cash
  { method: "POST", path: "/cash/deposits/calldata", field: "Mutation.cashDepositCalldata", cost: 2 },
  { method: "POST", path: "/cash/deposits/send", field: "Mutation.cashDepositSend", cost: 2 },
  { method: "POST", path: "/cash/deposits/tx", field: "Mutation.recordCashDepositTransaction", cost: 2 },
  { method: "GET", path: "/cash/deposits", field: "Query.cashDeposits", cost: LIST_COST },
  { method: "GET", path: "/cash/deposits/:operationId", field: "Query.cashDeposit" },
  { method: "POST", path: "/cash/withdrawals/calldata", field: "Mutation.cashWithdrawalCalldata", cost: 2 },
  { method: "POST", path: "/cash/withdrawals/send", field: "Mutation.cashWithdrawalSend", cost: 2 },
  {
    method: "POST",
    path: "/cash/withdrawals/tx",
    field: "Mutation.recordCashWithdrawalTransaction",
    cost: 2,
  },
  { method: "GET", path: "/cash/withdrawals", field: "Query.cashWithdrawals", cost: LIST_COST },
  { method: "GET", path: "/cash/withdrawals/:operationId", field: "Query.cashWithdrawal" },
  // 4.4 Stock movement
  { method: "POST", path: "/stock/deposits/calldata", field: "Mutation.stockDepositCalldata", cost: 2 },
  { method: "POST", path: "/stock/deposits/send", field: "Mutation.stockDepositSend", cost: 2 },
  { method: "POST", path: "/stock/deposits/tx", field: "Mutation.recordStockDepositTransaction", cost: 2 },
  { method: "GET", path: "/stock/deposits", field: "Query.stockDeposits", cost: LIST_COST },
  { method: "GET", path: "/stock/deposits/:operationId", field: "Query.stockDeposit" },
  { method: "POST", path: "/stock/withdrawals/calldata", field: "Mutation.stockWithdrawalCalldata", cost: 2 },
  { method: "POST", path: "/stock/withdrawals/send", field: "Mutation.stockWithdrawalSend", cost: 2 },
  {
    method: "POST",
    path: "/stock/withdrawals/tx",
    field: "Mutation.recordStockWithdrawalTransaction",
    cost: 2,
  },
  { method: "GET", path: "/stock/withdrawals", field: "Query.stockWithdrawals", cost: LIST_COST },
  { method: "GET", path: "/stock/withdrawals/:operationId", field: "Query.stockWithdrawal" },
  // 4.5 One click
  { method: "GET", path: "/1ct/status", field: "Query.delegation" },
  { method: "POST", path: "/1ct/prepare", field: "Mutation.delegationPrepare", cost: 2 },
  { method: "POST", path: "/1ct/enable", field: "Mutation.delegationEnable", cost: 2 },
  { method: "POST", path: "/1ct/disable", field: "Mutation.delegationDisable", cost: 2 },
];
