import type { AtBlock } from "../db/checkpoint.ts";
import type { Deps } from "../deps.ts";
import { type CalldataReply, presentCalldata } from "../transactions/calldata.ts";
import { type Preflight, preflight } from "../transactions/preflight.ts";
import type { Viewer } from "../transactions/viewer.ts";
import { prepareOrderWithDeposit } from "./with-deposit.ts";

/**
 * POST /orders/with-deposit/calldata: encodes a deposit and an order in one call, for the caller's own wallet. Where the
 * wallet is named, the call is tried from it; without allowance or balance the calldata is still returned.
 * @throws ApiError as prepareOrderWithDeposit; with a wallet also RPC_UNAVAILABLE
 */
export async function orderWithDepositCalldata(
  deps: Deps,
  viewer: Viewer,
  args: Record<string, unknown>,
): Promise<AtBlock<CalldataReply & { preflight: Preflight | null }>> {
  const { block, input, call, chain, needsOf } = await prepareOrderWithDeposit(deps, viewer, args);
  const { userAddress } = input;
  const tried = userAddress ? await preflight(chain, userAddress, call, await needsOf(userAddress)) : null;
  return { block, data: { ...presentCalldata(call, viewer), preflight: tried } };
}
