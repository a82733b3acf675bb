import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { inTransaction } from "../../../src/db/transaction.ts";
import { giveUpWallet } from "../../../src/sending/retirement/lost-key-store.ts";
import { takeDue } from "../../../src/sending/retirement/store.ts";
import { LeaseLost, takeLease } from "../../../src/sending/sender/lease.ts";
import type { Signer } from "../../../src/sending/signer/signer.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../../test/support/sender/sender-fixture.ts";
import { operateOn } from "./operate-on.ts";

/** `wallets retire --key-lost` reports requests as never sent, so nothing that a worker signs for them may go out, then or later. */
let fixture: SenderFixture;

beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());

const retire = (wallet: DrivenWallet, ...options: string[]) =>
  operateOn(fixture, wallet, "wallets", "retire", String(wallet.chain.chainId), wallet.address, ...options);

const giveUp = (one: DrivenWallet) => retire(one, "--key-lost", "--yes", "--json");

/** A wallet whose key signs nothing until it is said to be back, or asked in the test's way. */
async function makeWallet() {
  const one = await fixture.makeWallet();
  const { signer } = one.wallet;
  const key = { sign: (() => Promise.reject(new Error("the device is gone"))) as Signer["sign"] };
  one.wallet.signer = { ...signer, sign: (transaction) => key.sign(transaction) };
  const comesBack = () => {
    key.sign = signer.sign;
    one.clock.nowMs += 2_000;
  };
  return { one, key, signer, comesBack };
}

const CANCELED = { state: "canceled", errCode: "OPERATOR_UNAVAILABLE" };

describe("row 99: a wallet whose key is lost", () => {
  it("ends what it has not signed, and signs nothing when the key comes back", async () => {
    const { one, comesBack } = await makeWallet();
    const reserved = await one.send();
    await one.cycle();
    const undelegation = await one.send({ operation: "1ct/disable" });
    expect(await one.row(reserved)).toMatchObject({ state: "reserved", nonce: 7n });

    const { code, out, err } = await giveUp(one);
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
    expect(JSON.parse(out)).toMatchObject({ isNew: true, ended: [reserved, undelegation] });
    expect(await one.row(reserved)).toMatchObject({ ...CANCELED, nonce: 7n });
    expect(await one.row(undelegation)).toMatchObject({ ...CANCELED, nonce: null });
    expect(await one.claim(reserved)).toMatchObject({ state: "reverted" });

    comesBack();
    await expect(one.cycle()).rejects.toThrow(LeaseLost);
    expect(await takeLease(fixture.pool, one.chain.chainId, one.address, "another worker", 1_000)).toBeNull();
    expect(one.chain.taken).toEqual([]);
    expect(await one.attempts(reserved)).toEqual([]);
    const status = await retire(one, "--status", "--json");
    expect(JSON.parse(status.out)).toMatchObject({ isKeyLost: true, isDriven: false, finishedAt: null });
  });

  it("has stored nothing of a worker that was signing meanwhile", async () => {
    const { one, key, signer } = await makeWallet();
    const id = await one.send();
    let goOn = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      key.sign = async (transaction) => {
        const mayGoOn = new Promise<void>((go) => {
          goOn = go;
        });
        resolve();
        await mayGoOn;
        return signer.sign(transaction);
      };
    });
    const cycle = one.cycle();
    await asked;
    expect(await giveUp(one)).toMatchObject({ code: 0 });
    goOn();
    await expect(cycle).rejects.toThrow(LeaseLost);
    expect(await one.row(id)).toMatchObject(CANCELED);
    expect({ attempts: await one.attempts(id), sent: one.chain.taken }).toEqual({ attempts: [], sent: [] });
  });

  it("keeps the reason for which a nonce would have been filled", async () => {
    const { one } = await makeWallet();
    const id = await one.send({ deadline: BigInt(Math.floor(one.clock.nowMs / 1_000)) + 60n });
    await one.cycle();
    one.clock.nowMs += 120_000;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "reserved", fillReason: "DEADLINE_EXPIRED" });
    expect(await giveUp(one)).toMatchObject({ code: 0 });
    expect(await one.row(id)).toMatchObject({ state: "canceled", errCode: "DEADLINE_EXPIRED" });
  });

  it("is not given up while something that it signed is not final", async () => {
    const { one, key, signer } = await makeWallet();
    key.sign = (transaction) =>
      transaction.nonce === 7 ? signer.sign(transaction) : Promise.reject(new Error("gone"));
    const [signed, reserved] = [await one.send(), await one.send()];
    await one.cycle();
    const before = await one.walletRow();
    expect(await giveUp(one)).toMatchObject({
      code: 1,
      err: expect.stringContaining("1 of its requests are signed and not final"),
    });
    expect(await one.row(signed)).toMatchObject({ state: "broadcast" });
    expect(await one.row(reserved)).toMatchObject({ state: "reserved" });
    const { lease_owner, lease_epoch } = before;
    expect(await one.walletRow()).toMatchObject({ assignable: false, lease_owner, lease_epoch });
  });

  it("is not given up where nodes know a transaction that the database lacks", async () => {
    const { one } = await makeWallet();
    const id = await one.send();
    await one.cycle();
    one.chain.nonce += 1n;
    expect(await giveUp(one)).toMatchObject({
      code: 1,
      err: expect.stringContaining("nodes know a transaction of nonce 7"),
    });
    expect(await one.row(id)).toMatchObject({ state: "reserved" });
  });

  it("is given up again for what came later, is left alone by the workers' job, and was retired before", async () => {
    const { one } = await makeWallet();
    const name = { chainId: one.chain.chainId, wallet: one.address };
    const nextDue = () => takeDue(fixture.pool, one.chain.chainId, 3_600);
    await expect(inTransaction(fixture.pool, (tx) => giveUpWallet(tx, name))).rejects.toThrow(
      "is not retired",
    );
    expect(await giveUp(one)).toMatchObject({ code: 0 });
    const later = await one.send({ operation: "1ct/disable", bypassChecks: true, needsDelegation: false });
    // Those of other tests are due, too.
    const due: string[] = [];
    for (let next = await nextDue(); next; next = await nextDue()) due.push(next.wallet);
    expect(due).not.toContain(one.address);
    const { out } = await giveUp(one);
    expect(JSON.parse(out)).toMatchObject({ isNew: false, ended: [later] });
    const { rows } = await fixture.pool.query(
      "SELECT detail FROM app.audit_entry WHERE action = 'wallets retire' AND subject = $1 ORDER BY audit_id",
      [`${one.chain.chainId}:${one.address}`],
    );
    expect(rows.map(({ detail }) => detail)).toEqual([
      {},
      { keyLost: true, ended: [] },
      { keyLost: true, ended: [later] },
    ]);
  });
});
