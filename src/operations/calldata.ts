import type { Caller } from "../auth/caller.ts";
import type { CalldataReply } from "../calldata/calldata.ts";
import { presentSelfSubmitted } from "../calldata/self-submit.ts";
import type { Deps } from "../context/deps.ts";
import type { Preflight } from "../context/schema-types.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { formatDecimal } from "../protocol/decimal.ts";
import type { OperationKind } from "../protocol/operations.ts";
import type { CreditForecast } from "./amounts.ts";
import type { OperationCalldataInput } from "./input.ts";
import { prepareOperation } from "./prepare.ts";

type OperationReply = CalldataReply & {
  preflight: Preflight | null;
  /** Null of stock. */
  forecast: ReturnType<typeof presentForecast> | null;
};

/**
 * POST /{cash,stock}/{deposits,withdrawals}/calldata: encodes an operation, shows what the Cashier would make of cash with its
 * buffers as they are, and tries it from the named wallet. Without allowance or balance the calldata is still returned.
 * @throws ApiError as prepareOperation; RPC_UNAVAILABLE
 */
export async function operationCalldata(
  deps: Deps,
  caller: Caller,
  kind: OperationKind,
  input: OperationCalldataInput,
): Promise<AtBlock<OperationReply>> {
  const { block, forecast, ...prepared } = await prepareOperation(deps, caller, kind, input);
  const reply = await presentSelfSubmitted(deps, caller, { ...prepared, user: input.userAddress });
  return { block, data: { ...reply, forecast: forecast && presentForecast(forecast) } };
}

const presentForecast = ({ isInstant, credit, fee, decimals }: CreditForecast) => ({
  isInstant,
  creditAmount: formatDecimal(credit, decimals),
  feeAmount: formatDecimal(fee, decimals),
});
