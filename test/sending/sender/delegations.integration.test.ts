import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { type Hex, pad, parseTransaction } from "viem";
import { dispatchArrived } from "../../../src/sending/sender/cycle.ts";
import { answers, fails } from "../../support/chain/fake-chain.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// Only the chain's delegation counts (docs/sending.md#what-is-signed), whatever the rows contain.

let fixture: SenderFixture;
let one: DrivenWallet;
/** Number of reads of a delegatee. */
let asked: number;

beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  one = await fixture.makeWallet();
  asked = 0;
});

const OTHER: Hex = `0x${"0e".repeat(20)}`;
const answer = (delegatee: () => ReturnType<typeof answers>): void => {
  one.chain.delegateeOf = () => {
    asked += 1;
    return delegatee();
  };
};
/** Longer than a request waits for its delegation. Its times are the database's. */
const LATE_MS = 30_000;
const disable = { operation: "1ct/disable", needsDelegation: false, operationType: null } as const;
const pass = (ms: number): void => {
  one.clock.nowMs += ms;
};

it.each<[string, Hex]>([
  ["another wallet", pad(OTHER)],
  ["nobody", pad("0x")],
  ["no contract", "0x"],
])("a user who has delegated to %s is not signed for, and nobody else waits", async (_what, delegatee) => {
  answer(() => answers(delegatee));
  const id = await one.send();
  const off = await one.send(disable);
  await one.cycle();
  expect(await one.row(id)).toMatchObject({ state: "accepted", nonce: null });
  expect(await one.row(off)).toMatchObject({ state: "broadcast", nonce: 7n });
  pass(LATE_MS);
  await one.cycle();
  expect(await one.row(id)).toMatchObject({
    state: "canceled",
    errCode: "DELEGATION_NOT_ENABLED",
    nonce: null,
    reason: "the chain has no delegation to its wallet",
  });
  // All are broadcasts of the same bytes.
  expect(new Set(one.chain.taken.map((bytes) => parseTransaction(bytes).nonce))).toEqual(new Set([7]));
});

it("a request whose user has not delegated is canceled once it has waited for the configured time", async () => {
  answer(() => answers(pad(OTHER)));
  const { resimulateAfterMs } = one.deps.config;
  const [waits, ends] = [await one.send(), await one.send()];
  for (const [id, waitedMs] of [
    [waits, resimulateAfterMs - 1],
    [ends, resimulateAfterMs],
  ] as const)
    await fixture.pool.query(
      "UPDATE app.send_request SET accepted_at = to_timestamp($2 / 1000.0) WHERE request_id = $1",
      [id, one.clock.nowMs - waitedMs],
    );
  await one.cycle();
  expect({ waits: (await one.row(waits)).state, ends: (await one.row(ends)).state }).toEqual({
    waits: "accepted",
    ends: "canceled",
  });
});

it("a user whose enable the node has not got to is signed for once it has", async () => {
  answer(() => answers(pad(OTHER)));
  const id = await one.send();
  await one.cycle();
  answer(() => answers(pad(one.address)));
  await one.cycle();
  expect(await one.row(id)).toMatchObject({ state: "accepted" });
  pass(1_000);
  await one.cycle();
  expect(await one.row(id)).toMatchObject({ state: "broadcast" });
});

it("a node that refuses to say ends nothing", async () => {
  answer(() => fails("rate limit"));
  const id = await one.send();
  for (let count = 0; count < 3; count++) {
    await one.cycle();
    pass(LATE_MS);
  }
  expect(await one.row(id)).toMatchObject({ state: "accepted", nonce: null });
  answer(() => answers(pad(one.address)));
  await one.cycle();
  expect(await one.row(id)).toMatchObject({ state: "broadcast" });
});

it("is read once in a view of the chain, however many requests a user has", async () => {
  answer(() => answers(pad(one.address)));
  for (let count = 0; count < 5; count++) await one.send();
  await one.cycle();
  expect(asked).toBe(1);
  expect(one.chain.taken).toHaveLength(5);
  await one.send();
  expect(await dispatchArrived(one.state)).toBe(true);
  expect(asked).toBe(1);
  expect(one.chain.taken).toHaveLength(6);
  await one.send();
  await one.cycle();
  expect(asked).toBe(2);
});
