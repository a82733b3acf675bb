import type { Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { requireWriter } from "../auth/viewer.ts";
import { resolveScope } from "../chain/clients.ts";
import { withRpcErrors } from "../chain/errors.ts";
import { findTransaction, type TransactionStatus } from "../chain/receipts.ts";
import type { Deps } from "../context/deps.ts";
import { atBlock } from "../context/endpoint.ts";
import { hash } from "../context/input/fields.ts";
import type { BlockRead } from "../context/request.ts";
import type { Mapping } from "../context/schema-types.ts";
import { whereIndexed } from "../db/errors.ts";
import type { OperationType } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { OPERATIONS } from "../protocol/operations.ts";
import { attributeByNode, findAttributedKey } from "./attribution/claim.ts";
import { awaitRows } from "./await-rows.ts";
import { type ClaimKey, findClaim, findSent, notOwned, writeClaim } from "./claim-store.ts";
import { type Effect, effectsOf } from "./effects.ts";
import { findOtherChain } from "./elsewhere.ts";
import { type Claim, presentMapping } from "./mapping.ts";
import { readIndexedClaim } from "./outcome-store.ts";
import { requireRecordingQuota } from "./recording-limit.ts";

/** A mapping, and the block it was read at; null where the index was not asked or had nothing. */
type RecordReply = BlockRead<Mapping>;

const recordShape = z.object({ txHash: hash });
type RecordInput = z.output<typeof recordShape>;

/** Describes an endpoint that records transactions of a kind, but for its route. */
export const recording = (operationType: OperationType) => ({
  cost: 2,
  input: recordShape,
  refusals: ["TRANSACTION_NOT_FOUND", "TX_WRONG_KIND", "TX_REVERTED", "TX_OWNED_BY_ANOTHER_KEY"] as const,
  resolve: atBlock(requireWriter, (deps, caller, input: RecordInput) =>
    recordTransaction(deps, caller, operationType, input),
  ),
});

/** Returns the endpoint that records transactions of a kind. */
const endpointOf = (operationType: OperationType): string =>
  operationType === "trade" ? "/orders/tx" : `/${OPERATIONS[operationType].path}/tx`;

/**
 * POST .../tx: claims a submitted transaction for a key (docs/api.md#recording-a-transaction). Idempotent for the key:
 * a claim that is there answers its present state, also where its transaction has reverted since. The receipt is read
 * from the node, so this works before the index has the transaction; one that is not mined yet becomes a pending claim.
 * @throws ApiError TRANSACTION_NOT_FOUND (it is of another chain), TX_WRONG_KIND, TX_REVERTED, TX_OWNED_BY_ANOTHER_KEY,
 *   RATE_LIMITED, RPC_UNAVAILABLE
 */
export async function recordTransaction(
  deps: Deps,
  caller: Caller,
  operationType: OperationType,
  input: RecordInput,
): Promise<RecordReply> {
  const reply = await record(deps, caller, operationType, input);
  const [claimId = ""] = reply.data.mappingId.split(".");
  // Of what is not indexed, the claim has written the row itself.
  if (reply.block) await awaitRows(deps, caller.chainId, claimId);
  return reply;
}

async function record(
  deps: Deps,
  caller: Caller,
  operationType: OperationType,
  { txHash }: RecordInput,
): Promise<RecordReply> {
  const sent = await findOwnSent(deps, caller, operationType, txHash);
  const key: ClaimKey = { operationType, txHash: sent?.txHash ?? txHash };
  const known = sent ?? (await findClaim(deps.prisma, caller, key));
  const live = known && known.state !== "dropped" ? known : null;
  const before = live && (await readIndexed(deps, caller, key));
  if (before?.reply && !before.rebound) return before.reply;
  // A second use of the key's own suffix maps nothing by itself, and can be recorded.
  if (before && !before.open && live?.source !== "attributed") throw notOwned();
  const isAnswered = live !== null && (!before?.open || before.reply !== null);
  const status = await readStatus(deps, caller, key.txHash, isAnswered);
  const effects = live && isReverted(status) ? [] : requireEffects(deps, caller, key, status);
  if (!sent) await requireNoOthersSuffix(deps, caller, key.txHash, status, isAnswered);
  if (live && effects.length === 0) return before?.reply ?? { block: null, data: presentMapping(live, null) };
  if (status.state === "unknown") await requireNewTransaction(deps, caller, key.txHash);
  const seen = status.state !== "unknown";
  const final = await isFinal(deps, caller, status);
  const recorded = await writeClaim(deps.pool, caller, key, { effects, seen, final });
  const indexed = await readIndexed(deps, caller, key);
  if (indexed?.reply) return indexed.reply;
  if (indexed && !indexed.open) throw notOwned();
  const { own } = recorded;
  const outcome = own && { ...own, ordinal: effects.indexOf(own), indexed: false };
  return { block: null, data: presentMapping(recorded.claim, outcome) };
}

/**
 * Returns this key's claim to what was sent here.
 * @throws ApiError TX_OWNED_BY_ANOTHER_KEY, TX_WRONG_KIND
 */
async function findOwnSent(
  { pool }: Deps,
  caller: Caller,
  operationType: OperationType,
  txHash: Hex,
): Promise<Claim | null> {
  const sent = await findSent(pool, caller, txHash);
  if (!sent) return null;
  if (sent.keyId !== caller.keyId) throw notOwned();
  if (sent.claim.operationType !== operationType) throw wrongKind(sent.claim.operationType);
  return sent.claim;
}

/** Asks the nodes about a transaction; a claim that is there answers although no node does. */
async function readStatus(
  deps: Deps,
  caller: Caller,
  txHash: Hex,
  claimed: boolean,
): Promise<TransactionStatus> {
  try {
    return await findTransaction(resolveScope(deps, caller).chain, txHash);
  } catch (error) {
    if (claimed && error instanceof ApiError) return { state: "waiting" };
    throw error;
  }
}

/**
 * Refuses a transaction that carries another key's valid suffix, by what a node has of it or what was verified before.
 * @param claimed a claim that is there answers although no node does
 * @throws ApiError TX_OWNED_BY_ANOTHER_KEY; where it is not claimed: RPC_UNAVAILABLE, INDEXER_BEHIND
 */
async function requireNoOthersSuffix(
  deps: Deps,
  caller: Caller,
  txHash: Hex,
  status: TransactionStatus,
  claimed: boolean,
): Promise<void> {
  const verified = status.state === "unknown" ? null : attributeByNode(deps, caller, txHash);
  const byNode = await verified?.catch((error: unknown) => {
    if (claimed && error instanceof ApiError) return null;
    throw error;
  });
  const keyId = byNode ?? (await findAttributedKey(deps.prisma, caller.chainId, txHash));
  if (keyId && keyId !== caller.keyId) throw notOwned();
}

/**
 * Requires of a transaction that no node of the chain knows that it is of no other chain.
 * @throws ApiError TRANSACTION_NOT_FOUND, RATE_LIMITED
 */
async function requireNewTransaction({ pool, chains }: Deps, caller: Caller, txHash: Hex): Promise<void> {
  await requireRecordingQuota(pool, caller.keyId);
  const other = await findOtherChain(chains, caller.chainId, txHash);
  if (other === null) return;
  throw new ApiError("TRANSACTION_NOT_FOUND", {
    param: "txHash",
    retryable: false,
    message: `The transaction is on chain ${other}, and not on chain ${caller.chainId}, which x-api-chain-id names`,
  });
}

const isReverted = (status: TransactionStatus): boolean => status.state === "mined" && status.reverted;

/**
 * Decides whether a transaction is final. Reads the head after the transaction: in doubt, it is.
 * @throws ApiError RPC_UNAVAILABLE
 */
async function isFinal(deps: Deps, caller: Caller, status: TransactionStatus): Promise<boolean> {
  if (status.state !== "mined") return false;
  const { client, config } = resolveScope(deps, caller).chain;
  const head = await withRpcErrors(() => client.getBlockNumber());
  return head - status.blockNumber >= BigInt(config.confirmations);
}

/** Returns what a mined transaction did of this kind, at least one; nothing where it is not mined yet. */
function requireEffects(deps: Deps, caller: Caller, key: ClaimKey, status: TransactionStatus): Effect[] {
  if (status.state !== "mined") return [];
  if (status.reverted) throw new ApiError("TX_REVERTED", { param: "txHash" });
  const all = effectsOf(status.logs, { ...resolveScope(deps, caller).product, chainId: caller.chainId });
  const effects = all.filter(({ operationType }) => operationType === key.operationType);
  if (effects.length > 0) return effects;
  throw wrongKind(all[0]?.operationType);
}

/** @param other what it is instead, where that is known */
function wrongKind(other: OperationType | undefined): ApiError {
  const hint = other ? `: it is a ${other}; record it with POST ${endpointOf(other)}` : "";
  return new ApiError("TX_WRONG_KIND", {
    param: "txHash",
    message: `The transaction is not a router call of this kind and scope${hint}`,
  });
}

/**
 * Reads what is indexed of a claim: null where nothing is; `reply` is null where the claim owns nothing of it, for good unless `open`.
 * `rebound` is true where another record may keep it better.
 */
async function readIndexed(
  deps: Deps,
  caller: Caller,
  key: ClaimKey,
): Promise<{ reply: RecordReply | null; open: boolean; rebound: boolean } | null> {
  const indexed = await whereIndexed(() => readIndexedClaim(deps.pool, caller, key), null);
  if (!indexed) return null;
  const { block, own, open, rebound } = indexed;
  return { reply: own && { block, data: presentMapping(own.claim, own.outcome) }, open, rebound };
}
