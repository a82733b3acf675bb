import type { Caller } from "../../auth/caller.ts";
import { presentSelfSubmitted } from "../../calldata/self-submit.ts";
import type { Deps } from "../../context/deps.ts";
import type { AtBlock } from "../../db/checkpoint.ts";
import type { MovementCalldataInput } from "../../input/movement.ts";
import { type Prepare, prepareDeposit, prepareWithdrawal } from "./prepare.ts";

/**
 * POST /stock/deposits/calldata: encodes a stock deposit and tries it from the named wallet. Without allowance or balance
 * the calldata is still returned.
 * @throws ApiError as prepareDeposit; RPC_UNAVAILABLE
 */
export const depositCalldata = (deps: Deps, caller: Caller, input: MovementCalldataInput) =>
  movementCalldata(prepareDeposit, deps, caller, input);

/** POST /stock/withdrawals/calldata: the same for a withdrawal. @throws ApiError as depositCalldata */
export const withdrawalCalldata = (deps: Deps, caller: Caller, input: MovementCalldataInput) =>
  movementCalldata(prepareWithdrawal, deps, caller, input);

async function movementCalldata(prepare: Prepare, deps: Deps, caller: Caller, input: MovementCalldataInput) {
  const { block, ...movement } = await prepare(deps, caller, input);
  const data = await presentSelfSubmitted(deps, caller, { ...movement, user: input.userAddress });
  return { block, data } satisfies AtBlock<unknown>;
}
