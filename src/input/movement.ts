import type { Hex } from "viem";
import { z } from "zod";
import { address, decimal, parseInput } from "./fields.ts";

const movement = { tokenAddress: address, tokenAmount: decimal };
export const movementShape = z.object({ userAddress: address, ...movement });
export const movementSendShape = z.object({ userAddress: address.optional(), ...movement });

/** A deposit or withdrawal of cash or stock (API.md section 6). */
export interface MovementInput {
  tokenAddress: Hex;
  /** As sent: how many fraction digits it may have depends on the token. */
  tokenAmount: string;
}

/** Calldata names the wallet that submits. @throws ApiError VALIDATION_FAILED */
export const parseCalldataInput = (args: Record<string, unknown>): MovementInput & { userAddress: Hex } =>
  parseInput(movementShape, args);

/** A send acts for the bound user, who may be named. @throws ApiError VALIDATION_FAILED */
export const parseSendInput = (
  args: Record<string, unknown>,
): MovementInput & { userAddress?: Hex | undefined } => parseInput(movementSendShape, args);
