import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../deps.ts";
import { readGasLimit, requireGasLimit } from "../transactions/gas.ts";
import { requireBoundUser, type SendAnswer, sendForUser } from "../transactions/send.ts";
import { described } from "./described.ts";
import { readNotional } from "./notional.ts";
import { prepareOrderWithDeposit } from "./with-deposit.ts";

/**
 * POST /orders/with-deposit/send: deposits from the bound user's wallet and places an order with it, in one transaction.
 * @throws ApiError as prepareOrderWithDeposit and sendForUser
 */
export function sendOrderWithDeposit(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const incoming = {
    operation: "orders/with-deposit/send",
    method: "POST",
    path: "/orders/with-deposit/send",
    args,
    shape: described.orderWithDepositSend,
    idempotencyKey,
  } as const;
  return sendForUser(deps, caller, incoming, async ({ user, gasLimitMax }) => {
    const gasLimit = readGasLimit(args);
    const { input, token, call, needsOf } = await prepareOrderWithDeposit(deps, caller, args, {
      range: ({ userAddress }) => {
        requireGasLimit(gasLimit, gasLimitMax);
        requireBoundUser(userAddress, user);
      },
    });
    const [needs, worth] = await Promise.all([needsOf(user), readNotional(deps, token, input.terms)]);
    return {
      call,
      gasLimit,
      needs,
      deadline: input.deadline,
      operationType: "trade",
      clientOrderId: input.clientOrderId ?? null,
      ...worth,
      symbol: token.symbol,
    };
  });
}
