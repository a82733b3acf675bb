import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Hex, parseTransaction } from "viem";
import { readQueues } from "../../../src/sending/outbox/queue-store.ts";
import { newCycleState } from "../../../src/sending/sender/context.ts";
import { runCycle } from "../../../src/sending/sender/cycle.ts";
import { takeLease } from "../../../src/sending/sender/lease.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import type { Signer } from "../../../src/sending/signer/signer.ts";
import { present } from "../../support/assert/until.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
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

/** A wallet whose key signs as long as `fails` says nothing else. */
async function makeWallet() {
  const one = await fixture.makeWallet();
  const { signer } = one.wallet;
  const key = { fails: (_nonce: number): boolean => false, signed: [] as number[] };
  const sign: Signer["sign"] = async (transaction) => {
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

describe("row 92: a nonce that the key cannot sign", () => {
  it("stays with its request, and nothing gets one behind it until it is signed", async () => {
    const one = await makeWallet();
    one.key.fails = () => true;
    const first = await one.send();
    await one.cycle();
    const reserved = await one.row(first);
    expect(reserved).toMatchObject({ state: "reserved", nonce: 7n, txHash: null });
    expect(await one.attempts(first)).toEqual([]);
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
    expect(await sentBytes(one, first)).toMatchObject({
      maxFeePerGas: reserved.reservedMaxFee,
      maxPriorityFeePerGas: reserved.reservedTip,
    });
  });

  it("does not keep those before it", async () => {
    const one = await makeWallet();
    one.key.fails = (nonce) => nonce === 8;
    const ids = [await one.send(), await one.send(), await one.send()];
    await one.cycle();
    const rows = await Promise.all(ids.map((id) => one.row(id)));
    expect(rows.map(({ state, nonce }) => [state, nonce])).toEqual([
      ["broadcast", 7n],
      ["reserved", 8n],
      ["reserved", 9n],
    ]);
    expect(await readQueues(fixture.pool, one.chain.chainId)).toContainEqual(
      expect.objectContaining({ wallet: one.address, unsignedSeconds: expect.any(Number) }),
    );
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
    },
  );

  it("waits while its chain is halted", async () => {
    const one = await makeWallet();
    one.key.fails = () => true;
    const id = await one.send();
    await one.cycle();
    const { chainId } = one.chain;
    await fixture.pool.query("INSERT INTO app.sending_halt (chain_id, actor) VALUES ($1, 'test')", [chainId]);
    one.key.fails = () => false;
    later(one);
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "reserved" });
    expect(one.key.signed).toEqual([]);
    await fixture.pool.query("DELETE FROM app.sending_halt WHERE chain_id = $1", [chainId]);
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
  one.key.fails = () => false;
  later(one);
  await one.cycle();
  expect(await one.attempts(id)).toHaveLength(2);
});
