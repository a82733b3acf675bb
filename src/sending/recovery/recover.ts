import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { ProductConfig } from "../../config/deployments.ts";
import type { AttributionKey } from "../../context/deps.ts";
import type { Tx } from "../../db/transaction.ts";
import { endRequest } from "../outbox/end-store.ts";
import { type Node, parseAnswer } from "../sender/nodes.ts";
import { insertAttempts, pointTo } from "../sender/sign-store.ts";
import { openKeyIds } from "../trailer.ts";
import { type Match, type Matches, matchTransactions } from "./match.ts";
import {
  type ForeignTransaction,
  findMinedTransactions,
  type MinedTransaction,
} from "./mined-transactions.ts";
import { describeUnbound, type NamedCall, type Recreated, readNamedCall, recreate } from "./recreate.ts";
import {
  adoptNonce,
  insertRecreated,
  lockNextNonce,
  readAttemptHashes,
  readExistingKeys,
  readNextNonce,
  readOpenRequests,
  readUnownedNonces,
} from "./store.ts";

/** A wallet, and the reports of all nodes on it: `used` nonces at `finalBlock`, and no pending transaction. */
export interface Recovery {
  chainId: number;
  wallet: Hex;
  used: bigint;
  finalBlock: bigint;
  /** First nonce to search for where no request has it; null: the wallet's next one. */
  fromNonce: bigint | null;
  products: readonly Pick<ProductConfig, "productType" | "contracts">[];
  /** Server keys that read trailers; null where the operator gave none. */
  keys: readonly AttributionKey[] | null;
  onProgress: (block: bigint, left: number) => void;
}

/** A transaction of the wallet that belongs to no request, with its description. */
export interface UnboundTransaction extends ForeignTransaction {
  reason: string;
  /** User it acts for, lower case; null where it acts for nobody. */
  user: Hex | null;
}

/** Transactions that a wallet sent and the database lacks, and the wallet's next nonce at the read. */
export interface UnknownSends extends Omit<Matches, "unmatched"> {
  recreated: Recreated[];
  unbound: UnboundTransaction[];
  nextNonce: bigint | null;
}

/**
 * Finds transactions that the wallet sent and the database lacks. After a restored backup, requests that it shows as waiting may
 * be on the chain, and would be sent again; requests that it lacks would be sent again when their callers repeat them.
 * @throws NodeUnreachable; Error where a transaction cannot be found, or a trailer cannot be read without server keys
 */
export async function findUnknownSends(pool: pg.Pool, node: Node, recovery: Recovery): Promise<UnknownSends> {
  const { wallet, used, finalBlock, onProgress, keys } = recovery;
  const nextNonce = await readNextNonce(pool, recovery);
  const requests = await readOpenRequests(pool, recovery);
  const attempts = await readAttemptHashes(
    pool,
    requests.flatMap(({ nonce, requestId }) => (nonce !== null && nonce < used ? [requestId] : [])),
  );
  const known = await withReceipt(node, attempts);
  const lost = requests.flatMap(({ nonce, requestId }) =>
    nonce !== null && nonce < used && !known.has(requestId) ? [nonce] : [],
  );
  const first = recovery.fromNonce ?? nextNonce ?? used;
  const nonces = new Set([...lost, ...(await readUnownedNonces(pool, recovery, { first, end: used }))]);
  if (nonces.size === 0) return { matched: [], refused: [], recreated: [], unbound: [], nextNonce };
  const found = await findMinedTransactions(node, wallet, nonces, finalBlock, onProgress);
  const mined = found.mined.toSorted(byNonce);
  const { matched, refused, unmatched } = matchTransactions(wallet, requests, mined, keys ?? []);
  requireReceipts(matched, attempts);
  // A nonce that a request has belongs to no other one: where it was used elsewhere, `wallets give-up` decides.
  const owned = new Set(requests.map(({ nonce }) => nonce));
  const { recreated, unbound } = await recreateAll(pool, recovery, unmatched, owned);
  const foreign = found.foreign.map((one) => ({
    ...one,
    reason: "it is none that this service sends",
    user: null,
  }));
  return { matched, refused, recreated, unbound: [...unbound, ...foreign].toSorted(byNonce), nextNonce };
}

const byNonce = (a: { nonce: bigint }, b: { nonce: bigint }): number => (a.nonce < b.nonce ? -1 : 1);

/** Re-creates requests from transactions that name them. The API key that a trailer names must be in the database. */
async function recreateAll(
  pool: pg.Pool,
  { chainId, wallet, products, keys }: Recovery,
  transactions: readonly MinedTransaction[],
  owned: ReadonlySet<bigint | null>,
): Promise<Pick<UnknownSends, "recreated" | "unbound">> {
  const named = transactions.flatMap((transaction) => {
    const call = owned.has(transaction.nonce) ? null : readNamedCall(transaction, products);
    return call ? [{ call, keyIds: openKeyIds(requireKeys(keys), call.trailer) }] : [];
  });
  const existing = await readExistingKeys(
    pool,
    named.flatMap(({ keyIds }) => keyIds),
  );
  const recreated = named.flatMap(({ call, keyIds }: { call: NamedCall; keyIds: string[] }) => {
    const keyId = keyIds.find((id) => existing.has(id));
    const request = keyId === undefined ? null : recreate(call, { chainId, wallet, keyId });
    return request ? [request] : [];
  });
  const ownedByRecreated = new Set(recreated.map(({ transaction }) => transaction));
  const unbound = transactions
    .filter((transaction) => !ownedByRecreated.has(transaction))
    .map((transaction) => {
      const { hash, nonce } = transaction;
      const described = describeUnbound(wallet, transaction, products);
      const taken = owned.has(nonce) ? { reason: "another request has its nonce" } : {};
      return { hash, nonce, ...described, ...taken };
    });
  return { recreated, unbound };
}

function requireKeys(keys: Recovery["keys"]): readonly AttributionKey[] {
  if (keys) return keys;
  throw new Error(
    "ATTRIBUTION_KEYS is not set, and the wallet sent requests whose trailers only these keys read: set it as the api has it; nothing was changed",
  );
}

/**
 * Refuses a node without receipts: the worker follows stored transactions by their receipts, and could not end their requests
 * either.
 * @throws Error where the node lacks the receipt of a mined transaction
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

/** Returns the requests of which the node has a receipt for a signed attempt. */
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
 * Stores what was found, in the caller's transaction: matches as attempts of their requests, and re-created requests with their
 * attempts. The worker then follows each to its end by its receipt, and sends none of them again.
 * @throws Error where the wallet or a request changed since they were read
 */
export async function adoptSends(
  tx: Tx,
  { chainId, wallet, used }: Recovery,
  { matched, refused, recreated, nextNonce }: UnknownSends,
): Promise<void> {
  if ((await lockNextNonce(tx, { chainId, wallet })) !== nextNonce) {
    throw new Error("the wallet has sent something meanwhile: stop the workers, and try again");
  }
  for (const { request, transaction } of matched) {
    if (request.nonce !== null && request.state !== "reserved") continue;
    if (transaction.nonce >= used || !(await adoptNonce(tx, request.requestId, transaction.nonce))) {
      throw new Error(`${request.requestId} has changed meanwhile: try again`);
    }
  }
  for (const { request, errCode } of refused) {
    const reason = "a request that a restored backup lacked has its name";
    await endRequest(tx, request.requestId, { state: "canceled", errCode, reason });
  }
  await insertRecreated(tx, recreated);
  const sent = [
    ...matched,
    ...recreated.map(({ requestId, transaction }) => {
      const kind = "call" as const;
      return { request: { requestId, nonce: transaction.nonce }, transaction, kind };
    }),
  ];
  await insertAttempts(
    tx,
    { nodes: { chainId }, signer: { address: wallet } },
    sent.map(({ request, transaction, kind }) => ({ ...transaction, requestId: request.requestId, kind })),
  );
  const shown = sent.filter(({ kind }) => kind === "call");
  await pointTo(
    tx,
    shown.map(({ request, transaction }) => ({ requestId: request.requestId, hash: transaction.hash })),
  );
}
