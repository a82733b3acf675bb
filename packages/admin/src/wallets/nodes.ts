import { type Deployments, loadDeployments } from "../../../../src/config/deployments.ts";
import { parseEnv } from "../../../../src/config/env.ts";
import { createNodes, type Node, type Nodes } from "../../../../src/sending/sender/nodes.ts";
import { note, type Terminal } from "../terminal.ts";

const RPC_TIMEOUT_MS = 5_000;

export function deploymentsOf({ env }: Terminal): Deployments {
  return loadDeployments(parseEnv("cli wallets", env).DEPLOYMENTS_FILE, env);
}

/** @throws Error where the deployments file lacks the chain */
export function chainOf({ chains }: Deployments, chainId: number): Deployments["chains"][number] {
  const chain = chains.find((candidate) => candidate.chainId === chainId);
  if (chain) return chain;
  const known = chains.map((candidate) => candidate.chainId).join(", ");
  throw new Error(`chain ${chainId} is not in the deployments file: it has ${known}`);
}

export const nodesOf = (deployments: Deployments, chainId: number): Nodes =>
  createNodes({ ...chainOf(deployments, chainId), timeoutMs: RPC_TIMEOUT_MS });

/** Returns the highest final block. */
export function finalBlock({ confirmations }: Nodes, { head }: Node): bigint {
  const number = head.number - BigInt(confirmations);
  return number > 0n ? number : 0n;
}

/** Shows the progress of reading blocks. */
export const progressOf =
  (terminal: Terminal) =>
  (block: bigint, left: number): void =>
    note(terminal, `read the blocks from ${block} on; transactions to find: ${left}`);
