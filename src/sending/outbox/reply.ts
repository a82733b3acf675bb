import type { Hex } from "viem";
import type { SendStatus } from "../../protocol/enums.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import type { SendRow } from "./rows.ts";

/** What callers are told of a request (API.md section 5, "Send reply"), without its mapping. */
export interface SendReply {
  requestId: string;
  status: SendStatus;
  /** Nothing about it changes any more. */
  final: boolean;
  txHash: Hex | null;
  errCode: ErrCode | null;
  revert: string | null;
}

/** The caller's view of a stored request. A receipt below finality is a hint: a revert in it is not told as failure. */
export function presentSend(row: SendRow): SendReply {
  const { status, final } = statusOf(row);
  const failed = status === "failed";
  return {
    requestId: row.requestId,
    status,
    final,
    txHash: row.txHash,
    errCode: failed ? (row.errCode ?? "CHAIN_REVERT") : null,
    revert: failed ? row.revert : null,
  };
}

function statusOf(row: SendRow): { status: SendStatus; final: boolean } {
  switch (row.state) {
    case "accepted":
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
