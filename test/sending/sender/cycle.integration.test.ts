import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RpcAnswer } from "../../../src/chain/rpc.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { halt } from "../../../src/sending/sender/context.ts";
import { dispatchArrived } from "../../../src/sending/sender/cycle.ts";
import {
  LeaseLost,
  registerWallet,
  releaseLease,
  setWalletState,
  takeLease,
} from "../../../src/sending/sender/lease.ts";
import { NodeUnreachable } from "../../../src/sending/sender/nodes.ts";
import { createSqlStore } from "../../../src/sending/sender/sender-store.ts";
import { readWallet } from "../../../src/sending/sender/shared-store.ts";
import { answers, fails, toHex } from "../../support/chain/fake-chain.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// Holders of a wallet's cycle, and their steps before anything is sent; on a chain in memory.

const ACTIVE = { nextNonce: null, state: "active", stateReason: null } as const;

let fixture: SenderFixture;
beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

const take = (one: DrivenWallet, owner: string, leaseMs = 60_000) =>
  takeLease(fixture.pool, one.chain.chainId, one.address, owner, leaseMs);
const expire = (one: DrivenWallet) =>
  fixture.pool.query(
    "UPDATE app.delegatee_wallet SET lease_until = now() - interval '1 s' WHERE address = $1",
    [one.address],
  );

describe("a lease", () => {
  it("is renewed by its owner, and nobody else's until it ends or is given back", async () => {
    const one = await fixture.makeWallet();
    expect(await take(one, "test")).toBe(1n);
    expect(await take(one, "other")).toBeNull();
    await expire(one);
    expect(await take(one, "test")).toBe(2n);
    expect(await take(one, "test")).toBe(2n);
    await releaseLease(fixture.pool, one.wallet);
    expect(await take(one, "other")).toBeNull();
    await releaseLease(fixture.pool, { ...one.wallet, epoch: 2n, owner: "other" });
    expect(await take(one, "other")).toBeNull();
    await releaseLease(fixture.pool, { ...one.wallet, epoch: 2n });
    expect(await take(one, "other")).toBe(3n);
    expect(await one.walletRow()).toMatchObject({ lease_owner: "other" });
    expect(await takeLease(fixture.pool, 1, one.address, "other", 1)).toBeNull();
  });

  it("that is lost ends the cycle before anything is written", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await expire(one);
    await take(one, "other");
    await expect(one.cycle()).rejects.toThrow(LeaseLost);
    await expect(readWallet(fixture.pool, one.wallet)).rejects.toThrow(LeaseLost);
    await expect(setWalletState(fixture.pool, one.wallet, "halted", "x")).rejects.toThrow(LeaseLost);
    await halt({ ...one, row: ACTIVE }, "x");
    expect(one.alarms).toEqual([]);
    expect((await one.row(id)).state).toBe("accepted");
    expect(await one.walletRow()).toMatchObject({ state: "active", next_nonce: null, balance_wei: null });
  });

  it("is nobody else's by its epoch alone, which a failover may give twice", async () => {
    const one = await fixture.makeWallet();
    const other = { ...one.wallet, owner: "other" };
    await expect(readWallet(fixture.pool, other)).rejects.toThrow(LeaseLost);
    await expect(setWalletState(fixture.pool, other, "halted", "x")).rejects.toThrow(LeaseLost);
    expect(await one.walletRow()).toMatchObject({ state: "active", lease_owner: "test" });
  });

  it("stays as it is where a wallet is registered again", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    await registerWallet(fixture.pool, one.chain.chainId, one.address);
    expect((await readWallet(fixture.pool, one.wallet)).row).toEqual({
      nextNonce: 7n,
      state: "active",
      stateReason: null,
    });
  });

  it("does not hide a failure to stop a wallet", async () => {
    const one = await fixture.makeWallet();
    const pool = {
      connect: () => Promise.reject(new Error("no database")),
    } as unknown as typeof fixture.pool;
    await expect(
      halt({ ...one, row: ACTIVE, deps: { ...one.deps, store: createSqlStore(pool) } }, "x"),
    ).rejects.toThrow("no database");
    expect(one.alarms).toEqual([]);
  });
});

describe("a wallet's first cycle", () => {
  it("begins at the nonce that all nodes report", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ next_nonce: "7" });
    await fixture.pool.query("UPDATE app.delegatee_wallet SET next_nonce = 9 WHERE address = $1", [
      one.address,
    ]);
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ next_nonce: "9" });
  });

  it("waits while they differ", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    one.chain.intercept = ({ node, method }) =>
      node === 1 && method === "eth_getTransactionCount" ? answers("0x8") : undefined;
    await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
    expect(await one.walletRow()).toMatchObject({ next_nonce: null });
  });
});

describe("what is seen of a wallet", () => {
  it("is stored, and not more often than told", async () => {
    const one = await fixture.makeWallet();
    const { observeMs } = one.deps.config;
    // A period begins here, so that all of it is left.
    one.clock.nowMs += observeMs - (one.clock.nowMs % observeMs);
    await one.cycle();
    const seen = async () => {
      const { balance_wei, chain_nonce } = await one.walletRow();
      return { balance_wei, chain_nonce };
    };
    const first = { balance_wei: (10n ** 18n).toString(), chain_nonce: "7" };
    expect(await seen()).toEqual(first);
    expect((await one.walletRow()).observed_at).not.toBeNull();
    expect(one.state.observedMs).toBe(one.clock.nowMs);
    const asked = one.chain.asked.find(({ method }) => method === "eth_getBalance");
    expect(asked?.params).toEqual([one.address, "latest"]);
    one.chain.balance = 5n;
    one.clock.nowMs += observeMs - 1;
    await one.cycle();
    expect(await seen()).toEqual(first);
    one.clock.nowMs += 1;
    await one.cycle();
    expect(await seen()).toEqual({ balance_wei: "5", chain_nonce: "7" });
  });

  it.each([
    ["nonce", "eth_getTransactionCount", 2n ** 63n],
    ["balance", "eth_getBalance", 2n ** 256n],
  ])(
    "is no %s that the database cannot hold, which would fail other wallets' statements too",
    async (_what, asked, value) => {
      const one = await fixture.makeWallet();
      one.chain.intercept = ({ method }) => (method === asked ? answers(toHex(value)) : undefined);
      await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
      expect(await one.walletRow()).toMatchObject({ observed_at: null, state: "active" });
      one.chain.intercept = ({ method }) => (method === asked ? answers(toHex(value - 1n)) : undefined);
      await one.cycle();
      expect(await one.walletRow()).toMatchObject({ observed_at: expect.any(Date) });
    },
  );
});

describe("a wallet at rest", () => {
  const asks = async (one: DrivenWallet) => {
    const before = one.chain.asked.length;
    await one.cycle();
    return one.chain.asked.length - before;
  };

  it("asks the chain no more often than it is observed", async () => {
    const one = await fixture.makeWallet();
    expect(await asks(one)).toBeGreaterThan(0);
    expect(await asks(one)).toBe(0);
    one.clock.nowMs += one.deps.config.observeMs;
    expect(await asks(one)).toBeGreaterThan(0);
    expect(await asks(one)).toBe(0);
  });

  it("is awake while anything waits, is on its way or is not final", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    const id = await one.send();
    for (const state of ["accepted", "broadcast", "mined"]) {
      expect((await one.row(id)).state).toBe(state);
      const { txHash } = await one.row(id);
      if (state === "broadcast" && txHash) one.chain.mine(txHash);
      expect({ state, isAwake: (await asks(one)) > 0 }).toEqual({ state, isAwake: true });
    }
    one.chain.head += BigInt(one.wallet.nodes.confirmations);
    await one.cycle();
    expect((await one.row(id)).state).toBe("final");
    expect(await asks(one)).toBe(0);
  });

  it("is awake while bytes are signed and not sent, and before its first nonce is known", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    const id = await one.send();
    await one.cycle();
    await fixture.pool.query("UPDATE app.send_request SET state = 'signed' WHERE request_id = $1", [id]);
    expect(await asks(one)).toBeGreaterThan(0);
    const other = await fixture.makeWallet({ nodes: 2 });
    other.chain.intercept = ({ node, method }) =>
      node === 1 && method === "eth_getTransactionCount" ? answers("0x8") : undefined;
    await expect(other.cycle()).rejects.toThrow(NodeUnreachable);
    other.chain.intercept = () => undefined;
    expect(await asks(other)).toBeGreaterThan(0);
    expect(await other.walletRow()).toMatchObject({ next_nonce: "7" });
  });

  it("is awake while it is stopped, since funds may end that", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    await setWalletState(fixture.pool, one.wallet, "paused", "no funds");
    expect(await asks(one)).toBeGreaterThan(0);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    expect(await asks(one)).toBe(0);
  });

  it("is noticed to be somebody else's", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    await expire(one);
    await take(one, "other");
    await expect(one.cycle()).rejects.toThrow(LeaseLost);
  });

  it("looks at a chain that was beyond its nonces until that is settled", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    one.chain.nonce += 1n;
    one.clock.nowMs += one.deps.config.observeMs;
    expect(await asks(one)).toBeGreaterThan(0);
    expect(await asks(one)).toBeGreaterThan(0);
  });
});

describe("what arrives after a cycle", () => {
  const requestsOf = async (one: DrivenWallet, run: () => Promise<unknown>) => {
    const before = one.chain.requests;
    await run();
    return one.chain.requests - before;
  };

  it("goes out in its view of the chain, as one request to the node", async () => {
    const one = await fixture.makeWallet();
    await one.send();
    await one.cycle();
    const ids = [await one.send(), await one.send()];
    expect(await requestsOf(one, async () => expect(await dispatchArrived(one.state)).toBe(true))).toBe(1);
    const rows = await Promise.all(ids.map(one.row));
    expect(rows).toMatchObject([
      { state: "broadcast", nonce: 8n },
      { state: "broadcast", nonce: 9n },
    ]);
    expect({ nonces: one.state.cycle?.inFlight.map(({ nonce }) => nonce) }).toEqual({ nonces: [7n, 8n, 9n] });
    const last = await one.send();
    expect(await dispatchArrived(one.state)).toBe(true);
    expect(await one.row(last)).toMatchObject({ state: "broadcast", nonce: 10n });
  });

  it("waits for a full cycle where none was, where it is older than a view may be, and where the wallet stands still", async () => {
    const one = await fixture.makeWallet();
    expect(await dispatchArrived(one.state)).toBe(false);
    await one.cycle();
    expect(await dispatchArrived(one.state)).toBe(true);
    one.clock.nowMs += one.deps.config.viewMs;
    expect(await dispatchArrived(one.state)).toBe(false);
    await one.cycle();
    await one.cycle();
    expect(await dispatchArrived(one.state)).toBe(false);
    await setWalletState(fixture.pool, one.wallet, "halted", "by hand");
    await one.cycle();
    expect(await dispatchArrived(one.state)).toBe(false);
  });

  it("waits for a full cycle after one that failed", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    await one.send();
    await expire(one);
    await take(one, "other");
    await expect(dispatchArrived(one.state)).rejects.toThrow(LeaseLost);
    expect(await dispatchArrived(one.state)).toBe(false);
  });

  it("that the wallet cannot pay for by now keeps its nonce while the wallet is paused", async () => {
    const one = await fixture.makeWallet();
    await one.cycle();
    const id = await one.send();
    one.chain.balance = 0n;
    one.chain.intercept = ({ method }) =>
      method === "eth_sendRawTransaction" ? fails("insufficient funds") : undefined;
    expect(await dispatchArrived(one.state)).toBe(true);
    expect(await one.row(id)).toMatchObject({ state: "signed", nonce: 7n });
    expect(await one.walletRow()).toMatchObject({ state: "paused" });
    expect(await dispatchArrived(one.state)).toBe(false);
  });
});

describe("a pool that has transactions of the wallet which the database does not", () => {
  const pendingAt = (one: DrivenWallet, node: number, count: RpcAnswer) => {
    one.chain.intercept = (asked) =>
      asked.node === node && asked.params[1] === "pending" ? count : undefined;
  };

  it("keeps it from signing, whichever node it is of, until they are gone", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    const id = await one.send();
    pendingAt(one, 1, answers("0x8"));
    await one.cycle();
    await one.cycle();
    expect(await dispatchArrived(one.state)).toBe(false);
    expect(await one.row(id)).toMatchObject({ state: "accepted", nonce: null });
    const fields = { chainId: 31337, wallet: one.address, nextNonce: "7", answers: ["7", "8"] };
    expect(one.alarms).toEqual(Array(2).fill({ alarm: "unknown-pending", fields }));
    pendingAt(one, 1, answers("0x7"));
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "broadcast", nonce: 7n });
    expect(one.alarms).toHaveLength(2);
  });

  /** Makes a database lose its last commits, as an asynchronous standby that became primary; its driver continues. */
  async function loseNonces(one: DrivenWallet, requestId: string): Promise<void> {
    await inTransaction(fixture.pool, async (tx) => {
      await tx.query("SET LOCAL session_replication_role = replica");
      await tx.query("DELETE FROM app.send_attempt WHERE request_id = $1", [requestId]);
      await tx.query(
        "UPDATE app.send_request SET state = 'accepted', nonce = NULL, tx_hash = NULL WHERE request_id = $1",
        [requestId],
      );
      await tx.query("UPDATE app.delegatee_wallet SET next_nonce = 7 WHERE address = $1", [one.address]);
    });
  }

  it.each(["by a full cycle", "by what arrives"])(
    "is found where the database lost nonces of its driver: %s",
    async (by) => {
      const one = await fixture.makeWallet();
      const id = await one.send();
      await one.cycle();
      expect(await one.row(id)).toMatchObject({ state: "broadcast", nonce: 7n });
      await loseNonces(one, id);
      pendingAt(one, 0, answers("0x8"));
      if (by === "by what arrives") expect(await dispatchArrived(one.state)).toBe(true);
      await one.cycle();
      await one.cycle();
      expect(await dispatchArrived(one.state)).toBe(false);
      expect(await one.row(id)).toMatchObject({ state: "accepted", nonce: null });
      pendingAt(one, 0, answers("0x7"));
      await one.cycle();
      expect(await one.row(id)).toMatchObject({ state: "broadcast", nonce: 7n });
    },
  );

  it("is unknown, and keeps it from signing, while no node answers", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    pendingAt(one, 0, fails("no such block"));
    await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
    await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
    expect(await one.row(id)).toMatchObject({ state: "accepted", nonce: null });
    pendingAt(one, 0, answers("0x7"));
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
  });

  it("is asked of the nodes that answer", async () => {
    const one = await fixture.makeWallet({ nodes: 2 });
    const id = await one.send();
    pendingAt(one, 1, fails("no such block"));
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
  });
});

describe("a chain that is beyond the wallet's nonces", () => {
  async function beyond(options: Parameters<SenderFixture["makeWallet"]>[0] = {}) {
    const one = await fixture.makeWallet(options);
    await one.cycle();
    one.chain.nonce += 1n;
    const id = await one.send();
    await one.cycle();
    expect((await one.row(id)).state).toBe("accepted");
    return { one, id };
  }
  const grace = async (one: DrivenWallet, ms = one.deps.config.foreignGraceMs) => {
    one.clock.nowMs += ms;
    await one.cycle();
  };

  it("halts it after the grace, and not before", async () => {
    const { one } = await beyond();
    await grace(one, one.deps.config.foreignGraceMs - 1);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    await grace(one, 1);
    const reason = "the chain is beyond nonce 7, our next: the key is used elsewhere";
    expect(await one.walletRow()).toMatchObject({ state: "halted", state_reason: reason });
    expect(one.state.aheadMs).toBeNull();
  });

  it("is forgotten once it is not", async () => {
    const { one, id } = await beyond();
    one.chain.nonce -= 1n;
    await one.cycle();
    expect(one.state.aheadMs).toBeNull();
    expect((await one.row(id)).state).toBe("broadcast");
  });

  it("halts nothing where a node says otherwise", async () => {
    const { one } = await beyond({ nodes: 2 });
    one.chain.intercept = ({ node, method }) =>
      node === 1 && method === "eth_getTransactionCount" ? answers("0x7") : undefined;
    await grace(one);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    expect(one.alarms).toMatchObject([{ alarm: "nodes-disagree" }]);
    expect(one.state.aheadMs).toBeNull();
  });

  it("does not keep a halted wallet's requests from being followed", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await one.cycle();
    await setWalletState(fixture.pool, one.wallet, "halted", "by hand");
    const { txHash } = await one.row(id);
    if (txHash) one.chain.mine(txHash);
    one.chain.nonce += 1n;
    await one.cycle();
    expect((await one.row(id)).state).toBe("mined");
  });
});
