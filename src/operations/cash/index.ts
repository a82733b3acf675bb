import { requireCaller } from "../../auth/viewer.ts";
import { recording } from "../../claims/record.ts";
import { atBlock, endpointsOf } from "../../context/endpoint.ts";
import { AMOUNT_REFUSALS, movementShape } from "../../input/movement.ts";
import { detail, listing } from "../endpoints.ts";
import { FUNDS_REFUSALS, SEND_REFUSALS, sending } from "../../sending/endpoint.ts";
import { sentMovementShape } from "../movement.ts";
import { depositCalldata, withdrawalCalldata } from "./calldata.ts";
import { sendDeposit, sendWithdrawal } from "./send.ts";

const endpoint = endpointsOf({
  name: "Cash",
  description: "Deposits and withdrawals of cash tokens against mUSD, instant or queued.",
});

const REFUSED_SENDS = [...AMOUNT_REFUSALS, ...SEND_REFUSALS, ...FUNDS_REFUSALS] as const;

export const endpoints = [
  endpoint({
    method: "POST",
    path: "/cash/deposits/calldata",
    field: "Mutation.cashDepositCalldata",
    cost: 2,
    input: movementShape,
    refusals: AMOUNT_REFUSALS,
    resolve: atBlock(requireCaller, depositCalldata),
  }),
  endpoint({
    method: "POST",
    path: "/cash/deposits/send",
    field: "Mutation.cashDepositSend",
    input: sentMovementShape,
    refusals: REFUSED_SENDS,
    ...sending(sendDeposit),
  }),
  endpoint({
    method: "POST",
    path: "/cash/deposits/tx",
    field: "Mutation.recordCashDepositTransaction",
    ...recording("deposit"),
  }),
  endpoint({
    method: "GET",
    path: "/cash/deposits",
    field: "Query.cashDeposits",
    ...listing("deposit"),
  }),
  endpoint({
    method: "GET",
    path: "/cash/deposits/:operationId",
    field: "Query.cashDeposit",
    readsAhead: true,
    ...detail("deposit"),
  }),
  endpoint({
    method: "POST",
    path: "/cash/withdrawals/calldata",
    field: "Mutation.cashWithdrawalCalldata",
    cost: 2,
    input: movementShape,
    refusals: AMOUNT_REFUSALS,
    resolve: atBlock(requireCaller, withdrawalCalldata),
  }),
  endpoint({
    method: "POST",
    path: "/cash/withdrawals/send",
    field: "Mutation.cashWithdrawalSend",
    input: sentMovementShape,
    refusals: REFUSED_SENDS,
    ...sending(sendWithdrawal),
  }),
  endpoint({
    method: "POST",
    path: "/cash/withdrawals/tx",
    field: "Mutation.recordCashWithdrawalTransaction",
    ...recording("withdraw"),
  }),
  endpoint({
    method: "GET",
    path: "/cash/withdrawals",
    field: "Query.cashWithdrawals",
    ...listing("withdraw"),
  }),
  endpoint({
    method: "GET",
    path: "/cash/withdrawals/:operationId",
    field: "Query.cashWithdrawal",
    readsAhead: true,
    ...detail("withdraw"),
  }),
];
