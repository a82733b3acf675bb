import type { Hex } from "viem";
import type { SenderDeps, Wallet } from "./deps.ts";
import { type Node, type Nodes, NodeUnreachable, quantity } from "./nodes.ts";

/** A node that the others do not agree with is left out for so long. */
const DISTRUST_MS = 60_000;

/**
 * Whether every usable node says that a nonce of the wallet is used up: one node's word halts nothing. A node that says so
 * alone is left out for a while, so that the wallet goes on with the others.
 * @throws NodeUnreachable where one does not tell
 */
export async function isNonceConsumed(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  nonce: bigint,
): Promise<boolean> {
  const { nodes, signer } = wallet;
  const counts = await nonceEverywhere(nodes, node, signer.address, "latest");
  if (counts.every((count) => count > nonce)) return true;
  deps.alarm("nodes-disagree", {
    chainId: nodes.chainId,
    wallet: signer.address,
    nonce: nonce.toString(),
    answers: counts.map(String),
  });
  nodes.avoid(node.url, DISTRUST_MS);
  return false;
}

/** How many transactions of an account are mined, by every usable node. @throws NodeUnreachable where they differ */
export async function agreedNonce(nodes: Nodes, node: Node, account: Hex, block: string): Promise<bigint> {
  const [first = 0n, ...others] = await nonceEverywhere(nodes, node, account, block);
  if (others.every((other) => other === first)) return first;
  throw new NodeUnreachable(`nodes of chain ${nodes.chainId} do not agree on the nonce of ${account}`);
}

async function nonceEverywhere(nodes: Nodes, node: Node, account: Hex, block: string): Promise<bigint[]> {
  const answers = await nodes.askAll(node.url, "eth_getTransactionCount", [account, block]);
  return answers.map((answer) => {
    const count = quantity.safeParse(answer.kind === "result" ? answer.value : undefined);
    if (!count.success) throw new NodeUnreachable(`a node does not tell the nonce of ${account}`);
    return count.data;
  });
}
