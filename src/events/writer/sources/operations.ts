import type { Hex } from "viem";
import { CASH_SOURCE, STOCK_SOURCE } from "../../../claims/indexed-rows.ts";
import { join, raw, sql } from "../../../db/sql.ts";
import { operationStatusOf, presentOperation } from "../../../operations/present.ts";
import { type MappedOperation, OPERATION_ROWS, parseOperationRow } from "../../../operations/store.ts";
import { OPERATIONS as KINDS, OPERATION_KINDS, OPERATION_PATHS } from "../../../protocol/operations.ts";
import type { CurrentRow } from "../compare.ts";
import type { Symbols } from "../symbols.ts";
import { type ClaimedList, commonOf } from "./list.ts";

export const OPERATIONS: ClaimedList = {
  resources: OPERATION_PATHS,
  tables: [
    { ...CASH_SOURCE, id: "op_id" },
    { ...STOCK_SOURCE, id: "op_id" },
  ],
  rows: OPERATION_ROWS,
  present: (row, symbols) => presentRow(row, parseOperationRow(row), symbols),
  table: {
    name: "key_operation",
    id: "operation_id",
    key: ["claim_id", "kind", "ordinal"],
    columns: { kind: "text", token_address: "text" },
    resource: sql`CASE r.kind ${join(
      OPERATION_KINDS.map((kind) => raw(`WHEN '${kind}' THEN '${KINDS[kind].path}'`)),
      " ",
    )} END`,
  },
};

function presentRow(row: Record<string, unknown>, mapped: MappedOperation, symbols: Symbols): CurrentRow[] {
  const { claim, operation } = mapped;
  const kind = operation?.kind ?? claim.operationType;
  if (kind === "trade") return [];
  const presented = presentOperation(kind, mapped, symbols);
  const status = presented.operationStatus;
  const { columns, ...common } = commonOf(row, { claim, status, indexed: operation }, presented);
  return [
    {
      ...common,
      resource: KINDS[kind].path,
      ordinal: operation?.ordinal ?? 0,
      objectId: operation?.opId ?? null,
      type: `operation.${operationStatusOf(operation?.status ?? null, claim.state)}`,
      causeTxHash: operation?.settleTxHash ?? claim.txHash,
      waitsFor: unnamedToken(mapped, symbols),
      columns: { ...columns, kind, tokenAddress: operation?.tokenAddress ?? null },
    },
  ];
}

const unnamedToken = ({ operation }: MappedOperation, symbols: Symbols): Hex | null =>
  operation === null || symbols.has(operation.tokenAddress) ? null : operation.tokenAddress;
