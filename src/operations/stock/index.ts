import { requireCaller } from "../../auth/viewer.ts";
import { recording } from "../../claims/record.ts";
import { atBlock, endpointsOf } from "../../context/endpoint.ts";
import { AMOUNT_REFUSALS, movementShape } from "../../input/movement.ts";
import { detail, listing } from "../endpoints.ts";
import { FUNDS_REFUSALS, SEND_REFUSALS, sending } from "../../sending/endpoint.ts";
import { sentMovementShape } from "../movement.ts";
import { depositCalldata, withdrawalCalldata } from "./calldata.ts";
import { sendStockDeposit, sendStockWithdrawal } from "./send.ts";

const endpoint = endpointsOf({
  name: "Stock",
  description: "Moving stock tokens between wallet and exchange.",
});

const REFUSED_SENDS = [...AMOUNT_REFUSALS, ...SEND_REFUSALS, ...FUNDS_REFUSALS] as const;

export const endpoints = [
  endpoint({
    method: "POST",
    path: "/stock/deposits/calldata",
    field: "Mutation.stockDepositCalldata",
    cost: 2,
    input: movementShape,
    refusals: AMOUNT_REFUSALS,
    resolve: atBlock(requireCaller, depositCalldata),
  }),
  endpoint({
    method: "POST",
    path: "/stock/deposits/send",
    field: "Mutation.stockDepositSend",
    input: sentMovementShape,
    refusals: REFUSED_SENDS,
    ...sending(sendStockDeposit),
  }),
  endpoint({
    method: "POST",
    path: "/stock/deposits/tx",
    field: "Mutation.recordStockDepositTransaction",
    ...recording("stock-deposit"),
  }),
  endpoint({
    method: "GET",
    path: "/stock/deposits",
    field: "Query.stockDeposits",
    ...listing("stock-deposit"),
  }),
  endpoint({
    method: "GET",
    path: "/stock/deposits/:operationId",
    field: "Query.stockDeposit",
    readsAhead: true,
    ...detail("stock-deposit"),
  }),
  endpoint({
    method: "POST",
    path: "/stock/withdrawals/calldata",
    field: "Mutation.stockWithdrawalCalldata",
    cost: 2,
    input: movementShape,
    refusals: AMOUNT_REFUSALS,
    resolve: atBlock(requireCaller, withdrawalCalldata),
  }),
  endpoint({
    method: "POST",
    path: "/stock/withdrawals/send",
    field: "Mutation.stockWithdrawalSend",
    input: sentMovementShape,
    refusals: REFUSED_SENDS,
    ...sending(sendStockWithdrawal),
  }),
  endpoint({
    method: "POST",
    path: "/stock/withdrawals/tx",
    field: "Mutation.recordStockWithdrawalTransaction",
    ...recording("stock-withdraw"),
  }),
  endpoint({
    method: "GET",
    path: "/stock/withdrawals",
    field: "Query.stockWithdrawals",
    ...listing("stock-withdraw"),
  }),
  endpoint({
    method: "GET",
    path: "/stock/withdrawals/:operationId",
    field: "Query.stockWithdrawal",
    readsAhead: true,
    ...detail("stock-withdraw"),
  }),
];
