import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { OPERATIONS, type OperationKind } from "../protocol/operations.ts";
import { requireGasLimit } from "../sending/gas.ts";
import { refuseOtherUser, type SendAnswer, sendForUser } from "../sending/send.ts";
import type { OperationSendInput } from "./input.ts";
import { prepareOperation } from "./prepare.ts";

/**
 * POST /{cash,stock}/{deposits,withdrawals}/send: makes an operation of the bound user.
 * @throws ApiError as prepareOperation and sendForUser
 */
export function sendOperation(
  deps: Deps,
  caller: Caller,
  kind: OperationKind,
  input: OperationSendInput,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const { path: operation } = OPERATIONS[kind];
  const path = `/${operation}/send`;
  const incoming = { operation, method: "POST", path, input, idempotencyKey } as const;
  return sendForUser(deps, caller, incoming, async ({ user, gasLimitMax }) => {
    const { gasLimit = null } = input;
    requireGasLimit(gasLimit, gasLimitMax);
    refuseOtherUser(input.userAddress, user);
    const { call, symbol, notional, requirementsOf } = await prepareOperation(deps, caller, kind, input);
    return {
      call,
      gasLimit,
      requirements: await requirementsOf(user),
      operationType: kind,
      deadline: null,
      clientOrderId: null,
      notional,
      symbol,
    };
  });
}
