import type { Caller } from "../../auth/caller.ts";
import { presentSelfSubmitted } from "../../calldata/self-submit.ts";
import type { Deps } from "../../context/deps.ts";
import type { AtBlock } from "../../db/checkpoint.ts";
import type { MovementCalldataInput } from "../../input/movement.ts";
import { formatDecimal } from "../../protocol/decimal.ts";
import { type Prepare, prepareDeposit, prepareWithdrawal } from "./prepare.ts";

/**
 * POST /cash/deposits/calldata: encodes a deposit, shows what the Cashier would make of it with its buffers as they are,
 * and tries it from the named wallet. Without allowance or balance the calldata is still returned.
 * @throws ApiError as prepareDeposit; RPC_UNAVAILABLE
 */
export const depositCalldata = (deps: Deps, caller: Caller, input: MovementCalldataInput) =>
  movementCalldata(prepareDeposit, deps, caller, input);

/** POST /cash/withdrawals/calldata: the same for a withdrawal. @throws ApiError as depositCalldata */
export const withdrawalCalldata = (deps: Deps, caller: Caller, input: MovementCalldataInput) =>
  movementCalldata(prepareWithdrawal, deps, caller, input);

async function movementCalldata(prepare: Prepare, deps: Deps, caller: Caller, input: MovementCalldataInput) {
  const { block, forecast, creditDecimals, ...movement } = await prepare(deps, caller, input);
  const { isInstant, credit, fee } = forecast;
  return {
    block,
    data: {
      ...(await presentSelfSubmitted(deps, caller, { ...movement, user: input.userAddress })),
      forecast: {
        isInstant,
        creditAmount: formatDecimal(credit, creditDecimals),
        feeAmount: formatDecimal(fee, creditDecimals),
      },
    },
  } satisfies AtBlock<unknown>;
}
