import type { Caller } from "../auth/caller.ts";
import type { CalldataReply } from "../calldata/calldata.ts";
import type { Preflight } from "../calldata/preflight.ts";
import { presentSelfSubmitted } from "../calldata/self-submit.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { prepareOrderWithDeposit, type WithDepositFields } from "./with-deposit.ts";

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
  const { block, input, call, chain, requirementsOf } = await prepareOrderWithDeposit(deps, caller, given);
  const user = input.userAddress ?? null;
  return {
    block,
    data: await presentSelfSubmitted(deps, caller, { chain, call, user, requirementsOf }),
  };
}
