import type { Caller } from "../auth/caller.ts";
import { previewSelfSubmitted } from "../calldata/self-submit.ts";
import type { Deps } from "../context/deps.ts";
import type { Preflight } from "../context/schema-types.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { submittedOrder } from "./calldata.ts";
import { prepareOrder } from "./prepare.ts";
import { prepareOrderWithDeposit, type WithDepositFields } from "./with-deposit.ts";
import { submittedOrderWithDeposit } from "./with-deposit-calldata.ts";

/**
 * POST /orders/preview: returns what an order locks and costs, and whether the chain takes it: alone, or with a deposit where the
 * request names one (docs/api.md#preview).
 * @throws ApiError as prepareOrder and prepareOrderWithDeposit; with a wallet also RPC_UNAVAILABLE
 */
export async function previewOrder(
  deps: Deps,
  caller: Caller,
  given: WithDepositFields,
): Promise<AtBlock<Preflight>> {
  if (given.tokenAddress === undefined && given.tokenAmount === undefined) {
    const order = await prepareOrder(deps, caller, given);
    return {
      block: order.block,
      data: await previewSelfSubmitted(deps, caller, submittedOrder(deps, order)),
    };
  }
  const order = await prepareOrderWithDeposit(deps, caller, given);
  const submitted = submittedOrderWithDeposit(deps, order);
  return { block: order.block, data: await previewSelfSubmitted(deps, caller, submitted) };
}
