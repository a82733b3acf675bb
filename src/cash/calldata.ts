import type { AtBlock } from "../db/checkpoint.ts";
import type { Deps } from "../deps.ts";
import { parseCalldataInput } from "../input/movement.ts";
import { formatDecimal } from "../protocol/decimal.ts";
import { presentCalldata } from "../transactions/calldata.ts";
import { preflight } from "../transactions/preflight.ts";
import type { Viewer } from "../transactions/viewer.ts";
import { type Prepare, prepareDeposit, prepareWithdrawal } from "./prepare.ts";

/**
 * POST /cash/deposits/calldata: encodes a deposit, tells what the Cashier would make of it with its buffers as they are,
 * and tries it from the named wallet. Without allowance or balance the calldata is still returned.
 * @throws ApiError as prepareDeposit; RPC_UNAVAILABLE
 */
export const depositCalldata = (deps: Deps, viewer: Viewer, args: Record<string, unknown>) =>
  movementCalldata(prepareDeposit, deps, viewer, args);

/** POST /cash/withdrawals/calldata: the same for a withdrawal. @throws ApiError as depositCalldata */
export const withdrawalCalldata = (deps: Deps, viewer: Viewer, args: Record<string, unknown>) =>
  movementCalldata(prepareWithdrawal, deps, viewer, args);

async function movementCalldata(prepare: Prepare, deps: Deps, viewer: Viewer, args: Record<string, unknown>) {
  const input = parseCalldataInput(args);
  const { block, chain, call, forecast, creditDecimals, needsOf } = await prepare(deps, viewer, input);
  const { isInstant, credit, fee } = forecast;
  return {
    block,
    data: {
      ...presentCalldata(call, viewer),
      forecast: {
        isInstant,
        creditAmount: formatDecimal(credit, creditDecimals),
        feeAmount: formatDecimal(fee, creditDecimals),
      },
      preflight: await preflight(chain, input.userAddress, call, await needsOf(input.userAddress)),
    },
  } satisfies AtBlock<unknown>;
}
