import type { Hex } from "viem";
import type { RpcAnswer } from "../../chain/rpc.ts";
import type { Cycle } from "./context.ts";
import { LEFT_OUT_MS, type Node, type Nodes, NodeUnreachable, transactionCount } from "./nodes.ts";

/**
 * Returns true where every usable node reports a nonce of the wallet as used: a single node cannot halt a wallet.
 * @throws as isReportedByAll
 */
export const confirmNonceConsumed = (cycle: Cycle, nonce: bigint): Promise<boolean> =>
  isReportedByAll(cycle, nonce, (count) => count > nonce);

/**
 * Returns true where every usable node reports a nonce of the wallet as unused.
 * @throws as isReportedByAll
 */
export const confirmNonceUnused = (cycle: Cycle, nonce: bigint): Promise<boolean> =>
  isReportedByAll(cycle, nonce, (count) => count <= nonce);

/**
 * Returns true where all usable nodes agree with the cycle's node on one of the wallet's nonces. Otherwise raises
 * "nodes-disagree" and avoids the cycle's node for a minute.
 * @throws NodeUnreachable where one gives no nonce
 */
async function isReportedByAll(
  { deps, wallet: { nodes, signer }, node }: Cycle,
  nonce: bigint,
  fits: (count: bigint) => boolean,
): Promise<boolean> {
  const counts = await nonceEverywhere(nodes, node, signer.address, "latest");
  if (counts.every(fits)) return true;
  deps.alarm("nodes-disagree", {
    chainId: nodes.chainId,
    wallet: signer.address,
    nonce: nonce.toString(),
    answers: counts.map(String),
  });
  nodes.avoid(node.url, LEFT_OUT_MS);
  return false;
}

/**
 * Returns the number of an account's mined transactions.
 * @throws NodeUnreachable where usable nodes differ
 */
export async function agreedNonce(nodes: Nodes, node: Node, account: Hex, block: string): Promise<bigint> {
  const [first = 0n, ...others] = await nonceEverywhere(nodes, node, account, block);
  if (others.every((other) => other === first)) return first;
  throw new NodeUnreachable(`nodes of chain ${nodes.chainId} do not agree on the nonce of ${account}`);
}

/** Returns the nonces that the usable nodes report; some may not answer. @throws NodeUnreachable where none does */
export async function reportedNonces(
  nodes: Nodes,
  node: Node,
  account: Hex,
  block: string,
): Promise<bigint[]> {
  const answers = await nodes.askAll(node.url, "eth_getTransactionCount", [account, block]);
  const counts = answers.flatMap((answer) => nonceOf(answer) ?? []);
  if (counts.length === 0) throw new NodeUnreachable(`no node gives a nonce of ${account}`);
  return counts;
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
  const count = transactionCount.safeParse(answer.kind === "result" ? answer.value : undefined);
  return count.success ? count.data : null;
}
