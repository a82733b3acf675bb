import type { Hex } from "viem";
import { z } from "zod";
import { address, hash, oneOf, parseInput } from "../input/fields.ts";
import { listFields, listFilters } from "../input/list.ts";
import { OPERATION_STATUSES } from "../protocol/enums.ts";

/** Filters of every list of operations. */
export const operationFilters = {
  status: oneOf(OPERATION_STATUSES).optional(),
  tokenAddress: address.optional(),
  ...listFilters,
};
export type OperationFilter = z.output<z.ZodObject<typeof operationFilters>>;

export const operationListShape = z.object({ ...operationFilters, ...listFields });
export type OperationListInput = z.output<typeof operationListShape>;

/** @throws ApiError VALIDATION_FAILED */
export const parseOperationList = (args: Record<string, unknown>): OperationListInput =>
  parseInput(operationListShape, args);

export const operationIdShape = z.object({ operationId: hash });

/** @throws ApiError VALIDATION_FAILED */
export const parseOperationId = (args: Record<string, unknown>): Hex =>
  parseInput(operationIdShape, args).operationId;
