import type { Hex } from "viem";
import type { RpcAnswer } from "../../chain/rpc.ts";
import type { Cycle } from "./context.ts";
import { type Node, type Nodes, NodeUnreachable, quantity } from "./nodes.ts";

/** A node that the others do not agree with is left out for so long. */
const DISTRUST_MS = 60_000;

/**
 * Returns true where every usable node reports that a nonce of the wallet is used up: a single node cannot halt a
 * wallet. Otherwise raises "nodes-disagree" and avoids the cycle's node for a minute.
 * @throws NodeUnreachable where one gives no nonce
 */
export async function confirmNonceConsumed(cycle: Cycle, nonce: bigint): Promise<boolean> {
  const { deps, wallet, node } = cycle;
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

/** Returns how many transactions of an account are mined. @throws NodeUnreachable where usable nodes differ */
export async function agreedNonce(nodes: Nodes, node: Node, account: Hex, block: string): Promise<bigint> {
  const [first = 0n, ...others] = await nonceEverywhere(nodes, node, account, block);
  if (others.every((other) => other === first)) return first;
  throw new NodeUnreachable(`nodes of chain ${nodes.chainId} do not agree on the nonce of ${account}`);
}

/** Returns the highest of the nonces that the usable nodes report; some may not answer. @throws NodeUnreachable where none does */
export async function highestNonce(nodes: Nodes, node: Node, account: Hex, block: string): Promise<bigint> {
  const answers = await nodes.askAll(node.url, "eth_getTransactionCount", [account, block]);
  const counts = answers.flatMap((answer) => nonceOf(answer) ?? []);
  const [first, ...others] = counts;
  if (first === undefined) throw new NodeUnreachable(`no node gives a nonce of ${account}`);
  return others.reduce((highest, count) => (count > highest ? count : highest), first);
}

async function nonceEverywhere(nodes: Nodes, node: Node, account: Hex, block: string): Promise<bigint[]> {
  const answers = await nodes.askAll(node.url, "eth_getTransactionCount", [account, block]);
  return answers.map((answer) => {
    const count = nonceOf(answer);
    if (count === null) throw new NodeUnreachable(`a node gives no nonce of ${account}`);
    return count;
  });
}

function nonceOf(answer: RpcAnswer): bigint | null {
  const count = quantity.safeParse(answer.kind === "result" ? answer.value : undefined);
  return count.success ? count.data : null;
}
