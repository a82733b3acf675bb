import { getAddress, type Hex } from "viem";
import { type Claim, mappingStatusOf, presentMapping } from "../claims/mapping.ts";
import { claimOfRow, type PendingRow } from "../claims/shown.ts";
import type { OperationDetail } from "../context/schema-types.ts";
import { formatDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import type { ChainOperationStatus, OperationStatus } from "../protocol/enums.ts";
import { OPERATIONS, type OperationKind } from "../protocol/operations.ts";
import type { MappedOperation, OperationRow } from "./store.ts";

/** 1, with the 6 decimals of a rate. */
const RATE = 1_000_000n;

/** The symbols of tokens, by address. */
type Symbols = ReadonlyMap<Hex, { symbol: string }>;

/** Returns the operation of a row as the API answers it. */
export function operationOfRow(
  kind: OperationKind,
  row: PendingRow & { status: string; data: string | null },
): OperationDetail {
  // The projector wrote it by presentOperation.
  if (row.data !== null) return JSON.parse(row.data) as OperationDetail;
  const claim = claimOfRow(row, kind, row.status === "failed");
  return presentOperation(kind, { claim, operation: null }, new Map());
}

/** Returns an operation in the API's shape (docs/api.md#cash-and-stock-movement): the same in list and detail. */
export function presentOperation(
  kind: OperationKind,
  { claim, operation }: MappedOperation,
  symbols: Symbols,
): OperationDetail {
  const { isDeposit } = OPERATIONS[kind];
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
    depositOperation: isDeposit ? detail : null,
    withdrawalOperation: isDeposit ? null : detail,
  };
}

/** Returns where an operation stands (docs/api.md): the chain's word, else the claim's. */
export function operationStatusOf(
  chain: ChainOperationStatus | null,
  claim: Claim["state"],
): OperationStatus {
  return chain ?? (claim === "reverted" ? "failed" : "pending");
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
function presentAmounts(kind: OperationKind, { tokenAmount, wadAmount, decimals, usdRate }: OperationRow) {
  const tokenDecimals = decimals ?? WAD_DECIMALS;
  const tokens = (value: bigint | null) => (value === null ? null : formatDecimal(value, tokenDecimals));
  const wads = (value: bigint | null) => (value === null ? null : formatDecimal(value, WAD_DECIMALS));
  const { asset, isDeposit } = OPERATIONS[kind];
  if (asset === "stock") {
    return { amount: tokens(tokenAmount), creditAmount: tokens(tokenAmount), feeAmount: "0" };
  }
  const unit = 10n ** BigInt(WAD_DECIMALS - tokenDecimals);
  // Only a completed operation has a rate.
  const known = tokenAmount !== null && wadAmount !== null && usdRate !== null;
  if (isDeposit) {
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
