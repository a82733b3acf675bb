import { describe, expect, it } from "@jest/globals";
import type { RpcCall } from "../../../src/chain/rpc.ts";
import { type CycleState, newCycleState } from "../../../src/sending/sender/context.ts";
import { openCycle } from "../../../src/sending/sender/cycle.ts";
import type { SenderDeps } from "../../../src/sending/sender/deps.ts";
import { type Node, parseAnswer } from "../../../src/sending/sender/nodes.ts";
import type { WalletSnapshot } from "../../../src/sending/sender/shared-store.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import { hex } from "../../support/assert/sample.ts";

const NOW_MS = 1_800_000_000_000;
const VIEW_MS = 2_000;

/** Returns a node's view of the chain, and how often an account is read in it. */
function makeView() {
  let reads = 0;
  const node = {
    head: { number: 9n, hash: hex(32, 9) },
    askMany: async (calls: RpcCall[]) => {
      reads += 1;
      return calls.map(() => ({ kind: "result", value: "0x1" }));
    },
    read: (...args: Parameters<typeof parseAnswer>) => parseAnswer(...args),
  } as unknown as Node;
  return { node, reads: () => reads };
}

/** Opens a cycle in the view of the one before. @returns how often the account is read again */
async function readAgain(change: Partial<CycleState> & { readMs?: number; isOtherView?: boolean }) {
  const { readMs = NOW_MS, isOtherView = false, ...state } = change;
  const [view, before] = [makeView(), makeView()];
  const deps = {
    now: () => NOW_MS,
    config: { viewMs: VIEW_MS },
    store: { readTracked: async () => ({ unmined: [], mined: [] }) },
  } as unknown as SenderDeps;
  const wallet = { nodes: { open: async () => view.node }, signer: { address: hex(20, 1) } };
  const account = { node: isOtherView ? before.node : view.node, readMs } as CycleState["account"];
  const snapshot = { row: {}, hasUnmined: false, hasMined: false } as WalletSnapshot;
  await openCycle(deps, wallet as unknown as Wallet, { ...newCycleState(), account, ...state }, snapshot);
  return view.reads();
}

describe("the account of a wallet", () => {
  it.each<[string, Parameters<typeof readAgain>[0], number]>([
    ["once in a view of the chain", {}, 0],
    ["again in another view", { isOtherView: true }, 1],
    ["again once it is too old", { readMs: NOW_MS - VIEW_MS }, 1],
    ["again where the chain seems to be beyond the wallet's nonces", { aheadMs: NOW_MS }, 1],
    ["again where a nonce seems to be used elsewhere", { suspicions: new Map([["request", NOW_MS]]) }, 1],
  ])("is read %s", async (_when, change, expected) => {
    expect(await readAgain(change)).toBe(expected);
  });
});
