import type { Caller } from "../auth/caller.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { Deps } from "../deps.ts";
import type { CalldataReply } from "../transactions/calldata.ts";
import type { Preflight } from "../transactions/preflight.ts";
import { selfSubmitted } from "../transactions/self-submit.ts";
import { needsOf } from "./needs.ts";
import { prepareOrder } from "./prepare.ts";

/**
 * POST /orders/calldata: encodes an order for the caller's own wallet. Where the wallet is named, the call is tried from
 * it; the calldata is returned whatever comes out.
 * @throws ApiError as prepareOrder; with a wallet also RPC_UNAVAILABLE
 */
export async function orderCalldata(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
): Promise<AtBlock<CalldataReply & { preflight: Preflight | null }>> {
  const { block, input, call, ...ground } = await prepareOrder(deps, caller, args);
  const data = await selfSubmitted(deps, caller, {
    chain: ground.chain,
    call,
    user: input.userAddress ?? null,
    needsOf: (user) => needsOf(input.terms, { ...ground, stockAddress: ground.token.address, user }),
  });
  return { block, data };
}
