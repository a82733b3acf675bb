import type { Hex } from "viem";
import { z } from "zod";
import { address, decimal } from "./fields.ts";

const movement = { tokenAddress: address, tokenAmount: decimal };
export const movementShape = z.object({ userAddress: address, ...movement });
export const movementSendShape = z.object({ userAddress: address.optional(), ...movement });

/** A deposit or withdrawal of cash or stock (docs/api.md#cash-and-stock-movement). */
export interface MovementInput {
  tokenAddress: Hex;
  /** As sent: how many fraction digits it may have depends on the token. */
  tokenAmount: string;
}

/** Calldata names the wallet that submits. */
export type MovementCalldataInput = z.output<typeof movementShape>;

/** Refusals of every amount of a token. */
export const AMOUNT_REFUSALS = [
  "TOO_MANY_DECIMALS",
  "TOKEN_NOT_SUPPORTED",
  "TOKEN_PAUSED",
  "BELOW_MINIMUM",
] as const;
