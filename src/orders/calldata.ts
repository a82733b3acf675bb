import type { AtBlock } from "../db/checkpoint.ts";
import type { Deps } from "../deps.ts";
import { type CalldataReply, presentCalldata } from "../transactions/calldata.ts";
import { type Preflight, preflight } from "../transactions/preflight.ts";
import type { Viewer } from "../transactions/viewer.ts";
import { needsOf } from "./needs.ts";
import { prepareOrder } from "./prepare.ts";

/**
 * POST /orders/calldata: encodes an order for the caller's own wallet. Where the wallet is named, the call is tried from
 * it; the calldata is returned whatever comes out.
 * @throws ApiError as prepareOrder; with a wallet also RPC_UNAVAILABLE
 */
export async function orderCalldata(
  deps: Deps,
  viewer: Viewer,
  args: Record<string, unknown>,
): Promise<AtBlock<CalldataReply & { preflight: Preflight | null }>> {
  const { block, input, call, ...ground } = await prepareOrder(deps, viewer, args);
  const reply = { ...presentCalldata(call, viewer), preflight: null };
  const { userAddress, terms } = input;
  if (!userAddress) return { block, data: reply };
  const needs = await needsOf(terms, { ...ground, stockAddress: ground.token.address, user: userAddress });
  return { block, data: { ...reply, preflight: await preflight(ground.chain, userAddress, call, needs) } };
}
