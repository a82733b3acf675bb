import type { Hex } from "viem";
import type { Claim } from "../../claims/mapping.ts";
import { RESOURCES } from "../../operations/kinds.ts";
import { presentOperation } from "../../operations/present.ts";
import { type MappedOperation, parseOperationRow } from "../../operations/store.ts";
import { presentOrder } from "../../orders/present.ts";
import { parseOrderRow } from "../../orders/store.ts";
import type { CurrentRow, ListColumns } from "./compare.ts";
import { causeOfOrder, operationEventOf, orderEventOf } from "./name.ts";
import { hashOf, type LogColumns, parseLogColumns, type readCurrent } from "./rows-store.ts";
import type { Symbols } from "./symbols.ts";

/** Returns rows of lists as the log compares them: presented as their GET answers them. */
export function presentRows(
  { orders, operations }: Awaited<ReturnType<typeof readCurrent>>,
  symbols: Symbols,
): CurrentRow[] {
  return [
    ...orders.map(presentOrderRow),
    ...operations.flatMap((row) => presentOperationRow(row, parseOperationRow(row), symbols)),
  ];
}

function presentOrderRow(row: Record<string, unknown>): CurrentRow {
  const mapped = parseOrderRow(row);
  const { claim, order } = mapped;
  const presented = presentOrder(mapped);
  const columns = parseLogColumns(row);
  return {
    ...common(columns, claim, presented),
    resource: "orders",
    ordinal: order?.ordinal ?? 0,
    objectId: order?.order_id ?? null,
    type: orderEventOf(mapped),
    causeTxHash: causeOfOrder(mapped),
    waitsFor: null,
    columns: {
      ...listColumns(columns, claim, presented.status, order),
      onChainStatus: presented.onChainStatus,
      side: order?.side ?? "",
      orderType: order?.order_type ?? "",
      stockAddress: order?.stock_address ?? null,
      clientOrderId: claim.client_order_id,
      filledNotional: order?.filled_notional ?? null,
    },
  };
}

function presentOperationRow(
  row: Record<string, unknown>,
  mapped: MappedOperation,
  symbols: Symbols,
): CurrentRow[] {
  const { claim, operation } = mapped;
  const kind = operation?.kind ?? claim.operation_type;
  if (kind === "trade") return [];
  const presented = presentOperation(kind, mapped, symbols);
  const columns = parseLogColumns(row);
  return [
    {
      ...common(columns, claim, presented),
      resource: RESOURCES[kind],
      ordinal: operation?.ordinal ?? 0,
      objectId: operation?.op_id ?? null,
      type: operationEventOf(mapped),
      causeTxHash: operation?.settle_tx_hash ?? claim.tx_hash,
      waitsFor: unnamedToken(mapped, symbols),
      columns: {
        ...listColumns(columns, claim, presented.operationStatus, operation),
        kind,
        tokenAddress: operation?.token_address ?? null,
      },
    },
  ];
}

const unnamedToken = ({ operation }: MappedOperation, symbols: Symbols): Hex | null =>
  operation === null || symbols.has(operation.token_address) ? null : operation.token_address;

const listColumns = (
  { changed_ms, log_index }: LogColumns,
  claim: Claim,
  status: string,
  indexed: { user_address: Hex } | null,
): ListColumns => ({
  source: claim.source,
  createdMs: claim.created_ms,
  updatedMs: changed_ms,
  logIndex: log_index,
  status,
  userAddress: indexed?.user_address ?? claim.claim_user,
});

function common(
  { key_id, fingerprint, row_hash, changed_block }: LogColumns,
  claim: Claim,
  presented: object,
) {
  const data = JSON.stringify(presented);
  return {
    claimId: claim.claim_id,
    keyId: key_id,
    productType: claim.product_type,
    txHash: claim.tx_hash,
    data,
    dataHash: hashOf(data),
    fingerprint,
    rowHash: row_hash,
    blockNumber: changed_block,
  };
}
