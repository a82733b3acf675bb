import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { timeline } from "../../src/dashboard/timeline/timeline.ts";
import { hex } from "../support/assert/sample.ts";
import {
  createEvent,
  createSentOrder,
  type ShownTimeline,
  START,
  startTimelines,
  type TimelineFixture,
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
