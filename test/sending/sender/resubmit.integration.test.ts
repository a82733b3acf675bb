import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Hex, keccak256, parseTransaction } from "viem";
import type { RpcAnswer } from "../../../src/chain/rpc.ts";
import { present } from "../../support/assert/until.ts";
import { answers, DOWN, fails, toHex } from "../../support/chain/fake-chain.ts";
import {
  CONFIRMATIONS,
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// The sender's reactions to nodes' answers to its bytes: repeats, their times and their fees; on a chain in memory.

let fixture: SenderFixture;
beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

const REBROADCAST_MS = 10_000;
const BUMP_MS = 30_000;

/** Sets the answers of nodes to bytes from now on, by node; undefined takes them. */
function answering(one: DrivenWallet, ...perNode: (RpcAnswer | undefined)[]): void {
  one.chain.intercept = ({ node, method }) =>
    method === "eth_sendRawTransaction" ? perNode[node] : undefined;
}

/** Sets the answers to bytes from now on, by their nonces; all others are taken. */
function answeringByNonce(one: DrivenWallet, perNonce: Record<number, RpcAnswer>): void {
  one.chain.intercept = ({ method, params: [bytes] }) =>
    method === "eth_sendRawTransaction" ? perNonce[parseTransaction(bytes as Hex).nonce ?? 0] : undefined;
}

const broadcastsOf = (one: DrivenWallet) =>
  one.chain.asked.filter(({ method }) => method === "eth_sendRawTransaction").map(({ node }) => node);

async function later(one: DrivenWallet, ms: number): Promise<void> {
  one.clock.nowMs += ms;
  await one.cycle();
}

async function sent(options: Parameters<SenderFixture["makeWallet"]>[0] = {}) {
  const one = await fixture.makeWallet(options);
  const id = await one.send();
  await one.cycle();
  return { one, id };
}

/** Sends a request that gets an answer at the first broadcast. */
async function told(answer: RpcAnswer, options: Parameters<SenderFixture["makeWallet"]>[0] = {}) {
  const one = await fixture.makeWallet(options);
  answering(one, answer);
  const id = await one.send();
  await one.cycle();
  return { one, id };
}

const last = (one: DrivenWallet) => parseTransaction(present(one.chain.taken.at(-1), "bytes"));

/** Requests of one cycle: those of its first group, and one more. */
async function moreThanOneGroup(one: DrivenWallet): Promise<{ sent: string[]; behind: string }> {
  const sent: string[] = [];
  for (let index = 0; index < 32; index++) sent.push(await one.send());
  const behind = await one.send();
  await one.cycle();
  return { sent, behind };
}

describe("bytes that are not mined", () => {
  it("go out again in time, the same, to every node", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    await one.wallet.nodes.compare();
    const id = await one.send();
    await one.cycle();
    expect({ broadcasts: broadcastsOf(one) }).toEqual({ broadcasts: [0] });
    await later(one, REBROADCAST_MS - 1);
    expect({ broadcasts: broadcastsOf(one) }).toEqual({ broadcasts: [0] });
    await later(one, 1);
    expect({ broadcasts: broadcastsOf(one) }).toEqual({ broadcasts: [0, 0, 1] });
    expect(new Set(one.chain.taken).size).toBe(1);
    const [attempt] = await one.attempts(id);
    expect(attempt).toMatchObject({ broadcasts: 2, last_broadcast_at: new Date(one.clock.nowMs) });
    expect(attempt?.first_broadcast_at?.getTime()).toBe(one.clock.nowMs - REBROADCAST_MS);
  });

  it("go out at a fee that is higher by an eighth, once the first in line has waited", async () => {
    const { one, id } = await sent();
    const behind = await one.send();
    await one.cycle();
    const first = present((await one.row(id)).txHash, "a hash");
    await later(one, BUMP_MS - 1);
    expect(await one.attempts(id)).toHaveLength(1);
    await later(one, 1);
    expect(last(one)).toMatchObject({
      nonce: 7,
      maxFeePerGas: 4_500_000_001n,
      maxPriorityFeePerGas: 2_250_000_001n,
    });
    expect(await one.attempts(id)).toMatchObject([
      { kind: "call", tx_hash: first, nonce: "7" },
      { kind: "call", gas_limit: "100000", max_fee_per_gas: "4500000001", nonce: "7", broadcasts: 1 },
    ]);
    const { txHash, data } = await one.row(id);
    expect(txHash).toBe(keccak256(present(one.chain.taken.at(-1), "bytes")));
    expect(last(one).data).toBe(data);
    expect(await one.claim(id)).toMatchObject({ tx_hash: txHash });
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
    // Only the request before it is in its way.
    expect(await one.attempts(behind)).toHaveLength(1);
    expect(one.alarms).toEqual([]);
  });

  it("stay at their fee where the cap is reached, or nobody suggests one, and go out again in time", async () => {
    const { one, id } = await sent({ config: { maxFeePerGasCap: 4_400_000_000n } });
    await later(one, BUMP_MS);
    const fields = { requestId: id, nonce: "7" };
    expect(one.alarms).toEqual([{ alarm: "fee-cap", fields }]);
    expect(await one.attempts(id)).toMatchObject([{ broadcasts: 2 }]);
    await later(one, REBROADCAST_MS - 1);
    expect(await one.attempts(id)).toMatchObject([{ broadcasts: 2 }]);
    await later(one, 1);
    expect(await one.attempts(id)).toMatchObject([{ broadcasts: 3 }]);

    const silent = await sent();
    silent.one.chain.intercept = ({ method }) => (method === "eth_maxPriorityFeePerGas" ? DOWN : undefined);
    await later(silent.one, BUMP_MS);
    expect(await silent.one.attempts(silent.id)).toMatchObject([{ broadcasts: 2 }]);
    await later(silent.one, REBROADCAST_MS - 1);
    expect(await silent.one.attempts(silent.id)).toMatchObject([{ broadcasts: 2 }]);
    expect(silent.one.alarms).toEqual([]);
  });
});

describe("a nonce that is filled", () => {
  /** Mines the newest bytes and lets them become final. */
  async function final(one: DrivenWallet) {
    one.chain.mine(keccak256(present(one.chain.taken.at(-1), "bytes")));
    await one.cycle();
    one.chain.head += BigInt(CONFIRMATIONS);
    await one.cycle();
  }

  it("ends the request that is past its deadline, canceled", async () => {
    const one = await fixture.makeWallet();
    const reached: string[] = [];
    one.deps.onReached = (what) => reached.push(what);
    const id = await one.send({ deadline: BigInt(Math.floor(one.clock.nowMs / 1000)) });
    await one.cycle();
    const { txHash } = await one.row(id);
    await later(one, 1_000);
    expect(last(one)).toMatchObject({
      nonce: 7,
      to: one.address,
      gas: 21_000n,
      maxFeePerGas: 4_500_000_001n,
    });
    expect(last(one).data).toBeUndefined();
    expect(await one.attempts(id)).toMatchObject([
      { kind: "call" },
      { kind: "filler", gas_limit: "21000", broadcasts: 1 },
    ]);
    expect(await one.row(id)).toMatchObject({ fillReason: "DEADLINE_EXPIRED", txHash });
    await final(one);
    expect(await one.row(id)).toMatchObject({
      state: "canceled",
      errCode: "DEADLINE_EXPIRED",
      reason: "its deadline passed; its nonce is filled",
      minedFiller: true,
      txHash,
    });
    expect(await one.claim(id)).toMatchObject({ state: "reverted" });
    // No metric counts a filler as mined.
    expect(reached).toEqual(["broadcast"]);
  });

  it("is raised in time, and stays a filler, also where the call was raised before", async () => {
    const one = await fixture.makeWallet();
    const deadline = BigInt(Math.floor((one.clock.nowMs + BUMP_MS) / 1000));
    const id = await one.send({ deadline });
    await one.cycle();
    await later(one, BUMP_MS);
    await later(one, 1_000);
    await later(one, BUMP_MS);
    expect((await one.attempts(id)).map(({ kind }) => kind)).toEqual(["call", "call", "filler", "filler"]);
    expect(last(one)).toMatchObject({ to: one.address, gas: 21_000n });
  });

  it("shows no hash of its filler", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send({ deadline: BigInt(Math.floor(one.clock.nowMs / 1000)) });
    await one.cycle();
    const txHash = keccak256(present(one.chain.taken[0], "bytes"));
    await later(one, 1_000);
    expect(last(one)).toMatchObject({ nonce: 7, to: one.address, gas: 21_000n });
    expect(await one.row(id)).toMatchObject({ txHash });
    expect(await one.claim(id)).toMatchObject({ tx_hash: txHash });
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
  });

  it.each([
    ["intrinsic gas too low", "OUT_OF_GAS"],
    ["oversized data", "CHAIN_REVERT"],
  ])("ends a call that no node will ever mine (%s), failed", async (message, errCode) => {
    const { one, id } = await told(fails(message));
    expect((await one.row(id)).state).toBe("signed");
    answering(one, undefined);
    await later(one, 1);
    expect(await one.row(id)).toMatchObject({ state: "broadcast", fillReason: errCode });
    await final(one);
    expect(await one.row(id)).toMatchObject({
      state: "failed",
      errCode,
      reason: "it could never be mined; its nonce is filled",
    });
  });

  it.each([
    ["more than 21,000", 30_000n, 45_000n],
    ["more than the call's limit", 90_000n, 100_000n],
    ["less than any chain takes", 1n, 21_000n],
  ])("is filled with the gas that the chain asks for: %s", async (_what, estimate, gas) => {
    const one = await fixture.makeWallet();
    one.chain.intercept = ({ method, params }) => {
      const own = { from: one.address, to: one.address, value: "0x0" };
      if (method === "eth_estimateGas") expect(params).toEqual([own]);
      return method === "eth_estimateGas" ? answers(toHex(estimate)) : undefined;
    };
    const id = await one.send({ deadline: BigInt(Math.floor(one.clock.nowMs / 1000)) });
    await one.cycle();
    await later(one, 1_000);
    expect(last(one)).toMatchObject({ to: one.address, gas });
    await later(one, BUMP_MS);
    expect(await one.attempts(id)).toMatchObject([
      { kind: "call" },
      ...[1, 2].map(() => ({ kind: "filler", gas_limit: String(gas) })),
    ]);
  });

  it("waits for an estimate of its gas, which one question answers for all", async () => {
    const one = await fixture.makeWallet();
    let estimate = DOWN;
    one.chain.intercept = ({ method }) => (method === "eth_estimateGas" ? estimate : undefined);
    const deadline = BigInt(Math.floor(one.clock.nowMs / 1000));
    const ids = [await one.send({ deadline }), await one.send({ deadline })];
    await one.cycle();
    await later(one, 1_000);
    for (const id of ids)
      expect({ id, attempts: await one.attempts(id) }).toMatchObject({ id, attempts: [{ kind: "call" }] });
    const reason = expect.stringMatching(/^eth_estimateGas: /);
    const fields = { chainId: one.chain.chainId, wallet: one.address, reason };
    expect(one.alarms).toEqual([{ alarm: "node-unreachable", fields }]);
    estimate = answers(toHex(30_000n));
    await later(one, 1_000);
    for (const id of ids)
      expect({ id, attempts: await one.attempts(id) }).toMatchObject({
        id,
        attempts: [{ kind: "call" }, { kind: "filler", gas_limit: "45000" }],
      });
    expect(one.chain.asked.filter(({ method }) => method === "eth_estimateGas")).toHaveLength(2);
  });

  it("halts the wallet where even the filler is refused", async () => {
    const { one, id } = await told(fails("intrinsic gas too low"));
    await later(one, 1);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    await later(one, 1);
    const reason = `nonce 7 cannot even be filled (request ${id})`;
    expect(await one.walletRow()).toMatchObject({ state: "halted", state_reason: reason });
    expect(one.alarms).toEqual([
      { alarm: "wallet-halted", fields: { chainId: one.chain.chainId, wallet: one.address, reason } },
    ]);
  });

  it("goes to what was taken and lost again and again, where no node knows it", async () => {
    const { one, id } = await sent({ config: { takenMax: 2 } });
    one.chain.known.clear();
    await later(one, REBROADCAST_MS);
    expect(await one.attempts(id)).toMatchObject([{ taken: 2 }]);
    one.chain.known.clear();
    await later(one, REBROADCAST_MS);
    expect((await one.attempts(id)).map(({ kind }) => kind)).toEqual(["call", "filler"]);
    expect(await one.row(id)).toMatchObject({ fillReason: "OUT_OF_GAS" });
  });

  it("is none while one node knows the call: it goes out again as it is", async () => {
    const { one, id } = await sent({ config: { takenMax: 1 }, nodes: 2 });
    await one.wallet.nodes.compare();
    one.chain.intercept = ({ node, method }) =>
      node === 0 && method === "eth_getTransactionByHash" ? answers(null) : undefined;
    await later(one, REBROADCAST_MS);
    expect(await one.attempts(id)).toMatchObject([{ kind: "call", broadcasts: 2 }]);
    expect((await one.row(id)).fillReason).toBeNull();
  });

  it("offers no more than the call did where that is at the cap", async () => {
    const one = await fixture.makeWallet({ config: { maxFeePerGasCap: 4_400_000_000n } });
    const id = await one.send({ deadline: BigInt(Math.floor(one.clock.nowMs / 1000)) });
    await one.cycle();
    await later(one, 1_000);
    expect(await one.attempts(id)).toMatchObject([
      { kind: "call", max_fee_per_gas: "4000000000" },
      { kind: "filler", max_fee_per_gas: "4000000000", max_priority_fee: "2000000000" },
    ]);
    expect(one.alarms).toMatchObject([{ alarm: "fee-cap" }]);
  });
});

describe("a node that does not take bytes", () => {
  it("is followed by the next one, until one gives a clear answer", async () => {
    const one = await fixture.makeWallet({ nodes: 3 });
    answering(one, fails("something new"));
    const id = await one.send();
    await one.cycle();
    expect({ broadcasts: broadcastsOf(one) }).toEqual({ broadcasts: [0, 1] });
    expect(await one.attempts(id)).toMatchObject([{ answer: "taken", refusals: 0 }]);
    expect(one.alarms).toEqual([]);
  });

  it("in words that nobody knows is told of, and its refusals are counted until one takes them", async () => {
    const { one, id } = await told(fails("something new"), { config: { bumpAfterMs: 1e9 } });
    const hash = (await one.row(id)).txHash;
    expect(one.alarms).toEqual([
      { alarm: "unknown-answer", fields: { hash, code: -32000, answer: "something new" } },
    ]);
    expect((await one.row(id)).state).toBe("signed");
    await later(one, REBROADCAST_MS);
    expect(await one.attempts(id)).toMatchObject([{ answer: "refused", refusals: 2, taken: 0 }]);
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
    answering(one, DOWN);
    await later(one, REBROADCAST_MS);
    expect(await one.attempts(id)).toMatchObject([{ answer: "unknown", refusals: 2 }]);
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
    answering(one, undefined);
    await later(one, REBROADCAST_MS);
    expect(await one.attempts(id)).toMatchObject([{ answer: "taken", refusals: 0, taken: 1 }]);
    expect((await one.row(id)).state).toBe("broadcast");
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
  });

  it("because it knows them already has taken them, and is not counted as one that took them anew", async () => {
    const { one, id } = await told(fails("already known"));
    expect((await one.row(id)).state).toBe("broadcast");
    expect(await one.attempts(id)).toMatchObject([{ answer: "taken", taken: 0 }]);
  });

  it.each<[string, RpcAnswer, string, string]>([
    ["answers nothing", DOWN, "broadcast", "unknown"],
    ["has no room", fails("txpool is full"), "signed", "later"],
  ])("because it %s keeps back what was not sent with them", async (_why, answer, state, stored) => {
    const one = await fixture.makeWallet({ config: { inFlightMax: 40 } });
    answering(one, answer);
    const { sent, behind } = await moreThanOneGroup(one);
    for (const id of sent) {
      expect({ id, row: await one.row(id) }).toMatchObject({ id, row: { state } });
      expect({ id, attempts: await one.attempts(id) }).toMatchObject({
        id,
        attempts: [{ answer: stored, broadcasts: 1, taken: 0 }],
      });
    }
    expect((await one.row(behind)).state).toBe("accepted");
  });

  it("because it has no room for one keeps back new bytes behind it, though it took others", async () => {
    const one = await fixture.makeWallet();
    answeringByNonce(one, { 9: fails("transaction underpriced") });
    const ids = [await one.send(), await one.send(), await one.send()];
    await one.cycle();
    answeringByNonce(one, { 7: fails("txpool is full") });
    await later(one, REBROADCAST_MS);
    expect(await Promise.all(ids.map(one.attempts))).toMatchObject([
      [{ answer: "later", broadcasts: 2 }],
      [{ answer: "taken", broadcasts: 2 }],
      [{ broadcasts: 1 }, { answer: null, broadcasts: 0 }],
    ]);
    answeringByNonce(one, {});
    await later(one, REBROADCAST_MS);
    expect(await Promise.all(ids.map(one.attempts))).toMatchObject([
      [{ answer: "taken", broadcasts: 3 }],
      [{ answer: "taken", broadcasts: 3 }],
      [{ broadcasts: 1 }, { answer: "taken", broadcasts: 1 }],
    ]);
  });

  it("because it misses an earlier nonce keeps nothing back", async () => {
    const one = await fixture.makeWallet();
    answering(one, fails("nonce too high"));
    const [first, second] = [await one.send(), await one.send()];
    await one.cycle();
    for (const id of [first, second]) {
      expect({ id, row: await one.row(id) }).toMatchObject({ id, row: { state: "broadcast" } });
      expect({ id, attempts: await one.attempts(id) }).toMatchObject({
        id,
        attempts: [{ answer: "nonce-gap", broadcasts: 1 }],
      });
    }
  });

  it("for want of funds pauses the wallet, and the bytes go out again when it has some", async () => {
    const { one, id } = await told(fails("insufficient funds for gas * price + value"));
    const reason = "insufficient funds";
    expect(await one.walletRow()).toMatchObject({ state: "paused", state_reason: reason });
    const fields = { chainId: one.chain.chainId, wallet: one.address, reason };
    expect(one.alarms).toEqual([{ alarm: "wallet-paused", fields }]);
    expect((await one.row(id)).state).toBe("signed");
    answering(one, undefined);
    await one.cycle();
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    expect((await one.row(id)).state).toBe("broadcast");
  });

  it("for want of funds pauses the wallet, though it took others that were sent with them", async () => {
    const one = await fixture.makeWallet();
    answeringByNonce(one, { 8: fails("insufficient funds") });
    const ids = [await one.send(), await one.send()];
    await one.cycle();
    expect(await Promise.all(ids.map(one.row))).toMatchObject([{ state: "broadcast" }, { state: "signed" }]);
    expect(await one.walletRow()).toMatchObject({ state: "paused" });
  });

  it("for want of funds, told once, does not make the wallet try what was not sent with them", async () => {
    const one = await fixture.makeWallet({ config: { inFlightMax: 40 } });
    answering(one, fails("insufficient funds"));
    const { sent, behind } = await moreThanOneGroup(one);
    for (const id of sent)
      expect({ id, attempts: await one.attempts(id) }).toMatchObject({ id, attempts: [{ broadcasts: 1 }] });
    expect(await one.attempts(behind)).toEqual([]);
    expect((await one.row(behind)).state).toBe("accepted");
  });

  it("for a fee that is too low is offered more at once, and once", async () => {
    const { one, id } = await told(fails("transaction underpriced"));
    await later(one, 1);
    expect(await one.attempts(id)).toHaveLength(2);
    await later(one, 1);
    expect(await one.attempts(id)).toHaveLength(2);
  });
});
