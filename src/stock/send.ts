import type { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { movementSendShape } from "../input/movement.ts";
import type { SendOperation } from "../protocol/enums.ts";
import { gasLimitShape, requireGasLimit } from "../sending/gas.ts";
import { requireBoundUser, type SendAnswer, sendForUser } from "../sending/send.ts";
import { type Prepare, prepareDeposit, prepareWithdrawal } from "./prepare.ts";

/** Schema of the arguments of each endpoint. */
export const sendShape = movementSendShape.extend(gasLimitShape.shape);
type SendInput = z.output<typeof sendShape>;

interface Kind {
  operation: SendOperation;
  path: string;
  operationType: "stock-deposit" | "stock-withdraw";
  prepare: Prepare;
}

const DEPOSIT: Kind = {
  operation: "stock/deposits",
  path: "/stock/deposits/send",
  operationType: "stock-deposit",
  prepare: prepareDeposit,
};

const WITHDRAWAL: Kind = {
  operation: "stock/withdrawals",
  path: "/stock/withdrawals/send",
  operationType: "stock-withdraw",
  prepare: prepareWithdrawal,
};

type Send = (
  deps: Deps,
  caller: Caller,
  input: SendInput,
  idempotencyKey: string | null,
) => Promise<SendAnswer>;

/** POST /stock/deposits/send: deposits from the bound user's wallet. @throws ApiError as prepareDeposit and sendForUser */
export const sendStockDeposit: Send = (...call) => sendMovement(DEPOSIT, ...call);

/** POST /stock/withdrawals/send: withdraws to the bound user's wallet. @throws ApiError as prepareWithdrawal and sendForUser */
export const sendStockWithdrawal: Send = (...call) => sendMovement(WITHDRAWAL, ...call);

function sendMovement(
  { operation, path, operationType, prepare }: Kind,
  deps: Deps,
  caller: Caller,
  input: SendInput,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const incoming = { operation, method: "POST", path, input, idempotencyKey } as const;
  return sendForUser(deps, caller, incoming, async ({ user, gasLimitMax }) => {
    const { gasLimit = null } = input;
    requireGasLimit(gasLimit, gasLimitMax);
    requireBoundUser(input.userAddress, user);
    const { call, symbol, requirementsOf } = await prepare(deps, caller, input);
    return {
      call,
      gasLimit,
      requirements: await requirementsOf(user),
      operationType,
      symbol,
      deadline: null,
      clientOrderId: null,
      notional: null,
    };
  });
}
