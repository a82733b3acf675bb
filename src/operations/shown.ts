import { claimOfRow, type PendingRow } from "../claims/shown.ts";
import type { OperationKind } from "./kinds.ts";
import { presentOperation } from "./present.ts";

export type PresentedOperation = ReturnType<typeof presentOperation>;

/** Returns the operation of a row as the API answers it. */
export function operationOfRow(
  kind: OperationKind,
  row: PendingRow & { status: string; data: string | null },
): PresentedOperation {
  // The projector wrote it by presentOperation.
  if (row.data !== null) return JSON.parse(row.data) as PresentedOperation;
  const claim = claimOfRow(row, kind, row.status === "failed");
  return presentOperation(kind, { claim, operation: null }, new Map());
}
