import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { inTransaction } from "../../../src/db/transaction.ts";
import { LeaseLost, releaseLease } from "../../../src/sending/sender/lease.ts";
import { readWallet, recordObservation, renewLease } from "../../../src/sending/sender/shared-store.ts";
import { eventuallyEquals } from "../../support/assert/eventually-equals.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// Statements that wallets share: each item is decided by its own lease, whatever the others' are.

let fixture: SenderFixture;
let held: DrivenWallet;
let lost: DrivenWallet;
let locked: DrivenWallet;
beforeAll(async () => {
  fixture = await startSenderFixture();
  [held, lost, locked] = [await fixture.makeWallet(), await fixture.makeWallet(), await fixture.makeWallet()];
  await releaseLease(fixture.pool, lost.wallet);
});
afterAll(() => fixture?.close());

/** Returns the fixture's pool, and the number of its statements. */
function counting() {
  const counted = { statements: 0 };
  const pool = {
    query: (...args: Parameters<pg.Pool["query"]>) => {
      counted.statements += 1;
      return fixture.pool.query(...args);
    },
  } as unknown as pg.Pool;
  return { counted, pool };
}

/** Runs while another transaction has locked a wallet's row. */
const whileLocked = <T>({ address }: DrivenWallet, run: () => Promise<T>): Promise<T> =>
  inTransaction(fixture.pool, async (client) => {
    await client.query("SELECT FROM app.delegatee_wallet WHERE address = $1 FOR NO KEY UPDATE", [address]);
    return run();
  });

const leaseUntil = async (one: DrivenWallet): Promise<unknown> => (await one.walletRow()).lease_until;

it("reads wallets together, and each only by its own lease", async () => {
  const { counted, pool } = counting();
  const id = await held.send();
  const wallets = [
    lost.wallet,
    held.wallet,
    { ...held.wallet, epoch: 2n },
    { ...held.wallet, owner: "other" },
    locked.wallet,
  ];
  const reads = await Promise.allSettled(wallets.map((wallet) => readWallet(pool, wallet)));
  expect(counted.statements).toBe(1);
  expect(reads.map(({ status }) => status)).toEqual([
    "rejected",
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(reads[0]).toMatchObject({ reason: expect.any(LeaseLost) });
  expect(reads[1]).toMatchObject({ value: { hasAccepted: true, hasUnmined: false, hasMined: false } });
  expect(reads[4]).toMatchObject({ value: { hasAccepted: false } });
  expect((await held.row(id)).state).toBe("accepted");
});

it("answers a read by a statement that began after it, whatever is under way", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let isFirst = true;
  const pool = {
    query: async (...args: Parameters<pg.Pool["query"]>) => {
      const isHeldBack = isFirst;
      isFirst = false;
      const result = await fixture.pool.query(...args);
      if (isHeldBack) await answered;
      return result;
    },
  } as unknown as pg.Pool;
  const first = readWallet(pool, held.wallet);
  await eventuallyEquals(() => isFirst, false);
  await fixture.pool.query("UPDATE app.delegatee_wallet SET next_nonce = 41 WHERE address = $1", [
    held.address,
  ]);
  expect((await readWallet(pool, held.wallet)).row.nextNonce).toBe(41n);
  answer();
  await first;
});

it("renews leases that hold, and waits for no row", async () => {
  const { counted, pool } = counting();
  await fixture.pool.query(
    "UPDATE app.delegatee_wallet SET lease_until = now() + interval '1 s' WHERE lease_owner IS NOT NULL",
  );
  const before = { held: await leaseUntil(held), locked: await leaseUntil(locked) };
  const wallets = [lost.wallet, locked.wallet, held.wallet, { ...held.wallet, epoch: 0n }];
  const renewals = await whileLocked(locked, () =>
    Promise.all(wallets.map((wallet) => renewLease(pool, wallet, 3_600_000))),
  );
  const [ofLost, ofLocked, ofHeld, ofEarlierEpoch] = renewals;
  expect({ ofLost, ofLocked, ofHeld, ofEarlierEpoch }).toEqual({
    ofLost: false,
    ofLocked: false,
    ofHeld: true,
    ofEarlierEpoch: false,
  });
  expect(counted.statements).toBe(1);
  expect(Number(await leaseUntil(held))).toBeGreaterThan(Number(before.held) + 3_000_000);
  expect(await leaseUntil(locked)).toEqual(before.locked);
  expect(await leaseUntil(lost)).toBeNull();
});

it("does not renew a lease that has ended", async () => {
  const one = await fixture.makeWallet();
  await fixture.pool.query(
    "UPDATE app.delegatee_wallet SET lease_until = now() - interval '1 s' WHERE address = $1",
    [one.address],
  );
  const before = await leaseUntil(one);
  expect(await renewLease(fixture.pool, one.wallet, 60_000)).toBe(false);
  expect(await leaseUntil(one)).toEqual(before);
});

it("stores what was seen of wallets under their leases alone", async () => {
  const { counted, pool } = counting();
  const see = ({ wallet }: Pick<DrivenWallet, "wallet">, balance: bigint) =>
    recordObservation(pool, { wallet, balance, accountNonce: 8n });
  const [ofLost, ofHeld, ofLocked] = await whileLocked(locked, () =>
    Promise.all([see(lost, 1n), see(held, 2n ** 200n), see(locked, 3n)]),
  );
  expect({ ofLost, ofHeld, ofLocked }).toEqual({ ofLost: false, ofHeld: true, ofLocked: false });
  expect(counted.statements).toBe(1);
  expect(await held.walletRow()).toMatchObject({
    balance_wei: `${2n ** 200n}`,
    chain_nonce: "8",
    observed_at: expect.any(Date),
  });
  for (const one of [lost, locked]) expect(await one.walletRow()).toMatchObject({ observed_at: null });
});
