import { z } from "zod";
import { address, parseInput, userId } from "../input/fields.ts";

export const balanceShape = z.object({ userId, spenderAddress: address.optional() });
export const positionsShape = z.object({ userId });

/** @throws ApiError VALIDATION_FAILED */
export const parseBalance = (args: Record<string, unknown>): z.output<typeof balanceShape> =>
  parseInput(balanceShape, args);

/** @throws ApiError VALIDATION_FAILED */
export const parsePositions = (args: Record<string, unknown>): z.output<typeof positionsShape> =>
  parseInput(positionsShape, args);
