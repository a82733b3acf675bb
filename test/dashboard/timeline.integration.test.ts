import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { timeline } from "../../src/dashboard/timeline/timeline.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { setPolicy } from "../support/db/builders/keys.ts";
import { createAttempt, createSends, createWallet } from "../support/db/builders/sends.ts";
import { PRODUCT } from "../support/http/features.ts";
import {
  ALICE,
  CHAIN,
  createDeliveries,
  createEvent,
  createSentOrder,
  dateOf,
  HEAD,
  type ShownTimeline,
  START,
  STOCK,
  secondsOf,
  startTimelines,
  type TimelineFixture,
  unique,
  WAD,
  WALLET,
} from "./timeline-fixture.ts";

// The field `dashboard.timeline`, over rows of a real PostgreSQL.

let fixture: TimelineFixture;

beforeAll(async () => {
  fixture = await startTimelines();
});
afterAll(() => fixture?.close());

const kindsOf = ({ steps }: ShownTimeline): string[] =>
  steps.map(({ kind, state }) => (state === "done" ? kind : `${kind} ${state}`));

it("tells of an order that was sent here, from its request to its expiry", async () => {
  const { orderId, txHash, claimId, requestId } = await createSentOrder(fixture, fixture.key);
  const data = { orderId, mapping: { mappingId: claimId } };
  await createEvent(fixture, fixture.key, {
    ...{ type: "order.placed", data, at: START + 4, blockNumber: 992n, txHash },
  });
  const shown = await fixture.timelineOf("order", orderId);
  expect(kindsOf(shown)).toEqual([
    ...[
      "accepted",
      "simulated",
      "signed",
      "broadcast",
      "mined",
      "placed",
      "indexed",
      "mapped",
      "event",
      "final",
    ],
    "expiry expected",
  ]);
  expect(shown).toMatchObject({
    title: "Limit Buy AAPL, open",
    txHash,
    indexedBlock: 1_000n,
    next: "It waits for fills; it expires at 2027-01-03T19:13:20Z.",
    stalled: null,
  });
  expect(shown.related.map(({ kind, id }) => [kind, id])).toEqual([
    ["send", requestId],
    ["transaction", txHash],
  ]);
  const send = await fixture.timelineOf("send", requestId);
  expect(kindsOf(send)).toEqual(kindsOf(shown));
  expect(kindsOf(await fixture.timelineOf("transaction", txHash))).toEqual(kindsOf(shown));
});

const titlesOf = ({ steps }: ShownTimeline): string[] => steps.map(({ title }) => title);

/** Returns the facts of the first step of a kind. */
const factsOf = ({ steps }: ShownTimeline, kind: string): Record<string, string> => {
  const found = present(
    steps.find((step) => step.kind === kind),
    `a step ${kind}`,
  );
  return Object.fromEntries(found.detail.map(({ label, value }) => [label, value]));
};

describe("an order", () => {
  it("shows its fills, its end and when it is final, each with its block", async () => {
    const settled = { settleTxHash: hex(32, 0xf2), settledAt: BigInt(secondsOf(999)), updatedBlock: 999n };
    const { orderId } = await createSentOrder(fixture, fixture.key, {
      order: { status: "filled", filledQuantity: 2n * WAD, fillCount: 2, ...settled },
    });
    const fill = { chainId: CHAIN, productType: PRODUCT, orderId, quantity: WAD, price: 179n * WAD };
    await fixture.onchain.insert(
      "orderFill",
      { ...fill, ordinal: 0, txHash: hex(32, 0xf1), blockNumber: 995n, timestamp: BigInt(secondsOf(995)) },
      {
        ...{
          ...fill,
          ordinal: 1,
          txHash: hex(32, 0xf2),
          blockNumber: 999n,
          timestamp: BigInt(secondsOf(999)),
        },
        fee: WAD / 2n,
      },
    );
    const shown = await fixture.timelineOf("order", orderId);
    expect(titlesOf(shown).slice(-5)).toEqual([
      "Filled 1 at 179 mUSD",
      "The transaction is final after 2 confirmations",
      "Filled 1 at 179 mUSD",
      "Filled completely",
      "The settlement is final in 1 block",
    ]);
    expect(shown.steps.at(-3)).toMatchObject({
      blockNumber: 999n,
      txHash: hex(32, 0xf2),
      at: secondsOf(999),
    });
    expect(shown.steps.at(-3)?.detail).toContainEqual({ label: "Fee", value: "0.5 mUSD" });
    expect(shown.next).toBe("It is final in 1 block.");
    fixture.node.head = 1_001n;
    const final = await fixture.timelineOf("order", orderId);
    fixture.node.head = HEAD;
    expect([final.steps.at(-1)?.title, final.steps.at(-1)?.state, final.next]).toEqual([
      "The settlement is final after 2 confirmations",
      "done",
      null,
    ]);
  });

  it.each([
    ["rejected", 7, "Rejected by the broker, reason 7", "failed"],
    ["expired", null, "Expired: the session ended", "failed"],
    ["canceled", null, "Canceled", "done"],
  ] as const)("says why it is %s", async (status, rejectReason, title, state) => {
    const end = { settleTxHash: hex(32, 0xf3), settledAt: BigInt(secondsOf(994)), updatedBlock: 994n };
    const { orderId } = await createSentOrder(fixture, fixture.key, {
      order: { status, rejectReason, ...end },
    });
    const { steps } = await fixture.timelineOf("order", orderId);
    expect(steps.find(({ kind }) => kind === "settled")).toMatchObject({ title, state, blockNumber: 994n });
  });

  it("names the key that owns it, and the claims that lost with the reason", async () => {
    const { orderId, txHash } = await createSentOrder(fixture, fixture.key);
    const { pool } = fixture.features.deps;
    await createClaim(pool, fixture.rival, { txHash, createdAt: dateOf(START + 2), state: "pending" });
    const shown = await fixture.timelineOf("order", orderId);
    expect(titlesOf(shown)).toContain("Claimed by test with a /tx endpoint");
    expect(factsOf(shown, "mapped")).toEqual({
      "API key": "test",
      Lost: `test, with a /tx endpoint at ${new Date((START + 2) * 1_000).toISOString().slice(0, 19)}Z: what this service sent comes first`,
    });
  });

  it("that is to be canceled shows the request that does so, which has a timeline of its own", async () => {
    const { orderId, claimId } = await createSentOrder(fixture, fixture.key);
    const { pool } = fixture.features.deps;
    const [cancelId = ""] = await createSends(pool, fixture.key, {
      ...{
        operation: "orders/cancel",
        operationKey: `cancel:${orderId}`,
        userAddress: ALICE,
        wallet: WALLET,
      },
      ...{
        acceptedAt: dateOf(START + 6),
        callData: Buffer.from(`${"00".repeat(104)}${orderId.slice(2)}`, "hex"),
      },
    });
    const data = { requestId: cancelId, mapping: { mappingId: claimId } };
    await createEvent(fixture, fixture.key, {
      type: "send.submitted",
      resource: "sends",
      data,
      at: START + 7,
    });
    const shown = await fixture.timelineOf("order", orderId);
    expect(titlesOf(shown)).toEqual(
      expect.arrayContaining(["Accepted: orders/cancel", "send.submitted in the log of test"]),
    );
    expect(shown.next).toBe("The cancellation waits for its wallet to sign it.");
    const cancel = await fixture.timelineOf("send", cancelId);
    expect(kindsOf(cancel)).toEqual(["accepted", "simulated", "event", "signed expected", "mined expected"]);
    expect(cancel.title).toBe("orders/cancel, accepted");
    expect(cancel.related.map(({ kind, id }) => [kind, id])).toEqual([["order", orderId]]);
    await pool.query(
      "UPDATE app.send_request SET state = 'canceled', err_code = 'CHAIN_REVERT' WHERE request_id = $1",
      [cancelId],
    );
  });

  it("that nobody claims has a timeline, too", async () => {
    const number = unique();
    const [orderId, txHash] = [hex(32, 0xaaa000 + number), hex(32, 0xbbb000 + number)];
    await fixture.onchain.insert("stockOrder", {
      ...{ chainId: CHAIN, productType: PRODUCT, orderId, txHash, userAddress: ALICE, stockAddress: STOCK },
      ...{ side: "Sell", orderType: "Market", status: "canceling", blockNumber: 991n, updatedBlock: 993n },
      ...{
        createdAt: BigInt(secondsOf(991)),
        updatedAt: BigInt(secondsOf(993)),
        cancelTxHash: hex(32, 0xc1),
      },
    });
    const shown = await fixture.timelineOf("order", orderId);
    expect(kindsOf(shown)).toEqual([
      ...["placed", "indexed", "mapped", "cancel_requested", "final", "settled expected"],
    ]);
    expect(titlesOf(shown)[2]).toBe("No API key owns it");
    expect(shown.userAddress).toBe("0x00000000000000000000000000000000000A11cE");
    expect(shown.steps[3]).toMatchObject({ blockNumber: 993n, txHash: hex(32, 0xc1) });
  });
});

describe("a request to send", () => {
  const waiting = (state: string, more: Record<string, unknown> = {}) => ({
    ...{
      state,
      minedBlock: null,
      minedSuccess: null,
      minedFiller: null,
      outcome: null,
      minedAt: null,
      finalAt: null,
    },
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
      ...{
        userAddress: ALICE,
        wallet: address,
        nonce: isSigned ? nonce : null,
        txHash,
        acceptedAt: dateOf(START),
      },
      ...waiting(state, { signedAt: isSigned ? dateOf(START + 1) : null, ...send }),
    });
    if (!isSigned) return { requestId, address, nonce };
    const times = { firstBroadcastAt: dateOf(START + 2), lastBroadcastAt: dateOf(START + 4) };
    await createAttempt(
      pool,
      { requestId, chainId: CHAIN, wallet: address },
      {
        ...{ nonce, txHash, signedBytes: Buffer.from("ca4a5e"), broadcasts: 2, taken: 2, answer: "taken" },
        ...{ createdAt: dateOf(START + 1), ...times, ...attempt },
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
      "It waits for a block; unless it is mined, it goes out again at 2027-01-03T18:13:34Z, and offers a higher fee from 2027-01-03T18:13:52Z on.",
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
        ...{
          outcome: "reverted",
          minedBlock: 992n,
          minedSuccess: false,
          minedFiller: false,
          revert: "InsufficientBalance",
        },
        ...{ errCode: "CHAIN_REVERT", minedAt: dateOf(START + 5), finalAt: dateOf(START + 8) },
      },
    });
    const shown = await fixture.timelineOf("send", requestId);
    expect(kindsOf(shown).slice(-2)).toEqual(["mined failed", "final failed"]);
    expect(titlesOf(shown)).toContain("Mined, and reverted: InsufficientBalance");
    expect(factsOf(shown, "mined").Error).toMatch(/^CHAIN_REVERT: /);
    expect([shown.next, shown.stalled]).toEqual([null, null]);
  });

  it("whose nonce was filled shows each attempt, and ends canceled", async () => {
    const { requestId, address, nonce } = await createWaiting("canceled", {
      attempt: { answer: "taken" },
      send: {
        ...{
          errCode: "DEADLINE_EXPIRED",
          fillReason: "DEADLINE_EXPIRED",
          reason: "its deadline passed; its nonce is filled",
        },
        ...{ minedBlock: 992n, minedSuccess: true, minedFiller: true, minedAt: dateOf(START + 20) },
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
    expect([shown.next, shown.stalled]).toEqual([null, null]);
  });
});

describe("an operation", () => {
  it("shows how it was made, what the cash desk did, and to whom it belongs", async () => {
    const [opId, txHash] = [hex(32, 0x0b0000 + unique()), hex(32, 0x0c0000 + unique())];
    const scope = { chainId: CHAIN, productType: PRODUCT };
    const token = { tokenAddress: hex(20, 0xca54), decimals: 6 };
    await fixture.onchain.insert("cashToken", { ...scope, ...token, usdRate: 1_000_000n });
    await fixture.onchain.insert("cashOperation", {
      ...{ ...scope, opId, kind: "deposit", userAddress: ALICE, tokenAddress: token.tokenAddress, txHash },
      ...{ tokenAmount: 25_000_000n, wadAmount: 25n * WAD, status: "failed", rejectReason: 3 },
      ...{ blockNumber: 992n, createdAt: BigInt(secondsOf(992)), updatedBlock: 996n },
      ...{ settledAt: BigInt(secondsOf(996)), settleTxHash: hex(32, 0x5e) },
    });
    await createClaim(fixture.features.deps.pool, fixture.key, {
      ...{ txHash, operationType: "deposit", createdAt: dateOf(secondsOf(993)) },
    });
    const shown = await fixture.timelineOf("operation", opId);
    expect(kindsOf(shown)).toEqual(["created", "indexed", "mapped", "claimed", "settled failed", "final"]);
    expect(factsOf(shown, "created")).toMatchObject({ Tokens: "25", "On the exchange": "25 mUSD" });
    expect(titlesOf(shown)).toContain("Rejected by the cash desk, reason 3");
    expect(shown.title).toBe("deposit, failed");
  });
});

describe("the log of events", () => {
  it("shows what a reorg took back, that it was mined again, and each delivery", async () => {
    const { orderId, txHash, claimId } = await createSentOrder(fixture, fixture.key);
    const mapping = { mappingId: claimId };
    const told = (type: string, at: number, more: object) =>
      createEvent(fixture, fixture.key, { type, at, data: { orderId, mapping }, txHash, ...more });
    const first = await told("order.placed", START + 3, { blockNumber: 991n });
    await told("order.mapped", START + 4, { data: { orderId: null, mapping }, retracts: first.eventId });
    const again = await told("order.placed", START + 5, { blockNumber: 992n });
    await createDeliveries(fixture, fixture.key, [
      { ...first, state: "delivered", endedAt: dateOf(START + 6), attempts: 1, lastStatusCode: 200 },
      { ...again, state: "pending", attempts: 2, lastError: "answered 500", nextAt: dateOf(START + 60) },
    ]);
    const shown = await fixture.timelineOf("order", orderId);
    const log = shown.steps.filter(({ kind }) => ["event", "retracted", "delivery"].includes(kind));
    expect(log.map(({ kind, title, state }) => [kind, title, state])).toEqual([
      ["event", "order.placed in the log of test", "done"],
      ["event", "order.mapped in the log of test", "done"],
      ["retracted", "A reorg took back order.placed; order.placed again in block 992", "failed"],
      ["event", "order.placed in the log of test", "done"],
      ["delivery", "Not delivered yet: order.placed", "current"],
      ["delivery", "Delivered: order.placed", "done"],
    ]);
    expect(log[4]?.detail).toContainEqual({ label: "Last error", value: "answered 500" });
    expect(log[1]?.detail).toContainEqual({ label: "Sequence", value: String(first.sequence + 1) });
  });

  it("takes events whose token's contract calls itself what PostgreSQL cannot read, and leaves them out", async () => {
    const { orderId, claimId } = await createSentOrder(fixture, fixture.key);
    const data = { orderId, mapping: { mappingId: claimId }, symbol: "\u0000" };
    await createEvent(fixture, fixture.key, { type: "order.placed", data, at: START + 3 });
    expect(kindsOf(await fixture.timelineOf("order", orderId))).not.toContain("event");
  });

  it("leaves out what is about other orders of the transaction", async () => {
    const { orderId, claimId } = await createSentOrder(fixture, fixture.key);
    const other = { orderId: hex(32, 0xfff), mapping: { mappingId: `${claimId}.1` } };
    await createEvent(fixture, fixture.key, { type: "order.placed", data: other, at: START + 3 });
    expect(kindsOf(await fixture.timelineOf("order", orderId))).not.toContain("event");
  });
});

it("goes on without index and nodes, and says what is missing", async () => {
  const { orderId, requestId } = await createSentOrder(fixture, fixture.key);
  fixture.node.head = null;
  const withoutNodes = await fixture.timelineOf("order", orderId);
  await fixture.features.deps.pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 0}'`);
  fixture.node.head = HEAD;
  const withoutIndex = await fixture.timelineOf("send", requestId);
  await fixture.features.deps.pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
  expect(withoutNodes.stalled).toBe("No node of the chain answers.");
  expect(withoutIndex).toMatchObject({ indexedBlock: null, stalled: "The index is not ready." });
  expect(kindsOf(withoutIndex)).toContain("mined");
});

it("leads to the chain's explorer where the deployments file names one", async () => {
  const { orderId, txHash } = await createSentOrder(fixture, fixture.key);
  const linksOf = async () =>
    (await fixture.timelineOf("order", orderId)).steps.map((step) => step.explorerUrl);
  expect(new Set(await linksOf())).toEqual(new Set([null]));
  fixture.node.explorerUrl = "https://explorer.example";
  const links = await linksOf();
  fixture.node.explorerUrl = undefined;
  expect(links).toContain(`https://explorer.example/tx/${txHash}`);
});

it("names no user but in the field of that name, and no secret", async () => {
  const { orderId, txHash, requestId } = await createSentOrder(fixture, fixture.key);
  for (const [kind, id] of [
    ["order", orderId],
    ["send", requestId],
    ["transaction", txHash],
  ] as const) {
    const { userAddress, ...rest } = await fixture.timelineOf(kind, id);
    const text = JSON.stringify(rest, (_key, value) => (typeof value === "bigint" ? String(value) : value));
    expect(userAddress?.toLowerCase()).toBe(ALICE);
    expect(text.toLowerCase()).not.toContain(ALICE.slice(2));
    expect(text).not.toMatch(/ca4a5e|abcd|signed_?bytes|secret/i);
  }
});

it("is null for an object that does not exist, and on another chain", async () => {
  const { orderId } = await createSentOrder(fixture, fixture.key);
  const ask = (kind: string, id: string, chainId?: string) =>
    timeline(fixture.deps, { kind, id, ...(chainId ? { chainId } : {}) });
  await expect(ask("order", hex(32, 0xdead))).resolves.toBeNull();
  await expect(ask("operation", orderId)).resolves.toBeNull();
  await expect(ask("transaction", hex(32, 0xdead))).resolves.toBeNull();
  await expect(ask("send", randomUUID())).resolves.toBeNull();
  await expect(ask("order", orderId, "31338")).resolves.toBeNull();
});

it.each([
  ["kind", { kind: "user", id: hex(32, 1) }],
  ["id", { kind: "order", id: "0x12" }],
  ["id", { kind: "send", id: hex(32, 1) }],
  ["chainId", { kind: "order", id: hex(32, 1), chainId: "0" }],
])("refuses a wrong %s", async (param, args) => {
  await expect(timeline(fixture.deps, args)).rejects.toMatchObject({ errCode: "VALIDATION_FAILED", param });
});
