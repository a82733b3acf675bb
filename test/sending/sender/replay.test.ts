import { describe, expect, it } from "@jest/globals";
import type { RpcAnswer, RpcCall } from "../../../src/chain/rpc.ts";
import { type Node, parseAnswer } from "../../../src/sending/sender/nodes.ts";
import type { Receipt } from "../../../src/sending/sender/receipt-decision.ts";
import { explainRevert, resimulate } from "../../../src/sending/sender/replay.ts";
import { hex } from "../../support/assert/sample.ts";
import { rawSend, toSendRow } from "../../support/sender/fake-outbox.ts";

const request = toSendRow(rawSend());
const PASSES: RpcAnswer = { kind: "result", value: "0x" };
const fails = (message: string): RpcAnswer => ({ kind: "error", code: 3, message, data: null });

interface Call {
  gas: bigint;
  block: string;
}

/** Returns a node that simulates calls so. */
const nodeWhere = (answer: (call: Call) => RpcAnswer) =>
  ({
    askMany: async (calls: RpcCall[]) =>
      calls.map(({ params: [call, block] }) =>
        answer({ gas: BigInt((call as { gas: string }).gas), block: String(block) }),
      ),
    read: (method: string, given: RpcAnswer, shape: Parameters<typeof parseAnswer>[2]) =>
      parseAnswer(method, given, shape),
  }) as unknown as Node;

const receipt = (gasUsed: bigint): Receipt => ({
  hash: hex(32, 1),
  blockNumber: 9n,
  blockHash: hex(32, 2),
  success: false,
  gasUsed,
});
const withMore = ({ gas }: Call): boolean => gas === request.gasLimit * 2n;

describe("a revert", () => {
  it("is that of its block where the call passes at the block before", async () => {
    const asked: string[] = [];
    const node = nodeWhere(({ block }) => {
      asked.push(block);
      return block === "0x8" ? PASSES : fails("execution reverted");
    });
    expect(await explainRevert(node, request, receipt(1n))).toEqual({
      errCode: "CHAIN_REVERT",
      revert: null,
    });
    expect(asked).toEqual(["0x8", "0x9"]);
  });

  it("is for lack of gas where twice as much is enough", async () => {
    const node = nodeWhere((call) => (withMore(call) ? PASSES : fails("out of gas")));
    expect(await explainRevert(node, request, receipt(request.gasLimit))).toMatchObject({
      errCode: "OUT_OF_GAS",
    });
    expect(await explainRevert(node, request, receipt(1n))).toMatchObject({ errCode: "CHAIN_REVERT" });
  });
});

describe("a request that would be sent now", () => {
  it.each<[string, (call: Call) => RpcAnswer, object | undefined]>([
    ["passes", () => PASSES, undefined],
    ["lacks gas", (call) => (withMore(call) ? PASSES : fails("out of gas")), { errCode: "OUT_OF_GAS" }],
    ["reverts whatever gas it has", () => fails("execution reverted"), { errCode: "CHAIN_REVERT" }],
    ["lacks gas however much it has", () => fails("out of gas"), undefined],
    [
      "cannot be simulated by the node",
      (call) => (withMore(call) ? PASSES : fails("the state is not available")),
      undefined,
    ],
  ])("%s", async (_what, answer, expected) => {
    const found = await resimulate(nodeWhere(answer), [request]);
    expect(found.get(request.requestId)).toEqual(expected && { revert: null, ...expected });
  });
});
