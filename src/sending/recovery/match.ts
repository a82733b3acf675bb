import type { Hex } from "viem";
import type { SendRow } from "../outbox/rows.ts";
import type { ForeignTransaction, MinedTransaction } from "./mined-transactions.ts";

/** A mined transaction and the request that it was signed for. */
export interface Match {
  request: SendRow;
  transaction: MinedTransaction;
  kind: "call" | "filler";
}

export interface Matches {
  matched: Match[];
  /** Transactions of no request that the database has. */
  unknown: ForeignTransaction[];
}

/**
 * Finds the request that each mined transaction was signed for. A nonce that a request has is that request's, where the
 * transaction is its call or a transfer of nothing to the wallet itself, which fills a nonce. A nonce of no request is that of the
 * earliest waiting request with the same call: of two that are equal, it does not matter which is said to be sent.
 * @param requests of one wallet: signed or broadcast, and accepted, in the order of acceptance
 */
export function matchTransactions(
  wallet: Hex,
  requests: readonly SendRow[],
  transactions: readonly MinedTransaction[],
): Matches {
  const waiting = requests.filter(({ nonce }) => nonce === null);
  const matched: Match[] = [];
  const unknown: ForeignTransaction[] = [];
  for (const transaction of transactions) {
    const owner = requests.find(({ nonce }) => nonce === transaction.nonce);
    const match = owner ? ofOwner(wallet, owner, transaction) : takeWaiting(waiting, transaction);
    if (match) matched.push(match);
    else unknown.push(transaction);
  }
  return { matched, unknown };
}

/** Returns true for the call of a request: all attempts that make it have its gas limit, and move no coin. */
const isCallOf = ({ to, data, gasLimit }: SendRow, transaction: MinedTransaction): boolean =>
  to === transaction.to &&
  data === transaction.data &&
  gasLimit === transaction.gasLimit &&
  transaction.value === 0n;

function ofOwner(wallet: Hex, request: SendRow, transaction: MinedTransaction): Match | null {
  if (isCallOf(request, transaction)) return { request, transaction, kind: "call" };
  const fills = transaction.to === wallet && transaction.data === "0x" && transaction.value === 0n;
  return fills ? { request, transaction, kind: "filler" } : null;
}

/** Returns the earliest waiting request with that call, and takes it out of those that wait. */
function takeWaiting(waiting: SendRow[], transaction: MinedTransaction): Match | null {
  const index = waiting.findIndex((request) => isCallOf(request, transaction));
  const [request] = index < 0 ? [] : waiting.splice(index, 1);
  return request ? { request, transaction, kind: "call" } : null;
}
