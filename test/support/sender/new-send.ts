import { randomBytes } from "node:crypto";
import type { Hex } from "viem";
import type { NewSend } from "../../../src/sending/outbox/submit.ts";

/** An address without code: a call to it always succeeds. */
export const NOWHERE: Hex = "0x00000000000000000000000000000000000beef1";

/** A call that no other call equals. */
export function newSend(wallet: Hex, user: Hex, more: Partial<NewSend> = {}): NewSend {
  return {
    operation: "orders/send",
    wallet,
    user,
    to: NOWHERE,
    data: `0x${randomBytes(24).toString("hex")}`,
    gasLimit: 100_000n,
    deadline: null,
    idempotencyKey: null,
    inputHash: "0",
    clientOrderId: null,
    operationType: "trade",
    operationKey: null,
    notional: null,
    symbol: null,
    needsDelegation: true,
    queuedMax: 500,
    ...more,
  };
}
