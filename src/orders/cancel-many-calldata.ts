import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import type { BlockRead } from "../context/request.ts";
import { presentCancel } from "./cancel-calldata.ts";
import { type CancelManyInput, findOpenOrders } from "./cancel-many.ts";

interface CancelCalldataList {
  rows: { orderId: string; calldata: Awaited<ReturnType<typeof presentCancel>> }[];
  more: boolean;
}

/**
 * POST /orders/cancel/calldata: encodes the cancel of each open limit order that the key owns, newest first, at most 100.
 * @throws ApiError as findOpenOrders
 */
export async function cancelManyCalldata(
  deps: Deps,
  caller: Caller,
  input: CancelManyInput,
): Promise<BlockRead<CancelCalldataList>> {
  const { block, data } = await findOpenOrders(deps, caller, input);
  const rows = await Promise.all(
    data.orders.map(async ({ orderId }) => ({
      orderId,
      calldata: await presentCancel(deps, caller, orderId),
    })),
  );
  return { block, data: { rows, more: data.more } };
}
