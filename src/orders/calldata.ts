import type { Caller } from "../auth/caller.ts";
import type { CalldataReply } from "../calldata/calldata.ts";
import type { Preflight } from "../calldata/preflight.ts";
import { presentSelfSubmitted } from "../calldata/self-submit.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { OrderFields } from "./input.ts";
import { prepareOrder } from "./prepare.ts";
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
  const { block, input, call, ...context } = await prepareOrder(deps, caller, given);
  const data = await presentSelfSubmitted(deps, caller, {
    chain: context.chain,
    call,
    user: input.userAddress ?? null,
    requirementsOf: (user) =>
      requirementsOf(input.terms, { ...context, stockAddress: context.token.address, user }),
  });
  return { block, data };
}
