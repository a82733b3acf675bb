import type { Caller } from "../auth/caller.ts";
import type { CalldataReply } from "../calldata/calldata.ts";
import { presentSelfSubmitted, type SelfSubmittedCall } from "../calldata/self-submit.ts";
import type { Deps } from "../context/deps.ts";
import type { Preflight } from "../context/schema-types.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { readCosts } from "./costs.ts";
import {
  type PreparedOrderWithDeposit,
  prepareOrderWithDeposit,
  type WithDepositFields,
} from "./with-deposit.ts";

/**
 * POST /orders/with-deposit/calldata: encodes a deposit and an order in one call, for the caller's own wallet. Where the
 * wallet is named, the call is tried from it; without allowance or balance the calldata is still returned.
 * @throws ApiError as prepareOrderWithDeposit; with a wallet also RPC_UNAVAILABLE
 */
export async function orderWithDepositCalldata(
  deps: Deps,
  caller: Caller,
  given: WithDepositFields,
): Promise<AtBlock<CalldataReply & { preflight: Preflight | null }>> {
  const order = await prepareOrderWithDeposit(deps, caller, given);
  return {
    block: order.block,
    data: await presentSelfSubmitted(deps, caller, submittedOrderWithDeposit(deps, order)),
  };
}

/** Returns an order with its deposit as its caller submits them. */
export function submittedOrderWithDeposit(deps: Deps, order: PreparedOrderWithDeposit): SelfSubmittedCall {
  const { chain, call, input, requirementsOf, deposit } = order;
  return {
    chain,
    call,
    user: input.userAddress ?? null,
    requirementsOf,
    costsOf: () => readCosts(deps, order, deposit),
  };
}
