import { z } from "zod";
import { decodeRevert } from "../../contracts/reverts.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import type { SendRow } from "../outbox/rows.ts";
import { type Node, NodeRefused } from "./nodes.ts";
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
 * and passes with twice as much, else whatever it reverted with.
 * @throws NodeUnreachable
 */
export async function explainRevert(node: Node, request: SendRow, receipt: Receipt): Promise<Explanation> {
  const parent = receipt.blockNumber - 1n;
  const failure = await replay(node, request, request.gasLimit, parent);
  const nearlyAll = receipt.gasUsed * 100n >= request.gasLimit * OUT_OF_GAS_PERCENT;
  if (nearlyAll && failure && !(await replay(node, request, request.gasLimit * 2n, parent))) {
    return { errCode: "OUT_OF_GAS", revert: null };
  }
  return { errCode: "CHAIN_REVERT", revert: decodeRevert(failure)?.name ?? null };
}

/**
 * Simulates a request as it would be sent now.
 * @returns why it would revert, or null where it passes or the node cannot tell
 * @throws NodeUnreachable
 */
export async function resimulate(node: Node, request: SendRow): Promise<Explanation | null> {
  const failure = await replay(node, request, request.gasLimit, null);
  if (!failure) return null;
  const revert = decodeRevert(failure)?.name ?? null;
  if (revert === null && !/revert/i.test(failure.message)) return null;
  return { errCode: "CHAIN_REVERT", revert };
}

async function replay(
  node: Node,
  request: SendRow,
  gas: bigint,
  block: bigint | null,
): Promise<NodeRefused | null> {
  const call = {
    from: request.wallet,
    to: request.to,
    data: request.data,
    gas: `0x${gas.toString(16)}`,
  };
  try {
    await node.ask("eth_call", [call, block === null ? "latest" : `0x${block.toString(16)}`], z.string());
    return null;
  } catch (error) {
    if (error instanceof NodeRefused) return error;
    throw error;
  }
}
