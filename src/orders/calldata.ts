import type { Caller } from "../auth/caller.ts";
import type { CalldataReply } from "../calldata/calldata.ts";
import { presentSelfSubmitted, type SelfSubmittedCall } from "../calldata/self-submit.ts";
import type { Deps } from "../context/deps.ts";
import type { Preflight } from "../context/schema-types.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { readCosts } from "./costs.ts";
import type { OrderFields } from "./input.ts";
import { type PreparedOrder, prepareOrder } from "./prepare.ts";
import { requirementsOf } from "./requirements.ts";

/**
 * POST /orders/calldata: encodes an order for the caller's own wallet. Where the wallet is named, the call is tried from
 * it; the calldata is returned whatever comes out.
 * @throws ApiError as prepareOrder; with a wallet also RPC_UNAVAILABLE
 */
export async function orderCalldata(
  deps: Deps,
  caller: Caller,
  given: OrderFields,
): Promise<AtBlock<CalldataReply & { preflight: Preflight | null }>> {
  const order = await prepareOrder(deps, caller, given);
  return { block: order.block, data: await presentSelfSubmitted(deps, caller, submittedOrder(deps, order)) };
}

/** Returns an order as its caller submits it. */
export function submittedOrder(deps: Deps, order: PreparedOrder): SelfSubmittedCall {
  const { input, call, ...context } = order;
  return {
    chain: context.chain,
    call,
    user: input.userAddress ?? null,
    requirementsOf: (user) =>
      requirementsOf(input.terms, { ...context, stockAddress: context.token.address, user }),
    costsOf: () => readCosts(deps, order, null),
  };
}
