import { describe, expect, it } from "@jest/globals";
import { decodeEventCursor, encodeEventCursor } from "../../../src/context/input/event-cursor.ts";
import { encodeCursor } from "../../../src/context/input/list.ts";
import { ApiError } from "../../../src/protocol/errors.ts";

const KEY = "11111111-1111-4111-8111-111111111111";
const LOG = { keyId: KEY, chainId: 31337, productType: "spot" };

describe("an event cursor", () => {
  it("is read again by its own log, whatever parameter carries it", () => {
    for (const sequence of [0n, 1n, 2n ** 40n])
      expect(decodeEventCursor(LOG, encodeEventCursor(LOG, sequence), "after")).toBe(sequence);
  });

  it.each([
    ["key", { ...LOG, keyId: KEY.replaceAll("1", "2") }],
    ["chain", { ...LOG, chainId: 31338 }],
    ["product", { ...LOG, productType: "Spot" }],
  ])("of another %s is refused", (_what, other) => {
    const refusal = readError(() => decodeEventCursor(LOG, encodeEventCursor(other, 7n), "after"));
    expect(refusal).toMatchObject({ errCode: "VALIDATION_FAILED", param: "after" });
    expect(refusal.message).toMatch(/^after must be a cursor of this key's log on this chain and product/);
  });

  it("is no cursor of a list, and a cursor of a list is none", () => {
    const list = { list: "orders", chainId: LOG.chainId, productType: LOG.productType };
    const cursor = encodeCursor(list, { createdMs: 1, claimId: KEY, logIndex: 0 });
    expect(readError(() => decodeEventCursor(LOG, cursor, "last-event-id"))).toMatchObject({
      param: "last-event-id",
    });
  });
});

function readError(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error("nothing was refused");
}
