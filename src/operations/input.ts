import type { Hex } from "viem";
import { z } from "zod";
import { address, hash, oneOf, parseInput } from "../input/fields.ts";
import { listFields } from "../input/list.ts";
import { OPERATION_STATUSES } from "../protocol/enums.ts";

export const operationListShape = z.object({
  status: oneOf(OPERATION_STATUSES).optional(),
  tokenAddress: address.optional(),
  ...listFields,
});
export type OperationListInput = z.output<typeof operationListShape>;

/** @throws ApiError VALIDATION_FAILED */
export const parseOperationList = (args: Record<string, unknown>): OperationListInput =>
  parseInput(operationListShape, args);

export const operationIdShape = z.object({ operationId: hash });

/** @throws ApiError VALIDATION_FAILED */
export const parseOperationId = (args: Record<string, unknown>): Hex =>
  parseInput(operationIdShape, args).operationId;
