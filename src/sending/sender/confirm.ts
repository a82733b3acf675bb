import type { Hex } from "viem";
import { z } from "zod";
import { unblockDelegation } from "../delegation/store.ts";
import { endRequest, notify, setClaim } from "../outbox/end-store.ts";
import type { Tx } from "../outbox/transaction.ts";
import { confirmNonceConsumed } from "./account-nonce.ts";
import { type Cycle, halt } from "./context.ts";
import type { Wallet } from "./deps.ts";
import { underLease } from "./lease.ts";
import { hash, type Node, NodeUnreachable, quantity } from "./nodes.ts";
import { decideReceipt, type Receipt, type ReceiptDecision } from "./receipt-decision.ts";
import { type Explanation, explainRevert } from "./replay.ts";
import type { RpcAnswer } from "./rpc.ts";
import { type InFlight, pointTo, readTracked } from "./store.ts";

const receiptShape = z
  .object({
    transactionHash: hash,
    blockNumber: quantity,
    blockHash: hash,
    status: quantity,
    gasUsed: quantity,
  })
  .transform(
    ({ transactionHash, status, ...rest }): Receipt => ({
      ...rest,
      hash: transactionHash,
      success: status === 1n,
    }),
  )
  .nullable();

const blockShape = z.object({ hash }).nullable();

/** Requests that nodes are asked about at once. */
const CONCURRENT = 16;

/**
 * Stores what the chain says of requests. Only receipts decide; below finality they are hints. Halts the wallet where a
 * nonce has been used up for `foreignGraceMs` and no node has a receipt: somebody else used it.
 */
export async function confirmAll(cycle: Cycle, requests: readonly InFlight[]): Promise<void> {
  const { node, state } = cycle;
  const canonical = canonicalHashes(node);
  const { anchor } = state;
  const anchored = anchor !== null && (await canonical(anchor.number)) === anchor.hash;
  const due = requests.filter((request) => needsReceiptCheck(cycle, request, anchored));
  for (let start = 0; start < due.length; start += CONCURRENT) {
    const group = due.slice(start, start + CONCURRENT);
    const decisions = await Promise.all(group.map((request) => decide(cycle, request, canonical)));
    for (const [index, request] of group.entries()) {
      const decision = decisions[index];
      if (decision) await apply(cycle, request, decision);
    }
  }
  // A node that lags has not confirmed what is above its head.
  const behind = requests.some(({ minedBlock }) => minedBlock !== null && minedBlock > node.head.number);
  state.anchor = behind ? null : { number: node.head.number, hash: node.head.hash };
}

/** Returns false for a mined request while nothing can have taken it out and it is not final yet. */
function needsReceiptCheck(
  { node, wallet, accountNonce }: Cycle,
  request: InFlight,
  anchored: boolean,
): boolean {
  if (request.state !== "mined") return request.nonce < accountNonce;
  if (!anchored || request.minedBlock === null) return true;
  return node.head.number - request.minedBlock >= BigInt(wallet.nodes.confirmations);
}

async function apply(cycle: Cycle, request: InFlight, decision: ReceiptDecision): Promise<void> {
  const { deps, state } = cycle;
  if (decision.kind !== "foreign") state.suspicions.delete(request.requestId);
  switch (decision.kind) {
    case "nothing":
      return;
    case "foreign":
      return suspectForeignUse(cycle, request);
    case "mined":
      return storeMined(cycle, request, decision.receipt);
    case "final":
      return storeFinal(cycle, request);
    case "reorged":
      deps.log.warn(
        { requestId: request.requestId, txHash: request.txHash },
        "a reorg took a transaction out",
      );
      return storeReorged(cycle, request);
  }
}

async function decide(
  cycle: Cycle,
  request: InFlight,
  canonical: (block: bigint) => Promise<Hex | null>,
): Promise<ReceiptDecision> {
  const { deps, wallet, node, accountNonce } = cycle;
  const { confirmations } = wallet.nodes;
  const mined = request.state === "mined" && request.minedBlock !== null ? request.minedBlock : null;
  const canonicalHash = mined === null ? null : await canonical(mined);
  const view = { head: node.head.number, accountNonce, confirmations, canonicalHash };
  const first = decideReceipt(request, { ...view, receipt: undefined });
  if (first.kind !== "ask") return first;
  const receipt = await findReceipt(wallet, node, request);
  // A receipt may come from another node than this view: it counts once its block is this view's too.
  const agreed = receipt && (await canonical(receipt.blockNumber)) === receipt.blockHash ? receipt : null;
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

/** Returns the hash of a block by number as this node has it, asked once; null above its head. */
function canonicalHashes(node: Node): (block: bigint) => Promise<Hex | null> {
  const known = new Map<bigint, Promise<Hex | null>>();
  return (block) => {
    if (block > node.head.number) return Promise.resolve(null);
    const asked =
      known.get(block) ??
      node
        .ask("eth_getBlockByNumber", [`0x${block.toString(16)}`, false], blockShape)
        .then((found) => found?.hash ?? null);
    known.set(block, asked);
    return asked;
  };
}

/**
 * Returns the receipt of any attempt, on any node: one is enough, and none means that every node says so.
 * @throws NodeUnreachable where a node that might know does not answer
 */
async function findReceipt(wallet: Wallet, node: Node, request: InFlight): Promise<Receipt | null> {
  const hashes = request.attempts.map(({ hash }) => hash).reverse();
  for (const hash of hashes) {
    const own = await node.ask("eth_getTransactionReceipt", [hash], receiptShape);
    if (own) return own;
  }
  for (const hash of hashes) {
    const isNone = (answer: RpcAnswer): boolean => answer.kind === "result" && answer.value === null;
    const answer = await wallet.nodes.askEach(
      node.url,
      "eth_getTransactionReceipt",
      [hash],
      (a) => !isNone(a),
    );
    if (isNone(answer)) continue;
    const parsed = receiptShape.safeParse(answer.kind === "result" ? answer.value : undefined);
    if (!parsed.success) throw new NodeUnreachable("a node does not tell whether a transaction is mined");
    return parsed.data;
  }
  return null;
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

async function storeMined(cycle: Cycle, request: InFlight, receipt: Receipt): Promise<void> {
  const { deps, wallet, node } = cycle;
  const attempt = request.attempts.find(({ hash }) => hash === receipt.hash);
  const filler = attempt?.kind === "filler";
  const why: Explanation | null =
    receipt.success || filler ? null : await explainRevert(node, request, receipt);
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.send_request SET state = 'mined', mined_block = $2, mined_block_hash = $3, mined_success = $4,
         mined_filler = $5, err_code = $6, revert = $7, mined_at = now(),
         broadcast_at = coalesce(broadcast_at, now())
       WHERE request_id = $1`,
      [
        request.requestId,
        receipt.blockNumber.toString(),
        receipt.blockHash,
        receipt.success,
        filler,
        why?.errCode ?? null,
        why?.revert ?? null,
      ],
    );
    if (!filler && receipt.hash !== request.txHash) await pointTo(tx, request.requestId, receipt.hash);
    if (!filler && receipt.success) await liftDelegationBlock(tx, request);
    await notify(tx, request.requestId);
    deps.crash?.("mined:before-commit");
  });
  deps.crash?.("mined:after-commit");
  cycle.inFlight = cycle.inFlight.filter(({ requestId }) => requestId !== request.requestId);
}

/** Lifts, after a mined enable, the block that an earlier disable set. */
async function liftDelegationBlock(tx: Tx, request: InFlight): Promise<void> {
  if (request.operation !== "1ct/enable" || request.delegationEpoch === null) return;
  await unblockDelegation(tx, request, request.delegationEpoch);
}

async function storeReorged(cycle: Cycle, request: InFlight): Promise<void> {
  const { deps, wallet } = cycle;
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.send_request SET state = 'broadcast', mined_block = NULL, mined_block_hash = NULL,
         mined_success = NULL, mined_filler = NULL, err_code = NULL, revert = NULL, mined_at = NULL
       WHERE request_id = $1`,
      [request.requestId],
    );
    // Due at once; and being unknown to the nodes says nothing about these bytes after a reorg.
    await tx.query(
      `UPDATE app.send_attempt SET first_broadcast_at = NULL, last_broadcast_at = NULL, taken = 0, refusals = 0,
         answer = NULL
       WHERE request_id = $1`,
      [request.requestId],
    );
    await notify(tx, request.requestId);
  });
  // Rare, so it rereads instead of repeating the reset in memory.
  cycle.inFlight = (await readTracked(deps.pool, wallet)).unmined;
}

async function storeFinal({ deps, wallet }: Cycle, request: InFlight): Promise<void> {
  const { requestId } = request;
  await underLease(deps.pool, wallet, async (tx) => {
    if (request.minedFiller) {
      const expired = request.fillReason === "DEADLINE_EXPIRED";
      await endRequest(tx, requestId, {
        state: expired ? "canceled" : "failed",
        errCode: request.fillReason ?? "CHAIN_REVERT",
        reason: expired
          ? "its deadline passed; its nonce is filled"
          : (request.reason ?? "it could never be mined; its nonce is filled"),
      });
    } else {
      await tx.query(
        `UPDATE app.send_request SET state = 'final', outcome = $2, final_at = now(),
           operation_key = CASE WHEN $2 = 'confirmed' THEN operation_key END WHERE request_id = $1`,
        [requestId, request.minedSuccess ? "confirmed" : "reverted"],
      );
      await setClaim(tx, requestId, request.minedSuccess ? "final" : "reverted");
      await notify(tx, requestId);
    }
    deps.crash?.("final:before-commit");
  });
}
