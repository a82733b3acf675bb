import type { Hex } from "viem";
import { z } from "zod";
import { address, integer, MAX_SECONDS, refuse, seconds } from "../input/fields.ts";
import { ApiError } from "../protocol/errors.ts";

/** Wallet contracts may sign with more than 65 bytes. */
const SIGNATURE_MAX_BYTES = 8_192;

export const prepareShape = z.object({ userAddress: address, deadline: seconds });
export const enableShape = z.object({
  signature: z
    .string({ error: "is required" })
    .max(2 + 2 * SIGNATURE_MAX_BYTES, { error: "is too long", abort: true })
    .regex(/^0x([0-9a-fA-F]{2})+$/, "must be hex bytes")
    .transform((value) => value as Hex)
    .meta({ example: `0x${"5f".repeat(64)}1b` }),
  deadline: seconds,
  nonce: integer.refine((value) => value >= 0, "must not be negative").optional(),
});

export type PrepareInput = z.output<typeof prepareShape>;
export type EnableInput = z.output<typeof enableShape>;

/** @param nowMs the time, Unix milliseconds @throws ApiError VALIDATION_FAILED, DEADLINE_EXPIRED */
export function requireFuture(deadline: number, nowMs: number): void {
  if (deadline > MAX_SECONDS) throw refuse("deadline", `must be Unix seconds, at most ${MAX_SECONDS}`);
  if (deadline * 1000 <= nowMs) throw new ApiError("DEADLINE_EXPIRED", { param: "deadline" });
}
