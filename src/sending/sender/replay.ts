import { z } from "zod";
import type { RpcAnswer, RpcCall } from "../../chain/rpc.ts";
import { decodeRevert } from "../../contracts/reverts.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import type { SendRow } from "../outbox/rows.ts";
import { type Node, NodeRefused } from "./nodes.ts";
import type { Receipt } from "./receipt-decision.ts";

export interface Explanation {
  errCode: ErrCode;
  /** Name of the custom error, if known. */
  revert: string | null;
}

/** Share of the gas limit, in percent: nested calls keep back 1/64 at each level, so a call that runs out of gas never uses 100. */
const OUT_OF_GAS_PERCENT = 92n;

/**
 * Returns the reason of a mined transaction's revert, by replaying its call at the parent block: out of gas where it fails with
 * its limit and passes with twice as much, else its own revert. Where it passes there, an earlier transaction of its block caused
 * the revert, and it is replayed at that block.
 * @throws NodeUnreachable
 */
export async function explainRevert(node: Node, request: SendRow, receipt: Receipt): Promise<Explanation> {
  const parent = receipt.blockNumber - 1n;
  const failure = await replay(node, request, request.gasLimit, parent);
  const nearlyAll = receipt.gasUsed * 100n >= request.gasLimit * OUT_OF_GAS_PERCENT;
  if (nearlyAll && failure && !(await replay(node, request, request.gasLimit * 2n, parent))) {
    return { errCode: "OUT_OF_GAS", revert: null };
  }
  const reason = failure ?? (await replay(node, request, request.gasLimit, receipt.blockNumber));
  return { errCode: "CHAIN_REVERT", revert: decodeRevert(reason)?.name ?? null };
}

/** Texts by which nodes report that a call ran and failed. */
const FAILED_RUN = /revert|out ?of ?gas/i;

/**
 * Simulates requests as they would be sent now.
 * @returns the reasons of failures, by id: out of gas where one fails with its limit and passes with twice as much. No entry for
 * one that passes, or that the node cannot simulate
 * @throws NodeUnreachable
 */
export async function resimulate(
  node: Node,
  requests: readonly SendRow[],
): Promise<Map<string, Explanation>> {
  const calls = requests.map((request) => ethCall(request, request.gasLimit, null));
  const answers = await node.askMany(calls);
  const failures = new Map<string, Explanation>();
  for (const [index, request] of requests.entries()) {
    const failure = failureOf(node, answers[index]);
    const why = failure && (await explainFailure(node, request, failure));
    if (why) failures.set(request.requestId, why);
  }
  return failures;
}

/**
 * Returns the reason of a call's failure, or null where the node could not run it.
 * @throws NodeUnreachable
 */
async function explainFailure(
  node: Node,
  request: SendRow,
  failure: NodeRefused,
): Promise<Explanation | null> {
  const revert = decodeRevert(failure)?.name ?? null;
  if (revert !== null) return { errCode: "CHAIN_REVERT", revert };
  if (!FAILED_RUN.test(failure.message)) return null;
  if (!(await replay(node, request, request.gasLimit * 2n, null)))
    return { errCode: "OUT_OF_GAS", revert: null };
  return /revert/i.test(failure.message) ? { errCode: "CHAIN_REVERT", revert } : null;
}

/** Simulates a call at a block; null: the newest. @returns null where it passes @throws NodeUnreachable */
async function replay(
  node: Node,
  request: SendRow,
  gas: bigint,
  block: bigint | null,
): Promise<NodeRefused | null> {
  const [answer] = await node.askMany([ethCall(request, gas, block)]);
  return failureOf(node, answer);
}

function ethCall({ wallet, to, data }: SendRow, gas: bigint, block: bigint | null): RpcCall {
  const call = { from: wallet, to, data, gas: `0x${gas.toString(16)}` };
  return { method: "eth_call", params: [call, block === null ? "latest" : `0x${block.toString(16)}`] };
}

/** @returns null where the call passes @throws NodeUnreachable */
function failureOf(node: Node, answer: RpcAnswer | undefined): NodeRefused | null {
  try {
    node.read("eth_call", answer, z.string());
    return null;
  } catch (error) {
    if (error instanceof NodeRefused) return error;
    throw error;
  }
}
