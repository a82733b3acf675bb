import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../deps.ts";
import { readGasLimit, requireGasLimit } from "../transactions/gas.ts";
import { requireBoundUser, type SendAnswer, sendForUser } from "../transactions/send.ts";
import { described } from "./described.ts";
import { needsOf } from "./needs.ts";
import { readNotional } from "./notional.ts";
import { prepareOrder } from "./prepare.ts";

/** What the ledger must hold; the allowance that needsOf may name beside it only belongs to its fix. */
const LEDGER: ReadonlySet<string> = new Set(["mUsdBalance", "exchangeBalance"]);

/**
 * POST /orders/send: places an order for the bound user through its delegatee.
 * @throws ApiError as prepareOrder and sendForUser
 */
export function sendOrder(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const incoming = {
    operation: "orders/send",
    method: "POST",
    path: "/orders/send",
    args,
    shape: described.orderSend,
    idempotencyKey,
  } as const;
  return sendForUser(deps, caller, incoming, async ({ user, gasLimitMax }) => {
    const gasLimit = readGasLimit(args);
    const { input, token, call, ...ground } = await prepareOrder(deps, caller, args, {
      range: ({ userAddress }) => {
        requireGasLimit(gasLimit, gasLimitMax);
        requireBoundUser(userAddress, user);
      },
    });
    const [needs, worth] = await Promise.all([
      needsOf(input.terms, { ...ground, stockAddress: token.address, user }),
      readNotional(deps, token, input.terms),
    ]);
    return {
      call,
      gasLimit,
      needs: needs.filter(({ check }) => LEDGER.has(check)),
      deadline: input.deadline,
      operationType: "trade",
      clientOrderId: input.clientOrderId ?? null,
      ...worth,
      symbol: token.symbol,
    };
  });
}
