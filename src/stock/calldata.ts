import type { AtBlock } from "../db/checkpoint.ts";
import type { Deps } from "../deps.ts";
import { parseCalldataInput } from "../input/movement.ts";
import { presentCalldata } from "../transactions/calldata.ts";
import { preflight } from "../transactions/preflight.ts";
import type { Viewer } from "../transactions/viewer.ts";
import { type Prepare, prepareDeposit, prepareWithdrawal } from "./prepare.ts";

/**
 * POST /stock/deposits/calldata: encodes a stock deposit and tries it from the named wallet. Without allowance or balance
 * the calldata is still returned.
 * @throws ApiError as prepareDeposit; RPC_UNAVAILABLE
 */
export const depositCalldata = (deps: Deps, viewer: Viewer, args: Record<string, unknown>) =>
  movementCalldata(prepareDeposit, deps, viewer, args);

/** POST /stock/withdrawals/calldata: the same for a withdrawal. @throws ApiError as depositCalldata */
export const withdrawalCalldata = (deps: Deps, viewer: Viewer, args: Record<string, unknown>) =>
  movementCalldata(prepareWithdrawal, deps, viewer, args);

async function movementCalldata(prepare: Prepare, deps: Deps, viewer: Viewer, args: Record<string, unknown>) {
  const input = parseCalldataInput(args);
  const { block, chain, call, needsOf } = await prepare(deps, viewer, input);
  const tried = await preflight(chain, input.userAddress, call, await needsOf(input.userAddress));
  return {
    block,
    data: { ...presentCalldata(call, viewer), preflight: tried },
  } satisfies AtBlock<unknown>;
}
