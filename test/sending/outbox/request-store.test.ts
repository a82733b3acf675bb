import { describe, expect, it } from "@jest/globals";
import {
  findById,
  findByIdempotencyKey,
  findByOperationKey,
} from "../../../src/sending/outbox/request-store.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { fakePool, rawSend, toSendRow } from "../../support/sender/fake-outbox.ts";

const caller = {
  keyId: "k",
  apiKey: "ak",
  access: "WRITABLE",
  chainId: 31337,
  productType: "Sandbox",
  userAddress: null,
} as const;
const stored = toSendRow(rawSend());
const holding = fakePool(() => [rawSend()]);
const empty = fakePool(() => []);
const untouched = fakePool((text) => {
  throw new Error(`asked the database: ${text}`);
});

describe("a stored request", () => {
  it("is found by its id", async () => {
    expect(await findById(holding, stored.requestId)).toEqual(stored);
    expect(await findById(empty, stored.requestId)).toBeNull();
  });

  it("is found by its operation, and none is without one", async () => {
    expect(await findByOperationKey(holding, caller, "cancel:1")).toEqual(stored);
    expect(await findByOperationKey(empty, caller, "cancel:1")).toBeNull();
    expect(await findByOperationKey(untouched, caller, null)).toBeNull();
  });

  it("is found by its Idempotency-Key with the same input, and none is without a key", async () => {
    const identity = { idempotencyKey: "i", inputHash: stored.inputHash };
    expect(await findByIdempotencyKey(holding, caller, identity)).toEqual(stored);
    expect(await findByIdempotencyKey(empty, caller, identity)).toBeNull();
    expect(await findByIdempotencyKey(untouched, caller, { ...identity, idempotencyKey: null })).toBeNull();
    await expectRefusal(
      findByIdempotencyKey(holding, caller, { ...identity, inputHash: "another" }),
      "IDEMPOTENCY_KEY_REUSED",
    );
  });

  it("is not written under the Idempotency-Key of a batch of cancels", async () => {
    const batch = { input_hash: "b", order_ids: [], request_ids: [], more: false };
    const pool = fakePool((text) => (text.includes("cancel_batch") ? [batch] : []));
    await expectRefusal(
      findByIdempotencyKey(pool, caller, { idempotencyKey: "i", inputHash: "h" }),
      "IDEMPOTENCY_KEY_REUSED",
    );
  });
});
