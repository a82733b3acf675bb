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
  const detail = operation && claim.tx_hash ? presentDetail(kind, claim.tx_hash, operation, symbols) : null;
  return {
    operationId: operation?.op_id ?? null,
    txHash: claim.tx_hash,
    mappingStatus: mappingStatusOf(claim.state, operation !== null),
    operationStatus: operationStatusOf(operation?.status ?? null, claim.state),
    mapping: presentMapping(
      claim,
      operation && {
        ordinal: operation.ordinal,
        userAddress: operation.user_address,
        orderId: operation.order_id,
        operationId: operation.op_id,
        indexed: true,
      },
    ),
    depositOperation: isDeposit(kind) ? detail : null,
    withdrawalOperation: isDeposit(kind) ? null : detail,
  };
}

function presentDetail(kind: OperationKind, txHash: Hex, operation: OperationRow, symbols: Symbols) {
  return {
    operationId: operation.op_id,
    userAddress: getAddress(operation.user_address),
    tokenAddress: getAddress(operation.token_address),
    tokenSymbol: symbols.get(operation.token_address)?.symbol ?? "",
    status: operation.status,
    isInstant: operation.is_instant,
    ...presentAmounts(kind, operation),
    createTxHash: txHash,
    settleTxHash: operation.settle_tx_hash,
    failReason: failReason(operation),
    createdAt: operation.created_at,
    settledAt: operation.settled_at,
  };
}

/**
 * Returns `amount`, which the caller asked for, `creditAmount`, which they got, and `feeAmount` in the latter's unit: what the
 * token's rate at that moment would have made of it, less what came.
 */
function presentAmounts(
  kind: OperationKind,
  { token_amount, wad_amount, decimals, usd_rate, status }: OperationRow,
) {
  const tokenDecimals = decimals ?? WAD_DECIMALS;
  const tokens = (value: bigint | null) => (value === null ? null : formatDecimal(value, tokenDecimals));
  const wads = (value: bigint | null) => (value === null ? null : formatDecimal(value, WAD_DECIMALS));
  if (kind === "stock-deposit" || kind === "stock-withdraw") {
    return { amount: tokens(token_amount), creditAmount: tokens(token_amount), feeAmount: "0" };
  }
  const unit = 10n ** BigInt(WAD_DECIMALS - tokenDecimals);
  const known = status === "completed" && token_amount !== null && wad_amount !== null && usd_rate !== null;
  if (kind === "deposit") {
    const fee = known ? (token_amount * unit * usd_rate) / RATE - wad_amount : null;
    return {
      amount: tokens(token_amount),
      creditAmount: wads(wad_amount),
      feeAmount: wads(notBelowZero(fee)),
    };
  }
  const fee = known ? (wad_amount * RATE) / (unit * usd_rate) - token_amount : null;
  return {
    amount: wads(wad_amount),
    creditAmount: tokens(token_amount),
    feeAmount: tokens(notBelowZero(fee)),
  };
}

/** Returns a fee of at least 0: the cash desk may settle a queued operation for more than its worth at the token's rate. */
const notBelowZero = (fee: bigint | null): bigint | null => (fee !== null && fee < 0n ? 0n : fee);

function failReason({ status, reject_reason }: OperationRow): string | null {
  if (status !== "failed") return null;
  return reject_reason === null
    ? "Rejected by the cash desk"
    : `Rejected by the cash desk, reason ${reject_reason}`;
}
