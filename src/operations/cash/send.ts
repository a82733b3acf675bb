import { movementSender } from "../movement.ts";
import { prepareDeposit, prepareWithdrawal } from "./prepare.ts";

/** POST /cash/deposits/send: deposits from the bound user's wallet. @throws ApiError as prepareDeposit and sendForUser */
export const sendDeposit = movementSender({
  operation: "cash/deposits",
  path: "/cash/deposits/send",
  operationType: "deposit",
  prepare: prepareDeposit,
});

/** POST /cash/withdrawals/send: withdraws mUSD of the bound user. @throws ApiError as prepareWithdrawal and sendForUser */
export const sendWithdrawal = movementSender({
  operation: "cash/withdrawals",
  path: "/cash/withdrawals/send",
  operationType: "withdraw",
  prepare: prepareWithdrawal,
});
