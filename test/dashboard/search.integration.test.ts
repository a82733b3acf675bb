import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { search } from "../../src/dashboard/search/search.ts";
import { hex } from "../support/assert/sample.ts";
import { ALICE, createSentOrder, startTimelines, type TimelineFixture } from "./timeline-fixture.ts";

// The field `dashboard.search`, over rows of a real PostgreSQL.

let fixture: TimelineFixture;

beforeAll(async () => {
  fixture = await startTimelines();
});
afterAll(() => fixture?.close());

const found = async (text: string) =>
  (await search(fixture.deps, { text })).map(({ kind, id }) => `${kind} ${id}`);

it("finds orders, transactions, requests, keys and users by what names them", async () => {
  const { orderId, txHash, claimId, requestId } = await createSentOrder(fixture, fixture.key, {
    send: { clientOrderId: "order-17" },
  });
  const { keyId, apiKey } = fixture.key;
  await fixture.onchain.insert("cashBalance", {
    ...{ chainId: fixture.key.chainId, productType: fixture.key.productType, userAddress: ALICE },
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
