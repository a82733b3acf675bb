import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { requireGasLimit } from "../sending/gas.ts";
import { refuseOtherUser, type SendAnswer, sendForUser } from "../sending/send.ts";
import { readNotional } from "./notional.ts";
import type { WithDepositSendInput } from "./shapes.ts";
import { prepareOrderWithDeposit } from "./with-deposit.ts";

/**
 * POST /orders/with-deposit/send: deposits from the bound user's wallet and places an order with it, in one transaction.
 * @throws ApiError as prepareOrderWithDeposit and sendForUser
 */
export function sendOrderWithDeposit(
  deps: Deps,
  caller: Caller,
  given: WithDepositSendInput,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const incoming = {
    operation: "orders/with-deposit/send",
    method: "POST",
    path: "/orders/with-deposit/send",
    input: given,
    idempotencyKey,
  } as const;
  return sendForUser(deps, caller, incoming, async ({ user, gasLimitMax }) => {
    const { gasLimit = null } = given;
    const { input, token, call, deposit, requirementsOf } = await prepareOrderWithDeposit(
      deps,
      caller,
      given,
      {
        range: ({ userAddress }) => {
          requireGasLimit(gasLimit, gasLimitMax);
          refuseOtherUser(userAddress, user);
        },
      },
    );
    const [requirements, worth] = await Promise.all([
      requirementsOf(user),
      readNotional(deps, token, input.terms),
    ]);
    return {
      call,
      gasLimit,
      requirements,
      deadline: input.deadline,
      operationType: "trade",
      clientOrderId: input.clientOrderId ?? null,
      ...worth,
      notional: worth.notional === null ? null : worth.notional + deposit.fee,
      symbol: token.symbol,
    };
  });
}
