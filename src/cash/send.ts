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
  operationType: "deposit" | "withdraw";
  prepare: Prepare;
}

const DEPOSIT: Kind = {
  operation: "cash/deposits",
  path: "/cash/deposits/send",
  operationType: "deposit",
  prepare: prepareDeposit,
};

const WITHDRAWAL: Kind = {
  operation: "cash/withdrawals",
  path: "/cash/withdrawals/send",
  operationType: "withdraw",
  prepare: prepareWithdrawal,
};

type Send = (
  deps: Deps,
  caller: Caller,
  input: SendInput,
  idempotencyKey: string | null,
) => Promise<SendAnswer>;

/** POST /cash/deposits/send: deposits from the bound user's wallet. @throws ApiError as prepareDeposit and sendForUser */
export const sendDeposit: Send = (...call) => sendMovement(DEPOSIT, ...call);

/** POST /cash/withdrawals/send: withdraws mUSD of the bound user. @throws ApiError as prepareWithdrawal and sendForUser */
export const sendWithdrawal: Send = (...call) => sendMovement(WITHDRAWAL, ...call);

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
    const { call, requirementsOf } = await prepare(deps, caller, input);
    return {
      call,
      gasLimit,
      requirements: await requirementsOf(user),
      operationType,
      deadline: null,
      clientOrderId: null,
      notional: null,
      symbol: null,
    };
  });
}
