import { WITHOUT_DELEGATION } from "../../../../src/sending/sender/cancellation-store.ts";
import type { QueuedRow } from "./store.ts";

/** Returns the reason of a request's wait, or its end. */
export function waitsFor(row: QueuedRow): string {
  switch (row.state) {
    case "accepted":
      return beforeSigning(row);
    case "reserved":
      return `the signature of its wallet's key${ofFiller(row)}`;
    case "signed":
    case "broadcast":
      return inFlight(row);
    case "mined":
      return `finality, since block ${row.minedBlock}`;
    default:
      return [row.errCode, row.reason].filter(Boolean).join(": ") || "nothing: it is final";
  }
}

function beforeSigning(row: QueuedRow): string {
  const { halted, walletState: state, stateReason: reason, operation } = row;
  if (row.blocked && !WITHOUT_DELEGATION.includes(operation))
    return "its cancellation: the delegation is disabled";
  if (operation !== "1ct/disable" && (row.revoked || row.killed))
    return `its cancellation: the key is ${row.revoked ? "revoked" : "killed"}`;
  if (halted) return "`sending resume`: the chain is halted";
  if (state !== "active") return `its wallet, which is ${state}${reason ? ` (${reason})` : ""}`;
  if (row.unsignedNonce !== null)
    return `the key of its wallet, which has not signed nonce ${row.unsignedNonce}`;
  return "its turn at the wallet";
}

const ofFiller = ({ fillReason }: Pick<QueuedRow, "fillReason">): string =>
  fillReason === null ? "" : `; its nonce is being filled (${fillReason})`;

function inFlight({ nonce, chainNonce, walletState: state, ...row }: QueuedRow): string {
  if (state === "halted")
    return `its wallet, which is halted${row.stateReason ? ` (${row.stateReason})` : ""}`;
  const filled = ofFiller(row);
  if (!row.broadcasts) return `its first broadcast${filled}`;
  const isBehind = nonce !== null && chainNonce !== null && BigInt(nonce) > BigInt(chainNonce);
  const what = isBehind ? `nonces ${chainNonce} to ${BigInt(nonce) - 1n} of its wallet` : "a block";
  return `${what}; broadcast ${row.broadcasts} times, last answer ${row.answer ?? "none"}${filled}`;
}
