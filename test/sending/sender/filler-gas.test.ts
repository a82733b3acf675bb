import { describe, expect, it } from "@jest/globals";
import type { Cycle } from "../../../src/sending/sender/context.ts";
import { estimateTransfer, fillerGas } from "../../../src/sending/sender/filler-gas.ts";
import { NodeRefused, NodeUnreachable } from "../../../src/sending/sender/nodes.ts";
import type { InFlight } from "../../../src/sending/sender/store.ts";
import { hex } from "../../support/assert/sample.ts";

it.each([
  [500_000n, null, null],
  [500_000n, 21_000n, 21_000n],
  [20_000n, 60_000n, 21_000n],
  [500_000n, 60_000n, 90_000n],
  [80_000n, 60_000n, 80_000n],
])("a filler of a call with %d gas has, by an estimate of %d, %d", (gasLimit, estimate, expected) => {
  expect(fillerGas({ gasLimit } as InFlight, estimate)).toBe(expected);
});

describe("the estimate of a transfer", () => {
  const alarms: string[] = [];
  const cycleWhere = (ask: () => Promise<bigint>) =>
    ({
      deps: { alarm: (name: string) => alarms.push(name) },
      node: { ask },
      wallet: { nodes: { chainId: 31337 }, signer: { address: hex(20, 1) } },
    }) as unknown as Cycle;
  const failing = (error: Error) => cycleWhere(() => Promise.reject(error));

  it("is a node's, or the usual gas where the node refuses to estimate", async () => {
    expect(await estimateTransfer(cycleWhere(async () => 60_000n))).toBe(60_000n);
    const refused = new NodeRefused({ code: -32601, message: "no such method", data: null });
    expect(await estimateTransfer(failing(refused))).toBe(21_000n);
    expect(alarms).toEqual([]);
  });

  it("is none, with an alarm, where the node does not answer, and hides no mistake of ours", async () => {
    expect(await estimateTransfer(failing(new NodeUnreachable("silent")))).toBeNull();
    expect(alarms).toEqual(["node-unreachable"]);
    await expect(estimateTransfer(failing(new Error("a mistake")))).rejects.toThrow("a mistake");
  });
});
