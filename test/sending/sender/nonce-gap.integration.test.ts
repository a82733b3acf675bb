import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { present } from "../../support/assert/until.ts";
import { answers } from "../../support/chain/fake-chain.ts";
import {
  CONFIRMATIONS,
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
  type WalletOptions,
} from "../../support/sender/sender-fixture.ts";

// A reorg deeper than the chain's confirmations frees the nonce of an ended request; on a chain in memory.

let fixture: SenderFixture;
beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

const MINUTE_MS = 60_000;

/** Runs a cycle so much later that it reads everything again. */
async function later(one: DrivenWallet, ms = MINUTE_MS): Promise<void> {
  one.clock.nowMs += ms;
  await one.cycle();
}

/** Sends a request of a new wallet, which is mined in a block of its own with so many blocks on top. */
async function sent(blocksOnTop: number, options: WalletOptions = {}) {
  const one = await fixture.makeWallet(options);
  const id = await one.send();
  await one.cycle();
  const block = one.chain.mine(present((await one.row(id)).txHash, "a hash"));
  await later(one);
  one.chain.head += BigInt(blocksOnTop);
  await later(one);
  return { one, id, block };
}

/** Takes the transaction out of the chain. */
function takeOut({ chain }: DrivenWallet, block: bigint): void {
  chain.reorg(block);
  chain.nonce -= 1n;
}

it("raises the alarm for a final request that a deep reorg took out, and signs nothing until its nonce is used again", async () => {
  const { one, id, block } = await sent(CONFIRMATIONS);
  expect(await one.row(id)).toMatchObject({ state: "final", nonce: 7n });
  takeOut(one, block);
  const { foreignGraceMs } = one.deps.config;
  await later(one);
  await later(one, foreignGraceMs - 1);
  expect(one.alarms).toEqual([]);
  const waiting = await one.send();
  await later(one, 1);
  const fields = { chainId: 31337, wallet: one.address, nonce: "7", requestId: id };
  expect(one.alarms).toEqual([{ alarm: "nonce-gap", fields }]);
  expect(await one.row(waiting)).toMatchObject({ state: "accepted", nonce: null });
  expect(one.chain.taken).toHaveLength(1);
  expect(await one.row(id)).toMatchObject({ state: "final", outcome: "confirmed" });
  one.chain.nonce += 1n;
  await later(one);
  expect(await one.row(waiting)).toMatchObject({ state: "broadcast", nonce: 8n });
  expect(one.alarms).toHaveLength(1);
});

it("counts the grace period anew for each nonce, and for one that was used in between", async () => {
  const { one, block } = await sent(CONFIRMATIONS);
  takeOut(one, block);
  await later(one);
  one.chain.nonce += 1n;
  await later(one);
  one.chain.nonce -= 1n;
  await later(one);
  expect(one.alarms).toEqual([]);
  one.chain.nonce -= 1n;
  await later(one);
  expect(one.alarms).toEqual([]);
  // Nonce 6 is older than this service's use of the wallet.
  await later(one);
  expect(one.alarms).toMatchObject([{ alarm: "nonce-gap", fields: { nonce: "6", requestId: null } }]);
});

it("raises none while a request below finality has the nonce: what a reorg took out goes out again", async () => {
  const { one, id, block } = await sent(1);
  takeOut(one, block);
  await later(one);
  await later(one);
  expect(one.alarms).toEqual([]);
  expect(await one.row(id)).toMatchObject({ state: "broadcast", nonce: 7n });
});

it("raises none where the node only lacks the newest blocks", async () => {
  const { one, id } = await sent(0);
  expect(await one.row(id)).toMatchObject({ state: "mined" });
  one.chain.head -= 1n;
  one.chain.nonce -= 1n;
  await later(one);
  await later(one);
  expect(one.alarms).toEqual([]);
  expect(await one.row(id)).toMatchObject({ state: "mined" });
});

it("raises none on the word of one node, which is left out", async () => {
  const { one } = await sent(CONFIRMATIONS, { nodes: 2 });
  await one.wallet.nodes.compare();
  one.chain.intercept = ({ node, method }) =>
    node === 0 && method === "eth_getTransactionCount" ? answers("0x7") : undefined;
  await later(one);
  const waiting = await one.send();
  await later(one);
  const fields = { chainId: 31337, wallet: one.address, nonce: "7", answers: ["7", "8"] };
  expect(one.alarms).toEqual([{ alarm: "nodes-disagree", fields }]);
  expect(await one.row(waiting)).toMatchObject({ state: "broadcast", nonce: 8n });
});

it("asks nodes nothing more until the grace period has passed", async () => {
  const { one, block } = await sent(CONFIRMATIONS);
  const requestsOf = async (run: () => Promise<void>) => {
    const before = one.chain.requests;
    await run();
    return one.chain.requests - before;
  };
  const usual = await requestsOf(() => later(one));
  takeOut(one, block);
  expect(await requestsOf(() => later(one))).toBe(usual);
  expect(await requestsOf(() => later(one))).toBe(usual + 1);
});
