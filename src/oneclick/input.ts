import type { Hex } from "viem";
import { z } from "zod";
import { address, integer, seconds } from "../context/input/fields.ts";

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
