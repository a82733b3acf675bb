import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { Tx } from "../../db/transaction.ts";
import { type Node, parseAnswer } from "../sender/nodes.ts";
import { insertAttempts, pointTo } from "../sender/sign-store.ts";
import { type Match, type Matches, matchTransactions } from "./match.ts";
import { findMinedTransactions } from "./mined-transactions.ts";
import { adoptNonce, lockNextNonce, readAttemptHashes, readNextNonce, readOpenRequests } from "./store.ts";

/** A wallet, and what all nodes report of it: `used` nonces at `finalBlock`, and none of its transactions pending. */
export interface Recovery {
  chainId: number;
  wallet: Hex;
  used: bigint;
  finalBlock: bigint;
  onProgress: (block: bigint, left: number) => void;
}

/** Transactions that a wallet sent and the database does not have, and the next nonce that it had when it was read. */
export interface UnknownSends extends Matches {
  nextNonce: bigint | null;
}

/**
 * Finds what the wallet sent and the database does not know: after a restored backup, requests that it says are waiting may be on
 * the chain, and would be sent again.
 * @throws NodeUnreachable; Error where a transaction is not to be found
 */
export async function findUnknownSends(pool: pg.Pool, node: Node, recovery: Recovery): Promise<UnknownSends> {
  const { wallet, used, finalBlock, onProgress } = recovery;
  const nextNonce = await readNextNonce(pool, recovery);
  const requests = await readOpenRequests(pool, recovery);
  const attempts = await readAttemptHashes(
    pool,
    requests.flatMap(({ nonce, requestId }) => (nonce !== null && nonce < used ? [requestId] : [])),
  );
  const known = await withReceipt(node, attempts);
  const lost = requests.filter(
    ({ nonce, requestId }) => nonce !== null && nonce < used && !known.has(requestId),
  );
  const nonces = new Set(lost.flatMap(({ nonce }) => (nonce === null ? [] : [nonce])));
  for (let nonce = nextNonce ?? used; nonce < used; nonce++) nonces.add(nonce);
  if (nonces.size === 0) return { matched: [], unknown: [], nextNonce };
  const found = await findMinedTransactions(node, wallet, nonces, finalBlock, onProgress);
  const { matched, unknown } = matchTransactions(wallet, requests, found.mined.toSorted(byNonce));
  requireReceipts(matched, attempts);
  return { matched, unknown: [...unknown, ...found.foreign].toSorted(byNonce), nextNonce };
}

const byNonce = (a: { nonce: bigint }, b: { nonce: bigint }): number => (a.nonce < b.nonce ? -1 : 1);

/**
 * Refuses a node without receipts: what is stored already is followed by its receipt, so that the worker could not end the request
 * either. @throws Error where a transaction is mined whose receipt the node does not have
 */
function requireReceipts(matched: readonly Match[], attempts: readonly { hash: Hex }[]): void {
  const stored = new Set(attempts.map(({ hash }) => hash));
  for (const { request, transaction } of matched) {
    if (!stored.has(transaction.hash)) continue;
    throw new Error(
      `${transaction.hash} of request ${request.requestId} is mined, and the node has no receipt of it, as one that prunes receipts: put a node that has it first in rpcUrls, for the worker too, and try again; nothing was changed`,
    );
  }
}

/** Returns the requests of which the node has a receipt of something that was signed for them. */
async function withReceipt(
  node: Node,
  attempts: readonly { requestId: string; hash: Hex }[],
): Promise<Set<string>> {
  const method = "eth_getTransactionReceipt";
  const answers = await node.askMany(attempts.map(({ hash }) => ({ method, params: [hash] })));
  const mined = attempts.filter((_attempt, index) => {
    const answer = answers[index] ?? { kind: "unreachable", reason: "no answer" };
    return parseAnswer(method, answer, z.unknown()) !== null;
  });
  return new Set(mined.map(({ requestId }) => requestId));
}

/**
 * Stores matches as what was signed for their requests, in the caller's transaction: the worker then follows each to its end by its
 * receipt, and sends none of them again.
 * @throws Error where the wallet or a request changed since they were read
 */
export async function adoptSends(
  tx: Tx,
  { chainId, wallet, used }: Recovery,
  { matched, nextNonce }: UnknownSends,
): Promise<void> {
  if ((await lockNextNonce(tx, { chainId, wallet })) !== nextNonce) {
    throw new Error("the wallet has sent something meanwhile: stop the workers, and try again");
  }
  for (const { request, transaction } of matched) {
    if (request.nonce !== null) continue;
    if (transaction.nonce >= used || !(await adoptNonce(tx, request.requestId, transaction.nonce))) {
      throw new Error(`${request.requestId} has changed meanwhile: try again`);
    }
  }
  await insertAttempts(
    tx,
    { nodes: { chainId }, signer: { address: wallet } },
    matched.map(({ request, transaction, kind }) => ({ ...transaction, requestId: request.requestId, kind })),
  );
  const shown = matched.filter(({ kind }) => kind === "call");
  await pointTo(
    tx,
    shown.map(({ request, transaction }) => ({ requestId: request.requestId, hash: transaction.hash })),
  );
}
