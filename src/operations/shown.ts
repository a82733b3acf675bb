import { claimOfRow, type PendingRow } from "../claims/shown.ts";
import type { OperationKind } from "./kinds.ts";
import { presentOperation } from "./present.ts";

export type PresentedOperation = ReturnType<typeof presentOperation>;

/** Columns of app.shown_operation that an answer is made of. */
export const ANSWER_COLUMNS = {
  ...{ claimId: true, keyId: true, chainId: true, productType: true, txHash: true, source: true },
  ...{ createdAt: true, updatedAt: true, userAddress: true, status: true, data: true },
} as const;

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
