import { z } from "zod";
import type { RpcAnswer, RpcCall } from "../../chain/rpc.ts";
import { decodeRevert } from "../../contracts/reverts.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import type { SendRow } from "../outbox/rows.ts";
import { type Node, NodeRefused, parseAnswer } from "./nodes.ts";
import type { Receipt } from "./receipt-decision.ts";

export interface Explanation {
  errCode: ErrCode;
  /** The custom error's name, where there is one that we know. */
  revert: string | null;
}

/** Of its limit in percent: nested calls keep back 1/64 at each level, so a call that ran dry never shows 100. */
const OUT_OF_GAS_PERCENT = 92n;

/**
 * Returns why a mined transaction reverted, by replaying its call at the parent block: out of gas where it fails with its limit
 * and passes with twice as much, else whatever it reverted with. Where it passes there, a transaction of its own block came before
 * it, and it is replayed at that block.
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

/**
 * Simulates requests as they would be sent now.
 * @returns why they would revert, by id; nothing of one that passes, or of which the node cannot tell
 * @throws NodeUnreachable
 */
export async function resimulate(
  node: Node,
  requests: readonly SendRow[],
): Promise<Map<string, Explanation>> {
  const calls = requests.map((request) => ethCall(request, request.gasLimit, null));
  const answers = await node.askMany(calls);
  const failures = new Map<string, Explanation>();
  for (const [index, answer] of answers.entries()) {
    const failure = failureOf(answer);
    const { requestId } = requests[index] ?? {};
    if (!failure || requestId === undefined) continue;
    const revert = decodeRevert(failure)?.name ?? null;
    if (revert !== null || /revert/i.test(failure.message)) {
      failures.set(requestId, { errCode: "CHAIN_REVERT", revert });
    }
  }
  return failures;
}

async function replay(node: Node, request: SendRow, gas: bigint, block: bigint): Promise<NodeRefused | null> {
  const [answer = null] = await node.askMany([ethCall(request, gas, block)]);
  return answer && failureOf(answer);
}

function ethCall({ wallet, to, data }: SendRow, gas: bigint, block: bigint | null): RpcCall {
  const call = { from: wallet, to, data, gas: `0x${gas.toString(16)}` };
  return { method: "eth_call", params: [call, block === null ? "latest" : `0x${block.toString(16)}`] };
}

/** @returns null where the call passes @throws NodeUnreachable */
function failureOf(answer: RpcAnswer): NodeRefused | null {
  try {
    parseAnswer("eth_call", answer, z.string());
    return null;
  } catch (error) {
    if (error instanceof NodeRefused) return error;
    throw error;
  }
}
