import type { Hex } from "viem";
import type { Claim } from "../../claims/mapping.ts";
import { RESOURCES } from "../../operations/kinds.ts";
import { presentOperation } from "../../operations/present.ts";
import { type MappedOperation, parseOperationRow } from "../../operations/store.ts";
import { presentOrder } from "../../orders/present.ts";
import { parseOrderRow } from "../../orders/store.ts";
import type { CurrentRow } from "./compare.ts";
import { causeOfOrder, operationEventOf, orderEventOf } from "./name.ts";
import { hashOf, parseLogColumns, type readCurrent } from "./rows-store.ts";
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
  return {
    ...common(row, mapped.claim, presentOrder(mapped)),
    resource: "orders",
    ordinal: mapped.order?.ordinal ?? 0,
    objectId: mapped.order?.order_id ?? null,
    type: orderEventOf(mapped),
    causeTxHash: causeOfOrder(mapped),
    waitsFor: null,
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
  return [
    {
      ...common(row, claim, presentOperation(kind, mapped, symbols)),
      resource: RESOURCES[kind],
      ordinal: operation?.ordinal ?? 0,
      objectId: operation?.op_id ?? null,
      type: operationEventOf(mapped),
      causeTxHash: operation?.settle_tx_hash ?? claim.tx_hash,
      waitsFor: unnamedToken(mapped, symbols),
    },
  ];
}

const unnamedToken = ({ operation }: MappedOperation, symbols: Symbols): Hex | null =>
  operation === null || symbols.has(operation.token_address) ? null : operation.token_address;

function common(row: Record<string, unknown>, claim: Claim, presented: object) {
  const { key_id, fingerprint, row_hash, changed_block } = parseLogColumns(row);
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
