import type { Hex } from "viem";
import { z } from "zod";
import { address, decimal, parseInput } from "../input/fields.ts";

const depositShape = z.object({ userAddress: address, tokenAddress: address, tokenAmount: decimal });

export interface DepositInput {
  userAddress: Hex;
  tokenAddress: Hex;
  /** As sent: how many fraction digits it may have depends on the token. */
  tokenAmount: string;
}

/** @throws ApiError VALIDATION_FAILED */
export const parseDeposit = (args: Record<string, unknown>): DepositInput => parseInput(depositShape, args);
