import type { Hex } from "viem";
import type { AttributionKey } from "../../context/deps.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import { decodeExecuteFor } from "../execute-for.ts";
import type { SendRow } from "../outbox/rows.ts";
import { macsOfNames, type Trailer } from "../trailer.ts";
import type { MinedTransaction } from "./mined-transactions.ts";

/** A request that waits for a nonce or a receipt. */
export interface OpenRequest extends SendRow {
  idempotencyKey: string | null;
}

/** A mined transaction, and the request that it was signed for. */
export interface Match {
  request: Pick<SendRow, "requestId" | "nonce" | "state">;
  transaction: MinedTransaction;
  kind: "call" | "filler";
}

/** A request accepted after the restore under a name of a lost one, with other input: it is refused now. */
export interface Refusal {
  request: OpenRequest;
  errCode: ErrCode;
}

export interface Matches {
  matched: Match[];
  refused: Refusal[];
  /** Transactions that belong to no request in the database. */
  unmatched: MinedTransaction[];
}

/**
 * Finds the request that each mined transaction was signed for. A nonce that a request has belongs to that request, where the
 * transaction is its call or a transfer of nothing to the wallet itself, which fills a nonce. Any other nonce belongs to the
 * waiting request whose trailer it has (one in the backup), or whose names it has (one accepted after the restore, which repeats
 * a lost one). Equal calls prove nothing: two orders may have the same call.
 * @param requests of one wallet: signed or broadcast, and accepted, in the order of acceptance
 */
export function matchTransactions(
  wallet: Hex,
  requests: readonly OpenRequest[],
  transactions: readonly MinedTransaction[],
  keys: readonly AttributionKey[],
): Matches {
  const waiting = requests.filter(({ nonce }) => nonce === null);
  const matches: Matches = { matched: [], refused: [], unmatched: [] };
  for (const transaction of transactions) {
    const owner = requests.find(({ nonce }) => nonce === transaction.nonce);
    const match = owner ? ofOwner(wallet, owner, transaction) : takeWaiting(waiting, transaction, keys);
    if (match) matches.matched.push(match);
    else {
      matches.unmatched.push(transaction);
      if (!owner) matches.refused.push(...takeRefused(waiting, transaction, keys));
    }
  }
  return matches;
}

/** Returns true for the call of a request: all attempts to make it have its gas limit, and move no coin. */
const isCallOf = ({ to, data, gasLimit }: SendRow, transaction: MinedTransaction): boolean =>
  to === transaction.to &&
  data === transaction.data &&
  gasLimit === transaction.gasLimit &&
  transaction.value === 0n;

function ofOwner(wallet: Hex, request: OpenRequest, transaction: MinedTransaction): Match | null {
  if (isCallOf(request, transaction)) return { request, transaction, kind: "call" };
  const fills = transaction.to === wallet && transaction.data === "0x" && transaction.value === 0n;
  return fills ? { request, transaction, kind: "filler" } : null;
}

/** Returns the waiting request that a transaction was sent for, and removes it from those that wait. */
function takeWaiting(
  waiting: OpenRequest[],
  transaction: MinedTransaction,
  keys: readonly AttributionKey[],
): Match | null {
  const trailer = decodeExecuteFor(transaction.data)?.trailer ?? null;
  const request =
    waiting.find((one) => isNamed(one, trailer) && isCallOf(one, transaction)) ??
    waiting.find(
      (one) => trailer && one.to === transaction.to && compareNames(one, trailer, keys) === "same",
    );
  if (!request) return null;
  waiting.splice(waiting.indexOf(request), 1);
  return { request, transaction, kind: "call" };
}

/**
 * Returns true where an equal call belongs to the same request. A trailer belongs to one request alone, and an enable has the
 * user's nonce. Requests of versions before trailers were accepted before the backup. A disable is sent again, and finds nothing
 * to end.
 */
const isNamed = ({ operation }: OpenRequest, trailer: Trailer | null): boolean =>
  trailer !== null || operation !== "1ct/disable";

function takeRefused(
  waiting: OpenRequest[],
  transaction: MinedTransaction,
  keys: readonly AttributionKey[],
): Refusal[] {
  const trailer = decodeExecuteFor(transaction.data)?.trailer;
  if (!trailer) return [];
  const refused = waiting.flatMap((request): Refusal[] => {
    if (request.to !== transaction.to) return [];
    const errCode = compareNames(request, trailer, keys) ?? refuseBatch(request, trailer, transaction);
    return errCode === null || errCode === "same" ? [] : [{ request, errCode }];
  });
  for (const { request } of refused) waiting.splice(waiting.indexOf(request), 1);
  return refused;
}

/**
 * Refuses one of several requests under one Idempotency-Key (docs/sending.md#cancel-many), accepted after a transaction under that key was
 * mined: the call was made before, and had found other orders.
 */
function refuseBatch(
  { data, acceptedAtMs }: OpenRequest,
  { idempotencyMac }: Trailer,
  { minedAt }: MinedTransaction,
) {
  const own = decodeExecuteFor(data)?.trailer;
  const isRepeat = own?.idempotencyMac === idempotencyMac && acceptedAtMs > minedAt.getTime();
  return isRepeat ? "IDEMPOTENCY_KEY_REUSED" : null;
}

/**
 * Compares the names of a request with those of a trailer.
 * @returns "same" where it repeats the request of the trailer; the error that would have refused it; null where it shares no name
 */
function compareNames(
  request: OpenRequest,
  trailer: Trailer,
  keys: readonly AttributionKey[],
): "same" | ErrCode | null {
  const macs = macsOfNames(keys, request, request);
  const isSameInput = macs.inputHash.includes(trailer.inputMac);
  if (macs.idempotencyKey.includes(trailer.idempotencyMac))
    return isSameInput ? "same" : "IDEMPOTENCY_KEY_REUSED";
  if (!macs.clientOrderId.includes(trailer.clientOrderMac)) return null;
  return isSameInput && request.idempotencyKey === null ? "same" : "CLIENT_ORDER_ID_REUSED";
}
