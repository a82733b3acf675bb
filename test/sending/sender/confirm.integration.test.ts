import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { encodeErrorResult, type Hex, parseAbi } from "viem";
import type { SendOperation } from "../../../src/protocol/enums.ts";
import { NodeUnreachable } from "../../../src/sending/sender/nodes.ts";
import { present } from "../../support/assert/until.ts";
import { answers, DOWN, fails } from "../../support/chain/fake-chain.ts";
import {
  CONFIRMATIONS,
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// Decisions of the sender on receipts, blocks and nonces, one wallet cycle at a time on a chain in memory.

let fixture: SenderFixture;
beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

/** Sends a request and mines it. */
async function mined(one: DrivenWallet, more: Parameters<DrivenWallet["send"]>[0] = {}, gas = {}) {
  const id = await one.send(more);
  await one.cycle();
  const hash = await hashOf(one, id);
  const block = one.chain.mine(hash, gas);
  await one.cycle();
  return { id, hash, block };
}

const hashOf = async (one: DrivenWallet, id: string): Promise<Hex> =>
  present((await one.row(id)).txHash, "a hash");

async function operationKeyOf(id: string): Promise<unknown> {
  const { rows } = await fixture.pool.query(
    "SELECT operation_key FROM app.send_request WHERE request_id = $1",
    [id],
  );
  return rows[0].operation_key;
}

const change = (id: string, assignments: string) =>
  fixture.pool.query(`UPDATE app.send_request SET ${assignments} WHERE request_id = $1`, [id]);

const REVERT = encodeErrorResult({ abi: parseAbi(["error Error(string)"]), args: ["no"] });
const reverts = fails("execution reverted", REVERT);

describe("a transaction that is mined", () => {
  it("is mined with its block, and final once enough blocks are on top", async () => {
    const one = await fixture.makeWallet();
    const { id, hash, block } = await mined(one, { operationKey: "once" });
    expect(await one.row(id)).toMatchObject({
      state: "mined",
      nonce: 7n,
      txHash: hash,
      minedBlock: block,
      minedBlockHash: one.chain.hashOf(block),
      minedSuccess: true,
      minedFiller: false,
      errCode: null,
      revert: null,
    });
    expect(await one.claim(id)).toMatchObject({ state: "pending", tx_hash: hash });
    one.chain.head += BigInt(CONFIRMATIONS) - 1n;
    await one.cycle();
    expect((await one.row(id)).state).toBe("mined");
    one.chain.head += 1n;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "final", outcome: "confirmed" });
    expect(await one.claim(id)).toMatchObject({ state: "final" });
    expect(await operationKeyOf(id)).toBe("once");
    expect(one.alarms).toEqual([]);
  });

  it.each([
    ["call", "final", "confirmed"],
    ["filler", "canceled", null],
  ])(
    "row 88: ends nothing by a receipt of its %s that a failover has lost meanwhile",
    async (kind, state, outcome) => {
      const one = await fixture.makeWallet();
      const { id } = await mined(one);
      if (kind === "filler") await change(id, "mined_filler = true, fill_reason = 'DEADLINE_EXPIRED'");
      one.chain.head += BigInt(CONFIRMATIONS);
      const { store } = one.deps;
      // The new primary lacks the commit that the cycle read on the former one.
      const lose: typeof store.underLease = async (wallet, work) => {
        await change(id, "state = 'broadcast'");
        return store.underLease(wallet, work);
      };
      one.deps.store = { ...store, underLease: lose };
      await one.cycle();
      expect(await one.row(id)).toMatchObject({ state: "broadcast", outcome: null, errCode: null });
      one.deps.store = store;
      await change(id, "state = 'mined'");
      await one.cycle();
      expect(await one.row(id)).toMatchObject({ state, outcome });
    },
  );

  it("is not final on one node's word where another one has another block in its place", async () => {
    const one = await fixture.makeWallet({ nodes: 3 });
    await one.wallet.nodes.compare();
    const { id, block } = await mined(one, {}, { success: false });
    const number = `0x${block.toString(16)}`;
    one.chain.head += BigInt(CONFIRMATIONS);
    one.chain.intercept = ({ node, method, params }) => {
      if (node === 0 || method !== "eth_getBlockByNumber" || params[0] !== number) return undefined;
      return node === 1 ? answers({ hash: `0x${"9".repeat(64)}` }) : DOWN;
    };
    await one.cycle();
    expect((await one.row(id)).state).toBe("mined");
    const fields = { chainId: one.chain.chainId, wallet: one.address, blocks: [block.toString()] };
    expect(one.alarms).toEqual([{ alarm: "nodes-disagree", fields }]);
    one.chain.intercept = ({ node, method, params }) =>
      node === 1 && method === "eth_getBlockByNumber" && params[0] === number ? answers(null) : undefined;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "final", outcome: "reverted" });
  });

  it("is announced at every change that its caller is shown", async () => {
    const one = await fixture.makeWallet();
    const heard: string[] = [];
    const client = new pg.Client({ connectionString: fixture.url });
    await client.connect();
    client.on("notification", ({ payload }) => heard.push(payload ?? ""));
    await client.query("LISTEN send_state");
    const { id } = await mined(one);
    one.chain.reorg(one.chain.head);
    one.chain.nonce -= 1n;
    await one.cycle();
    one.chain.mine(await hashOf(one, id));
    await one.cycle();
    one.chain.head += 9n;
    await one.cycle();
    // Broadcast, mined, reorganized, mined, final: callers do not see the signing. They come before the answer of a statement
    // behind them.
    await client.query("SELECT 1");
    await client.end();
    expect(heard).toEqual(Array.from({ length: 5 }, () => id));
  });

  it("is not asked for again while its block stands, and the chain has not confirmed it", async () => {
    const one = await fixture.makeWallet();
    const { id, block } = await mined(one);
    one.chain.head += 1n;
    await one.cycle();
    one.chain.asked.length = 0;
    await one.cycle();
    const blocks = one.chain.asked
      .filter(({ method }) => method === "eth_getBlockByNumber")
      .map(({ params }) => params[0]);
    expect(blocks).toEqual(["latest"]);
    expect(one.state.anchor).toEqual({ number: block + 1n, hash: one.chain.hashOf(block + 1n) });
    expect(one.state.quietHead).toBe(one.chain.hashOf(block + 1n));
    expect((await one.row(id)).state).toBe("mined");
  });

  it("is left alone by a node that is behind its block, and asked for again afterwards", async () => {
    const one = await fixture.makeWallet();
    const { id, block } = await mined(one);
    one.chain.head = block - 1n;
    await one.cycle();
    expect((await one.row(id)).state).toBe("mined");
    expect(one.state.anchor).toBeNull();
    one.chain.head = block;
    await one.cycle();
    expect(one.state.anchor).toMatchObject({ number: block });
  });

  it("stays mined where the node answers for a block above its own head", async () => {
    const one = await fixture.makeWallet();
    const { id, block } = await mined(one);
    one.chain.head = block - 1n;
    // Several nodes may stand behind one address, and this one has another block and no receipt.
    one.chain.intercept = ({ method, params }) => {
      if (method === "eth_getTransactionReceipt") return answers(null);
      const asked = method === "eth_getBlockByNumber" && params[0] === `0x${block.toString(16)}`;
      return asked ? answers({ hash: `0x${"9".repeat(64)}` }) : undefined;
    };
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", minedBlock: block });
  });

  it("is followed together with more others than are decided at once, in few requests to the node", async () => {
    const one = await fixture.makeWallet();
    const ids: string[] = [];
    for (let index = 0; index < 18; index++) ids.push(await one.send());
    await one.cycle();
    for (const id of ids) one.chain.mine(await hashOf(one, id));
    const follow = async () => {
      one.chain.requests = 0;
      await one.cycle();
      const states = await Promise.all(ids.map(async (id) => (await one.row(id)).state));
      return { requests: one.chain.requests, states: new Set(states) };
    };
    // The head, the account, the receipts, their blocks.
    expect(await follow()).toEqual({ requests: 4, states: new Set(["mined"]) });
    one.chain.head += BigInt(CONFIRMATIONS);
    // The head, the account, the blocks.
    expect(await follow()).toEqual({ requests: 3, states: new Set(["final"]) });
  });

  it("fails the cycle where it cannot be stored, after the end of another one", async () => {
    const one = await fixture.makeWallet();
    const [first, second] = [await one.send(), await one.send()];
    await one.cycle();
    one.chain.mine(await hashOf(one, first));
    await one.cycle();
    one.chain.mine(await hashOf(one, second));
    one.chain.head += BigInt(CONFIRMATIONS) - 1n;
    one.deps.crash = (point) => {
      if (point === "mined:before-commit") throw new Error("the disk is full");
    };
    await expect(one.cycle()).rejects.toThrow("the disk is full");
    expect((await one.row(first)).state).toBe("final");
    expect((await one.row(second)).state).toBe("broadcast");
  });

  it("counts where another node alone has the receipt, in a block that both have", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    const id = await one.send();
    await one.cycle();
    const block = one.chain.mine(await hashOf(one, id));
    one.chain.intercept = ({ node, method }) =>
      node === 0 && method === "eth_getTransactionReceipt" ? answers(null) : undefined;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", minedBlock: block });
  });

  it("counts whichever node and whichever attempt it is of", async () => {
    const one = await fixture.makeWallet({ nodes: 3, config: { bumpAfterMs: 1_000 } });
    const id = await one.send();
    await one.cycle();
    const first = await hashOf(one, id);
    one.clock.nowMs += 1_000;
    await one.cycle();
    const block = one.chain.mine(first);
    one.chain.intercept = ({ node, method }) =>
      node !== 1 && method === "eth_getTransactionReceipt" ? answers(null) : undefined;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", minedBlock: block, txHash: first });
  });

  it("is not sent again in the cycle that finds it", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await one.cycle();
    one.chain.mine(await hashOf(one, id));
    one.clock.nowMs += 60_000;
    await one.cycle();
    expect((await one.row(id)).state).toBe("mined");
    expect(one.chain.taken).toHaveLength(1);
  });

  it("leaves no anchor while the node is behind one of several blocks", async () => {
    const one = await fixture.makeWallet();
    const [{ block }] = [await mined(one), await mined(one)];
    one.chain.head = block;
    await one.cycle();
    expect(one.state.anchor).toBeNull();
  });

  it("does not count, and raises no suspicion, where its block is another one here", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await one.cycle();
    const block = one.chain.mine(await hashOf(one, id));
    one.chain.head += 1n;
    one.chain.intercept = ({ method, params }) =>
      method === "eth_getBlockByNumber" && params[0] === `0x${block.toString(16)}`
        ? answers({ hash: `0x${"9".repeat(64)}` })
        : undefined;
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
    expect(one.state.suspicions.size).toBe(0);
  });

  it("does not count by the receipt of another transaction", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    const [{ hash: other }, id] = [await mined(one), await one.send()];
    await one.cycle();
    const hash = await hashOf(one, id);
    one.chain.mine(hash);
    const wrong = { status: "0x1", gasUsed: "0x1", blockHash: one.chain.hashOf(101n), blockNumber: "0x65" };
    one.chain.intercept = ({ node, method, params }) =>
      node === 0 && method === "eth_getTransactionReceipt" && params[0] === hash
        ? answers({ ...wrong, transactionHash: other })
        : undefined;
    await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
    expect(await one.row(id)).toMatchObject({ state: "broadcast", txHash: hash });
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", txHash: hash, minedBlock: 102n });
  });

  it("is found at another node where the first one has its head, and refuses receipts", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    const id = await one.send();
    await one.cycle();
    one.chain.mine(await hashOf(one, id));
    one.chain.intercept = ({ node, method }) =>
      node === 0 && method === "eth_getTransactionReceipt" ? fails("not on this plan") : undefined;
    await one.cycle().catch(() => undefined);
    await one.cycle();
    expect((await one.row(id)).state).toBe("mined");
  });

  it("shows the hash of the attempt that was mined, whichever it was", async () => {
    const one = await fixture.makeWallet({ config: { bumpAfterMs: 1_000 } });
    const id = await one.send();
    await one.cycle();
    const first = await hashOf(one, id);
    one.clock.nowMs += 1_000;
    await one.cycle();
    expect(await hashOf(one, id)).not.toBe(first);
    one.chain.mine(first);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", txHash: first, minedFiller: false });
    expect(await one.claim(id)).toMatchObject({ tx_hash: first });
  });
});

describe("a transaction that reverted", () => {
  it.each([
    ["with gas left", 91_999n, 300_000n, "CHAIN_REVERT", "Error"],
    ["with gas left, though more would help", 91_999n, 100_000n, "CHAIN_REVERT", "Error"],
    ["at 92% of its gas, and passes with twice as much", 92_000n, 100_000n, "OUT_OF_GAS", null],
    ["at its limit, and passes with twice as much", 100_000n, 100_000n, "OUT_OF_GAS", null],
    ["at its limit, and does with twice as much too", 100_000n, 300_000n, "CHAIN_REVERT", "Error"],
    ["and passes when it is replayed", 100_000n, 0n, "CHAIN_REVERT", null],
  ])("%s", async (_how, gasUsed, failsUpTo, errCode, revert) => {
    const one = await fixture.makeWallet();
    const calls: unknown[] = [];
    one.chain.intercept = ({ method, params }) => {
      if (method !== "eth_call") return undefined;
      const [call, block] = params as [{ gas: Hex; from: Hex; to: Hex; data: Hex }, Hex];
      calls.push({ ...call, block });
      return BigInt(call.gas) <= failsUpTo ? reverts : undefined;
    };
    const { id, block } = await mined(one, { operationKey: `revert ${_how}` }, { success: false, gasUsed });
    const row = await one.row(id);
    expect(row).toMatchObject({ state: "mined", minedSuccess: false, errCode, revert });
    const { to, data } = row;
    const parent = `0x${(block - 1n).toString(16)}`;
    expect(calls[0]).toEqual({ from: one.address, to, data, gas: "0x186a0", block: parent });
    one.chain.head += BigInt(CONFIRMATIONS);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "final", outcome: "reverted", errCode });
    expect(await one.claim(id)).toMatchObject({ state: "reverted" });
    expect(await operationKeyOf(id)).toBeNull();
  });

  /** Sends two requests, of which the first one is mined and reverts, at a node that replays nothing. */
  async function unexplained() {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await one.cycle();
    one.chain.mine(await hashOf(one, id), { success: false });
    one.chain.intercept = ({ method }) => (method === "eth_call" ? DOWN : undefined);
    const next = await one.send();
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
    return { one, id, next };
  }

  it("is not explained by a node that cannot be reached: the next cycle asks again", async () => {
    const { one, id } = await unexplained();
    const fields = { chainId: one.chain.chainId, wallet: one.address, reason: "eth_call: TypeError" };
    expect(one.alarms).toEqual([{ alarm: "node-unreachable", fields }]);
    one.chain.intercept = () => undefined;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", errCode: "CHAIN_REVERT" });
    expect(one.state.unexplained.size).toBe(0);
  });

  it("and is not explained holds up no other request, and not its own end", async () => {
    const { one, id, next } = await unexplained();
    expect((await one.row(next)).state).toBe("broadcast");
    expect(one.chain.taken).toHaveLength(2);
    one.chain.head += BigInt(CONFIRMATIONS - 1);
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
    one.chain.head += 1n;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", errCode: "CHAIN_REVERT", revert: null });
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "final", outcome: "reverted" });
    expect(await one.claim(id)).toMatchObject({ state: "reverted" });
  });

  it("and is not explained neither counts as mined nor goes out again, where another one counts", async () => {
    const one = await fixture.makeWallet();
    const [id, other] = [await one.send(), await one.send()];
    await one.cycle();
    one.chain.mine(await hashOf(one, id), { success: false });
    one.chain.mine(await hashOf(one, other));
    one.chain.intercept = ({ method }) => (method === "eth_call" ? DOWN : undefined);
    const reached: unknown[] = [];
    one.deps.onReached = (...what) => reached.push(what);
    one.clock.nowMs = (await one.row(other)).acceptedAtMs + 60_000;
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
    expect((await one.row(other)).state).toBe("mined");
    expect(reached).toEqual([["mined", one.chain.chainId, 60]]);
    expect(one.chain.taken).toHaveLength(2);
  });

  it("fails the cycle where its replay fails by a defect, and not by a node", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await one.cycle();
    one.chain.mine(await hashOf(one, id), { success: false });
    const { nodes } = one.wallet;
    const { open } = nodes;
    nodes.open = async () => {
      const node = await open();
      const askMany: typeof node.askMany = async (calls) => {
        if (calls.some(({ method }) => method === "eth_call")) throw new Error("a defect");
        return node.askMany(calls);
      };
      return { ...node, askMany };
    };
    await expect(one.cycle()).rejects.toThrow("a defect");
    expect(one.alarms).toEqual([]);
    expect(one.state.unexplained.size).toBe(0);
  });

  it("is explained by another node, however deep it is", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    const id = await one.send();
    await one.cycle();
    one.chain.mine(await hashOf(one, id), { success: false });
    one.chain.head += BigInt(CONFIRMATIONS);
    one.chain.intercept = ({ node, method }) =>
      method !== "eth_call" ? undefined : node === 0 ? DOWN : reverts;
    await one.cycle();
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "mined", errCode: "CHAIN_REVERT", revert: "Error" });
  });
});

describe("a reorg", () => {
  it("takes a transaction out: its bytes go out again, as if they never had", async () => {
    const one = await fixture.makeWallet();
    const { id, hash, block } = await mined(one);
    await fixture.pool.query("UPDATE app.send_attempt SET refusals = 2, taken = 4 WHERE request_id = $1", [
      id,
    ]);
    one.chain.reorg(block);
    one.chain.nonce -= 1n;
    one.clock.nowMs += 1;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({
      state: "broadcast",
      txHash: hash,
      minedBlock: null,
      minedBlockHash: null,
      minedSuccess: null,
      minedFiller: null,
    });
    expect(one.chain.taken).toHaveLength(2);
    expect(one.chain.taken[1]).toBe(one.chain.taken[0]);
    const [attempt] = await one.attempts(id);
    expect(attempt).toMatchObject({ broadcasts: 2, taken: 1, refusals: 0, answer: "taken" });
    expect(attempt?.first_broadcast_at?.getTime()).toBe(one.clock.nowMs);
  });

  it("that mines it in another block moves it there", async () => {
    const one = await fixture.makeWallet();
    const { id, hash, block } = await mined(one);
    one.chain.reorg(block);
    one.chain.nonce -= 1n;
    const later = one.chain.mine(hash);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({
      state: "mined",
      minedBlock: later,
      minedBlockHash: one.chain.hashOf(later),
    });
    expect(one.chain.taken).toHaveLength(1);
  });

  it.each([
    ["has its receipt still", null],
    ["does not answer", DOWN],
  ])("is seen although another node %s", async (_what, answer) => {
    const one = await fixture.makeWallet({ nodes: 2 });
    const { id, hash, block } = await mined(one);
    const stale = {
      transactionHash: hash,
      blockNumber: `0x${block.toString(16)}`,
      blockHash: one.chain.hashOf(block),
      status: "0x1",
      gasUsed: "0x1",
    };
    one.chain.intercept = ({ node, method }) =>
      node === 1 && method === "eth_getTransactionReceipt" ? (answer ?? answers(stale)) : undefined;
    one.chain.reorg(block);
    one.chain.nonce -= 1n;
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
    // Sent to both nodes.
    expect(one.chain.taken).toHaveLength(3);
    expect(new Set(one.chain.taken).size).toBe(1);
  });

  it("is seen although the block that it replaced is not the newest", async () => {
    const one = await fixture.makeWallet();
    const { id, block } = await mined(one);
    one.chain.head += 1n;
    await one.cycle();
    one.chain.reorg(block);
    one.chain.nonce -= 1n;
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
  });
});

describe("a nonce that is used up without a receipt", () => {
  async function usedUp(options: Parameters<SenderFixture["makeWallet"]>[0] = {}) {
    const one = await fixture.makeWallet(options);
    const id = await one.send();
    await one.cycle();
    one.chain.nonce += 1n;
    await one.cycle();
    return { one, id };
  }

  it("halts the wallet after the grace, and not before", async () => {
    const { one, id } = await usedUp();
    one.clock.nowMs += one.deps.config.foreignGraceMs - 1;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    one.clock.nowMs += 1;
    await one.cycle();
    const reason = `nonce 7 was used by a transaction that is not ours (request ${id})`;
    expect(await one.walletRow()).toMatchObject({ state: "halted", state_reason: reason });
    expect(one.alarms).toEqual([
      { alarm: "wallet-halted", fields: { chainId: one.chain.chainId, wallet: one.address, reason } },
    ]);
    expect((await one.row(id)).state).toBe("broadcast");
    expect(one.state.suspicions.size).toBe(0);
  });

  it("is no longer suspected once the receipt is there", async () => {
    const { one, id } = await usedUp();
    expect(one.state.suspicions.size).toBe(1);
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
    one.chain.nonce -= 1n;
    one.chain.mine(await hashOf(one, id));
    one.clock.nowMs += one.deps.config.foreignGraceMs;
    await one.cycle();
    expect((await one.row(id)).state).toBe("mined");
    expect(one.state.suspicions.size).toBe(0);
  });

  it("has its grace anew where a reorg freed it meanwhile", async () => {
    const { one } = await usedUp();
    one.chain.nonce -= 1n;
    await one.cycle();
    one.chain.nonce += 1n;
    one.clock.nowMs += one.deps.config.foreignGraceMs;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    one.clock.nowMs += one.deps.config.foreignGraceMs;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "halted" });
  });

  it("halts nothing on one node's word: that node is left out for a while", async () => {
    const { one } = await usedUp({ nodes: 2 });
    one.chain.intercept = ({ node, method }) =>
      node === 1 && method === "eth_getTransactionCount" ? answers("0x7") : undefined;
    await one.wallet.nodes.compare();
    one.clock.nowMs += one.deps.config.foreignGraceMs;
    await one.cycle();
    expect(one.alarms).toEqual([
      {
        alarm: "nodes-disagree",
        fields: { chainId: one.chain.chainId, wallet: one.address, nonce: "7", answers: ["8", "7"] },
      },
    ]);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    expect(one.state.suspicions.size).toBe(0);
    await one.wallet.nodes.compare();
    one.chain.asked.length = 0;
    await one.cycle();
    expect(new Set(one.chain.asked.map(({ node }) => node))).toEqual(new Set([1]));
  });

  it("is not judged while a node does not tell its nonce, or whether there is a receipt", async () => {
    const { one } = await usedUp({ nodes: 2 });
    one.clock.nowMs += one.deps.config.foreignGraceMs;
    for (const method of ["eth_getTransactionCount", "eth_getTransactionReceipt"]) {
      one.chain.intercept = (asked) =>
        asked.node === 1 && asked.method === method ? fails("busy") : undefined;
      await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
      one.chain.intercept = (asked) =>
        asked.node === 1 && asked.method === method ? answers("?") : undefined;
      await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
    }
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    expect(one.alarms).toEqual([]);
  });
});

describe("an enable that is mined", () => {
  async function enabled(more: { isDisabled?: boolean; success?: boolean; operation?: SendOperation }) {
    const one = await fixture.makeWallet();
    const { chainId, productType } = one.caller;
    const blocked = (value: boolean) =>
      fixture.pool.query("UPDATE app.delegation SET blocked = $2 WHERE user_address = $1", [one.user, value]);
    await blocked(true);
    const id = await one.send({
      operation: more.operation ?? "1ct/enable",
      needsDelegation: false,
      operationType: null,
      operationKey: `enable:${one.user}:9`,
      delegationEpoch: 0,
    });
    await one.cycle();
    if (more.isDisabled)
      await fixture.pool.query("UPDATE app.delegation SET epoch = 1 WHERE user_address = $1", [one.user]);
    one.chain.mine(await hashOf(one, id), { success: more.success ?? true });
    await one.cycle();
    const { rows } = await fixture.pool.query(
      "SELECT blocked FROM app.delegation WHERE user_address = $1 AND chain_id = $2 AND product_type = $3",
      [one.user, chainId, productType],
    );
    return rows[0].blocked;
  }

  it("lifts the block of an earlier disable", async () => {
    expect(await enabled({})).toBe(false);
  });
  it("lifts none that came after it was accepted, none where it failed, and is the only one that does", async () => {
    expect(await enabled({ isDisabled: true })).toBe(true);
    expect(await enabled({ success: false })).toBe(true);
    expect(await enabled({ operation: "1ct/disable" })).toBe(true);
  });

  it("locks its user after those of other enables that come before it, whichever was mined first", async () => {
    const one = await fixture.makeWallet();
    const users = ["ff", "00"].map((byte): Hex => `0x${byte.repeat(20)}`);
    const ids: string[] = [];
    for (const user of users) {
      const operationKey = `enable:${user}:1`;
      const more = { operation: "1ct/enable", needsDelegation: false, operationType: null } as const;
      ids.push(await one.send({ ...more, operationKey, delegationEpoch: 0 }));
    }
    await one.cycle();
    for (const [index, id] of ids.entries()) {
      one.chain.mine(await hashOf(one, id));
      await change(id, `user_address = '${users[index]}'`);
    }
    const locked: Hex[] = [];
    const { store } = one.deps;
    const underLease: typeof store.underLease = (wallet, work) =>
      store.underLease(wallet, (tx, row) => {
        const unblockDelegation: typeof tx.unblockDelegation = async (scope, epoch) => {
          locked.push(scope.user);
          await tx.unblockDelegation(scope, epoch);
        };
        return work({ ...tx, unblockDelegation }, row);
      });
    one.deps.store = { ...store, underLease };
    await one.cycle();
    expect(locked).toEqual(users.toReversed());
  });
});
