import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Hex, parseTransaction } from "viem";
import { readQueues } from "../../../src/sending/outbox/queue-store.ts";
import { newCycleState } from "../../../src/sending/sender/context.ts";
import { runCycle } from "../../../src/sending/sender/cycle.ts";
import { takeLease } from "../../../src/sending/sender/lease.ts";
import { finishReserved } from "../../../src/sending/sender/reserved.ts";
import { addAttempt } from "../../../src/sending/sender/sign.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import type { Signer } from "../../../src/sending/signer/signer.ts";
import { present } from "../../support/assert/until.ts";
import { DOWN } from "../../support/chain/fake-chain.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import { waitsForLock } from "../../support/db/locks.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

/** A nonce is reserved, its transaction signed outside of the database, stored, and only then broadcast. */

let fixture: SenderFixture;
beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

/** Returns a wallet whose key fails to sign where `fails` returns true, and awaits `meanwhile` before it signs. */
async function makeWallet() {
  const one = await fixture.makeWallet();
  const { signer } = one.wallet;
  const key = {
    fails: (_nonce: number): boolean => false,
    asked: [] as number[],
    signed: [] as number[],
    meanwhile: async (): Promise<unknown> => undefined,
  };
  const sign: Signer["sign"] = async (transaction) => {
    key.asked.push(transaction.nonce);
    await key.meanwhile();
    if (key.fails(transaction.nonce)) throw new Error("the device is gone");
    key.signed.push(transaction.nonce);
    return signer.sign(transaction);
  };
  one.wallet.signer = { ...signer, sign };
  return { ...one, key };
}

const later = (one: DrivenWallet, ms = 1_500): void => {
  one.clock.nowMs += ms;
};
const sentBytes = async (one: DrivenWallet, requestId: string) => {
  const [attempt] = await one.attempts(requestId);
  const bytes: Hex = `0x${present(attempt?.signed_bytes, "signed bytes").toString("hex")}`;
  return parseTransaction(bytes as `0x02${string}`);
};

const haltChain = ({ chain: { chainId } }: DrivenWallet) =>
  fixture.pool.query(
    "INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test') ON CONFLICT DO NOTHING",
    [chainId],
  );
const endHalt = ({ chain: { chainId } }: DrivenWallet) =>
  fixture.pool.query("DELETE FROM app.sending_halt WHERE chain_id = $1", [chainId]);
const setWallet = ({ address }: DrivenWallet, state: string) =>
  fixture.pool.query("UPDATE app.delegatee_wallet SET state = $2 WHERE address = $1", [address, state]);

/** Returns a wallet with one request, whose nonce its key could not sign. */
async function makeReserved() {
  const one = await makeWallet();
  one.key.fails = () => true;
  const id = await one.send();
  await one.cycle();
  one.key.fails = () => false;
  return { one, id };
}

describe("row 92: a nonce that the key cannot sign", () => {
  it("stays with its request, and nothing gets one behind it until it is signed", async () => {
    const one = await makeWallet();
    one.key.fails = () => true;
    const first = await one.send();
    await one.cycle();
    const reserved = await one.row(first);
    expect(reserved).toMatchObject({ state: "reserved", nonce: 7n, txHash: null });
    expect(await one.attempts(first)).toEqual([]);
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
    expect(one.alarms).toMatchObject([
      { alarm: "key-unavailable", fields: { wallet: one.address, reason: "the device is gone" } },
    ]);
    const second = await one.send();
    later(one);
    await one.cycle();
    expect(await one.row(second)).toMatchObject({ state: "accepted", nonce: null });
    one.key.fails = () => false;
    later(one);
    await one.cycle();
    expect(await one.row(first)).toMatchObject({ state: "broadcast", nonce: 7n, reservedMaxFee: null });
    expect(await one.row(second)).toMatchObject({ state: "broadcast", nonce: 8n });
    expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
    expect(await sentBytes(one, first)).toMatchObject({
      maxFeePerGas: reserved.reservedMaxFee,
      maxPriorityFeePerGas: reserved.reservedTip,
    });
  });

  it("is signed at the first cycle a second later, and at none before", async () => {
    const { one, id } = await makeReserved();
    later(one, 999);
    await one.cycle();
    expect(one.key.asked).toEqual([7]);
    later(one, 1);
    await one.cycle();
    expect(one.key.asked).toEqual([7, 7]);
    expect(await one.row(id)).toMatchObject({ state: "broadcast" });
  });

  it("does not keep those before it", async () => {
    const one = await makeWallet();
    one.key.fails = (nonce) => nonce === 8;
    const ids = [await one.send(), await one.send(), await one.send()];
    await one.cycle();
    const states = async () =>
      (await Promise.all(ids.map(one.row))).map(({ state, nonce }) => [state, nonce]);
    expect(await states()).toEqual([
      ["broadcast", 7n],
      ["reserved", 8n],
      ["reserved", 9n],
    ]);
    expect(await readQueues(fixture.pool, one.chain.chainId)).toContainEqual(
      expect.objectContaining({ wallet: one.address, unsignedSeconds: expect.any(Number) }),
    );
    one.key.fails = (nonce) => nonce === 9;
    later(one);
    await one.cycle();
    expect(await states()).toEqual([
      ["broadcast", 7n],
      ["broadcast", 8n],
      ["reserved", 9n],
    ]);
  });

  it("is signed by the next worker, and not by the one that lost the lease meanwhile", async () => {
    const one = await makeWallet();
    let release = (): void => undefined;
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const { sign } = one.wallet.signer;
    const slow: Signer["sign"] = async (transaction) => {
      isAsked();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return sign({ ...transaction, maxFeePerGas: transaction.maxFeePerGas + 1n });
    };
    const slowWallet: Wallet = { ...one.wallet, signer: { ...one.wallet.signer, sign: slow } };
    const id = await one.send();
    const stale = runCycle(one.deps, slowWallet, newCycleState());
    await asked;
    await fixture.pool.query("UPDATE app.delegatee_wallet SET lease_until = now() - interval '1 second'");
    const epoch = await takeLease(fixture.pool, one.chain.chainId, one.address, "next", 3_600_000);
    const next: Wallet = { ...one.wallet, owner: "next", epoch: present(epoch, "a lease") };
    await runCycle(one.deps, next, newCycleState());
    release();
    await expect(stale).rejects.toThrow("driven by another worker");
    expect(await one.row(id)).toMatchObject({ state: "broadcast", nonce: 7n });
    expect(await one.attempts(id)).toHaveLength(1);
  });

  it("is not signed again where it was signed since it was read", async () => {
    const { one, id } = await makeReserved();
    const stale = present(one.state.cycle, "a cycle");
    later(one);
    await one.cycle();
    expect(one.key.signed).toEqual([7]);
    await finishReserved(stale, false);
    expect(one.key.signed).toEqual([7]);
    expect(await one.attempts(id)).toHaveLength(1);
    expect(one.alarms).toMatchObject([{ alarm: "key-unavailable" }]);
  });

  it("gets no attempt at a higher fee before its first one is stored", async () => {
    const { one, id } = await makeReserved();
    later(one);
    const cycle = present(one.state.cycle, "a cycle");
    const [request] = await one.stored();
    const terms = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, gasLimit: 100_000n };
    await expect(addAttempt(cycle, present(request, "the request"), "call", terms)).rejects.toThrow(
      "an attempt was not stored",
    );
    expect(await one.row(id)).toMatchObject({ state: "reserved", txHash: null });
    expect(await one.attempts(id)).toEqual([]);
  });
});

describe("row 92: a request whose nonce is reserved", () => {
  const cases: [string, (one: DrivenWallet) => Promise<unknown>, string][] = [
    [
      "a disable",
      (one) =>
        fixture.pool.query(
          "UPDATE app.delegation SET blocked = true, epoch = epoch + 1 WHERE user_address = $1",
          [one.user],
        ),
      "DELEGATION_NOT_ENABLED",
    ],
    ["a kill switch", (one) => setPolicy(fixture.pool, one.caller, { killed: true }), "POLICY_REFUSED"],
    ["its deadline", async (one) => later(one, 120_000), "DEADLINE_EXPIRED"],
    [
      "another deployments file",
      async ({ deps }) => {
        deps.rules = { ...deps.rules, routers: new Map() };
      },
      "INTERNAL",
    ],
  ];

  it.each(cases)(
    "ends by %s: its nonce is filled, and its call is never signed",
    async (_what, stop, why) => {
      const one = await makeWallet();
      one.key.fails = () => true;
      const id = await one.send({ deadline: BigInt(Math.floor(one.clock.nowMs / 1000) + 60) });
      await one.cycle();
      await stop(one);
      one.key.fails = () => false;
      later(one);
      await one.cycle();
      expect(await one.row(id)).toMatchObject({
        state: "broadcast",
        nonce: 7n,
        fillReason: why,
        txHash: null,
      });
      expect(await one.attempts(id)).toMatchObject([{ kind: "filler", nonce: "7" }]);
      expect(await sentBytes(one, id)).toMatchObject({ to: one.address });
      expect(one.state.cycle?.inFlight).toMatchObject(await one.stored());
    },
  );

  it("waits for a disable that is not committed yet", async () => {
    const { one, id } = await makeReserved();
    later(one);
    const holder = await fixture.pool.connect();
    await holder.query("BEGIN");
    await holder.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [one.user]);
    const cycle = one.cycle();
    try {
      await waitsForLock(fixture.pool, "%FROM app.delegation%FOR SHARE%", cycle);
    } finally {
      await holder.query("COMMIT");
      holder.release();
      await cycle;
    }
    expect(await one.row(id)).toMatchObject({ fillReason: "DELEGATION_NOT_ENABLED" });
    expect(await one.attempts(id)).toMatchObject([{ kind: "filler" }]);
  });

  it("is not filled before a node estimates the gas", async () => {
    const { one, id } = await makeReserved();
    await setPolicy(fixture.pool, one.caller, { killed: true });
    one.chain.intercept = ({ method }) => (method === "eth_estimateGas" ? DOWN : undefined);
    later(one);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "reserved", fillReason: "POLICY_REFUSED" });
    expect(one.key.signed).toEqual([]);
    one.chain.intercept = () => undefined;
    later(one);
    await one.cycle();
    expect(await one.attempts(id)).toMatchObject([{ kind: "filler", gas_limit: "21000" }]);
  });

  it.each<[string, (one: DrivenWallet) => Promise<unknown>, (one: DrivenWallet) => Promise<unknown>]>([
    ["chain", haltChain, endHalt],
    ["wallet", (one) => setWallet(one, "halted"), (one) => setWallet(one, "active")],
  ])("is not signed where its %s is halted while the key signs", async (_what, halt, resume) => {
    const one = await makeWallet();
    one.key.meanwhile = () => halt(one);
    const id = await one.send();
    await one.cycle();
    expect(one.key.signed).toEqual([7]);
    expect(await one.row(id)).toMatchObject({ state: "reserved", txHash: null });
    expect(await one.attempts(id)).toEqual([]);
    one.key.meanwhile = async () => undefined;
    await resume(one);
    later(one);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "broadcast" });
  });

  it.each([
    { when: "before", signed: [7] },
    { when: "while", signed: [7, 8] },
  ])(
    "waits where its chain is halted $when the key signs, and a filler does not",
    async ({ when, signed }) => {
      const one = await makeWallet();
      one.key.fails = () => true;
      const deadline = BigInt(Math.floor(one.clock.nowMs / 1000) + 60);
      const [filled, waiting] = [await one.send({ deadline }), await one.send()];
      await one.cycle();
      one.key.fails = () => false;
      if (when === "before") await haltChain(one);
      else one.key.meanwhile = () => haltChain(one);
      later(one, 120_000);
      await one.cycle();
      await endHalt(one);
      expect(one.key.signed.toSorted()).toEqual(signed);
      expect(await one.row(filled)).toMatchObject({ state: "broadcast", fillReason: "DEADLINE_EXPIRED" });
      expect(await one.attempts(filled)).toMatchObject([{ kind: "filler" }]);
      expect(await one.row(waiting)).toMatchObject({ state: "reserved", nonce: 8n });
      expect(await one.attempts(waiting)).toEqual([]);
    },
  );

  it("waits while its chain is halted", async () => {
    const { one, id } = await makeReserved();
    await haltChain(one);
    later(one);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "reserved" });
    expect(one.key.signed).toEqual([]);
    await endHalt(one);
    later(one);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "broadcast" });
  });
});

it("row 92: stored bytes go on while the key cannot sign a higher fee", async () => {
  const one = await makeWallet();
  const id = await one.send();
  await one.cycle();
  one.key.fails = () => true;
  later(one, one.deps.config.bumpAfterMs + 1_000);
  await one.cycle();
  const attempts = await one.attempts(id);
  expect(attempts).toMatchObject([{ kind: "call", broadcasts: 2 }]);
  expect(one.alarms.map(({ alarm }) => alarm)).toEqual(["key-unavailable"]);
  later(one);
  await one.cycle();
  expect(await one.attempts(id)).toMatchObject([{ broadcasts: 2 }]);
  one.key.fails = () => false;
  later(one);
  await one.cycle();
  expect(await one.attempts(id)).toHaveLength(2);
});
