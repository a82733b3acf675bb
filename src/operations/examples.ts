import { NO_COSTS } from "../calldata/preflight.ts";
import { EXAMPLE_ADDRESS, EXAMPLE_HASH } from "../context/examples.ts";
import { WAD } from "../protocol/decimal.ts";
import { OPERATIONS, type OperationKind } from "../protocol/operations.ts";
import { encodeOperation } from "./prepare.ts";

/** Returns the parts of answers that are a kind's own, for the OpenAPI document. The amount is the requests': 250.5. */
export function examplesOf(kind: OperationKind) {
  const { asset, isDeposit, path } = OPERATIONS[kind];
  // USDC has six decimals, mUSD and stock have eighteen.
  const amount = kind === "deposit" ? 250_500_000n : (2505n * WAD) / 10n;
  const { callData, method, args } = encodeOperation(kind, EXAMPLE_ADDRESS, EXAMPLE_ADDRESS, amount);
  const mapping = { operationType: kind, orderId: null, operationId: EXAMPLE_HASH, clientOrderId: null };
  const moved =
    asset === "cash" ? {} : { tokenSymbol: "AAPLm", isInstant: null, creditAmount: "250.5", feeAmount: "0" };
  const [depositOperation, withdrawalOperation] = isDeposit ? [moved, null] : [null, moved];
  const detail = { mapping, depositOperation, withdrawalOperation };
  return {
    calldata: { default: { callData, method, args, preflight: { ...NO_COSTS, checks: checksOf(kind) } } },
    send: {
      default: {
        operation: path,
        mapping: { ...mapping, operationId: null, mappingStatus: "pending", source: "send" },
      },
    },
    record: { default: mapping },
    list: { default: { rows: [detail] } },
    get: { default: detail },
  };
}

/** Returns what a wallet needs for an operation: tokens and the allowance to move them, or what the exchange account holds. */
function checksOf(kind: OperationKind) {
  const { asset, isDeposit } = OPERATIONS[kind];
  const onExchange = asset === "cash" ? ["mUsdBalance"] : ["exchangeBalance"];
  const names = isDeposit ? ["walletAllowance", "walletBalance"] : onExchange;
  return names.map((check) => ({ check, required: "250.5", actual: "1250.75" }));
}
