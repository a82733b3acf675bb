import { movementSender } from "../movement.ts";
import { prepareDeposit, prepareWithdrawal } from "./prepare.ts";

/** POST /stock/deposits/send: deposits from the bound user's wallet. @throws ApiError as prepareDeposit and sendForUser */
export const sendStockDeposit = movementSender({
  operation: "stock/deposits",
  path: "/stock/deposits/send",
  operationType: "stock-deposit",
  prepare: prepareDeposit,
});

/** POST /stock/withdrawals/send: withdraws to the bound user's wallet. @throws ApiError as prepareWithdrawal and sendForUser */
export const sendStockWithdrawal = movementSender({
  operation: "stock/withdrawals",
  path: "/stock/withdrawals/send",
  operationType: "stock-withdraw",
  prepare: prepareWithdrawal,
});
