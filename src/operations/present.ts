import { getAddress, type Hex } from "viem";
import { mappingStatusOf, presentMapping } from "../claims/mapping.ts";
import { formatDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import { isDeposit, type OperationKind } from "./kinds.ts";
import { operationStatusOf } from "./status.ts";
import type { MappedOperation, OperationRow } from "./store.ts";

/** 1, with the 6 decimals of a rate. */
const RATE = 1_000_000n;

/** The symbols of tokens, by address. */
type Symbols = ReadonlyMap<Hex, { symbol: string }>;

/** Returns an operation in the API's shape (docs/api.md#cash-and-stock-movement): the same in list and detail. */
export function presentOperation(
  kind: OperationKind,
  { claim, operation }: MappedOperation,
  symbols: Symbols,
) {
  const detail = operation && claim.txHash ? presentDetail(kind, claim.txHash, operation, symbols) : null;
  return {
    operationId: operation?.opId ?? null,
    txHash: claim.txHash,
    mappingStatus: mappingStatusOf(claim.state, operation !== null),
    operationStatus: operationStatusOf(operation?.status ?? null, claim.state),
    mapping: presentMapping(
      claim,
      operation && {
        ordinal: operation.ordinal,
        userAddress: operation.userAddress,
        orderId: operation.orderId,
        operationId: operation.opId,
        indexed: true,
      },
    ),
    depositOperation: isDeposit(kind) ? detail : null,
    withdrawalOperation: isDeposit(kind) ? null : detail,
  };
}

function presentDetail(kind: OperationKind, txHash: Hex, operation: OperationRow, symbols: Symbols) {
  return {
    operationId: operation.opId,
    userAddress: getAddress(operation.userAddress),
    tokenAddress: getAddress(operation.tokenAddress),
    tokenSymbol: symbols.get(operation.tokenAddress)?.symbol ?? "",
    status: operation.status,
    isInstant: operation.isInstant,
    ...presentAmounts(kind, operation),
    createTxHash: txHash,
    settleTxHash: operation.settleTxHash,
    failReason: failReason(operation),
    createdAt: operation.createdAt,
    settledAt: operation.settledAt,
  };
}

/**
 * Returns `amount`, which the caller asked for, `creditAmount`, which they got, and `feeAmount` in the latter's unit: what the
 * token's rate at that moment would have made of it, less what came.
 */
function presentAmounts(
  kind: OperationKind,
  { tokenAmount, wadAmount, decimals, usdRate, status }: OperationRow,
) {
  const tokenDecimals = decimals ?? WAD_DECIMALS;
  const tokens = (value: bigint | null) => (value === null ? null : formatDecimal(value, tokenDecimals));
  const wads = (value: bigint | null) => (value === null ? null : formatDecimal(value, WAD_DECIMALS));
  if (kind === "stock-deposit" || kind === "stock-withdraw") {
    return { amount: tokens(tokenAmount), creditAmount: tokens(tokenAmount), feeAmount: "0" };
  }
  const unit = 10n ** BigInt(WAD_DECIMALS - tokenDecimals);
  const known = status === "completed" && tokenAmount !== null && wadAmount !== null && usdRate !== null;
  if (kind === "deposit") {
    const fee = known ? (tokenAmount * unit * usdRate) / RATE - wadAmount : null;
    return {
      amount: tokens(tokenAmount),
      creditAmount: wads(wadAmount),
      feeAmount: wads(notBelowZero(fee)),
    };
  }
  const fee = known ? (wadAmount * RATE) / (unit * usdRate) - tokenAmount : null;
  return {
    amount: wads(wadAmount),
    creditAmount: tokens(tokenAmount),
    feeAmount: tokens(notBelowZero(fee)),
  };
}

/** Returns a fee of at least 0: the cash desk may settle a queued operation for more than its worth at the token's rate. */
const notBelowZero = (fee: bigint | null): bigint | null => (fee !== null && fee < 0n ? 0n : fee);

function failReason({ status, rejectReason }: OperationRow): string | null {
  if (status !== "failed") return null;
  return rejectReason === null
    ? "Rejected by the cash desk"
    : `Rejected by the cash desk, reason ${rejectReason}`;
}
