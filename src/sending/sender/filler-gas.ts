import type { Cycle } from "./context.ts";
import { NodeRefused, NodeUnreachable, quantity } from "./nodes.ts";
import type { InFlight } from "./store.ts";

/** Gas of a transfer without value or data, on chains that charge for nothing else. */
const FILLER_GAS = 21_000n;

/**
 * Returns the gas limit of a filler: 1.5 times a node's estimate, and at most the limit of the call. Chains that charge gas for
 * data on another chain refuse a transfer at 21,000. Null without an estimate.
 */
export function fillerGas({ gasLimit }: InFlight, estimate: bigint | null): bigint | null {
  if (estimate === null) return null;
  if (estimate <= FILLER_GAS || gasLimit <= FILLER_GAS) return FILLER_GAS;
  const roomy = (estimate * 3n) / 2n;
  return roomy < gasLimit ? roomy : gasLimit;
}

/**
 * Returns the gas of a transfer without value or data as the cycle's node estimates it. Returns null, and raises "node-unreachable",
 * where the node does not answer: a filler with too little gas would halt the wallet.
 */
export async function estimateTransfer({
  deps,
  node,
  wallet: { nodes, signer },
}: Cycle): Promise<bigint | null> {
  const transfer = { from: signer.address, to: signer.address, value: "0x0" };
  try {
    return await node.ask("eth_estimateGas", [transfer], quantity);
  } catch (error) {
    if (error instanceof NodeRefused) return FILLER_GAS;
    if (!(error instanceof NodeUnreachable)) throw error;
    const { message: reason } = error;
    deps.alarm("node-unreachable", { chainId: nodes.chainId, wallet: signer.address, reason });
    return null;
  }
}
