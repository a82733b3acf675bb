import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import type { DashboardUser } from "../../src/auth/dashboard/user.ts";
import { writeClaim } from "../../src/claims/claim-store.ts";
import { listEvents } from "../../src/dashboard/events.ts";
import { search } from "../../src/dashboard/search/search.ts";
import { timeline } from "../../src/dashboard/timeline/timeline.ts";
import { write } from "../../src/sending/outbox/submit.ts";
import { createWebhook } from "../../src/webhooks/webhooks.ts";
import { hex } from "../support/assert/sample.ts";
import { insertRows } from "../support/db/builders/rows.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { newSend } from "../support/sender/new-send.ts";
import {
  ALICE,
  createDeliveries,
  createEvent,
  createNoise,
  createSentOrder,
  requestRow,
  START,
  STOCK,
  startTimelines,
  type TimelineFixture,
  WALLET,
} from "./timeline-fixture.ts";

// The field `dashboard.search`, over rows of a real PostgreSQL.

let fixture: TimelineFixture;

beforeAll(async () => {
  fixture = await startTimelines();
});
afterAll(() => fixture?.close());

const OPERATOR = { name: "ops", role: "operator", expiresAt: null } as const;
const found = async (text: string, user: DashboardUser = OPERATOR) =>
  (await search({ deps: fixture.deps, user }, { text })).map(({ kind, id }) => `${kind} ${id}`);

it("finds orders, transactions, requests, keys and users by what names them", async () => {
  const { orderId, txHash, claimId, requestId } = await createSentOrder(fixture, fixture.key, {
    send: { clientOrderId: "order-17" },
  });
  const { keyId, apiKey } = fixture.key;
  await fixture.onchain.insert("cashBalance", {
    chainId: fixture.key.chainId,
    productType: fixture.key.productType,
    userAddress: ALICE,
  });
  expect(await found(` ${orderId.toUpperCase().replace("0X", "0x")} `)).toEqual([`order ${orderId}`]);
  expect(await found(txHash)).toEqual([`transaction ${txHash}`, `send ${requestId}`, `order ${orderId}`]);
  expect(await found(requestId.toUpperCase())).toEqual([`send ${requestId}`]);
  expect(await found(claimId)).toEqual([`transaction ${txHash}`]);
  expect(await found(keyId)).toEqual([`key ${keyId}`]);
  expect(await found(apiKey)).toEqual([`key ${keyId}`]);
  expect(new Set(await found("TES"))).toEqual(new Set([`key ${fixture.rival.keyId}`, `key ${keyId}`]));
  expect(await found(ALICE)).toEqual(["user 0x00000000000000000000000000000000000A11cE"]);
});

it("leads from the uuid of an answer to what its request wrote", async () => {
  const { deps, key, rival } = fixture;
  const [sent, recorded, made] = [randomUUID(), randomUUID(), randomUUID()];
  const send = newSend(WALLET, ALICE, { needsDelegation: false, bypassChecks: true });
  const { requestId } = await write(deps, { ...key, envelopeUuid: sent }, send);
  expect(await found(sent)).toEqual([`request ${sent}`, `send ${requestId}`]);
  const claim = { operationType: "trade", txHash: hex(32, 0x8c0000) } as const;
  const unseen = { effects: [], seen: false, final: false };
  await writeClaim(deps.pool, { ...rival, envelopeUuid: recorded }, claim, unseen);
  // A repeat writes nothing: the first request stays the one that did.
  await writeClaim(deps.pool, { ...rival, envelopeUuid: randomUUID() }, claim, unseen);
  expect(await found(recorded)).toEqual([`request ${recorded}`, `transaction ${claim.txHash}`]);
  await createWebhook(deps, { ...key, envelopeUuid: made }, { url: "http://127.0.0.1/hook", types: "" });
  const [webhook] = await search({ deps, user: OPERATOR }, { text: made });
  expect(webhook?.title).toMatch(/^Wrote: webhook [0-9a-f-]{36} \(test\)$/);
  expect(await found(randomUUID())).toEqual([]);
});

it("finds a refused request, a webhook, its delivery and the event by their ids", async () => {
  const { key, rival, deps } = fixture;
  const [refused, written, deliveryId] = [randomUUID(), randomUUID(), randomUUID()];
  const sent = { method: "POST", route: "/orders/send", status: 200, errCode: null };
  await insertRows(deps.pool, "app.request_log", [
    requestRow(refused, rival),
    requestRow(written, key, sent),
  ]);
  const placed = await createEvent(fixture, key, { type: "order.placed", data: {}, at: START });
  const webhookId = await createDeliveries(fixture, key, [{ ...placed, deliveryId }]);
  const titles = async (text: string) =>
    (await search({ deps, user: OPERATOR }, { text })).map(({ kind, id, title }) => [kind, id, title]);
  expect(await titles(refused)).toEqual([
    ["request", refused, "GET /orders/:orderId, refused: ORDER_NOT_FOUND (test)"],
  ]);
  expect(await titles(written)).toEqual([["request", written, "POST /orders/send, answered 200 (test)"]]);
  expect(await titles(webhookId)).toEqual([["webhook", webhookId, "Webhook (test)"]]);
  expect(await titles(deliveryId)).toEqual([
    ["delivery", deliveryId, "Delivery of order.placed, pending (test)"],
  ]);
  expect(await titles(placed.eventId)).toEqual([["event", placed.eventId, "Event order.placed (test)"]]);
  const { edges } = await listEvents(deps, { eventId: placed.eventId });
  expect(edges.map(({ node }) => node.event.eventId)).toEqual([placed.eventId]);
});

it("finds sending wallets and tokens by their addresses", async () => {
  expect(await found(WALLET)).toEqual([`wallet ${getAddress(WALLET)}`]);
  expect(await found(STOCK)).toEqual([`token ${getAddress(STOCK)}`]);
});

it("shows at most 20, the exact one first", async () => {
  const { pool } = fixture.features.deps;
  const rows = Array.from({ length: 30 }, (_unused, index) => ({
    keyId: randomUUID(),
    name: `Wide ${index}`,
    apiKey: `wide-${index}`,
    access: "WRITABLE",
    secretSealed: Buffer.alloc(60),
    masterKeyId: "test",
  }));
  await insertRows(pool, "app.api_key", rows);
  const hits = await search({ deps: fixture.deps, user: OPERATOR }, { text: "wide" });
  expect(hits).toHaveLength(20);
  const [exact] = await search({ deps: fixture.deps, user: OPERATOR }, { text: "wide-3" });
  expect(exact).toMatchObject({ kind: "key", title: "Wide 3, wide-3" });
});

it("and a timeline read a few rows, by indexes, however many there are", async () => {
  const { pool } = fixture.features.deps;
  const { orderId, txHash, claimId, requestId } = await createSentOrder(fixture, fixture.key);
  const uuid = randomUUID();
  await pool.query("UPDATE app.send_request SET envelope_uuid = $1 WHERE request_id = $2", [uuid, requestId]);
  await createEvent(fixture, fixture.key, {
    type: "order.placed",
    data: { orderId, mapping: { mappingId: claimId } },
    at: START + 3,
    txHash,
  });
  await createNoise(fixture, 2_000);
  const { deps, statements } = recordStatements(fixture.deps);
  for (const text of [
    orderId,
    txHash,
    uuid,
    requestId,
    ALICE,
    WALLET,
    randomUUID(),
    "needle-0x1",
    fixture.key.apiKey,
    "Needle",
  ])
    await search({ deps, user: OPERATOR }, { text });
  const searched = statements.length;
  const counts = await Promise.all(
    [["order", orderId] as const, ["transaction", txHash] as const, ["send", requestId] as const].map(
      async ([kind, id]) => {
        const recorded = recordStatements(fixture.deps);
        await timeline(recorded.deps, { kind, id });
        statements.push(...recorded.statements);
        return recorded.statements.length;
      },
    ),
  );
  expect(searched).toBeGreaterThan(10);
  expect(Math.max(...counts)).toBeLessThanOrEqual(8);
  expect(await mostRowsRead(pool, statements)).toBeLessThan(100);
});

it("finds users for operators alone", async () => {
  const viewer = { ...OPERATOR, role: "viewer" } as const;
  expect(await found(fixture.key.apiKey, viewer)).toEqual([`key ${fixture.key.keyId}`]);
  for (const text of [ALICE, hex(20, 0xdead)]) {
    await expect(found(text, viewer)).rejects.toMatchObject({ errCode: "POLICY_REFUSED" });
  }
});

it.each(["", "  ", "0x12", "no-such-name", hex(32, 0xdead), hex(20, 0xdead), "'; --", "&|!:*"])(
  "finds nothing by %j",
  async (text) => {
    expect(await found(text)).toEqual([]);
  },
);

it.each([
  ["no 0x", "ab".repeat(32), "text must begin with 0x where it is a hash or an address"],
  ["too much", "x".repeat(201), "text is too long"],
  ["control characters", "a\u0000b", "text must not hold control characters"],
])("refuses a text with %s", async (_what, text, message) => {
  await expect(found(text)).rejects.toMatchObject({ errCode: "VALIDATION_FAILED", param: "text", message });
});
