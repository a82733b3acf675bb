import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { getAddress, type Hex } from "viem";
import { hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { setPolicy } from "../support/db/builders/keys.ts";
import { createAttempt, createSends, createWallet } from "../support/db/builders/sends.ts";
import {
  ALICE,
  CHAIN,
  createSentOrder,
  dateOf,
  factsOf,
  HEAD,
  kindsOf,
  START,
  secondsOf,
  startTimelines,
  type TimelineFixture,
  titlesOf,
  unique,
} from "./timeline-fixture.ts";

// Timelines of requests to send, and of transactions that keys recorded.

let fixture: TimelineFixture;

beforeAll(async () => {
  fixture = await startTimelines();
});
afterAll(() => fixture?.close());

describe("a request to send", () => {
  const waiting = (state: string, more: Record<string, unknown> = {}) => ({
    state,
    minedBlock: null,
    minedSuccess: null,
    minedFiller: null,
    outcome: null,
    minedAt: null,
    finalAt: null,
    ...more,
  });

  /** Writes a request of a wallet of its own that is not mined. */
  async function createWaiting(
    state: string,
    { send = {}, attempt = {}, wallet = {} }: Record<string, Record<string, unknown>> = {},
  ): Promise<{ requestId: string; address: Hex; nonce: number }> {
    const { pool } = fixture.features.deps;
    const nonce = unique();
    const address = hex(20, 0x11a000 + nonce);
    await createWallet(pool, address, wallet);
    const isSigned = state !== "accepted";
    const txHash = isSigned ? hex(32, 0x9a0000 + nonce) : null;
    const [requestId = ""] = await createSends(pool, fixture.key, {
      userAddress: ALICE,
      wallet: address,
      nonce: isSigned ? nonce : null,
      txHash,
      acceptedAt: dateOf(START),
      ...waiting(state, { signedAt: isSigned ? dateOf(START + 1) : null, ...send }),
    });
    if (!isSigned) return { requestId, address, nonce };
    const times = { firstBroadcastAt: dateOf(START + 2), lastBroadcastAt: dateOf(START + 4) };
    await createAttempt(
      pool,
      { requestId, chainId: CHAIN, wallet: address },
      {
        nonce,
        txHash,
        signedBytes: Buffer.from("ca4a5e"),
        broadcasts: 2,
        taken: 2,
        answer: "taken",
        createdAt: dateOf(START + 1),
        ...times,
        ...attempt,
      },
    );
    return { requestId, address, nonce };
  }

  it("that waits for its wallet says how many are before it", async () => {
    const { requestId, address } = await createWaiting("accepted");
    const { pool } = fixture.features.deps;
    const [behind = ""] = await createSends(pool, fixture.key, { userAddress: ALICE, wallet: address });
    const shown = await fixture.timelineOf("send", requestId);
    expect(kindsOf(shown)).toEqual(["accepted", "simulated", "signed expected", "mined expected"]);
    expect(shown).toMatchObject({ txHash: null, next: "It waits for its wallet to sign it.", stalled: null });
    const second = await fixture.timelineOf("send", behind);
    expect(second.next).toBe("It waits for its wallet to sign it, behind 1 other request.");
  });

  it("whose nonce is reserved is not shown as signed, and blames the key once that takes long", async () => {
    const reserved = { nonce: 8n, reservedMaxFee: 9n, reservedTip: 1n };
    const { requestId, address } = await createWaiting("accepted", {
      send: { ...reserved, state: "signed", signedAt: new Date() },
    });
    const shown = await fixture.timelineOf("send", requestId);
    expect(kindsOf(shown)).toEqual(["accepted", "simulated", "signed expected", "mined expected"]);
    expect(shown).toMatchObject({
      next: "It has nonce 8; the key of its wallet signs it next.",
      stalled: null,
    });
    const { pool } = fixture.features.deps;
    await pool.query(
      "UPDATE app.send_request SET signed_at = now() - interval '11 seconds' WHERE request_id = $1",
      [requestId],
    );
    const [behind = ""] = await createSends(pool, fixture.key, { userAddress: ALICE, wallet: address });
    for (const id of [requestId, behind]) {
      const { stalled } = await fixture.timelineOf("send", id);
      expect(stalled).toBe(`The key of wallet ${getAddress(address)} has not signed nonce 8.`);
    }
  });

  it("that was broadcast says when it goes out again, at which fee", async () => {
    const { requestId } = await createWaiting("broadcast");
    const shown = await fixture.timelineOf("send", requestId);
    expect(kindsOf(shown)).toEqual([
      "accepted",
      "simulated",
      "signed",
      "broadcast current",
      "mined expected",
    ]);
    expect(shown.next).toBe(
      "It waits for a block; unless it is mined, it goes out again at 2027-01-03 18:13:34 UTC, and offers a higher fee from 2027-01-03 18:13:52 UTC on.",
    );
    expect(factsOf(shown, "broadcast")).toMatchObject({
      "Answer of the nodes": "taken",
      "Given to the nodes": "2 times, taken 2 times",
    });
  });

  it.each([
    [
      "a halted wallet",
      { wallet: { state: "halted", stateReason: "nonce 7 is not ours" } },
      /is halted: nonce 7 is not ours\.$/,
    ],
    [
      "a wallet without funds",
      { wallet: { state: "paused", stateReason: "no funds" } },
      /is paused: no funds\.$/,
    ],
    [
      "gas that costs too much",
      { attempt: { answer: "insufficient-funds", taken: 0 } },
      /too little to pay for gas\.$/,
    ],
    ["a deadline that has passed", { send: { deadline: BigInt(START + 1) } }, /^Its deadline has passed/],
  ])("that stands still says why: %s", async (_what, options, stalled) => {
    const { requestId } = await createWaiting("broadcast", options);
    expect((await fixture.timelineOf("send", requestId)).stalled).toMatch(stalled);
  });

  it("that waits for a block names the chain or the index where it is late, and no answer of before", async () => {
    const { requestId } = await createWaiting("broadcast", {
      attempt: { answer: "insufficient-funds", taken: 0 },
    });
    const stalledAfter = async (seconds: number, head: bigint) => {
      fixture.features.clock.nowMs = secondsOf(1_000 + seconds) * 1_000;
      fixture.node.head = head;
      return (await fixture.timelineOf("send", requestId)).stalled;
    };
    const found = {
      standing: await stalledAfter(61, HEAD),
      indexIsLate: await stalledAfter(31, HEAD + 31n),
      newBlock: await stalledAfter(31, HEAD + 1n),
    };
    await stalledAfter(0, HEAD);
    expect(found).toEqual({
      standing: "The chain's newest block is 61 seconds old.",
      indexIsLate: expect.stringMatching(/too little to pay for gas/),
      newBlock: expect.stringMatching(/too little to pay for gas/),
    });
    const { orderId } = await createSentOrder(fixture, fixture.key);
    fixture.features.clock.nowMs = secondsOf(1_031) * 1_000;
    fixture.node.head = HEAD + 31n;
    const { stalled } = await fixture.timelineOf("order", orderId);
    await stalledAfter(0, HEAD);
    expect(stalled).toBe("The index is at block 1000, 31 behind the chain.");
  });

  it("that waits while no worker is alive says so, and blames no wallet", async () => {
    const { requestId, address } = await createWaiting("accepted");
    const { pool } = fixture.features.deps;
    await pool.query("UPDATE app.delegatee_wallet SET state = 'paused' WHERE address = $1", [address]);
    await pool.query("UPDATE app.program_seen SET seen_at = seen_at - INTERVAL '2 days'");
    const { stalled } = await fixture.timelineOf("send", requestId);
    await pool.query("UPDATE app.program_seen SET seen_at = seen_at + INTERVAL '2 days'");
    expect(stalled).toBe("No worker is alive: nothing is signed, broadcast or followed.");
  });

  it("that waits while an operator has halted sending says so, with the operator's reason", async () => {
    const { requestId } = await createWaiting("accepted");
    const { pool } = fixture.features.deps;
    await pool.query(
      "INSERT INTO app.sending_halt (chain_id, actor, reason) VALUES ($1, 'someone', 'a leak'), (1, 'someone', 'other')",
      [CHAIN],
    );
    const { stalled } = await fixture.timelineOf("send", requestId);
    await pool.query("DELETE FROM app.sending_halt");
    expect(stalled).toBe("Sending is halted on this chain: a leak; nothing new is signed.");
  });

  it("behind another nonce of its wallet says which", async () => {
    const { requestId, address, nonce } = await createWaiting("broadcast");
    const { pool } = fixture.features.deps;
    const first = { nonce: nonce - 1, txHash: hex(32, 0x9b0000 + nonce), state: "broadcast" };
    await createSends(pool, fixture.key, { userAddress: ALICE, wallet: address, ...first });
    expect((await fixture.timelineOf("send", requestId)).stalled).toBe(
      `Nonce ${nonce - 1} of its wallet comes first and is not mined.`,
    );
  });

  it("that is killed before it is signed says so", async () => {
    const { requestId } = await createWaiting("accepted");
    await setPolicy(fixture.features.deps.pool, fixture.key, { killed: true });
    const { stalled } = await fixture.timelineOf("send", requestId);
    await setPolicy(fixture.features.deps.pool, fixture.key, { killed: false });
    expect(stalled).toMatch(/^The kill switch of the API key is on/);
  });

  it("that reverted names the contract's error, and what it means", async () => {
    const { requestId } = await createWaiting("final", {
      send: {
        outcome: "reverted",
        minedBlock: 992n,
        minedSuccess: false,
        minedFiller: false,
        revert: "InsufficientBalance",
        errCode: "CHAIN_REVERT",
        minedAt: dateOf(START + 5),
        finalAt: dateOf(START + 8),
      },
    });
    const shown = await fixture.timelineOf("send", requestId);
    expect(kindsOf(shown).slice(-2)).toEqual(["mined failed", "final failed"]);
    expect(titlesOf(shown)).toContain("Mined, and reverted: InsufficientBalance");
    expect(factsOf(shown, "mined").Error).toMatch(/^CHAIN_REVERT: /);
    expect({ next: shown.next, stalled: shown.stalled }).toEqual({ next: null, stalled: null });
  });

  it("whose nonce was filled shows each attempt, and ends canceled", async () => {
    const { requestId, address, nonce } = await createWaiting("canceled", {
      attempt: { answer: "taken" },
      send: {
        errCode: "DEADLINE_EXPIRED",
        fillReason: "DEADLINE_EXPIRED",
        reason: "its deadline passed; its nonce is filled",
        minedBlock: 992n,
        minedSuccess: true,
        minedFiller: true,
        minedAt: dateOf(START + 20),
        finalAt: dateOf(START + 30),
      },
    });
    const { pool } = fixture.features.deps;
    const filler = { kind: "filler", txHash: hex(32, 0x9c0000 + nonce), signedBytes: Buffer.from("ca4a5e") };
    await createAttempt(
      pool,
      { requestId, chainId: CHAIN, wallet: address },
      { nonce, ...filler, broadcasts: 1, taken: 1, answer: "taken", createdAt: dateOf(START + 10) },
    );
    const shown = await fixture.timelineOf("send", requestId);
    expect(titlesOf(shown).slice(3)).toEqual([
      "Broadcast",
      "The nonce is filled with an empty transfer: its deadline passed",
      "The empty transfer was mined",
      "Canceled: its deadline passed; its nonce is filled",
    ]);
  });
});

describe("a transaction that a key recorded", () => {
  it("waits for a node that knows it, until its claim is dropped", async () => {
    const txHash = hex(32, 0x5c0000 + unique());
    const { pool } = fixture.features.deps;
    await createClaim(pool, fixture.rival, { txHash, createdAt: dateOf(START) });
    const shown = await fixture.timelineOf("transaction", txHash);
    expect(kindsOf(shown)).toEqual(["claimed", "mined expected", "ended expected"]);
    expect(shown.steps.at(-1)?.at).toBe(START + 86_400);
    expect(shown.next).toMatch(/^No node knows the transaction; the claim is dropped at /);
  });

  it.each([
    ["reverted", "mined failed"],
    ["dropped", "ended failed"],
  ] as const)("and that is %s has failed for good", async (state, kind) => {
    const txHash = hex(32, 0x5c0000 + unique());
    await createClaim(fixture.features.deps.pool, fixture.rival, { txHash, state });
    const shown = await fixture.timelineOf("transaction", txHash);
    expect(kindsOf(shown)).toEqual(["claimed", kind]);
    expect({ next: shown.next, stalled: shown.stalled }).toEqual({ next: null, stalled: null });
  });
});
