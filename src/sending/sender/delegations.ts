import { encodeFunctionData, type Hex } from "viem";
import { z } from "zod";
import { oneClickRouterAbi } from "../../contracts/abi/index.ts";
import type { SendRow } from "../outbox/rows.ts";
import { WITHOUT_DELEGATION } from "./cancellation-store.ts";
import type { Cycle } from "./context.ts";
import { NodeRefused } from "./nodes.ts";

/** State of a user's delegation to the wallet on the chain; `unknown` where the node refuses the read. */
type Delegation = "in-force" | "none" | "unknown";

/**
 * Reads the delegations of requests' users to the wallet, at the latest block of the cycle's node. Skips users already found
 * delegated in the same view of the chain, and reads all others in one request.
 * @returns the state by request id
 * @throws NodeUnreachable
 */
export async function readDelegations(
  { wallet: { signer }, node, delegated }: Pick<Cycle, "wallet" | "node" | "delegated">,
  requests: readonly SendRow[],
): Promise<ReadonlyMap<string, Delegation>> {
  const asked = new Map(requests.filter(isNeeded).map((request) => [keyOf(request), request]));
  for (const key of delegated) asked.delete(key);
  const calls = [...asked.values()].map((request) => callOf(signer.address, request));
  const answers = calls.length === 0 ? [] : await node.askMany(calls);
  const refused = new Set<string>();
  for (const [index, key] of [...asked.keys()].entries()) {
    const delegatee = unlessRefused(() => node.read("eth_call", answers[index], delegateeShape));
    if (delegatee === null) refused.add(key);
    else if (delegatee === signer.address) delegated.add(key);
  }
  const stateOf = (request: SendRow): Delegation => {
    if (!isNeeded(request) || delegated.has(keyOf(request))) return "in-force";
    return refused.has(keyOf(request)) ? "unknown" : "none";
  };
  return new Map(requests.map((request) => [request.requestId, stateOf(request)]));
}

const isNeeded = ({ operation }: SendRow): boolean => !WITHOUT_DELEGATION.includes(operation);
const keyOf = ({ to, user }: SendRow): string => `${to}/${user}`;

function callOf(from: Hex, { to, user }: SendRow) {
  const data = encodeFunctionData({ abi: oneClickRouterAbi, functionName: "delegateeOf", args: [user] });
  return { method: "eth_call", params: [{ from, to, data }, "latest"] };
}

/** Last 20 bytes of a word. Without a contract the answer is empty, and there is no delegatee. */
const delegateeShape = z.string().transform((word) => `0x${word.slice(2).slice(-40).toLowerCase()}`);

function unlessRefused<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof NodeRefused) return null;
    throw error;
  }
}
