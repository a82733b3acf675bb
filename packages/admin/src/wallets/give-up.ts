import { type Hex, toHex } from "viem";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { endRequest } from "../../../../src/sending/outbox/end-store.ts";
import { findById } from "../../../../src/sending/outbox/request-store.ts";
import type { SendRow } from "../../../../src/sending/outbox/rows.ts";
import { matchTransactions } from "../../../../src/sending/recovery/match.ts";
import { findMinedTransactions } from "../../../../src/sending/recovery/mined-transactions.ts";
import { readAttemptHashes } from "../../../../src/sending/recovery/store.ts";
import { agreedNonce } from "../../../../src/sending/sender/account-nonce.ts";
import type { Node, Nodes } from "../../../../src/sending/sender/nodes.ts";
import { insertAudit } from "../audit-store.ts";
import { confirm } from "../confirm.ts";
import { withPool } from "../database.ts";
import { printDone } from "../output.ts";
import { operator, type Terminal } from "../terminal.ts";
import { deploymentsOf, finalBlock, nodesOf, progressOf } from "./nodes.ts";
import { lockUnmined } from "./store.ts";

/** Ends a request whose nonce was used elsewhere, at a final block. */
export async function giveUp(
  terminal: Terminal,
  requestId: string,
  { yes, json }: { yes?: boolean; json?: boolean },
): Promise<void> {
  const warning = `${requestId} fails for good: its caller is told that it will never be on the chain.`;
  await confirm(terminal, { warning, name: requestId, yes });
  await withPool(terminal, async (pool) => {
    const request = await findById(pool, requestId);
    if (!request || request.nonce === null) throw new Error(`there is no request ${requestId} with a nonce`);
    const { chainId, nonce, state } = request;
    // Before nodes are asked: they may lack the receipt of a request that ended long ago.
    if (!["reserved", "signed", "broadcast"].includes(state))
      throw new Error(`${requestId} is ${state}: nothing was changed`);
    const hashes = (await readAttemptHashes(pool, [requestId])).map(({ hash }) => hash);
    const nodes = nodesOf(deploymentsOf(terminal), chainId);
    await requireLost(terminal, nodes, { request, nonce, hashes });
    await inTransaction(pool, async (tx) => {
      const isSame = await lockUnmined(tx, requestId);
      if (!isSame || (await readAttemptHashes(tx, [requestId])).length !== hashes.length)
        throw new Error(`${requestId} has changed meanwhile: try again`);
      await endRequest(tx, requestId, {
        state: "failed",
        errCode: "OPERATOR_UNAVAILABLE",
        reason: "its nonce was used by a transaction that is not ours",
      });
      const entry = { action: "wallets give-up", subject: requestId };
      await insertAudit(tx, { actor: operator(), ...entry, detail: { nonce: nonce.toString() } });
    });
    printDone(terminal, { json, document: { requestId }, line: `${requestId} has failed` });
  });
}

interface Signed {
  request: SendRow;
  nonce: bigint;
  /** Hashes of all of its signed attempts. */
  hashes: readonly Hex[];
}

/** @throws Error unless a nonce is used up at a final block, by a transaction that is none of these */
async function requireLost(terminal: Terminal, nodes: Nodes, signed: Signed): Promise<void> {
  await nodes.compare();
  const node = await nodes.open();
  const final = finalBlock(nodes, node);
  const used = await agreedNonce(nodes, node, signed.request.wallet, toHex(final));
  if (used <= signed.nonce) throw new Error("its nonce is not used up for good: it may still be mined");
  await requireNoReceipt(nodes, node, signed);
  await requireForeign(node, signed, final, progressOf(terminal));
}

async function requireNoReceipt(nodes: Nodes, node: Node, { hashes }: Signed): Promise<void> {
  for (const txHash of hashes) {
    const found = await nodes.askEach(
      node.url,
      "eth_getTransactionReceipt",
      [txHash],
      (answer) => answer.kind !== "result" || answer.value !== null,
    );
    if (found.kind !== "result" || found.value !== null)
      throw new Error(`${txHash} may be mined: the worker follows it`);
  }
}

/**
 * Reads blocks for the transaction that used the nonce, as `wallets resume` does: nodes prune receipts earlier than blocks, so a
 * missing receipt proves nothing.
 */
async function requireForeign(
  node: Node,
  { request, nonce, hashes }: Signed,
  final: bigint,
  onProgress: (block: bigint, left: number) => void,
): Promise<void> {
  const { wallet, requestId } = request;
  const { mined } = await findMinedTransactions(node, wallet, new Set([nonce]), final, onProgress);
  const stored = mined.find(({ hash }) => hashes.includes(hash));
  if (stored)
    throw new Error(
      `${stored.hash} of ${requestId} is mined, and no node has a receipt of it, as those that prune receipts: put a node that has it first in rpcUrls, for the worker, which then follows it; nothing was changed`,
    );
  // The request is matched by its nonce, not by its names.
  const [match] = matchTransactions(wallet, [{ ...request, idempotencyKey: null }], mined, []).matched;
  if (match)
    throw new Error(
      `${match.transaction.hash} may be of ${requestId}, as after a restored backup: \`wallets resume\` stores it; nothing was changed`,
    );
}
