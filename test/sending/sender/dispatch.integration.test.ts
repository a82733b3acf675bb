import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { encodeErrorResult, keccak256, parseAbi, parseTransaction } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import type { SendOperation } from "../../../src/protocol/enums.ts";
import { endRequest } from "../../../src/sending/outbox/end-store.ts";
import { dispatchArrived } from "../../../src/sending/sender/cycle.ts";
import type { SenderConfig } from "../../../src/sending/sender/deps.ts";
import { NodeUnreachable } from "../../../src/sending/sender/nodes.ts";
import { signRequests } from "../../../src/sending/sender/sign.ts";
import { present } from "../../support/assert/until.ts";
import { DOWN, fails } from "../../support/chain/fake-chain.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import { waitsForLock } from "../../support/db/locks.ts";
import { bindKey, seedEnable } from "../../support/sender/enables.ts";
import { verified } from "../../support/sender/new-send.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// Signing: its order and amounts, and requests that end before it; on a chain in memory.

let fixture: SenderFixture;
beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

/** Price per gas of a fixture's wallet: twice the base fee, and the tip. */
const MAX_FEE = 4_000_000_000n;
const COST = 100_000n * MAX_FEE;

const transactionsOf = (one: DrivenWallet) => one.chain.taken.map((bytes) => parseTransaction(bytes));
const statesOf = (one: DrivenWallet, ids: string[]) =>
  Promise.all(ids.map(async (id) => (await one.row(id)).state));
const noncesOf = (one: DrivenWallet, ids: string[]) =>
  Promise.all(ids.map(async (id) => (await one.row(id)).nonce));
const setWallet = (one: DrivenWallet, state: string) =>
  fixture.pool.query("UPDATE app.delegatee_wallet SET state = $2 WHERE address = $1", [one.address, state]);

async function sendAll(one: DrivenWallet, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await one.send());
  return ids;
}

/** Creates another key of the wallet's user, whose enable is in force as well. */
async function makeOtherKey(one: DrivenWallet): Promise<Caller> {
  const other = await fixture.makeCaller();
  await seedEnable(fixture.pool, other, one.user);
  return other;
}

describe("what waits", () => {
  it("is signed from the wallet's nonce on, in the order in which it came, and goes out once", async () => {
    const one = await fixture.makeWallet();
    const [first, second] = [await one.send(), await one.send({ gasLimit: 90_000n })];
    await one.cycle();
    const { to, data } = await one.row(first);
    const [a, b] = transactionsOf(one);
    const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: 2_000_000_000n };
    expect(a).toMatchObject({ ...fees, type: "eip1559", chainId: 31337, nonce: 7, to, data, gas: 100_000n });
    expect(b).toMatchObject({ ...fees, nonce: 8, gas: 90_000n });
    expect(a?.value).toBeUndefined();
    for (const [index, id] of [first, second].entries()) {
      const bytes = present(one.chain.taken[index], "bytes");
      const hash = keccak256(bytes);
      expect(await one.row(id)).toMatchObject({
        state: "broadcast",
        nonce: 7n + BigInt(index),
        txHash: hash,
      });
      expect({ id, claim: await one.claim(id) }).toMatchObject({ id, claim: { tx_hash: hash } });
      const attempts = await one.attempts(id);
      expect(attempts).toMatchObject([
        {
          kind: "call",
          nonce: String(7 + index),
          gas_limit: index === 0 ? "100000" : "90000",
          max_fee_per_gas: String(MAX_FEE),
          max_priority_fee: "2000000000",
          tx_hash: hash,
          broadcasts: 1,
          taken: 1,
          refusals: 0,
          answer: "taken",
          first_broadcast_at: new Date(one.clock.nowMs),
          last_broadcast_at: new Date(one.clock.nowMs),
        },
      ]);
      expect({ index, id, signedBytes: attempts[0]?.signed_bytes?.toString("hex") }).toEqual({
        index,
        id,
        signedBytes: bytes.slice(2),
      });
    }
    expect(await one.walletRow()).toMatchObject({ next_nonce: "9", state: "active" });
    await one.cycle();
    expect(one.chain.taken).toHaveLength(2);
  });

  it("goes out in groups of 32 and one request each, at the fees of the cycle's head", async () => {
    const one = await fixture.makeWallet({ config: { inFlightMax: 40 } });
    await sendAll(one, 33);
    one.chain.asked.length = 0;
    one.chain.requests = 0;
    const counted: number[] = [];
    one.chain.intercept = ({ method }) => {
      if (method === "eth_sendRawTransaction") counted.push(one.chain.requests);
      return undefined;
    };
    await one.cycle();
    const sending = one.chain.asked
      .map(({ method }) => method)
      .filter((method) => method === "eth_maxPriorityFeePerGas" || method === "eth_sendRawTransaction");
    const sent = (count: number) => Array.from({ length: count }, () => "eth_sendRawTransaction");
    expect(sending).toEqual(["eth_maxPriorityFeePerGas", ...sent(33)]);
    const [first = 0] = counted;
    expect(counted).toEqual([...Array.from({ length: 32 }, () => first), first + 1]);
    expect(transactionsOf(one).map(({ nonce }) => nonce)).toEqual(
      Array.from({ length: 33 }, (_, i) => 7 + i),
    );
  });

  it("takes turns among keys, each key's own in order", async () => {
    const one = await fixture.makeWallet();
    const other = await fixture.makeCaller();
    await bindKey(fixture.pool, other.keyId, one.user);
    await fixture.pool.query("UPDATE app.delegation SET delegatee = $1 WHERE user_address = $2", [
      one.address,
      one.user,
    ]);
    const free = { needsDelegation: false, operation: "1ct/enable", operationType: null } as const;
    const mine = [await one.send(), await one.send(), await one.send()];
    const theirs = [await one.send(free, other), await one.send(free, other)];
    await one.cycle();
    expect({ nonces: await noncesOf(one, mine) }).toEqual({ nonces: [7n, 9n, 11n] });
    expect({ noncesOfOther: await noncesOf(one, theirs) }).toEqual({ noncesOfOther: [8n, 10n] });
    expect(one.state.roundRobin).toEqual([other.keyId, one.caller.keyId]);
  });

  it("goes out in one cycle where one of two keys has more than its share of a group", async () => {
    const one = await fixture.makeWallet({ config: { inFlightMax: 4 } });
    await sendAll(one, 3);
    await one.send({}, await makeOtherKey(one));
    await one.cycle();
    expect(one.chain.taken).toHaveLength(4);
  });

  it("remembers the turns of a thousand keys, the latest of them", async () => {
    const one = await fixture.makeWallet();
    const before: string[] = Array.from({ length: 1_000 }, () => randomUUID());
    one.state.roundRobin = before;
    await one.send();
    await one.cycle();
    expect(one.state.roundRobin).toEqual([...before.slice(1), one.caller.keyId]);
  });

  it("is not signed behind a group that nodes did not take whole", async () => {
    for (const [takenFirst, refusal] of [
      [0, "txpool is full"],
      [1, "txpool is full"],
      [1, "words that nobody knows"],
    ] as const) {
      const one = await fixture.makeWallet({ config: { inFlightMax: 40 } });
      const ids = await sendAll(one, 33);
      one.chain.intercept = ({ method }) =>
        method === "eth_sendRawTransaction" && one.chain.taken.length >= takenFirst
          ? fails(refusal)
          : undefined;
      await one.cycle();
      const group = Array.from({ length: 32 }, (_, index) => (index < takenFirst ? "broadcast" : "signed"));
      expect({ takenFirst, refusal, states: await statesOf(one, ids) }).toEqual({
        takenFirst,
        refusal,
        states: [...group, "accepted"],
      });
    }
  });

  it("waits while as much is in flight as may be", async () => {
    const one = await fixture.makeWallet({ config: { inFlightMax: 3 } });
    const ids = await sendAll(one, 5);
    await one.cycle();
    await one.cycle();
    expect(await statesOf(one, ids)).toEqual(["broadcast", "broadcast", "broadcast", "accepted", "accepted"]);
    one.chain.mine(present((await one.row(present(ids[0], "an id"))).txHash, "a hash"));
    await one.cycle();
    const full = ["mined", "broadcast", "broadcast", "broadcast", "accepted"];
    expect(await statesOf(one, ids)).toEqual(full);
    one.deps.config = { ...one.deps.config, inFlightMax: 2 };
    await one.cycle();
    expect(await statesOf(one, ids)).toEqual(full);
  });

  it("offers the configured tip where a node suggests none, and nothing where fees are nothing", async () => {
    const one = await fixture.makeWallet();
    one.chain.tip = null;
    await one.send();
    await one.cycle();
    expect(transactionsOf(one)[0]).toMatchObject({
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    const free = await fixture.makeWallet({ config: { minPriorityFee: 0n } });
    free.chain.tip = null;
    free.chain.baseFee = 0n;
    free.chain.balance = 0n;
    await free.send({ gasLimit: 5_000_000n });
    await free.cycle();
    expect(free.chain.taken).toHaveLength(1);
    expect(free.alarms).toEqual([]);
  });

  it("is paid for by a balance of more gas than a number in the database holds", async () => {
    const one = await fixture.makeWallet({ config: { minPriorityFee: 1n } });
    one.chain.tip = null;
    one.chain.baseFee = 0n;
    one.chain.balance = 10n ** 20n;
    const id = await one.send();
    await one.cycle();
    expect((await one.row(id)).state).toBe("broadcast");
    expect(transactionsOf(one)).toMatchObject([{ maxFeePerGas: 1n }]);
  });

  it("offers at most the cap", async () => {
    const one = await fixture.makeWallet({ config: { maxFeePerGasCap: 1_500_000_000n } });
    await one.send();
    await one.cycle();
    expect(transactionsOf(one)[0]).toMatchObject({
      maxFeePerGas: 1_500_000_000n,
      maxPriorityFeePerGas: 1_500_000_000n,
    });
  });

  it("is not signed at a guess where no node suggests a fee", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    one.chain.intercept = ({ method }) => (method === "eth_maxPriorityFeePerGas" ? DOWN : undefined);
    await expect(one.cycle()).rejects.toThrow(NodeUnreachable);
    expect((await one.row(id)).state).toBe("accepted");
  });

  it("is not signed while the wallet is halted", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await setWallet(one, "halted");
    await one.cycle();
    expect((await one.row(id)).state).toBe("accepted");
    expect(await one.walletRow()).toMatchObject({ state: "halted", next_nonce: null });
  });
});

describe("a wallet's funds", () => {
  it("do not hold up what they pay for: what costs more waits, and is told of", async () => {
    const one = await fixture.makeWallet();
    one.chain.balance = 10n * COST - 1n;
    const large = await one.send({ gasLimit: 1_000_000n });
    const small = await one.send();
    await one.cycle();
    expect(await statesOf(one, [large, small])).toEqual(["accepted", "broadcast"]);
    const fields = {
      chainId: one.chain.chainId,
      wallet: one.address,
      requestId: large,
      costWei: (10n * COST).toString(),
      balanceWei: one.chain.balance.toString(),
    };
    expect(one.alarms).toEqual([{ alarm: "unaffordable", fields }]);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    one.chain.balance = 11n * COST;
    await one.cycle();
    expect((await one.row(large)).state).toBe("broadcast");
    expect(one.alarms).toHaveLength(1);
  });

  it("raise the alarm of what costs more once in a cycle, and not for what arrives after it", async () => {
    const one = await fixture.makeWallet();
    one.chain.balance = 10n * COST - 1n;
    for (const gasLimit of [1_000_000n, 100_000n]) await one.send({ gasLimit });
    await one.send({}, await makeOtherKey(one));
    await one.cycle();
    await one.send();
    expect(await dispatchArrived(one.state)).toBe(true);
    expect(one.chain.taken).toHaveLength(3);
    expect(one.alarms).toMatchObject([{ alarm: "unaffordable" }]);
  });

  it("of nothing do not pause a wallet where nothing waits any more", async () => {
    const one = await fixture.makeWallet();
    one.chain.balance = 0n;
    const late = await one.send({ deadline: 1n });
    await one.cycle();
    expect((await one.row(late)).state).toBe("canceled");
    expect(await one.walletRow()).toMatchObject({ state: "active" });
  });

  it("count what is in flight, and do not pause the wallet for it", async () => {
    const one = await fixture.makeWallet();
    one.chain.balance = 2n * COST - 1n;
    const [first, second] = [await one.send(), await one.send()];
    await one.cycle();
    expect(await statesOf(one, [first, second])).toEqual(["broadcast", "accepted"]);
    await one.cycle();
    expect(await statesOf(one, [first, second])).toEqual(["broadcast", "accepted"]);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    one.chain.balance = 2n * COST;
    await one.cycle();
    expect((await one.row(second)).state).toBe("broadcast");
  });

  it("that pay for nothing more do not pause it while something is in flight", async () => {
    const one = await fixture.makeWallet();
    await one.send({ gasLimit: 90_000n });
    await one.cycle();
    one.chain.balance = COST - 1n;
    const waiting = await one.send();
    await one.cycle();
    expect((await one.row(waiting)).state).toBe("accepted");
    expect(await one.walletRow()).toMatchObject({ state: "active" });
  });

  it("that pay for an ordinary call do not pause it for a larger one", async () => {
    const one = await fixture.makeWallet();
    one.chain.balance = 500_000n * MAX_FEE;
    const large = await one.send({ gasLimit: 1_000_000n });
    await one.cycle();
    expect((await one.row(large)).state).toBe("accepted");
    expect(one.alarms).toMatchObject([{ alarm: "unaffordable" }]);
    expect(await one.walletRow()).toMatchObject({ state: "active" });
  });

  it("end a pause where nothing costs anything, but not below what is in flight", async () => {
    const one = await fixture.makeWallet({ config: { minPriorityFee: 0n } });
    const first = await one.send();
    await one.cycle();
    const second = await one.send();
    await setWallet(one, "paused");
    one.chain.tip = null;
    one.chain.baseFee = 0n;
    one.chain.balance = COST - 1n;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "paused" });
    expect(await statesOf(one, [first, second])).toEqual(["broadcast", "accepted"]);
    one.chain.balance = COST;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    expect(await statesOf(one, [first, second])).toEqual(["broadcast", "broadcast"]);
  });

  it("of nothing end a pause where nothing costs anything and nothing waits", async () => {
    const one = await fixture.makeWallet({ config: { minPriorityFee: 0n } });
    await setWallet(one, "paused");
    one.chain.tip = null;
    one.chain.baseFee = 0n;
    one.chain.balance = 0n;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "active" });
  });

  it("that pay for nothing pause it, and as soon as they pay for what waits it goes on", async () => {
    const one = await fixture.makeWallet();
    one.chain.balance = COST - 1n;
    const id = await one.send();
    await one.cycle();
    expect((await one.row(id)).state).toBe("accepted");
    const reason = "insufficient funds";
    expect(await one.walletRow()).toMatchObject({ state: "paused", state_reason: reason });
    const fields = { chainId: one.chain.chainId, wallet: one.address, reason };
    expect(one.alarms.at(-1)).toEqual({ alarm: "wallet-paused", fields });
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "paused" });
    one.chain.balance = COST;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "active", state_reason: null });
    expect((await one.row(id)).state).toBe("broadcast");
  });

  it("end a pause where nothing waits once they pay for an ordinary call beside what is in flight", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    await one.cycle();
    await setWallet(one, "paused");
    const enough = COST + 500_000n * MAX_FEE;
    for (const balance of [0n, COST, enough - 1n]) {
      one.chain.balance = balance;
      one.clock.nowMs += 5_000;
      await one.cycle();
      const { state } = await one.walletRow();
      expect({ balance, taken: one.chain.taken.length, state }).toEqual({
        balance,
        taken: 1,
        state: "paused",
      });
    }
    one.chain.balance = enough;
    one.clock.nowMs += 1;
    await one.cycle();
    expect(await one.walletRow()).toMatchObject({ state: "active" });
    // Nodes may have dropped it meanwhile.
    await one.cycle();
    expect(await one.attempts(id)).toMatchObject([
      { broadcasts: 2, first_broadcast_at: new Date(one.clock.nowMs) },
    ]);
  });
});

describe("what waited long", () => {
  const REVERT = encodeErrorResult({ abi: parseAbi(["error Error(string)"]), args: ["no"] });

  type Answer = ReturnType<typeof fails> | undefined;

  /** Writes a request that has waited for so long, before its wallet's cycle. */
  async function waited(
    ms: number,
    answer: Answer | ((call: { gas?: string }) => Answer),
    operation: SendOperation = "orders/send",
    config: Partial<SenderConfig> = {},
  ) {
    const one = await fixture.makeWallet({ config });
    const id = await one.send({ operation, needsDelegation: operation === "orders/send" });
    await fixture.pool.query(
      "UPDATE app.send_request SET accepted_at = to_timestamp($2 / 1000.0) WHERE request_id = $1",
      [id, one.clock.nowMs - ms],
    );
    const calls: unknown[][] = [];
    one.chain.intercept = ({ method, params }) => {
      if (method !== "eth_call") return undefined;
      calls.push(params);
      return typeof answer === "function" ? answer(Object(params[0])) : answer;
    };
    const behind = await one.send();
    await one.cycle();
    expect((await one.row(behind)).state).toBe("broadcast");
    return { one, id, calls };
  }

  it("is simulated before it is signed, and fails where it would revert", async () => {
    const { one, id, calls } = await waited(15_000, fails("execution reverted", REVERT));
    const row = await one.row(id);
    expect(row).toMatchObject({
      state: "failed",
      errCode: "CHAIN_REVERT",
      revert: "Error",
      reason: "reverts before it was signed",
      nonce: null,
    });
    expect(await one.claim(id)).toMatchObject({ state: "reverted" });
    const { to, data } = row;
    expect(calls).toEqual([[{ from: one.address, to, data, gas: "0x186a0" }, "latest"]]);
  });
  it("keeps nothing behind it waiting where it fails, also where only one may be in flight", async () => {
    const failure = fails("execution reverted", REVERT);
    const { one, id } = await waited(15_000, failure, "orders/send", { inFlightMax: 1 });
    expect((await one.row(id)).state).toBe("failed");
  });
  it("fails also where a node gives no data of its revert, and is sent where it names none", async () => {
    const { one, id } = await waited(15_000, fails("execution reverted"));
    expect(await one.row(id)).toMatchObject({ state: "failed", errCode: "CHAIN_REVERT", revert: null });
    const named = await waited(15_000, fails("VM exception", REVERT));
    expect(await named.one.row(named.id)).toMatchObject({ state: "failed", revert: "Error" });
    const unclear = await waited(15_000, fails("insufficient funds"));
    expect((await unclear.one.row(unclear.id)).state).toBe("broadcast");
    const fine = await waited(15_000, undefined);
    expect((await fine.one.row(fine.id)).state).toBe("broadcast");
  });
  it("fails where its gas limit has become too low, however the node reports that", async () => {
    for (const failure of [fails("out of gas"), fails("EVM error: OutOfGas"), fails("execution reverted")]) {
      const { one, id } = await waited(15_000, ({ gas }) => (gas === "0x186a0" ? failure : undefined));
      expect(await one.row(id)).toMatchObject({ state: "failed", errCode: "OUT_OF_GAS", nonce: null });
    }
    const capped = await waited(15_000, fails("out of gas"));
    expect((await capped.one.row(capped.id)).state).toBe("broadcast");
  });
  it("keeps the end that it came to while it was simulated", async () => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    one.clock.nowMs += 60_000;
    one.chain.intercept = ({ method }) =>
      method === "eth_call" ? fails("execution reverted", REVERT) : undefined;
    const { open } = one.wallet.nodes;
    const ending = { state: "canceled", errCode: "DELEGATION_NOT_ENABLED", reason: "disabled" } as const;
    one.wallet.nodes.open = async () => {
      const node = await open();
      return {
        ...node,
        askMany: async (calls) => {
          if (calls.some(({ method }) => method === "eth_call"))
            await inTransaction(fixture.pool, (tx) => endRequest(tx, id, ending));
          return node.askMany(calls);
        },
      };
    };
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ ...ending, revert: null });
  });
  it("is not simulated earlier, and a disable never", async () => {
    for (const { one, id, calls } of [
      await waited(14_999, fails("execution reverted")),
      await waited(60_000, fails("execution reverted"), "1ct/disable"),
    ]) {
      expect({ id, calls }).toEqual({ id, calls: [] });
      expect({ id, state: (await one.row(id)).state }).toEqual({ id, state: "broadcast" });
    }
  });
});

describe("what is cancelled before it is signed", () => {
  const cases: [string, (one: DrivenWallet) => Promise<unknown>, object][] = [
    [
      "a disabled delegation",
      (one) =>
        fixture.pool.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [one.user]),
      { errCode: "DELEGATION_NOT_ENABLED", reason: "disabled before it was signed" },
    ],
    [
      "a revoked key",
      (one) =>
        fixture.pool.query("UPDATE app.api_key SET active = false, revoked_at = now() WHERE key_id = $1", [
          one.caller.keyId,
        ]),
      { errCode: "POLICY_REFUSED", reason: "its key was revoked" },
    ],
    [
      "a kill switch",
      (one) => setPolicy(fixture.pool, one.caller, { killed: true }),
      { errCode: "POLICY_REFUSED", reason: "the key's kill switch" },
    ],
    [
      "the retirement of its wallet",
      (one) =>
        fixture.pool.query("UPDATE app.delegatee_wallet SET assignable = false WHERE address = $1", [
          one.address,
        ]),
      { errCode: "DELEGATION_NOT_ENABLED", reason: "its wallet was retired before it was signed" },
    ],
  ];

  it.each(cases)("ends by %s, and a disable goes out all the same", async (_what, stop, ending) => {
    const one = await fixture.makeWallet();
    const id = await one.send();
    const disable = { operation: "1ct/disable", needsDelegation: false, operationType: null } as const;
    const [off, request] = [await one.send(disable), await one.row(id)];
    await stop(one);
    expect(
      await signRequests({ ...one, inFlight: [] }, [verified(request)], {
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      }),
    ).toBe(false);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "canceled", ...ending, nonce: null });
    expect(await one.claim(id)).toMatchObject({ state: "reverted" });
    expect((await one.row(off)).state).toBe("broadcast");
  });

  it("ends by a disable that is under way, and is not signed before its commit", async () => {
    const one = await fixture.makeWallet();
    await one.send();
    await one.cycle();
    const request = await one.row(await one.send());
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    const { signing } = await inTransaction(fixture.pool, async (tx) => {
      await tx.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [one.user]);
      const signed = signRequests({ ...one, inFlight: [] }, [verified(request)], fees);
      await waitsForLock(fixture.pool, "%FROM app.delegation%FOR SHARE%", signed);
      return { signing: signed };
    });
    await signing;
    expect(await one.row(request.requestId)).toMatchObject({
      state: "canceled",
      errCode: "DELEGATION_NOT_ENABLED",
      nonce: null,
    });
  });

  it("ends past its deadline, also while the wallet is halted", async () => {
    const one = await fixture.makeWallet();
    const seconds = BigInt(Math.floor(one.clock.nowMs / 1000));
    const [late, onTime] = [
      await one.send({ deadline: seconds - 1n }),
      await one.send({ deadline: seconds }),
    ];
    await setWallet(one, "halted");
    await one.cycle();
    expect(await one.row(late)).toMatchObject({
      state: "canceled",
      errCode: "DEADLINE_EXPIRED",
      reason: "its deadline passed before it was signed",
    });
    expect((await one.row(onTime)).state).toBe("accepted");
    await setWallet(one, "active");
    await one.cycle();
    expect((await one.row(onTime)).state).toBe("broadcast");
  });

  it("is not signed again, nor by a wallet that may not send", async () => {
    const one = await fixture.makeWallet();
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    const request = await one.row(await one.send());
    // Its first nonce is not known yet.
    expect(await signRequests({ ...one, inFlight: [] }, [verified(request)], fees)).toBe(false);
    await fixture.pool.query("UPDATE app.delegatee_wallet SET next_nonce = 0 WHERE address = $1", [
      one.address,
    ]);
    await setWallet(one, "paused");
    expect(await signRequests({ ...one, inFlight: [] }, [verified(request)], fees)).toBe(false);
    await setWallet(one, "active");
    const { chainId } = one.chain;
    await fixture.pool.query("INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test')", [chainId]);
    expect(await signRequests({ ...one, inFlight: [] }, [verified(request)], fees)).toBe(false);
    await fixture.pool.query("DELETE FROM app.sending_halt WHERE chain_id = $1", [chainId]);
    // Sets the database back behind a nonce that this worker assigned.
    one.state.knownNonce = 1n;
    expect(await signRequests({ ...one, inFlight: [] }, [verified(request)], fees)).toBe(false);
    one.state.knownNonce = 0n;
    expect(await signRequests({ ...one, inFlight: [] }, [verified(request)], fees)).toBe(true);
    expect(one.state.knownNonce).toBe(1n);
    expect(await signRequests({ ...one, inFlight: [] }, [verified(request)], fees)).toBe(false);
    const late = await one.row(await one.send({ deadline: 1n }));
    expect(await signRequests({ ...one, inFlight: [] }, [verified(late)], fees)).toBe(true);
    expect(await one.row(late.requestId)).toMatchObject({ state: "canceled", nonce: null });
    expect(await one.walletRow()).toMatchObject({ next_nonce: "1" });
  });
});
