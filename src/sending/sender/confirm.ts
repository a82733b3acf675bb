import pLimit from "p-limit";
import type { Ending } from "../outbox/end-store.ts";
import { confirmNonceConsumed } from "./account-nonce.ts";
import { type ChainFacts, createChainFacts, findReceipt } from "./chain-facts.ts";
import type { MinedRow } from "./confirm-store.ts";
import { type Cycle, halt } from "./context.ts";
import { withoutDisputed } from "./disputed.ts";
import { NodeUnreachable } from "./nodes.ts";
import { decideReceipt, type Receipt, type ReceiptDecision } from "./receipt-decision.ts";
import { type Explanation, explainRevert } from "./replay.ts";
import type { SenderTx } from "./sender-store.ts";
import { recordFinal, recordMined } from "./spans.ts";
import type { InFlight } from "./store.ts";

/** Requests that are looked up concurrently, where one question to the cycle's node does not decide them. */
const CONCURRENT = 16;

/**
 * Stores the chain's state of requests. Only receipts decide; before finality they are hints. Halts the wallet where a nonce has
 * been used for `foreignGraceMs` and no node has a receipt: it was used elsewhere.
 * @throws NodeUnreachable once everything is stored that the nodes answered
 */
export async function confirmAll(cycle: Cycle, requests: readonly InFlight[]): Promise<void> {
  const { node, state, accountNonce } = cycle;
  // Clears suspicions of nonces that a reorg freed: their grace begins anew.
  for (const { requestId, nonce } of requests) if (nonce >= accountNonce) state.suspicions.delete(requestId);
  const facts = createChainFacts(node);
  const due = await loadDue(cycle, requests, facts);
  const limit = pLimit(CONCURRENT);
  const decided = await Promise.allSettled(due.map((request) => limit(() => decide(cycle, request, facts))));
  const decisions = due.flatMap((request, index): Decided[] => {
    const outcome = decided[index];
    return outcome?.status === "fulfilled" ? [{ request, decision: outcome.value }] : [];
  });
  await apply(cycle, decisions);
  rethrow(decided);
  // A lagging node has not confirmed anything above its head.
  const behind = requests.some(({ minedBlock }) => minedBlock !== null && minedBlock > node.head.number);
  state.anchor = behind ? null : { number: node.head.number, hash: node.head.hash };
  state.quietHead = behind || due.length > 0 ? null : node.head.hash;
}

/** Throws the first failure, if any. */
function rethrow(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/**
 * Loads the data of most decisions, in one or two requests to the node.
 * @returns the requests on which the chain may have news: a mined one is left out while it is not final yet and no reorg can have
 * removed it
 */
async function loadDue(
  { node, wallet, state, accountNonce }: Cycle,
  requests: readonly InFlight[],
  facts: ChainFacts,
): Promise<InFlight[]> {
  const { anchor } = state;
  const sent = requests.filter((request) => request.state !== "mined" && request.nonce < accountNonce);
  const mined = requests.filter((request) => request.state === "mined");
  const deep = mined.filter(
    ({ minedBlock }) => node.head.number - (minedBlock ?? 0n) >= BigInt(wallet.nodes.confirmations),
  );
  const receipts = sent.flatMap(({ attempts }) => attempts.at(-1)?.hash ?? []);
  await facts.load({ blocks: [...(anchor ? [anchor.number] : []), ...blocksOf(deep)], receipts });
  const anchored = anchor !== null && (await facts.blockHash(anchor.number)) === anchor.hash;
  const found = await Promise.all(receipts.map(facts.receipt));
  const including = found.flatMap((receipt) => receipt?.blockNumber ?? []);
  await facts.load({ blocks: [...including, ...(anchored ? [] : blocksOf(mined))], receipts: [] });
  return [...sent, ...(anchored ? deep : mined)];
}

const blocksOf = (requests: readonly InFlight[]): bigint[] =>
  requests.flatMap(({ minedBlock }) => minedBlock ?? []);

interface Decided<K extends ReceiptDecision = ReceiptDecision> {
  request: InFlight;
  decision: K;
}

async function apply(cycle: Cycle, decided: readonly Decided[]): Promise<void> {
  const { deps, state } = cycle;
  for (const { request, decision } of decided) {
    if (decision.kind !== "foreign") state.suspicions.delete(request.requestId);
  }
  const requestsOf = (kind: ReceiptDecision["kind"]) =>
    decided.filter(({ decision }) => decision.kind === kind).map(({ request }) => request);
  const mined = decided.flatMap(({ request, decision }) =>
    decision.kind === "mined" ? [{ request, receipt: decision.receipt }] : [],
  );
  // A failure here delays none of the other decisions: it is thrown once they are stored.
  const [explained] = await Promise.allSettled([storeMined(cycle, mined)]);
  await storeFinal(cycle, await withoutDisputed(cycle, requestsOf("final")));
  const reorged = requestsOf("reorged");
  for (const { requestId, txHash } of reorged) {
    deps.log.warn({ requestId, txHash }, "a reorg took a transaction out");
  }
  await storeReorged(cycle, reorged);
  for (const request of requestsOf("foreign")) await suspectForeignUse(cycle, request);
  rethrow([explained]);
}

async function decide(cycle: Cycle, request: InFlight, facts: ChainFacts): Promise<ReceiptDecision> {
  const { deps, wallet, node, accountNonce } = cycle;
  const { confirmations } = wallet.nodes;
  const mined = request.state === "mined" && request.minedBlock !== null ? request.minedBlock : null;
  const canonicalHash = mined === null ? null : await facts.blockHash(mined);
  const view = { head: node.head.number, accountNonce, confirmations, canonicalHash };
  const first = decideReceipt(request, { ...view, receipt: undefined });
  if (first.kind !== "ask") return first;
  await deps.store.loadAttempts(request);
  const hashes = request.attempts.map(({ hash }) => hash).reverse();
  const receipt = await findReceipt(wallet, node, facts, hashes);
  // A receipt may come from a node other than this view's: it counts once its block is in this view too.
  const agreed =
    receipt && (await facts.blockHash(receipt.blockNumber)) === receipt.blockHash ? receipt : null;
  if (receipt && !agreed) return { kind: "nothing" };
  const decision = decideReceipt(request, { ...view, receipt: agreed });
  if (decision.kind === "ask") throw new Error("a decision asked twice");
  if (decision.kind === "foreign") {
    deps.log.warn(
      { requestId: request.requestId, nonce: request.nonce.toString() },
      "a nonce is used, no receipt found",
    );
  }
  return decision;
}

async function suspectForeignUse(cycle: Cycle, request: InFlight): Promise<void> {
  const { deps, state } = cycle;
  const since = state.suspicions.get(request.requestId) ?? deps.now();
  state.suspicions.set(request.requestId, since);
  if (deps.now() - since < deps.config.foreignGraceMs) return;
  const used = await confirmNonceConsumed(cycle, request.nonce);
  state.suspicions.delete(request.requestId);
  if (!used) return;
  await halt(
    cycle,
    `nonce ${request.nonce} was used by a transaction that is not ours (request ${request.requestId})`,
  );
}

interface Mined {
  request: InFlight;
  receipt: Receipt;
}

/** Stores receipts. A revert that the node cannot explain waits for the next cycle, and delays nothing else of the wallet. */
async function storeMined(cycle: Cycle, mined: readonly Mined[]): Promise<void> {
  const { deps, wallet, state } = cycle;
  const limit = pLimit(CONCURRENT);
  const explained = await Promise.allSettled(mined.map((each) => limit(() => toMinedRow(cycle, each))));
  const rows = explained.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const stored = new Set(rows.map(({ requestId }) => requestId));
  const succeeded = mined.filter(({ request }) => stored.has(request.requestId));
  if (rows.length > 0) {
    await deps.store.underLease(wallet, async (tx) => {
      await tx.storeMinedRows(rows);
      const renamed = succeeded.filter(({ request, receipt }) => receipt.hash !== request.txHash);
      const calls = renamed.filter((each) => !isFiller(each));
      if (calls.length > 0) {
        await tx.pointTo(
          calls.map(({ request, receipt }) => ({ requestId: request.requestId, hash: receipt.hash })),
        );
      }
      await liftDelegationBlocks(tx, succeeded);
      deps.crash?.("mined:before-commit");
    });
    deps.crash?.("mined:after-commit");
    for (const { request, receipt } of succeeded) recordMined(request, receipt, deps.now());
    for (const { request } of succeeded.filter((each) => !isFiller(each))) {
      deps.onReached?.("mined", wallet.nodes.chainId, (deps.now() - request.acceptedAtMs) / 1000);
    }
  }
  for (const requestId of stored) state.unexplained.delete(requestId);
  const ids = new Set(mined.map(({ request }) => request.requestId));
  cycle.inFlight = cycle.inFlight.filter(({ requestId }) => !ids.has(requestId));
  alarmUnexplained(cycle, explained);
}

/**
 * Raises the alarm where a node could not be asked for the reason of a revert.
 * @throws all other failures
 */
function alarmUnexplained(
  { deps, wallet: { nodes, signer } }: Cycle,
  explained: readonly PromiseSettledResult<unknown>[],
): void {
  for (const outcome of explained) {
    if (outcome.status === "fulfilled") continue;
    if (!(outcome.reason instanceof NodeUnreachable)) throw outcome.reason;
    const { message: reason } = outcome.reason;
    deps.alarm("node-unreachable", { chainId: nodes.chainId, wallet: signer.address, reason });
  }
}

const isFiller = ({ request, receipt }: Mined): boolean =>
  request.attempts.find(({ hash }) => hash === receipt.hash)?.kind === "filler";

async function toMinedRow(cycle: Cycle, mined: Mined): Promise<MinedRow> {
  const { request, receipt } = mined;
  const filler = isFiller(mined);
  const why = receipt.success || filler ? null : await explain(cycle, mined);
  return {
    requestId: request.requestId,
    block: receipt.blockNumber,
    blockHash: receipt.blockHash,
    success: receipt.success,
    filler,
    errCode: why?.errCode ?? null,
    revert: why?.revert ?? null,
  };
}

/**
 * Returns the reason of a revert. Nodes may no longer have the state of its block: where a second try fails and the block is
 * final, the reason stays unknown, so that the request can end.
 * @throws NodeUnreachable
 */
async function explain({ node, wallet, state }: Cycle, { request, receipt }: Mined): Promise<Explanation> {
  try {
    return await explainRevert(node, request, receipt);
  } catch (error) {
    if (!(error instanceof NodeUnreachable)) throw error;
    const isFinal = node.head.number - receipt.blockNumber >= BigInt(wallet.nodes.confirmations);
    if (isFinal && state.unexplained.has(request.requestId)) return { errCode: "CHAIN_REVERT", revert: null };
    state.unexplained.add(request.requestId);
    throw error;
  }
}

/** Lifts the blocks of earlier disables after mined enables. Locks users in the order of every transaction that locks several. */
async function liftDelegationBlocks(tx: SenderTx, mined: readonly Mined[]): Promise<void> {
  const enables = mined
    .filter((each) => each.receipt.success && !isFiller(each))
    .map(({ request }) => request);
  const inOrder = enables
    .filter(({ operation }) => operation === "1ct/enable")
    .sort((a, b) => orderOf(a).localeCompare(orderOf(b)));
  for (const request of inOrder) {
    if (request.delegationEpoch !== null) await tx.unblockDelegation(request, request.delegationEpoch);
  }
}

const orderOf = ({ productType, user }: InFlight): string => `${productType}/${user}`;

async function storeReorged(cycle: Cycle, requests: readonly InFlight[]): Promise<void> {
  if (requests.length === 0) return;
  const { deps, wallet } = cycle;
  const ids = requests.map(({ requestId }) => requestId);
  await deps.store.underLease(wallet, (tx) => tx.storeReorgedRows(ids));
  // Rare, so it reads again instead of repeating the reset in memory.
  cycle.inFlight = (await deps.store.readTracked(wallet)).unmined;
}

async function storeFinal({ deps, wallet }: Cycle, requests: readonly InFlight[]): Promise<void> {
  if (requests.length === 0) return;
  const calls = requests.filter(({ minedFiller }) => !minedFiller).map(({ requestId }) => requestId);
  await deps.store.underLease(wallet, async (tx) => {
    for (const request of requests)
      if (request.minedFiller) await tx.endFilled(request.requestId, fillerEnding(request));
    if (calls.length > 0) await tx.storeFinalRows(calls);
    deps.crash?.("final:before-commit");
  });
  for (const request of requests) recordFinal(request, deps.now());
}

function fillerEnding({ fillReason, reason }: InFlight): Ending {
  const expired = fillReason === "DEADLINE_EXPIRED";
  return {
    state: expired ? "canceled" : "failed",
    errCode: fillReason ?? "CHAIN_REVERT",
    reason: expired
      ? "its deadline passed; its nonce is filled"
      : (reason ?? "it could never be mined; its nonce is filled"),
  };
}
