import type { Hex } from "viem";
import { z } from "zod";
import { toSeconds } from "../../claims/mapping.ts";
import { SEND_OPERATIONS, type SendOperation, type SendStatus } from "../../protocol/enums.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { SEND_STATES, type SendRow } from "./rows.ts";

/** A request as its caller sees it (docs/api.md#send-reply), without its mapping. */
export interface SendReply {
  requestId: string;
  operation: SendOperation;
  status: SendStatus;
  /** True where nothing about it can change. */
  final: boolean;
  txHash: Hex | null;
  errCode: ErrCode | null;
  revert: string | null;
  /** Unix seconds. */
  acceptedAt: number;
}

/** Columns that determine the status of a request. */
export type SendProgress = Pick<
  SendRow,
  | "requestId"
  | "operation"
  | "acceptedAtMs"
  | "state"
  | "txHash"
  | "minedSuccess"
  | "minedFiller"
  | "outcome"
  | "errCode"
  | "revert"
>;

/** Progress of a request, as Prisma reads it. */
export const sendProgressSchema: z.ZodType<SendProgress> = z.object({
  requestId: z.string(),
  operation: z.enum(SEND_OPERATIONS),
  acceptedAtMs: z.coerce.number(),
  state: z.enum(SEND_STATES),
  txHash: storedHex.nullable(),
  minedSuccess: z.boolean().nullable(),
  minedFiller: z.boolean().nullable(),
  outcome: z.enum(["confirmed", "reverted"]).nullable(),
  errCode: z.custom<ErrCode>().nullable(),
  revert: z.string().nullable(),
});

/** Returns the caller's view of a stored request. Before finality, a receipt is a hint: a revert in it is not shown as a failure. */
export function presentSend(row: SendProgress): SendReply {
  const { status, final } = statusOf(row);
  const failed = status === "failed";
  return {
    requestId: row.requestId,
    operation: row.operation,
    status,
    final,
    txHash: row.txHash,
    errCode: failed ? (row.errCode ?? "CHAIN_REVERT") : null,
    revert: failed ? row.revert : null,
    acceptedAt: toSeconds(row.acceptedAtMs),
  };
}

function statusOf(row: SendProgress): { status: SendStatus; final: boolean } {
  switch (row.state) {
    case "accepted":
    case "reserved":
    case "signed":
      return { status: "accepted", final: false };
    case "broadcast":
      return { status: "submitted", final: false };
    case "mined":
      return { status: row.minedSuccess && !row.minedFiller ? "confirmed" : "submitted", final: false };
    case "final":
      return { status: row.outcome === "confirmed" ? "confirmed" : "failed", final: true };
    case "failed":
    case "canceled":
      return { status: "failed", final: true };
  }
}
