import { expect, it } from "@jest/globals";
import { presentSend, sendProgressSchema } from "../../../src/sending/outbox/reply.ts";

// Requests as lists read them and their callers see them.

const ROW = {
  requestId: "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  operation: "orders/send",
  acceptedAtMs: "1800000000999",
  state: "final",
  txHash: `0x${"11".repeat(32)}`,
  minedSuccess: true,
  minedFiller: false,
  outcome: "confirmed",
  errCode: null,
  revert: null,
};

it.each([
  ["confirmed", "confirmed"],
  ["reverted", "failed"],
])("a final request whose outcome is %s is shown as %s", (outcome, status) => {
  expect(presentSend(sendProgressSchema.parse({ ...ROW, outcome }))).toMatchObject({
    status,
    final: true,
    errCode: status === "failed" ? "CHAIN_REVERT" : null,
    acceptedAt: 1_800_000_000,
  });
});
