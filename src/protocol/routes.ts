/**
 * Every endpoint of SPEC section 4: the one list that the gate, the REST layer and the tests read.
 * `field` is the GraphQL root field that answers it ("Query.x" or "Mutation.x"), null while the endpoint does not
 * exist yet: such a route answers 404. Paths are relative to /api/v1; `:name` is a path parameter.
 */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  path: string;
  field: `Query.${string}` | `Mutation.${string}` | null;
}

export const API_PREFIX = "/api/v1";

export const ROUTES: readonly Route[] = [
  // 4.1 Market and portfolio
  { method: "GET", path: "/config", field: "Query.config" },
  { method: "GET", path: "/symbols", field: "Query.symbols" },
  { method: "GET", path: "/prices/:symbol", field: "Query.price" },
  { method: "GET", path: "/prices/:symbol/history", field: "Query.priceHistory" },
  { method: "GET", path: "/underlying/:symbol/price", field: "Query.underlyingPrice" },
  { method: "GET", path: "/corporate-action", field: "Query.corporateActions" },
  { method: "GET", path: "/users/:userId/balance", field: "Query.balance" },
  { method: "GET", path: "/users/:userId/positions", field: "Query.positions" },
  // 4.2 Orders
  { method: "POST", path: "/orders/calldata", field: "Mutation.orderCalldata" },
  { method: "POST", path: "/orders/send", field: "Mutation.orderSend" },
  { method: "POST", path: "/orders/with-deposit/calldata", field: "Mutation.orderWithDepositCalldata" },
  { method: "POST", path: "/orders/with-deposit/send", field: "Mutation.orderWithDepositSend" },
  { method: "POST", path: "/orders/tx", field: "Mutation.recordOrderTransaction" },
  { method: "GET", path: "/orders", field: "Query.orders" },
  { method: "GET", path: "/orders/tx/:txHash", field: "Query.orderByTransaction" },
  { method: "GET", path: "/orders/:orderId", field: "Query.order" },
  { method: "DELETE", path: "/orders/:orderId/calldata", field: "Mutation.orderCancelCalldata" },
  { method: "DELETE", path: "/orders/:orderId/send", field: "Mutation.orderCancelSend" },
  // 4.3 Cash
  { method: "POST", path: "/cash/deposits/calldata", field: "Mutation.cashDepositCalldata" },
  { method: "POST", path: "/cash/deposits/send", field: "Mutation.cashDepositSend" },
  { method: "POST", path: "/cash/deposits/tx", field: "Mutation.recordCashDepositTransaction" },
  { method: "GET", path: "/cash/deposits", field: "Query.cashDeposits" },
  { method: "GET", path: "/cash/deposits/:operationId", field: "Query.cashDeposit" },
  { method: "POST", path: "/cash/withdrawals/calldata", field: "Mutation.cashWithdrawalCalldata" },
  { method: "POST", path: "/cash/withdrawals/send", field: "Mutation.cashWithdrawalSend" },
  { method: "POST", path: "/cash/withdrawals/tx", field: "Mutation.recordCashWithdrawalTransaction" },
  { method: "GET", path: "/cash/withdrawals", field: "Query.cashWithdrawals" },
  { method: "GET", path: "/cash/withdrawals/:operationId", field: "Query.cashWithdrawal" },
  // 4.4 Stock movement
  { method: "POST", path: "/stock/deposits/calldata", field: "Mutation.stockDepositCalldata" },
  { method: "POST", path: "/stock/deposits/send", field: "Mutation.stockDepositSend" },
  { method: "POST", path: "/stock/deposits/tx", field: "Mutation.recordStockDepositTransaction" },
  { method: "GET", path: "/stock/deposits", field: "Query.stockDeposits" },
  { method: "GET", path: "/stock/deposits/:operationId", field: "Query.stockDeposit" },
  { method: "POST", path: "/stock/withdrawals/calldata", field: "Mutation.stockWithdrawalCalldata" },
  { method: "POST", path: "/stock/withdrawals/send", field: "Mutation.stockWithdrawalSend" },
  { method: "POST", path: "/stock/withdrawals/tx", field: "Mutation.recordStockWithdrawalTransaction" },
  { method: "GET", path: "/stock/withdrawals", field: "Query.stockWithdrawals" },
  { method: "GET", path: "/stock/withdrawals/:operationId", field: "Query.stockWithdrawal" },
  // 4.5 One click
  { method: "GET", path: "/1ct/status", field: "Query.delegation" },
  { method: "POST", path: "/1ct/prepare", field: "Mutation.delegationPrepare" },
  { method: "POST", path: "/1ct/enable", field: "Mutation.delegationEnable" },
  { method: "POST", path: "/1ct/disable", field: "Mutation.delegationDisable" },
];
