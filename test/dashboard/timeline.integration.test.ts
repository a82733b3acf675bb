import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { timeline } from "../../src/dashboard/timeline/timeline.ts";
import { hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createSends } from "../support/db/builders/sends.ts";
import { PRODUCT } from "../support/http/features.ts";
import {
  ALICE,
  CHAIN,
  createDeliveries,
  createEvent,
  createSentOrder,
  dateOf,
  factsOf,
  HEAD,
  kindsOf,
  START,
  STOCK,
  secondsOf,
  startTimelines,
  type TimelineFixture,
  titlesOf,
  unique,
  WAD,
  WALLET,
} from "./timeline-fixture.ts";

// The field `dashboard.timeline`, over rows of a real PostgreSQL.

/** Kinds of the steps of an open order that was sent here and is final, with one event. */
const OF_SENT_ORDER = [
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
  "expiry expected",
];

let fixture: TimelineFixture;

beforeAll(async () => {
  fixture = await startTimelines();
});
afterAll(() => fixture?.close());

it("tells of an order that was sent here, from its request to its expiry", async () => {
  const { orderId, txHash, claimId, requestId } = await createSentOrder(fixture, fixture.key);
  const data = { orderId, mapping: { mappingId: claimId } };
  await createEvent(fixture, fixture.key, {
    type: "order.placed",
    data,
    at: START + 4,
    blockNumber: 992n,
    txHash,
  });
  const shown = await fixture.timelineOf("order", orderId);
  expect(kindsOf(shown)).toEqual(OF_SENT_ORDER);
  expect(shown).toMatchObject({
    title: "Limit Buy AAPL, open",
    txHash,
    indexedBlock: 1_000n,
    next: "It waits for fills; the end of the session ends it.",
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

it("tells of a broadcast first where the answer to it was stored after what the block did", async () => {
  const { orderId, txHash, claimId, requestId } = await createSentOrder(fixture, fixture.key);
  await createEvent(fixture, fixture.key, {
    type: "order.placed",
    data: { orderId, mapping: { mappingId: claimId } },
    at: START + 2,
    blockNumber: 992n,
    txHash,
  });
  const stored = [dateOf(START + 5), requestId];
  const { pool } = fixture.features.deps;
  await pool.query("UPDATE app.send_request SET broadcast_at = $1 WHERE request_id = $2", stored);
  await pool.query("UPDATE app.send_attempt SET first_broadcast_at = $1 WHERE request_id = $2", stored);
  expect(kindsOf(await fixture.timelineOf("order", orderId))).toEqual(OF_SENT_ORDER);
});

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
        ...fill,
        ordinal: 1,
        txHash: hex(32, 0xf2),
        blockNumber: 999n,
        timestamp: BigInt(secondsOf(999)),
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
    expect({ title: final.steps.at(-1)?.title, state: final.steps.at(-1)?.state, next: final.next }).toEqual({
      title: "The settlement is final after 2 confirmations",
      state: "done",
      next: null,
    });
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
      Lost: `test, with a /tx endpoint at ${new Date((START + 2) * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC: what this service sent comes first`,
    });
  });

  it("says whom a key was bound to when it recorded it, not now", async () => {
    const { features, onchain, rival } = fixture;
    const key = await features.makeCaller({ userAddress: WALLET });
    const [orderId, txHash] = [hex(32, 0x0d0000 + unique()), hex(32, 0x7e0000 + unique())];
    const kind = { side: "Buy", orderType: "Market", status: "open" } as const;
    await onchain.insert("stockOrder", {
      chainId: CHAIN,
      productType: PRODUCT,
      orderId,
      txHash,
      logIndex: 1,
      blockNumber: 992n,
      userAddress: ALICE,
      stockAddress: STOCK,
      ...kind,
    });
    const { pool } = features.deps;
    for (const [at, by] of [key, rival].entries())
      await createClaim(pool, by, {
        txHash,
        createdAt: dateOf(START + at),
        ruleVersion: 2,
        beforeFinal: true,
      });
    await pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [key.keyId, ALICE]);
    expect(factsOf(await fixture.timelineOf("order", orderId), "mapped")).toMatchObject({
      Lost: expect.stringMatching(/the record of a key that was bound to another user comes last$/),
    });
  });

  it("that is to be canceled shows the request that does so, which has a timeline of its own", async () => {
    const { orderId, claimId } = await createSentOrder(fixture, fixture.key);
    const { pool } = fixture.features.deps;
    const [cancelId = ""] = await createSends(pool, fixture.key, {
      operation: "orders/cancel",
      operationKey: `cancel:${orderId}`,
      userAddress: ALICE,
      wallet: WALLET,
      acceptedAt: dateOf(START + 6),
      callData: Buffer.from(`${"00".repeat(104)}${orderId.slice(2)}`, "hex"),
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
      chainId: CHAIN,
      productType: PRODUCT,
      orderId,
      txHash,
      userAddress: ALICE,
      stockAddress: STOCK,
      side: "Sell",
      orderType: "Market",
      status: "canceling",
      blockNumber: 991n,
      updatedBlock: 993n,
      createdAt: BigInt(secondsOf(991)),
      updatedAt: BigInt(secondsOf(993)),
      cancelTxHash: hex(32, 0xc1),
    });
    const shown = await fixture.timelineOf("order", orderId);
    expect(kindsOf(shown)).toEqual([
      "placed",
      "indexed",
      "mapped",
      "cancel_requested",
      "final",
      "settled expected",
    ]);
    expect(titlesOf(shown)[2]).toBe("No API key owns it");
    expect(shown.userAddress).toBe("0x00000000000000000000000000000000000A11cE");
    expect(shown.steps[3]).toMatchObject({ blockNumber: 993n, txHash: hex(32, 0xc1) });
  });
});

describe("an operation", () => {
  it("shows how it was made, what the cash desk did, and to whom it belongs", async () => {
    const [opId, txHash] = [hex(32, 0x0b0000 + unique()), hex(32, 0x0c0000 + unique())];
    const scope = { chainId: CHAIN, productType: PRODUCT };
    const token = { tokenAddress: hex(20, 0xca54), decimals: 6 };
    await fixture.onchain.insert("cashToken", { ...scope, ...token, usdRate: 1_000_000n });
    await fixture.onchain.insert("cashOperation", {
      ...scope,
      opId,
      kind: "deposit",
      userAddress: ALICE,
      tokenAddress: token.tokenAddress,
      txHash,
      tokenAmount: 25_000_000n,
      wadAmount: 25n * WAD,
      status: "failed",
      rejectReason: 3,
      blockNumber: 992n,
      createdAt: BigInt(secondsOf(992)),
      updatedBlock: 996n,
      settledAt: BigInt(secondsOf(996)),
      settleTxHash: hex(32, 0x5e),
    });
    await createClaim(fixture.features.deps.pool, fixture.key, {
      txHash,
      operationType: "deposit",
      createdAt: dateOf(secondsOf(993)),
    });
    const shown = await fixture.timelineOf("operation", opId);
    expect(kindsOf(shown)).toEqual(["created", "indexed", "mapped", "claimed", "settled failed", "final"]);
    expect(factsOf(shown, "created")).toMatchObject({ Tokens: "25", "On the exchange": "25 mUSD" });
    expect(titlesOf(shown)).toContain("Rejected by the cash desk, reason 3");
    expect(shown.title).toBe("Deposit, failed");
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
    expect({ kind, id, user: userAddress?.toLowerCase() }).toEqual({ kind, id, user: ALICE });
    expect(text.toLowerCase()).not.toContain(ALICE.slice(2));
    expect(text).not.toMatch(/ca4a5e|abcd|signed_?bytes|secret/i);
  }
});

it("shows the broadcast before the block also where its receipt was stored first, or the chain's clock is behind", async () => {
  const { requestId } = await createSentOrder(fixture, fixture.key, {
    order: { createdAt: BigInt(START - 60) },
    send: { broadcastAt: dateOf(START + 3) },
  });
  const shown = await fixture.timelineOf("send", requestId);
  expect(kindsOf(shown).slice(2, 6)).toEqual(["signed", "broadcast", "mined", "placed"]);
  expect(shown.steps[3]?.at).toBe(START + 1);
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
