import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { requireGasLimit } from "../sending/gas.ts";
import { refuseOtherUser, type SendAnswer, sendForUser } from "../sending/send.ts";
import { readNotional } from "./notional.ts";
import { prepareOrder } from "./prepare.ts";
import { type Buyer, requirementsOf } from "./requirements.ts";
import type { OrderSendInput } from "./shapes.ts";

/** Requirements of the ledger. The allowance that requirementsOf may name beside them only belongs to their fix. */
const LEDGER: ReadonlySet<string> = new Set(["mUsdBalance", "exchangeBalance"]);

/** Leaves out the tokens that a deposit could be made of: no /send makes one, and reading them takes two calls each. */
const ledgerOnly = (buyer: Buyer): Buyer => ({ ...buyer, context: { ...buyer.context, cashTokens: [] } });

/**
 * POST /orders/send: places an order for the bound user through its delegatee.
 * @throws ApiError as prepareOrder and sendForUser
 */
export function sendOrder(
  deps: Deps,
  caller: Caller,
  given: OrderSendInput,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const incoming = {
    operation: "orders/send",
    method: "POST",
    path: "/orders/send",
    input: given,
    idempotencyKey,
  } as const;
  return sendForUser(deps, caller, incoming, async ({ user, gasLimitMax }) => {
    const { gasLimit = null } = given;
    const { input, token, call, ...context } = await prepareOrder(deps, caller, given, {
      range: ({ userAddress }) => {
        requireGasLimit(gasLimit, gasLimitMax);
        refuseOtherUser(userAddress, user);
      },
    });
    const [requirements, worth] = await Promise.all([
      requirementsOf(input.terms, ledgerOnly({ ...context, stockAddress: token.address, user })),
      readNotional(deps, token, input.terms),
    ]);
    return {
      call,
      gasLimit,
      requirements: requirements.filter(({ check }) => LEDGER.has(check)),
      deadline: input.deadline,
      operationType: "trade",
      clientOrderId: input.clientOrderId ?? null,
      ...worth,
      symbol: token.symbol,
    };
  });
}
